# SPDX-License-Identifier: Apache-2.0
"""Requests to a server, and when they are sent again.

A request is sent again when it cannot have been executed (no connection could
be made, the server refused it with 429, or with 503 and the code
"unavailable"), or when it may be executed twice: it reads, replaces or removes,
or has an Idempotency-Key. Then it is sent again also after a connection that
was cut, and after 502, 503 and 504.
"""
from __future__ import annotations

import base64
import http.client
import json
import os
import random
import socket
import ssl
import threading
import time
import urllib.parse
from typing import Any, Dict, Iterator, Mapping, Optional, Tuple

from . import values
from .errors import ConnectionFailed, Error, Problem

# Pauses before a request is sent again: the first, and the longest, in seconds.
PAUSE = 0.1
PAUSE_MAXIMUM = 10.0
# A stream without a byte for this time is opened again; the server sends a
# comment every 15 seconds (setting keep-alive).
SILENCE = 60.0
# Methods of which a second request changes nothing.
REPEATABLE = ("GET", "HEAD", "PUT", "DELETE")


class NotSent(Exception):
    """No connection could be made."""


class Answer:
    def __init__(self, response: http.client.HTTPResponse, body: bytes) -> None:
        self.status = response.status
        self.type = (response.getheader("Content-Type") or "").split(";")[0]
        self.retry_after = response.getheader("Retry-After")
        self.body = body

    def content(self) -> Any:
        """JSON as what it stands for, XML and other text as text."""
        if not self.body:
            return None
        if self.type.endswith("json"):
            return json.loads(self.body)
        if self.type.startswith("text/") or self.type.endswith(
                ("xml", "yaml")):
            return self.body.decode()
        return self.body

    def problem(self) -> Problem:
        found = None
        if self.type.endswith("json"):
            try:
                found = json.loads(self.body)
            except ValueError:
                pass
        if not isinstance(found, dict):
            found = {"title": http.client.responses.get(self.status, ""),
                     "detail": self.body[:200].decode(errors="replace")}
        return Problem(self.status, found)


