# SPDX-License-Identifier: Apache-2.0
"""Traces: what a collector gets, what callers send and services receive."""
import json
import os
import re
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "delivery"))
from checks import check, end, run, until  # noqa: E402
from fake import SECRET, Fake, items, process  # noqa: E402
from server import WEFT, Server  # noqa: E402
from stores import on_each  # noqa: E402

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SPAN = "00f067aa0ba902b7"
PARENT = "00-%s-%s-01" % (TRACE, SPAN)
SERVER, CLIENT, INTERNAL = 2, 3, 1


class Collector:
    """Receives spans; behave(call) as in Fake, or they are taken."""

    def __init__(self, behave=None):
        self.taken = []
        self.resources = []
        self.lock = threading.Lock()
        self.behave = behave
        self.fake = Fake(self.take)

    @property
    def url(self):
        return "http://127.0.0.1:%d/v1/traces" % self.fake.port

    def take(self, call):
        answer = self.behave(call) if self.behave else (200, {})
        if answer and answer[0] == 200:
            with self.lock:
                for resource in call.json()["resourceSpans"]:
                    self.resources.append(resource["resource"])
                    for scope in resource["scopeSpans"]:
                        self.taken += scope["spans"]
        return answer

    def spans(self, trace=None, kind=None, name=None):
        with self.lock:
            return [s for s in self.taken
                    if trace in (None, s["traceId"]) and
                    kind in (None, s["kind"]) and name in (None, s["name"])]

    def wait(self, count=1, **what):
        until(lambda: len(self.spans(**what)) >= count)
        return self.spans(**what)


def attributes(span):
    found = {}
    for attribute in span.get("attributes", []):
        (kind, value), = attribute["value"].items()
        found[attribute["key"]] = int(value) if kind == "intValue" else value
    return found


def begin(collector, *more, db=None):
    server = Server(db=db, arguments=[
        "--traces-endpoint", collector.url, "--allow-address", "127.0.0.0/8",
        *more])
    return server, server.client()


def start(client, key, case, **headers):
    answer = client.post("/v1/cases", {"specification": key, "case": case},
                         headers=headers)
    if answer.status != 201:
        raise RuntimeError(repr(answer))


def counted(client, result):
    found = re.search(r"weft_spans_%s_total (\d+)" % result,
                      client.get("/metrics").body.decode())
    return int(found.group(1))


def parent_of(header):
    """Trace, span and whether it is sampled, of a traceparent."""
    found = re.fullmatch("00-([0-9a-f]{32})-([0-9a-f]{16})-0([01])", header)
    return found.group(1), found.group(2), found.group(3) == "1"


