# SPDX-License-Identifier: Apache-2.0
"""Hostile input for every operation: it is refused with a problem, nothing
changes, and the server lives on."""
import base64
import json
import os
import random
import re

from checks import SOAK, check, run, end
from server import Server, contract

SEED = int(os.environ.get("WEFT_SEED", "1"))
chance = random.Random(SEED)

METHODS = ("GET", "PUT", "POST", "PATCH", "DELETE", "OPTIONS", "TRACE",
           "PROPFIND", "get", "X" * 300)
DEEP = 100000
SEGMENTS = (
    "..", "%2e%2e", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "..%5c..", "%2f",
    "%00", "a%00b", "%", "%4", "%zz", "%ff%fe", "%c0%af", "%ed%a0%80",
    "%f4%90%80%80", "x" * 4000, "%41" * 1300, "0", "-1", "1.5", "1e9",
    "99999999999999999999", "18446744073709551616", ":", "::", "1:", ":1",
    "..:", "1.1.1.1.1:x", "'%20OR%201=1--", "%25s%25n", "%0d%0aX:%20y",
    "%e2%80%ae", "nobody", "nobody:Ask", "%f0%9f%92%a9", "~", "*", "{}")
ARGUMENTS = (
    "", "%00", "%", "%zz", "%ff", "%ed%a0%80", "-1", "0", "1e9", "1.5",
    "99999999999999999999", "x" * 4000, "..%2f..", "'%20OR%201=1--",
    "%0d%0a", "true,false", ",,,", "%e2%80%ae", "NaN", "0x10", "+1", "%20")
TEXTS = (
    b"{", b"}", b"[]", b"null", b"true", b"1", b'"x"', b"x", b"\0", b"{}{}",
    b"{'a':1}", b'{"a":1,}', b'{"a":}', b'{"a" 1}', b"[" * DEEP,
    b'{"a":' * DEEP, b'{"a":1,"a":1}', b'{"a":"\\ud800"}',
    b'{"a":"\\u0000"}', b'{"\\u0000":1}', b'{"a\0b":1}', b'{"\xff":1}',
    b'{"a":"\xc0\xaf"}', b'\xef\xbb\xbf{"a":1}', b'\xff\xfe{\0}\0',
    b'{"a":1e999}', b'{"a":' + b"9" * 5000 + b"}", b'{"a":-}', b'{"a":NaN}',
    b'{"a":0x10}', b"a=1&b=2", b"--x\r\nContent-Disposition: form-data\r\n",
    b'{"' + b"n" * 100000 + b'":1}', b"\x1f\x8b\x08\0\0\0\0\0", b" " * 99999,
    b'{"nobody_knows_this":1}', b'{"__proto__":{"a":1}}')
LAUGHS = (b'<!DOCTYPE a [<!ENTITY a "ha">' + b"".join(
    b'<!ENTITY %c "&%c;&%c;&%c;&%c;&%c;&%c;&%c;&%c;">' % (
        (97 + i,) + (96 + i,) * 8) for i in range(1, 12)) + b"]><a>&l;</a>")
XMLS = (
    b"<", b"<a", b"<a>", b"<a></b>", b"x", b"", b"\0", b"<a>\0</a>",
    b"<a>\xff</a>", b"<a>" * DEEP, b"<a " + b"b='' " * 9 + b"/>", LAUGHS,
    b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
    b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
    b'<?xml version="1.0" encoding="no-such"?><a/>', b"<a/><b/>",
    b'<a xmlns:x="u"><y:b/></a>', b"<a>&#0;</a>", b"<a>&#xD800;</a>",
    b"<nobody_knows_this/>", b"\xfe\xff\0<\0a\0/\0>")
VALUES = (None, True, 0, -1, 1.5, 1e300, 2 ** 63, -2 ** 63, [], {}, "",
          "x" * 70000, "\u202e", "\n", "\ud800", "../..", ["x"], {"a": {}},
          [[[[[[]]]]]], "NaN", "1e999", "PT-1S", "P99999999999Y",
          "0000-00-00T00:00:00Z", "9999999-01-01T00:00:00Z")
AUTHORIZATIONS = (
    "", "Bearer", "Bearer ", "Bearer  x", "Bearer x y", "bearer",
    "Bearer " + "x" * 8000, "Basic", "Basic !!!", "Basic ====",
    "Basic " + base64.b64encode(b"nobody").decode(),
    "Basic " + base64.b64encode(b":").decode(),
    "Basic " + base64.b64encode(b"admin:" + b"x" * 5000).decode(),
    "Basic " + base64.b64encode(b"\0:\0").decode(),
    "Basic " + base64.b64encode(b"\xff\xfe:\xff").decode(),
    "Digest username=admin", "Negotiate YII=", "x" * 9000, ",,,", "\t")
