# SPDX-License-Identifier: Apache-2.0
"""What a client raises, and what a handler of a worker raises."""
from __future__ import annotations

from typing import Any, List, Mapping, Optional

from .values import Duration


class Error(Exception):
    """Any failure of a request."""


class ConnectionFailed(Error):
    """There was no answer: the request may have been executed or not."""


class Problem(Error):
    """The server refused the request (RFC 9457).

    `code` is for programs: docs/REST.md lists the codes. `problem` is the
    whole answer, with the diagnostics of a specification, for example.
    """

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.problem = dict(problem)
        self.code: str = problem.get("code", "")
        self.title: str = problem.get("title", "")
        self.detail: str = problem.get("detail", "")
        super().__init__("%d %s: %s%s" % (
            status, self.code, self.detail or self.title,
            _lines(problem.get("diagnostics", []))))


def _lines(diagnostics: List[Mapping[str, Any]]) -> str:
    """Those of a specification, each in a line."""
    return "".join("\n%s, line %s, %s: %s" % (
        one.get("severity"), one.get("line", "?"), one.get("element", ""),
        one.get("text")) for one in diagnostics)


class Release(Exception):
    """Raised by a handler: the item is given back.

    With a reason the attempt has failed, and the item is handed over again by
    the policy of its service (docs/SERVICES.md), or after `delay`. Without a
    reason no attempt is counted.
    """

    def __init__(self, reason: Optional[str] = None,
                 delay: Optional[Duration] = None) -> None:
        super().__init__(reason or "released")
        self.reason = reason
        self.delay = delay


class Fail(Exception):
    """Raised by a handler: the item ends as failed, and its task continues."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