def pushed(name, db):
    collector = Collector()
    service = Fake(lambda call: (200, {"y": 5}))
    server, client = begin(collector, db=db)
    client.call("PUT", "/v1/services/one", {
        "kind": "push", "uri": service.uri, "secret": SECRET})
    key = client.load(process(service.uri))
    start(client, key, "a", traceparent=PARENT,
          tracestate="congo=t61rcWkgMzE,rojo=00f067aa0ba902b7")
    until(lambda: client.get("/v1/cases/a").json()["status"] == "completed")
    request = collector.wait(trace=TRACE, kind=SERVER)[0]
    check("%s: a request is in the trace of its caller" % name,
          request["parentSpanId"] == SPAN and
          request["name"] == "POST /v1/cases", request)
    found = attributes(request)
    check("%s: with attributes of the conventions" % name, {
        k: found.get(k) for k in (
            "http.request.method", "http.route", "url.path", "url.scheme",
            "http.response.status_code", "weft.case", "weft.operation")} == {
        "http.request.method": "POST", "http.route": "/v1/cases",
        "url.path": "/v1/cases", "url.scheme": "http",
        "http.response.status_code": 201, "weft.case": "a",
        "weft.operation": "startCase"}, found)
    check("%s: and the state" % name,
          request["traceState"] == "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7",
          request)
    check("%s: it has not failed" % name, "status" not in request, request)
    call = service.wait(1, of=items)[0]
    trace, span, sampled = parent_of(call.headers["traceparent"])
    check("%s: the service receives the trace" % name,
          trace == TRACE and sampled, call.headers["traceparent"])
    check("%s: and its state as it was" % name, call.headers["tracestate"] ==
          "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7")
    check("%s: it is still signed" % name, call.is_signed())
    delivery = [s for s in collector.wait(2, trace=TRACE, kind=CLIENT)
                if s["spanId"] == span]
    check("%s: of the span of its call" % name, len(delivery) == 1 and
          delivery[0]["parentSpanId"] == request["spanId"] and
          delivery[0]["name"] == "POST one", delivery)
    found = attributes(delivery[0])
    check("%s: which says where and about what" % name, {
        k: found.get(k) for k in (
            "server.address", "server.port", "http.response.status_code",
            "weft.case", "weft.item", "weft.specification", "weft.service")
    } == {"server.address": "127.0.0.1", "server.port": service.port,
          "http.response.status_code": 200, "weft.case": "a",
          "weft.item": "a:T0", "weft.specification": key,
          "weft.service": "one"}, found)
    launch = collector.wait(trace=TRACE, name="engine launch")
    check("%s: the launch is a part of the request" % name,
          len(launch) == 1 and
          launch[0]["parentSpanId"] == request["spanId"] and
          attributes(launch[0])["weft.specification"] == key, launch)
    finish = collector.wait(trace=TRACE, name="engine finish")
    check("%s: the completion is a part of the call" % name,
          len(finish) == 1 and finish[0]["parentSpanId"] == span, finish)
    batches = collector.wait(2, trace=TRACE, name="batch")
    check("%s: each is done in a batch" % name,
          sorted(b["parentSpanId"] for b in batches) ==
          sorted([launch[0]["spanId"], finish[0]["spanId"]]) and
          all(attributes(b)["weft.batch.requests"] >= 1 for b in batches),
          batches)
    for one in collector.spans():
        check("%s: spans have times and ids" % name,
              int(one["startTimeUnixNano"]) <= int(one["endTimeUnixNano"]) and
              re.fullmatch("[0-9a-f]{16}", one["spanId"]), one)
    resource = {a["key"]: a["value"] for a in
                collector.resources[0]["attributes"]}
    check("%s: the service has a name" % name,
          resource["service.name"] == {"stringValue": "weft"} and
          set(resource["process.pid"]) == {"intValue"}, resource)
    server.close()
    collector.fake.close()
    service.close()


def pulled(name, db):
    collector = Collector()
    server, client = begin(collector, db=db)
    client.call("PUT", "/v1/services/pulled", {
        "kind": "pull", "uri": "urn:pulled", "delay": "PT0.1S"})
    key = client.load(process("urn:pulled"))
    start(client, key, "a", traceparent=PARENT, tracestate="a=1")
    for attempt in (1, 2):
        got = until(lambda: client.post("/v1/items:claim", {
            "service": "pulled", "wait": "PT5S"}).json()["items"])
        check("%s: a worker gets the trace of its item" % name,
              len(got) == 1 and
              parent_of(got[0].get("traceparent"))[0] == TRACE and
              got[0].get("tracestate") == "a=1", got)
        if attempt == 1:
            client.post("/v1/items/%s/release" % got[0]["item"],
                        {"fence": got[0]["fence"], "reason": "not now"})
    client.post("/v1/items/%s/complete?fence=%d" % (
        got[0]["item"], got[0]["fence"]), {"y": 1},
        headers={"traceparent": got[0]["traceparent"]})
    check("%s: its start and completion are in it" % name,
          collector.wait(2, trace=TRACE, name="engine start") and
          collector.wait(trace=TRACE, name="engine finish"))
    start(client, key, "b", traceparent="none")
    got = client.post("/v1/items:claim", {"service": "pulled"}).json()["items"]
    check("%s: a header that is not valid begins a new trace" % name,
          parent_of(got[0]["traceparent"])[0] != TRACE, got)
    again = client.load(process("urn:pulled").replace(
        "<version>0.1<", "<version>0.2<"))
    start(client, key, "c")
    moved = client.post("/v1/cases/c/migrate", {
        "specification": again, "reason": "better"},
        headers={"traceparent": PARENT})
    got = client.post("/v1/items:claim", {"service": "pulled"}).json()["items"]
    check("%s: the item of a migrated case has the migration's trace" % name,
          moved.status == 200 and
          parent_of(got[0].get("traceparent"))[0] == TRACE, (moved, got))
    server.close()
    collector.fake.close()