LARGE = 200000  # for the log of a check


def some(values, share=0.3):
    """All inputs in a soak run, a sample otherwise."""
    return [v for v in values if SOAK or chance.random() < share]


# The kinds of records of the organisation, which all namespaces share, and
# the member that names a record.
RECORDS = ("capabilities", "roles", "groups", "positions", "people",
           "categories", "things", "rates", "calendars")
NAMES = {"people": "user", "positions": "title"}


def is_shared(operation):
    return operation.path.split("/")[2:3] and operation.path.split("/")[2] in (
        RECORDS + ("organisation", "worklist"))


# A task or a text must be named; the server has no people and no provider; the item has
# no draft; its token opened no session; no file of the page has the name.
HEADS = {"explainTask": 400, "search": 400, "showWorklist": 409,
         "countWorklist": 409, "showDraft": 404,
         "showNeeds": 409, "showTestClock": 404, "showAsset": 404,
         "beginOidc": 404, "finishOidc": 404, "streamWorklist": 403}
# What they refuse depends on the process, the pile or the starter.
JUDGED = ("listStartable", "unpileTask", "withdrawCase")
# They say something of whoever asks.
ABOUT_ONESELF = ("showSession", "listAccounts", "listAudit", "showTestClock")


class World:
    """A server with one record of everything; none may change."""

    def __init__(self):
        self.server = Server()
        self.client = client = self.server.client()
        self.key = client.load("sequence.yawl")
        client.load("choice.yawl")
        for case in ("a", "b"):
            client.post("/v1/cases", {
                "specification": self.key, "case": case})
        client.post("/v1/items/a:Ask/start")
        client.post("/v1/cases", {
            "specification": self.key, "case": "a", "delay": "PT0.01S"})
        client.post("/v1/cases", {
            "specification": self.key, "case": "c", "delay": "PT1H"})
        client.call("PUT", "/v1/services/post", {
            "kind": "pull", "uri": "urn:post"})
        client.call("PUT", "/v1/subscriptions/night", {
            "url": "http://night.invalid/", "window": "PT1H"})
        for word in RECORDS:
            client.call("PUT", "/v1/%s/X-1" % word, {
                NAMES.get(word, "name"): "known"})
        self.server.add_account("spare", "reader", 1)
        while not client.get("/v1/incidents").json()["incidents"]:
            pass
        document = client.post("/v1/cases/b/documents?name=x", b"x",
                               type="text/plain").json()["document"]
        comment = client.post("/v1/cases/b/comments",
                              {"text": "x"}).json()["comment"]
        operation = client.post("/v1/operations", {
            "kind": "resume", "cases": ["none"]}).json()["operation"]
        place = "/v1/operations/%d" % operation
        while client.get(place).json()["state"] == "running":
            pass
        self.good = {"specification": self.key, "case": "b",
                     "operation": str(operation),
                     "comment": str(comment),
                     "document": str(document),
                     "account": "spare", "token": "first", "person": "X-1",
                     "entry": "1", "item": "a.1:Ask", "incident": "1", "service": "post",
                     "subscription": "night", "filter": "late",
                     "name": "post", "record": "X-1", "start": str(client.get(
                         "/v1/starts").json()["starts"][0]["start"])}
        self.before = self.state()

    def state(self):
        get = self.client.get
        cases = get("/v1/cases?limit=1000").json()["cases"]
        return json.dumps([
            get("/v1/specifications").json(), cases,
            get("/v1/items?limit=1000").json(),
            get("/v1/incidents?limit=1000").json(),
            get("/v1/services").json(), get("/v1/starts").json(),
            get("/v1/subscriptions").json(),
            [get("/v1/" + word).json() for word in RECORDS], [
                [get("/v1/cases/%s%s" % (c["case"], what)).json()
                 for what in ("", "/history")] for c in cases]],
            sort_keys=True)

    def path(self, operation, /, **parts):
        good = dict(self.good, **parts)
        return re.sub(r"{(\w+)}", lambda m: good[m.group(1)], operation.path)

    def refused(self, what, operation, path, method=None, body=None,
                type=None, headers=None):
        """One request; True when it was refused as expected."""
        method = method or operation.method
        answer = self.client.call(method, path, body, type=type,
                                  headers=headers)
        # A request that only reads may find something, also in a body.
        good = 400 <= answer.status < 500 or (
            method == "GET" and answer.status == 200) or (
            operation.id == "checkFile" and answer.status == 200
            and not answer.json()["specifications"])
        return check("%s: %s" % (operation.id, what), good, method,
                     path[:300], (body or b"")[:300], answer)

    def unchanged(self, what):
        now = self.state()
        if not check("%s has changed nothing" % what, now == self.before,
                     self.before[:LARGE], now[:LARGE]):
            self.before = now

    def close(self):
        self.unchanged("all of it")
        check("the server ends", self.server.close() == 0)


