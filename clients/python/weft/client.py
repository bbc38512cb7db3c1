# SPDX-License-Identifier: Apache-2.0
"""The operations of a server that users of processes need.

A method has the name of its operation in openapi.yaml, in snake_case: startCase
is start_case(). Lists go through all pages. Every command has an
Idempotency-Key, which is new unless the caller gives one (`key`), and is the
same each time that the request is sent again. request() is for all other
operations.
"""
from __future__ import annotations

import copy
import json
import os
import time
import urllib.parse
import uuid
from typing import (Any, Iterable, Iterator, List, Mapping, Optional, Tuple,
                    Union, cast)

from . import values
from .transport import Transport, authorization
from .values import (Case, CaseDetail, ClaimedItem, Data, Done, Duration,
                     Incident, Item, ItemDetail, Loaded, PutOff, Service,
                     Specification, SpecificationDetail, Step, TestClock, Time,
                     WorklistItem)
from .worker import Handler, Worker

# A case with another status has ended.
LIVE = ("running", "suspended", "scheduled")


def quote(part: Any) -> str:
    return urllib.parse.quote(str(part), safe=":")


def given(**members: Any) -> dict[str, Any]:
    """Those that are not None."""
    return {name: value for name, value in members.items()
            if value is not None}


class Client:
    """A server, and who uses it; safe for all threads.

    url, token and ca (a file of certificates) are those of WEFT_SERVER,
    WEFT_TOKEN (or the file weft.token) and WEFT_CA if they are not given.
    Instead of a token: user and password. timeout: how long an answer may take.
    retry_for: how long a request that may be sent again is sent again. Both in
    seconds.
    """

    def __init__(self, url: Optional[str] = None, token: Optional[str] = None,
                 *, user: Optional[str] = None, password: Optional[str] = None,
                 ca: Optional[str] = None, timeout: float = 60.0,
                 retry_for: float = 60.0) -> None:
        self.transport = Transport(
            url or os.environ.get("WEFT_SERVER") or "http://127.0.0.1:8090",
            authorization(token, user, password),
            ca or os.environ.get("WEFT_CA") or None, timeout, retry_for)
        self.url = self.transport.url

    def close(self) -> None:
        """Closes the connection of this thread."""
        self.transport.close()

    def with_headers(self, headers: Mapping[str, str]) -> Client:
        """The same client, of which each request has these headers, too."""
        other = copy.copy(self)
        other.transport = copy.copy(self.transport)
        other.transport.headers = {**self.transport.headers, **headers}
        return other

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- any operation

    def request(self, method: str, path: str,
                query: Optional[Mapping[str, Any]] = None, body: Any = None, *,
                content_type: Optional[str] = None,
                headers: Optional[Mapping[str, str]] = None,
                key: Optional[str] = None, repeatable: Optional[bool] = None,
                timeout: Optional[float] = None,
                retry_for: Optional[float] = None) -> Any:
        """Sends a request and returns the content of the answer.

        body: bytes, text, or what is sent as JSON. repeatable: whether it may
        be executed twice; else that depends on method and key.
        """
        return self.transport.request(
            method, path, query, body, content_type=content_type,
            headers=headers, key=key, repeatable=repeatable, timeout=timeout,
            retry_for=retry_for)

    def _command(self, path: str, body: Any = None, key: Optional[str] = None,
                 query: Optional[Mapping[str, Any]] = None,
                 method: str = "POST") -> Any:
        return self.request(method, path, query, body,
                            key=key or uuid.uuid4().hex)

    def _pages(self, path: str, member: str,
               query: Mapping[str, Any]) -> Iterator[Any]:
        after = query.get("after")
        while True:
            page = self.request("GET", path, {**query, "after": after})
            yield from page[member]
            after = page.get("next")
            if after is None:
                return

    # --- specifications

    def load(self, *paths: Union[str, os.PathLike[str]],
             replace: Optional[bool] = None) -> List[Specification]:
        """Loads the specifications of files."""
        loaded: List[Specification] = []
        for path in paths:
            with open(path, "rb") as file:
                loaded += self.load_specifications(
                    file.read(), replace=replace)["specifications"]
        return loaded

    def load_specifications(self, xml: Union[str, bytes], *,
                            replace: Optional[bool] = None) -> Loaded:
        """The same content again changes nothing."""
        return cast(Loaded, self.request(
            "POST", "/v1/specifications", {"replace": replace}, xml,
            content_type="application/xml", repeatable=True))

    def list_specifications(
            self, *, uri: Optional[str] = None) -> List[Specification]:
        return cast(List[Specification], self.request(
            "GET", "/v1/specifications", {"uri": uri})["specifications"])

    def show_specification(self, specification: str) -> SpecificationDetail:
        """specification: a key, or a URI, which means the newest version."""
        return cast(SpecificationDetail, self.request(
            "GET", "/v1/specifications/%s" % quote(specification)))

    def remove_specification(self, key: str) -> None:
        self.request("DELETE", "/v1/specifications/%s" % quote(key))

    # --- cases

    def start_case(self, specification: str, data: Optional[Data] = None, *,
                   version: Optional[str] = None, case: Optional[str] = None,
                   title: Optional[str] = None, xml: Optional[str] = None,
                   at: Optional[Time] = None, delay: Optional[Duration] = None,
                   observer: Optional[str] = None,
                   key: Optional[str] = None) -> Done:
        """case: the id of the new case; else it is a number.  observer: a URL,
        or a service, that is notified of its end and its incidents."""
        return cast(Done, self._command("/v1/cases", given(
            specification=specification, data=data, version=version, case=case,
            title=title, xml=xml, at=None if at is None else values.time(at),
            delay=None if delay is None else values.duration(delay),
            observer=observer), key))

    def list_cases(self, *, specification: Optional[str] = None,
                   version: Optional[str] = None,
                   status: Union[str, Iterable[str], None] = None,
                   mine: Optional[bool] = None,
                   set_aside: Optional[bool] = None,
                   order: Optional[str] = None, after: Optional[str] = None,
                   limit: Optional[int] = None,
                   **more: Any) -> Iterator[Case]:
        return self._pages("/v1/cases", "cases", {
            "specification": specification, "version": version,
            "status": _words(status), "mine": mine, "set_aside": set_aside,
            "order": order, "after": after, "limit": limit, **more})

    def show_case(self, case: str) -> CaseDetail:
        return cast(CaseDetail, self.request(
            "GET", "/v1/cases/%s" % quote(case)))

    def show_case_data(self, case: str) -> dict[str, Any]:
        return cast("dict[str, Any]", self.request(
            "GET", "/v1/cases/%s/data" % quote(case)))

    def update_case_data(self, case: str, data: Data, *,
                         key: Optional[str] = None) -> Done:
        return cast(Done, self._command(
            "/v1/cases/%s/data" % quote(case), data, key, method="PATCH"))

    def suspend_case(self, case: str, reason: Optional[str] = None, *,
                     key: Optional[str] = None) -> Done:
        return self._case_command(case, "suspend", reason, key)

    def resume_case(self, case: str, reason: Optional[str] = None, *,
                    key: Optional[str] = None) -> Done:
        return self._case_command(case, "resume", reason, key)

    def cancel_case(self, case: str, reason: Optional[str] = None, *,
                    key: Optional[str] = None) -> Done:
        return self._case_command(case, "cancel", reason, key)

    def _case_command(self, case: str, verb: str, reason: Optional[str],
                      key: Optional[str]) -> Done:
        return cast(Done, self._command(
            "/v1/cases/%s/%s" % (quote(case), verb), given(reason=reason),
            key))

    def show_history(self, case: str, *, names: Optional[bool] = None,
                     after: Optional[str] = None,
                     limit: Optional[int] = None) -> Iterator[Step]:
        return self._pages("/v1/cases/%s/history" % quote(case), "steps", {
            "names": names, "after": after, "limit": limit})

    def explain_task(self, case: str, task: str) -> List[Any]:
        """Why a task of a case is not enabled."""
        return cast(List[Any], self.request(
            "GET", "/v1/cases/%s/why" % quote(case), {"task": task})["reasons"])

    def wait_case(self, case: str,
                  timeout: Optional[float] = None) -> CaseDetail:
        """Waits until the case has ended; TimeoutError after that many
        seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        for _ in self.transport.stream("/v1/events", {"case": case}, None, end):
            detail = self.show_case(case)
            if detail["status"] not in LIVE:
                return detail
        raise TimeoutError("case %s has not ended within %s s" % (
            case, timeout))

    def list_starts(self, *, after: Optional[str] = None,
                    limit: Optional[int] = None) -> Iterator[PutOff]:
        """Delayed starts."""
        return self._pages("/v1/starts", "starts",
                           {"after": after, "limit": limit})

    def withdraw_start(self, start: int) -> None:
        self.request("DELETE", "/v1/starts/%d" % start)

    # --- items

    def list_items(self, *, case: Optional[str] = None,
                   task: Optional[str] = None,
                   status: Union[str, Iterable[str], None] = None,
                   service: Optional[str] = None,
                   specification: Optional[str] = None,
                   version: Optional[str] = None, after: Optional[str] = None,
                   limit: Optional[int] = None,
                   **more: Any) -> Iterator[Item]:
        return self._pages("/v1/items", "items", {
            "case": case, "task": task, "status": _words(status),
            "service": service, "specification": specification,
            "version": version, "after": after, "limit": limit, **more})

    def show_item(self, item: str, *,
                  for_: Optional[str] = None) -> ItemDetail:
        return cast(ItemDetail, self.request(
            "GET", "/v1/items/%s" % quote(item), {"for": for_}))

    def change_item(self, item: str, changes: Mapping[str, Any], *,
                    for_: Optional[str] = None,
                    key: Optional[str] = None) -> Any:
        """changes: priority and due, a time, or None for no due time."""
        return self._command("/v1/items/%s" % quote(item), changes, key,
                             {"for": for_}, "PATCH")

    def show_item_data(self, item: str) -> Any:
        return self.request("GET", "/v1/items/%s/data" % quote(item))

    def update_item_data(self, item: str, data: Data, *,
                         fence: Optional[int] = None,
                         for_: Optional[str] = None,
                         override: Optional[bool] = None,
                         key: Optional[str] = None) -> Done:
        return cast(Done, self._command(
            "/v1/items/%s/data" % quote(item), data, key,
            {"fence": fence, "for": for_, "override": override}, "PATCH"))

    def _item_command(self, item: str, verb: str, body: Any,
                      key: Optional[str], **query: Any) -> Done:
        if "for_" in query:
            query["for"] = query.pop("for_")
        return cast(Done, self._command(
            "/v1/items/%s/%s" % (quote(item), verb), body, key, query))

    def start_item(self, item: str, *, for_: Optional[str] = None,
                   override: Optional[bool] = None,
                   key: Optional[str] = None) -> Done:
        """`item` of the answer is the instance that was started."""
        return self._item_command(item, "start", None, key, for_=for_,
                                  override=override)

    def complete_item(self, item: str, output: Optional[Data] = None, *,
                      fence: Optional[int] = None, for_: Optional[str] = None,
                      override: Optional[bool] = None,
                      key: Optional[str] = None) -> Done:
        """Starts the item if necessary. fence: that of the lease."""
        return self._item_command(
            item, "complete", {} if output is None else output, key,
            fence=fence, for_=for_, override=override)

    def force_item(self, item: str, output: Optional[Data] = None, *,
                   fence: Optional[int] = None,
                   override: Optional[bool] = None,
                   key: Optional[str] = None) -> Done:
        """Completes it even if output is missing."""
        return self._item_command(
            item, "force", {} if output is None else output, key, fence=fence,
            override=override)

    def fail_item(self, item: str, reason: Optional[str] = None, *,
                  fence: Optional[int] = None, override: Optional[bool] = None,
                  key: Optional[str] = None) -> Done:
        """Ends the item as failed; its task continues."""
        return self._item_command(item, "fail", given(reason=reason), key,
                                  fence=fence, override=override)

    def skip_item(self, item: str, reason: Optional[str] = None, *,
                  fence: Optional[int] = None, for_: Optional[str] = None,
                  override: Optional[bool] = None,
                  key: Optional[str] = None) -> Done:
        return self._item_command(item, "skip", given(reason=reason), key,
                                  fence=fence, for_=for_, override=override)

    def suspend_item(self, item: str, reason: Optional[str] = None, *,
                     fence: Optional[int] = None, for_: Optional[str] = None,
                     override: Optional[bool] = None,
                     key: Optional[str] = None) -> Done:
        return self._item_command(item, "suspend", given(reason=reason), key,
                                  fence=fence, for_=for_, override=override)

    def resume_item(self, item: str, reason: Optional[str] = None, *,
                    fence: Optional[int] = None, for_: Optional[str] = None,
                    override: Optional[bool] = None,
                    key: Optional[str] = None) -> Done:
        return self._item_command(item, "resume", given(reason=reason), key,
                                  fence=fence, for_=for_, override=override)

    def roll_back_item(self, item: str, reason: Optional[str] = None, *,
                       fence: Optional[int] = None,
                       override: Optional[bool] = None,
                       key: Optional[str] = None) -> Done:
        return self._item_command(item, "rollback", given(reason=reason), key,
                                  fence=fence, override=override)

    def cancel_item(self, item: str, reason: Optional[str] = None, *,
                    fence: Optional[int] = None,
                    override: Optional[bool] = None,
                    key: Optional[str] = None) -> Done:
        return self._item_command(item, "cancel", given(reason=reason), key,
                                  fence=fence, override=override)

    def add_instance(self, item: str, data: Data, *,
                     for_: Optional[str] = None,
                     override: Optional[bool] = None,
                     key: Optional[str] = None) -> Done:
        """Adds an instance to the task of an executing item."""
        return self._item_command(item, "add", data, key, for_=for_,
                                  override=override)

    # --- items of services

    def claim_items(self, service: Optional[str] = None, *,
                    task: Optional[str] = None, count: Optional[int] = None,
                    wait: Optional[Duration] = None,
                    lease: Optional[Duration] = None,
                    timeout: Optional[float] = None,
                    retry_for: Optional[float] = None) -> List[ClaimedItem]:
        """Waits for items and claims them; a worker does this by itself.

        service: a name or a URI; None: the default worklist. A claim whose
        answer was lost is not sent again: its items come again when their
        leases end.
        """
        body = given(service=service, task=task, count=count,
                     wait=None if wait is None else values.duration(wait),
                     lease=None if lease is None else values.duration(lease))
        return cast(List[ClaimedItem], self.request(
            "POST", "/v1/items:claim", None, body, repeatable=False,
            timeout=timeout, retry_for=retry_for)["items"])

    def keep_item(self, item: str, fence: int, *,
                  lease: Optional[Duration] = None,
                  retry_for: Optional[float] = None) -> str:
        """Extends the lease; returns until when it lasts."""
        body = given(fence=fence, lease=None if lease is None else
                     values.duration(lease))
        return cast(str, self.request(
            "POST", "/v1/items/%s/heartbeat" % quote(item), None, body,
            repeatable=True, retry_for=retry_for)["until"])

    def release_item(self, item: str, fence: int,
                     reason: Optional[str] = None, *,
                     delay: Optional[Duration] = None) -> None:
        """Gives the item back: with a reason the attempt has failed."""
        body = given(fence=fence, reason=reason, delay=None if delay is None
                     else values.duration(delay))
        self.request("POST", "/v1/items/%s/release" % quote(item), None, body)

    def worker(self, service: Optional[str], handler: Handler, *,
               concurrency: int = 1, task: Optional[str] = None,
               lease: float = 60.0, wait: float = 10.0) -> Worker:
        """A worker that does the items of a service: see Worker."""
        return Worker(self, service, handler, concurrency=concurrency,
                      task=task, lease=lease, wait=wait)

    # --- items of people

    def show_worklist(self, *, view: Optional[str] = None,
                      case: Optional[str] = None, task: Optional[str] = None,
                      specification: Optional[str] = None,
                      version: Optional[str] = None,
                      state: Union[str, Iterable[str], None] = None,
                      data: Optional[str] = None,
                      priority: Optional[int] = None,
                      due: Union[Time, Duration, None] = None,
                      older: Union[Time, Duration, None] = None,
                      order: Optional[str] = None,
                      descending: Optional[bool] = None,
                      for_: Optional[str] = None, after: Optional[str] = None,
                      limit: Optional[int] = None,
                      **more: Any) -> Iterator[WorklistItem]:
        return self._pages("/v1/worklist", "items", {
            "view": view, "case": case, "task": task,
            "specification": specification, "version": version,
            "state": _words(state), "data": data, "priority": priority,
            "due": due, "older": older, "order": order,
            "descending": descending, "for": for_, "after": after,
            "limit": limit, **more})

    def accept_item(self, item: str, *, for_: Optional[str] = None,
                    key: Optional[str] = None) -> Done:
        return self._item_command(item, "accept", None, key, for_=for_)

    def deallocate_item(self, item: str, reason: Optional[str] = None, *,
                        for_: Optional[str] = None,
                        override: Optional[bool] = None,
                        key: Optional[str] = None) -> Done:
        return self._item_command(
            item, "deallocate", given(reason=reason), key, for_=for_,
            override=override)

    def delegate_item(self, item: str, to: str,
                      reason: Optional[str] = None, *,
                      for_: Optional[str] = None,
                      override: Optional[bool] = None,
                      key: Optional[str] = None) -> Done:
        return self._item_command(
            item, "delegate", given(to=to, reason=reason), key, for_=for_,
            override=override)

    def reallocate_item(self, item: str, to: str,
                        reason: Optional[str] = None, *,
                        without_data: Optional[bool] = None,
                        for_: Optional[str] = None,
                        override: Optional[bool] = None,
                        key: Optional[str] = None) -> Done:
        return self._item_command(
            item, "reallocate", given(
                to=to, reason=reason, without_data=without_data), key,
            for_=for_, override=override)

    def offer_item(self, item: str, to: Any, reason: Optional[str] = None, *,
                   for_: Optional[str] = None, override: Optional[bool] = None,
                   key: Optional[str] = None) -> Done:
        return self._item_command(
            item, "offer", given(to=to, reason=reason), key, for_=for_,
            override=override)

    def allocate_item(self, item: str, to: str,
                      reason: Optional[str] = None, *,
                      for_: Optional[str] = None,
                      override: Optional[bool] = None,
                      key: Optional[str] = None) -> Done:
        return self._item_command(
            item, "allocate", given(to=to, reason=reason), key, for_=for_,
            override=override)

    def stream_worklist(
            self, *, after: Optional[str] = None) -> Iterator[Tuple[str, Any]]:
        """The names of events of one's own worklist and their data; the first
        is the list ("list"), or "resumed"."""
        for name, _, data in self.transport.stream(
                "/v1/worklist/events", {}, after):
            if data:
                yield name, json.loads(data)

    # --- incidents

    def list_incidents(self, *, case: Optional[str] = None,
                       code: Optional[str] = None,
                       status: Optional[str] = None,
                       after: Optional[str] = None,
                       limit: Optional[int] = None,
                       **more: Any) -> Iterator[Incident]:
        return self._pages("/v1/incidents", "incidents", {
            "case": case, "code": code, "status": status, "after": after,
            "limit": limit, **more})

    def show_incident(self, incident: int) -> Incident:
        return cast(Incident, self.request(
            "GET", "/v1/incidents/%d" % incident))

    def retry_incident(self, incident: int, *,
                       key: Optional[str] = None) -> Any:
        return self._command("/v1/incidents/%d/retry" % incident, None, key)

    def retry_incidents(self, incidents: Optional[Iterable[int]] = None, *,
                        case: Optional[str] = None, code: Optional[str] = None,
                        all: Optional[bool] = None) -> int:
        """Retries these, or those of a case, with a code, or all; returns how
        many."""
        return cast(int, self.request("POST", "/v1/incidents:retry", None, given(
            incidents=None if incidents is None else list(incidents),
            case=case, code=code, all=all))["retried"])

    def drop_incident(self, incident: int, reason: str, *,
                      cancel: Optional[bool] = None,
                      key: Optional[str] = None) -> Any:
        return self._command("/v1/incidents/%d/drop" % incident, given(
            reason=reason, cancel=cancel), key)

    # --- services

    def list_services(self) -> List[Service]:
        return cast(List[Service], self.request(
            "GET", "/v1/services")["services"])

    def show_service(self, service: str) -> Service:
        return cast(Service, self.request(
            "GET", "/v1/services/%s" % quote(service)))

    def put_service(self, service: str, *, kind: str, uri: str,
                    **members: Any) -> Service:
        """members: address, secret, attempts and others of docs/SERVICES.md."""
        return cast(Service, self.request(
            "PUT", "/v1/services/%s" % quote(service), None,
            dict(members, kind=kind, uri=uri)))

    def remove_service(self, service: str) -> None:
        self.request("DELETE", "/v1/services/%s" % quote(service))

    # --- events

    def stream_events(self, *, after: Optional[str] = None,
                      case: Optional[str] = None,
                      specification: Optional[str] = None,
                      version: Optional[str] = None) -> Iterator[Step]:
        """All steps from now on, or behind the one with the id `after` ("0": all
        that are kept). Does not end, and survives restarts of the server."""
        for _, _, data in self.transport.stream("/v1/events", {
                "case": case, "specification": specification,
                "version": version}, after):
            if data:
                yield cast(Step, json.loads(data))

    # --- test mode

    def show_test_clock(self) -> TestClock:
        return cast(TestClock, self.request("GET", "/v1/test/clock"))

    def move_test_clock(self, *, advance: Optional[Duration] = None,
                        to: Optional[Time] = None,
                        wait: Optional[Duration] = None) -> TestClock:
        """Moves the clock of `weft serve --test`; docs/SCENARIOS.md."""
        return cast(TestClock, self.request(
            "POST", "/v1/test/clock", None, given(
                advance=None if advance is None else values.duration(advance),
                to=None if to is None else values.time(to),
                wait=None if wait is None else values.duration(wait))))


def _words(words: Union[str, Iterable[str], None]) -> Optional[str]:
    return words if words is None or isinstance(words, str) else ",".join(words)