def kept(name, db):
    """The trace is stored with the message: a restart does not lose it."""
    collector = Collector()
    service = Fake(lambda call: (200, {"y": 5}))
    port = service.port
    service.close()
    server, client = begin(collector, db=db)
    client.call("PUT", "/v1/services/one", {
        "kind": "push", "uri": service.uri, "secret": SECRET,
        "delay": "PT0.1S", "cap": "PT0.1S", "attempts": 1000})
    key = client.load(process(service.uri))
    start(client, key, "a", traceparent=PARENT, tracestate="a=1")
    failed = collector.wait(trace=TRACE, kind=CLIENT)[0]
    check("%s: a call without an answer is an error" % name,
          failed["status"]["code"] == 2 and
          attributes(failed)["error.type"] == "no_answer", failed)
    server.stop()
    service = Fake(lambda call: (200, {"y": 5}), port)
    server.start()
    call = service.wait(1, of=items)[0]
    check("%s: a message has its trace after a restart" % name,
          parent_of(call.headers["traceparent"])[0] == TRACE and
          call.headers["tracestate"] == "a=1", call.headers)
    server.close()
    service.close()
    collector.fake.close()


def shared():
    """Requests of one batch link to it, and it links to them."""
    collector = Collector()
    server, client = begin(collector, "--unsafe")
    key = client.load("sequence.yawl")

    def begin_some(number):
        own = server.client()
        for i in range(40):
            start(own, key, "c%d-%d" % (number, i))
        own.close()

    threads = [threading.Thread(target=begin_some, args=(n,))
               for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    launches = collector.wait(320, name="engine launch")
    by_id = {s["spanId"]: s for s in collector.spans()}
    linked = [s for s in launches if s.get("links")]
    check("requests that share a batch link to it", linked and all(
        by_id[s["links"][0]["spanId"]]["name"] == "batch" for s in linked),
        len(linked))
    check("and it to them", linked and all(
        s["spanId"] in [to["spanId"] for to in
                        by_id[s["links"][0]["spanId"]]["links"]]
        for s in linked))
    batches = collector.spans(name="batch")
    check("each request is in one", len(linked) + len(batches) == 320,
          len(linked), len(batches))
    server.close()
    collector.fake.close()


def sampled():
    collector = Collector()
    service = Fake(lambda call: (200, {"y": 5}))
    server, client = begin(collector, "--traces-sample", "0",
                           "--traces-service", "orders")
    client.call("PUT", "/v1/services/one", {
        "kind": "push", "uri": service.uri, "secret": SECRET})
    key = client.load(process(service.uri))
    start(client, key, "own")
    start(client, key, "not", traceparent=PARENT[:-1] + "0")
    check("who does not sample is followed", parent_of(service.wait(
        1, of=lambda c: items(c) and c.json()["case"] == "not")[0].headers[
            "traceparent"])[::2] == (TRACE, False))
    check("what begins here is not sampled either", not parent_of(service.wait(
        1, of=lambda c: items(c) and c.json()["case"] == "own")[0].headers[
            "traceparent"])[2])
    start(client, key, "yes", traceparent=PARENT)
    check("who samples is followed", collector.wait(trace=TRACE, kind=SERVER))
    server.stop()
    check("nothing else is exported", collector.spans() ==
          collector.spans(trace=TRACE), collector.spans())
    check("by that name", {"key": "service.name", "value": {
        "stringValue": "orders"}} in collector.resources[0]["attributes"])
    server.close()
    collector.fake.close()
    service.close()


def failing():
    """Errors are marked by the conventions."""
    collector = Collector()
    answers = [(503, {"detail": "out of ink"}), (200, {"y": 5})]
    service = Fake(lambda call: answers.pop(0) if answers else (200, None))
    server, client = begin(collector)
    client.call("PUT", "/v1/services/one", {
        "kind": "push", "uri": service.uri + "?token=hidden",
        "secret": SECRET, "delay": "PT0.05S"})
    key = client.load(process(service.uri + "?token=hidden"))
    start(client, key, "a", traceparent=PARENT)
    calls = collector.wait(2, trace=TRACE, kind=CLIENT)
    first = [c for c in calls
             if attributes(c)["http.response.status_code"] == 503]
    check("a call that failed is an error", len(first) == 1 and
          first[0]["status"] == {"code": 2} and
          attributes(first[0])["error.type"] == "503", calls)
    second = [c for c in calls if "http.request.resend_count" in attributes(c)]
    check("and the next one says that it is another attempt",
          second and attributes(second[0])["http.request.resend_count"] == 1,
          calls)
    client.get("/v1/cases/nothing")
    client.get("/v1/cases?title=hidden")
    found = collector.wait(name="GET /v1/cases/{}")
    check("a refusal is no error of the server", [
        (s.get("status"), attributes(s)["http.response.status_code"])
        for s in found if attributes(s)["url.path"] == "/v1/cases/nothing"] ==
        [(None, 404)], found)
    client.get("/nothing")
    check("a path that is unknown has no route", "http.route" not in
          attributes(collector.wait(name="GET")[0]))
    server.stop()
    check("no query is in a span",
          "hidden" not in json.dumps(collector.spans()))
    server.close()
    collector.fake.close()
    service.close()


def away():
    """A collector that does not take spans disturbs nobody."""
    state = {"answer": (503, None, {"Retry-After": "1"})}
    collector = Collector(lambda call: state["answer"])
    server, client = begin(collector, "--log-level", "warning")
    key = client.load("sequence.yawl")
    for i in range(900):
        start(client, key, "c%d" % i)
    check("spans that have no room are counted",
          until(lambda: counted(client, "dropped") > 0))
    check("nothing was exported", counted(client, "exported") == 0)
    check("the log says so once", server.read_log().count(
        '"event": "traces_not_exported"') == 1, server.read_log()[-2000:])
    state["answer"] = (200, {})
    check("later they are exported",
          until(lambda: counted(client, "exported") > 0))
    check("the log says so, too", until(
        lambda: '"event": "traces_exported"' in server.read_log()))
    state["answer"] = (400, {"message": "no"})
    before = counted(client, "dropped")
    start(client, key, "refused")
    check("what the collector refuses is not sent again",
          until(lambda: counted(client, "dropped") > before))
    state["answer"] = (200, {"partialSuccess": {"rejectedSpans": "1"}})
    exported = counted(client, "exported")
    before = counted(client, "dropped")
    check("what it takes in part is counted so", until(
        lambda: counted(client, "dropped") > before and
        counted(client, "exported") > exported))
    state["answer"] = (200, {})
    start(client, key, "last", traceparent=PARENT)
    server.stop()
    check("what waits is sent at the end", collector.spans(
        trace=TRACE, name="POST /v1/cases"))
    server.close()
    collector.fake.close()


def closed():
    """There is none at the address: the server works, and ends."""
    collector = Collector()
    collector.fake.close()
    server, client = begin(collector)
    key = client.load("sequence.yawl")
    start(client, key, "a", traceparent=PARENT)
    check("it is said why", until(lambda: "traces_not_exported" in
                                  server.read_log()))
    check("and the server ends", server.stop() == 0)
    server.close()


def headers():
    collector = Collector()
    server, client = begin(collector)
    server.stop()
    path = server.folder + "/headers"
    with open(path, "w") as file:
        file.write("# of the collector\nAuthorization: Bearer abc\n\n"
                   "X-Team:  one \r\n")
    server.arguments += ["--traces-headers-file", path]
    server.start()
    server.client().get("/healthz")
    call = collector.fake.wait(1, of=lambda c: "X-Team" in c.headers)[0]
    check("the collector gets the headers of the file",
          call.headers["Authorization"] == "Bearer abc" and
          call.headers["X-Team"].strip() == "one" and
          call.headers["Content-Type"] == "application/json", call.headers)
    server.close()
    collector.fake.close()


def refused():
    """Settings that make no sense are refused, by their name."""
    server = Server()
    server.stop()
    path = server.folder + "/bad"
    with open(path, "w") as file:
        file.write("Authorization: Bearer abc\nno header\n")

    def message(*arguments):
        ended = subprocess.run(
            [WEFT, "serve", "--db", server.db, "--listen", "127.0.0.1:0",
             *arguments], cwd=server.folder, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=300)
        return ended.returncode, ended.stderr.decode()

    for url in ("localhost:4318", "ftp://x/", "http://", "http:///v1",
                "http://a b/", "http://u:p@x/v1/traces"):
        code, text = message("--traces-endpoint", url)
        check("%s is no collector" % url, code != 0 and
              "traces-endpoint: expected a URL of a collector" in text, text)
    for ratio in ("2", "1.01", "-1", "0.", ".5", "1e-1", "x", ""):
        code, text = message("--traces-sample", ratio)
        check("%r is no ratio" % ratio, code != 0 and
              "expected a number from 0 to 1" in text, text)
    good = ("--traces-endpoint", "http://127.0.0.1:9/v1/traces")
    code, text = message(*good, "--traces-headers-file", path)
    check("a line that is no header is refused", code != 0 and
          "traces-headers-file: %s:2: expected a header" % path in text, text)
    code, text = message(*good, "--traces-headers-file", path + "2")
    check("so is a file that is not there", code != 0 and
          "traces-headers-file" in text, text)
    server.close()


run(*on_each(pushed, "a push service"), *on_each(pulled, "a worker"),
    *on_each(kept, "a restart"), shared,
    sampled, failing, away, closed, headers, refused)
end()