def is_stream(operation):
    return operation.id in ("streamEvents", "streamWorklist")


def addresses():
    world = World()
    for operation in contract.operations:
        there = {o.method for o in contract.operations
                 if o.path == operation.path}
        there |= {"HEAD"} if "GET" in there else set()
        path = world.path(operation)
        for method in some(METHODS):
            if method in there:
                continue
            answer = world.client.call(method, path)
            allowed = set(answer.headers.get("allow", "").split(", "))
            check("%s is not for %.9s" % (operation.path, method),
                  answer.status in (405, 501) and
                  (answer.status == 501 or allowed == there), answer)
        if operation.method == "GET":
            answer = world.server.raw(
                b"HEAD %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                b"Authorization: Bearer %s\r\n\r\n" % (
                    path.encode(), world.server.token.encode()))
            head, _, body = answer.partition(b"\r\n\r\n")
            check("the head of %s" % operation.path,
                  head.startswith(b"HTTP/1.1 %d " % HEADS.get(
                      operation.id, 200)), head)
            check("is all that there is", body == b"", body)
        for name in operation.names("path"):
            for segment in some(SEGMENTS):
                bad = world.path(operation, **{name: segment})
                if operation.method == "PUT" and segment not in (
                        "%00", "%", "%zz", "%ff%fe", "x" * 4000):
                    continue  # a name that may be given
                world.refused("a strange %s" % name, operation, bad)
        for tail in some(("/", "//", "/x", "/%2e", "/..", "?x", "?=", "?&",
                          "?a=1&a=1", "?%00=1", "?%ff", "?" + "&" * 2000,
                          "?" + "&".join("a%d=" % i for i in range(99)),
                          "?limit[]=1", "?__proto__=1")):
            if tail in ("?&", "?" + "&" * 2000) or (
                    tail == "/" and path == "/"):
                continue  # says nothing
            if operation.id == "showPage" and tail.startswith("?"):
                continue  # the page reads its arguments itself
            if not is_stream(operation):
                world.refused("a strange end", operation, path + tail)
        if operation.method == "GET" and not is_stream(operation):
            for name in operation.names("query"):
                for value in some(ARGUMENTS):
                    world.refused("a strange argument", operation,
                                  "%s?%s=%s" % (path, name, value))
                if SOAK or chance.random() < 0.3:
                    check("%s: %s twice" % (operation.id, name),
                          world.client.get("%s?%s=1&%s=1" % (
                              path, name, name)).status == 400)
    for value in ARGUMENTS:
        for name in ("after", "case", "specification"):
            stream = world.client.stream("/v1/events?%s=%s" % (name, value))
            check("a strange %s of a stream" % name,
                  400 <= stream.status < 500 or
                  (name, value) in (("after", "0"),), value, stream.status)
            stream.close()
    metrics = world.client.get("/metrics").body.decode()
    check("no more than the last reader of events is left", re.search(
        r"^weft_event_readers [01]$", metrics, re.M), metrics)
    world.close()


def members(operation):
    content = operation.body and operation.body["content"].get(
        "application/json")
    return sorted(contract.members(content["schema"])[0]) if content else []


def good_body(operation, world):
    """A valid request, so that a single hostile member is tried."""
    return {"startCase": {"specification": world.key, "case": "new"},
            "putService": {"kind": "pull", "uri": "urn:new"},
            "putSubscription": {"url": "http://new.invalid/"},
            "putFilter": {"view": "cases", "name": "x", "query": ""},
            "dropIncident": {"reason": "x"},
            "dropIncidents": {"reason": "x"},
            "addToken": {"name": "x"},
            "addComment": {"text": "x"},
            "changeAccount": {"disabled": False},
            "failItem": {"reason": "x"},
            "cancelItem": {"reason": "x"}}.get(operation.id, {})


# Any name of the root element is accepted, and this replaces nothing.
NOTHING = ("updateItemData", (b"<nobody_knows_this/>", XMLS[-1]))
# It takes any object, whatever its members (a page keeps what it likes).
ANY_OBJECT = ("putPreferences",)


