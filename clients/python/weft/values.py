# SPDX-License-Identifier: Apache-2.0
"""Durations and times, as the server reads them, and the types of answers.

The types have the members that schemas/openapi.yaml describes; an answer has
those of them that it has a value for.
"""
from __future__ import annotations

import datetime
from typing import Any, Dict, List, Mapping, TypedDict, Union

# "P1DT2H", a number of seconds, or a timedelta.
Duration = Union[str, int, float, datetime.timedelta]
# "2026-01-31T12:00:00Z", or a datetime, without a zone in UTC.
Time = Union[str, datetime.datetime]
# The data of a process: docs/REST.md, Formats.
Data = Mapping[str, Any]


def seconds(duration: Union[int, float, datetime.timedelta]) -> float:
    if isinstance(duration, datetime.timedelta):
        return duration.total_seconds()
    return float(duration)


def duration(value: Duration) -> str:
    return value if isinstance(value, str) else "PT%.3fS" % seconds(value)


def time(value: Time) -> str:
    if isinstance(value, str):
        return value
    if value.tzinfo is None:
        value = value.replace(tzinfo=datetime.timezone.utc)
    return value.astimezone(datetime.timezone.utc).strftime(
        "%Y-%m-%dT%H:%M:%S.%fZ")


def text(value: Any) -> str:
    """The value of an argument of a URL."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(text(one) for one in value)
    if isinstance(value, datetime.datetime):
        return time(value)
    if isinstance(value, datetime.timedelta):
        return duration(value)
    return str(value)


class Diagnostic(TypedDict, total=False):
    severity: str
    line: int
    element: str
    text: str


class Specification(TypedDict, total=False):
    key: str
    identifier: str
    uri: str
    version: str
    title: str
    loaded: str


class SpecificationDetail(Specification, total=False):
    documentation: str
    root: str
    nets: List[Dict[str, Any]]


class Loaded(TypedDict, total=False):
    specifications: List[Specification]
    diagnostics: List[Diagnostic]


class Done(TypedDict, total=False):
    """What a command has done; `item`: the item that it made."""
    case: str
    status: str
    start: int
    sequence: int
    item: str
    effect: str
    repeated: bool


class PutOff(TypedDict, total=False):
    start: int
    case: str
    title: str
    owner: str
    specification: str
    at: str


class Case(TypedDict, total=False):
    case: str
    title: str
    owner: str
    specification: str
    status: str
    sequence: int
    launched: str
    changed: str
    set_aside: bool
    incident: int
    incident_code: str


class Item(TypedDict, total=False):
    item: str
    case: str
    specification: str
    task: str
    service: str
    status: str
    choice: int
    enabled: str
    fired: str
    started: str
    holder: str
    assignment: str
    priority: int
    due: str
    until: str
    attempt: int
    next_try: str
    last_answer: str
    unserved: bool
    piled_to: str
    chained_to: str
    offered_to: Dict[str, Any]
    actions: Any
    refused: Dict[str, Any]


class WorklistItem(Item, total=False):
    name: str
    process: str


class ItemDetail(Item, total=False):
    name: str
    documentation: str
    expires: str
    waits: str
    waits_until: str
    data: Dict[str, Any]
    outputs: List[Dict[str, Any]]


class CaseDetail(Case, total=False):
    stuck: bool
    nets: List[Dict[str, Any]]
    timers: List[Dict[str, Any]]
    items: List[Item]
    data: Dict[str, Any]


class ClaimedItem(TypedDict, total=False):
    item: str
    case: str
    specification: str
    task: str
    service: str
    name: str
    documentation: str
    fence: int
    attempt: int
    until: str
    data: Dict[str, Any]
    traceparent: str
    tracestate: str


class Step(TypedDict, total=False):
    id: str
    case: str
    specification: str
    sequence: int
    time: str
    actor: str
    origin: str
    incident: int
    override: bool
    reason: str
    events: List[Dict[str, Any]]


class Incident(TypedDict, total=False):
    incident: int
    status: str
    droppedAt: str
    droppedBy: str
    reason: str
    case: str
    item: str
    code: str
    text: str
    attempts: int
    retryable: bool
    first: str
    last: str


class Service(TypedDict, total=False):
    name: str
    kind: str
    uri: str
    address: str
    token_url: str
    client: str
    scope: str
    documentation: str
    assignable: bool
    attempts: int
    delay: str
    backoff: int
    cap: str
    timeout: str
    concurrency: int
    has_secret: bool
    called: bool


class TestClock(TypedDict, total=False):
    now: str
    settled: bool