class Kept:
    """The connection of a thread, which is closed when the thread ends."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self.connection = connection

    def __del__(self) -> None:
        self.connection.close()


def pause(attempt: int) -> float:
    """Before that attempt: doubled each time, with a random part."""
    longest = min(PAUSE_MAXIMUM, PAUSE * 2.0 ** min(attempt, 20))
    return longest * random.uniform(0.5, 1)


def is_undone(problem: Problem) -> bool:
    """Whether a refused request was certainly not executed, and may be later.
    """
    return problem.status == 429 or problem.code == "unavailable"


def read_seconds(text: Optional[str]) -> float:
    return float(text) if text is not None and text.isdigit() else 0.0


class Transport:
    """Connections to one server; safe for all threads, each of which has one.
    """

    def __init__(self, url: str, headers: Mapping[str, str],
                 ca: Optional[str], timeout: float, retry_for: float) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise Error("%r: expected a URL such as http://127.0.0.1:8090"
                        % url)
        self.url = url.rstrip("/")
        self.host = parts.hostname
        self.port = parts.port
        self.prefix = parts.path.rstrip("/")
        self.tls = (ssl.create_default_context(cafile=ca)
                    if parts.scheme == "https" else None)
        self.headers = dict(headers)
        self.timeout = timeout
        self.retry_for = retry_for
        self.local = threading.local()

    # --- connections

    def connect(self, timeout: float) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection
        if self.tls is None:
            connection = http.client.HTTPConnection(
                self.host, self.port, timeout=timeout)
        else:
            connection = http.client.HTTPSConnection(
                self.host, self.port, timeout=timeout, context=self.tls)
        try:
            connection.connect()
        except ssl.SSLCertVerificationError as error:
            raise ConnectionFailed("%s: %s" % (self.url, error)) from error
        except OSError as error:
            connection.close()
            raise NotSent(str(error)) from error
        return connection

    def close(self) -> None:
        """Closes the connection of this thread."""
        kept: Optional[Kept] = self.local.__dict__.pop("kept", None)
        if kept is not None:
            kept.connection.close()

    def send(self, method: str, target: str, body: Optional[bytes],
             headers: Mapping[str, str], timeout: float,
             keep: bool) -> Answer:
        """One attempt; keep: a connection that is open may be used, although
        the server may be closing it."""
        if not keep:
            self.close()
        if not hasattr(self.local, "kept"):
            self.local.kept = Kept(self.connect(timeout))
        connection: http.client.HTTPConnection = self.local.kept.connection
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        try:
            connection.request(method, self.prefix + target, body, headers)
            response = connection.getresponse()
            answer = Answer(response, response.read())
        except BaseException:
            self.close()
            raise
        if response.will_close:
            self.close()
        return answer

    # --- requests

    def target(self, path: str, query: Optional[Mapping[str, Any]]) -> str:
        given = {name: values.text(value) for name, value in
                 (query or {}).items() if value is not None}
        return path + ("?" + urllib.parse.urlencode(given) if given else "")

    def request(self, method: str, path: str,
                query: Optional[Mapping[str, Any]] = None,
                body: Any = None, *, content_type: Optional[str] = None,
                headers: Optional[Mapping[str, str]] = None,
                key: Optional[str] = None, repeatable: Optional[bool] = None,
                timeout: Optional[float] = None,
                retry_for: Optional[float] = None) -> Any:
        sent: Dict[str, str] = {**self.headers, **(headers or {})}
        content, sent_type = encode(body, content_type)
        if sent_type is not None:
            sent["Content-Type"] = sent_type
        if key is not None:
            sent["Idempotency-Key"] = key
        if repeatable is None:
            repeatable = method in REPEATABLE or key is not None
        if retry_for is None:
            retry_for = self.retry_for
        return self.repeat(
            method, self.target(path, query), content, sent,
            self.timeout if timeout is None else timeout, repeatable,
            time.monotonic() + retry_for)

    def repeat(self, method: str, target: str, body: Optional[bytes],
               headers: Mapping[str, str], timeout: float, repeatable: bool,
               end: float) -> Any:
        attempt = 0
        unanswered = False
        while True:
            failure: Error
            wait = 0.0
            reused = hasattr(self.local, "kept") and repeatable
            try:
                answer = self.send(method, target, body, headers, timeout,
                                   repeatable)
            except NotSent as error:
                failure = ConnectionFailed("%s: %s" % (self.url, error))
                again = True
            except (OSError, http.client.HTTPException) as error:
                failure = ConnectionFailed("%s: no answer: %s" % (
                    self.url, error or type(error).__name__))
                again = repeatable
                unanswered = True
                if reused and attempt == 0:  # it was closed meanwhile
                    attempt += 1
                    continue
            else:
                if answer.status < 300:
                    return answer.content()
                if unanswered and method == "DELETE" and answer.status == 404:
                    return None  # an earlier attempt has removed it
                problem = answer.problem()
                failure = problem
                again = is_undone(problem) or (
                    repeatable and problem.status in (502, 503, 504))
                wait = read_seconds(answer.retry_after)
            wait = max(wait, pause(attempt))
            if not again or time.monotonic() + wait > end:
                raise failure
            time.sleep(wait)
            attempt += 1

    # --- streams

    def stream(self, path: str, query: Mapping[str, Any],
               after: Optional[str] = None,
               end: Optional[float] = None) -> Iterator[Tuple[str, str, str]]:
        """Events as (name, id, data), and ("", "", "") whenever the stream was
        opened. A stream that breaks is opened again behind the last event. It
        ends only at that time (of time.monotonic()), if one is given."""
        target = self.target(path, query)
        attempt = 0
        broken: Optional[float] = None  # since when
        while end is None or time.monotonic() < end:
            failure: Error
            try:
                for event in self.read(target, after, end):
                    broken = None
                    attempt = 0
                    after = event[1] or after
                    yield event
                if end is not None and time.monotonic() >= end:
                    return
                failure = ConnectionFailed("%s: the stream ended" % self.url)
            except (NotSent, OSError, http.client.HTTPException) as error:
                failure = ConnectionFailed("%s: %s" % (
                    self.url, error or type(error).__name__))
            except Problem as problem:
                if not is_undone(problem) and problem.status < 502:
                    raise
                failure = problem
            wait = pause(attempt)
            broken = broken or time.monotonic()
            if time.monotonic() + wait > broken + self.retry_for:
                raise failure
            time.sleep(wait)
            attempt += 1

    def read(self, target: str, after: Optional[str],
             end: Optional[float]) -> Iterator[Tuple[str, str, str]]:
        """The events of one connection."""
        headers = dict(self.headers, Accept="text/event-stream")
        if after is not None:
            headers["Last-Event-ID"] = after
        connection = self.connect(self.timeout)
        try:
            connection.request("GET", self.prefix + target, None, headers)
            sock = connection.sock  # the response may take it over
            response = connection.getresponse()
            if response.status >= 300:
                raise Answer(response, response.read()).problem()
            yield from blocks(response, sock, end)
        finally:
            connection.close()


def blocks(response: http.client.HTTPResponse, sock: Optional[socket.socket],
           end: Optional[float]) -> Iterator[Tuple[str, str, str]]:
    """Server-sent events: lines "name: value", and an empty one behind each.
    """
    event: Dict[str, str] = {}
    yield "", "", ""
    while True:
        silence = SILENCE
        if end is not None:
            silence = min(SILENCE, end - time.monotonic())
        if silence <= 0:
            return
        if sock is not None:
            sock.settimeout(silence)
        try:
            line = response.readline()
        except socket.timeout:
            if end is not None and time.monotonic() >= end:
                return
            raise
        if not line:
            return
        name, _, value = line.decode().rstrip("\r\n").partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data" and "data" in event:
            value = event["data"] + "\n" + value
        if name in ("event", "id", "data"):
            event[name] = value
        elif not name and not value and event:
            yield (event.get("event", ""), event.get("id", ""),
                   event.get("data", ""))
            event = {}


def encode(body: Any,
           content_type: Optional[str]) -> Tuple[Optional[bytes], Optional[str]]:
    """The bytes of a body, and their type: XML for text that begins with "<"."""
    if body is None:
        return None, content_type
    if isinstance(body, bytes):
        return body, content_type or "application/octet-stream"
    if isinstance(body, str):
        return body.encode(), content_type or (
            "application/xml" if body.lstrip().startswith("<") else
            "application/json")
    return json.dumps(body).encode(), content_type or "application/json"


def authorization(token: Optional[str], user: Optional[str],
                  password: Optional[str]) -> Dict[str, str]:
    """The header; the token is that of WEFT_TOKEN, or of the file weft.token,
    if none is given."""
    if user is not None:
        pair = "%s:%s" % (user, password or "")
        return {"Authorization": "Basic " + base64.b64encode(
            pair.encode()).decode()}
    if token is None:
        token = os.environ.get("WEFT_TOKEN")
    if token is None and os.path.exists("weft.token"):
        with open("weft.token", encoding="utf-8") as file:
            token = file.readline().strip()
    return {} if not token else {"Authorization": "Bearer " + token}