def bodies():
    world = World()
    for operation in contract.operations:
        path = world.path(operation)
        if is_stream(operation) or operation.method == "DELETE" or \
                operation.id == "addVersion":  # takes any bytes
            continue
        for text in some(TEXTS):
            if operation.id in ANY_OBJECT and text.startswith(b"{"):
                continue
            if operation.method != "GET" and not (
                    operation.id == "loadSpecifications"):
                world.refused("a strange body", operation, path, body=text,
                              type=chance.choice((
                                  "application/json", "text/plain", "x",
                                  "application/x-www-form-urlencoded",
                                  "multipart/form-data; boundary=x",
                                  "application/json; charset=utf-16")))
        takes_xml = operation.body and \
            "application/xml" in operation.body["content"]
        for text in some(XMLS) if takes_xml else ():
            if operation.id == NOTHING[0] and text in NOTHING[1]:
                continue
            if text or operation.id == "loadSpecifications":
                world.refused("strange XML", operation, path, body=text,
                              type="application/xml")
        for name in members(operation):
            for value in some(VALUES):
                body = dict(good_body(operation, world), **{name: value})
                if not taken(operation, name, value):
                    world.refused("a strange %s" % name, operation, path,
                                  body=json.dumps(body).encode(),
                                  type="application/json")
        world.unchanged(operation.id)
    world.close()


def taken(operation, name, value):
    """Whether an operation may succeed with this value."""
    schema = operation.body["content"]["application/json"]["schema"]
    properties = contract.members(schema)[0]
    if value is None and operation.id == "changeAccount":
        return True  # it has no password then
    if value is None or isinstance(value, str) and "\ud800" in value:
        return False
    return not contract.wrong(properties[name], value) or \
        isinstance(value, dict)


def guesses(text):
    """Whether it is a password; many wrong ones are slowed down."""
    return text.lower().startswith("basic ")


def accounts():
    world = World()
    nobody = world.server.client(token="")
    for operation in contract.operations:
        if operation.open:
            continue
        for text in some(AUTHORIZATIONS, 0.2):
            answer = nobody.call(operation.method, world.path(operation),
                                 headers={"Authorization": text})
            check("%s wants an account" % operation.id,
                  answer.status == 429 and "retry-after" in answer.headers
                  if guesses(text) and answer.status != 401 else
                  answer.status == 401 and "www-authenticate" in
                  answer.headers, text[:99], answer)
        answer = nobody.call(operation.method, world.path(operation),
                             b"{" * 70000, type="application/json")
        check("%s asks for it before it reads" % operation.id,
              answer.status == 401, answer)
        if operation.method == "GET":
            continue
        answer = world.client.call(
            operation.method, world.path(operation), {},
            headers={"Sec-Fetch-Site": "cross-site"})
        check("%s is not for pages of others" % operation.id,
              answer.status == 403, answer)
        for key in some(("x" * 129, "x" * 9000, "")):
            if "Idempotency-Key" in operation.names("header") and key:
                world.refused("a strange key", operation,
                              world.path(operation), body=b"{}",
                              headers={"Idempotency-Key": key})
    world.close()


# What the bundles of identity/rights.def hold.
VERBS = {"reader": "read", "worker": "read work", "operator":
         "read work start suspend cancel load operate"}


def is_nothing(value):
    """An empty list, zero, or an object or a list of these."""
    if isinstance(value, dict):
        value = list(value.values())
    return all(map(is_nothing, value)) if isinstance(value, list) \
        else value in (0, False)


BULK = ("retryIncidents", "dropIncidents")


def strangers():
    """An admin of another namespace finds nothing, and changes nothing; an
    account whose role is too low gets that as the reason."""
    world = World()
    server = world.server
    admin = server.client(token=server.add_account("other", "admin", 7))
    for operation in contract.operations:
        # The server, its metrics and its settings are of all namespaces.
        if operation.open or operation.id in ("metrics", "showServer") or \
                is_shared(operation):
            continue
        path = world.path(operation)
        body = dict(good_body(operation, world), **(
            {"incidents": [1]} if operation.id in BULK else {}))
        if operation.id == "explainTask":
            path += "?task=Ask"
        if operation.id == "search":
            path += "?q=Ask"
        if "{" in operation.path or operation.id in (
                "startCase", *BULK):
            answer = admin.call(operation.method, path, None if
                                operation.method == "GET" else body)
            # Incidents that do not exist are ignored; a service, a filter and
            # a subscription are created, and removed, beside those of the name.
            check("%s finds nothing of others" % operation.id,
                  answer.status == 404 or operation.id in (
                      "putService", "removeService", "putSubscription",
                      "removeSubscription", "putFilter", "removeFilter") or
                  answer.body in (b'{"retried":0}\n', b'{"dropped":0}\n'),
                  answer)
        elif operation.method == "GET" and not is_stream(operation) and \
                operation.id not in ABOUT_ONESELF:
            answer = admin.get(path)
            check("%s has nothing of others" % operation.id, all(
                is_nothing(value) for name, value in answer.json().items()
                if name not in ("from", "to", "complete", "at", "hour",
                                "maximum")),
                  answer)
    for name in ("case=a", "specification=" + world.key):
        stream = admin.stream("/v1/events?after=0&" + name)
        check("their events are not sent", stream.status == 404 or
              stream.next(0.3) is None and not stream.ended, stream.status)
        stream.close()
    stream = admin.stream("/v1/events?after=0")
    check("nor among all events",
          stream.next(0.3) is None and not stream.ended)
    stream.close()
    for role, verbs in VERBS.items():
        less = server.client(token=server.add_account(role, role, 1))
        for operation in contract.operations:
            if operation.right and operation.right != "own" and \
                    operation.right.split()[1] not in verbs and \
                    operation.id not in JUDGED:
                answer = less.call(operation.method, world.path(operation),
                                   {})
                check("a %s may not %s" % (role, operation.id),
                      answer.status == 403, answer)
    world.close()


HEAD = b"Host: x\r\nAuthorization: Bearer %s\r\n"
RAW = (
    b"", b"\r\n\r\n", b"\0" * 5000, b"\xff" * 5000, b"GET\r\n\r\n",
    b"GET /healthz\r\n\r\n", b"GET /healthz HTTP/9.9\r\n\r\n",
    b"GET  /healthz  HTTP/1.1\r\n\r\n", b"GET /healthz HTTP/1.1\n\n",
    b"GET /he\0althz HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: x\r\n: x\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n",
    b"GET " + b"/x" * 50000 + b" HTTP/1.1\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nX: " + b"x" * 1000000 + b"\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\n" + b"X: y\r\n" * 50000 + b"\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03" + b"\0" * 500,
    b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
    b"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET http:// HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET ? HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET # HTTP/1.1\r\nHost: x\r\n\r\n")
# libmicrohttpd answers this differently from a head that is too long.
LONG_CHUNK = b"Transfer-Encoding: chunked\r\n\r\n1;"
BODIES = (
    b"Content-Length: -1\r\n\r\n{}",
    b"Content-Length: x\r\n\r\n{}",
    b"Content-Length: 99999999999999999999999\r\n\r\n{}",
    b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
    b"Content-Length: 33\r\nContent-Length: 3\r\n\r\n"
    b'{"specification": "BusinessTrip"}',
    b"Content-Length: 33\r\nContent-Length: 33\r\n\r\n"
    b'{"specification": "BusinessTrip"}',
    b"Content-Length: 9\r\n\r\n{}",
    b"Content-Length: 9\r\nExpect: 100-continue\r\n\r\n",
    b"Content-Length: 9\r\nExpect: something\r\n\r\n{}",
    b"Content-Length: 18446744073709551615\r\n\r\n{}",
    b"Content-Length: 18446744073709551617\r\n\r\n{}",
    b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{}",
    b"Transfer-Encoding: x\r\n\r\n{}",
    b"Transfer-Encoding: chunked\r\n\r\n",
    b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}",
    b"Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n",
    b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}",
    b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}",
    b"Transfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n{}",
    LONG_CHUNK + b"x" * 50000 + b"\r\n{",
    b"Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n",
    b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n")


def protocol():
    """Bytes that are not HTTP get 4xx or no answer, and the connection
    ends."""
    world = World()
    server = world.server
    watch = server.client()
    head = HEAD % server.token.encode()
    requests = list(RAW)
    for body in BODIES:
        requests.append(b"POST /v1/items/a.1:Ask/complete HTTP/1.1\r\n" +
                        head + body)
        requests.append(b"POST /v1/cases HTTP/1.1\r\n" + head + body)
    for request in requests:
        answer = server.raw(request, 1, half=True)
        answer = answer.replace(b"HTTP/1.1 100 Continue\r\n\r\n", b"")
        found = re.match(rb"HTTP/1\.[01] (\d+) ", answer)
        status = int(found.group(1)) if found else 0
        good = status in (0, 501, 505) or 400 <= status < 500 or \
            b"/healthz" in request and status == 200 or \
            LONG_CHUNK in request and status == 500
        check("what is no HTTP is refused", good and bool(answer) == bool(
            status), request[:200], answer[:300])
        check("others are served", watch.get("/healthz").status == 200)
    world.close()


if __name__ == "__main__":
    run(addresses, bodies, accounts, strangers, protocol)
    end()
