# SPDX-License-Identifier: Apache-2.0
"""The clients and schemas/openapi.yaml agree: each named method sends a request
of its operation, with arguments and members that are described, and with an
Idempotency-Key if it is described; types have members of their schemas. The
test lists what only request() can send."""
import http.server
import inspect
import json
import os
import re
import subprocess
import threading
import typing
import urllib.parse

from parts import JAVASCRIPT
from calls import CALLS
from checks import check, end, run, skip
from contract import Contract
from node import has_node
import weft
from weft import values

contract = Contract()
OPERATIONS = {operation.id: operation for operation in contract.operations}
ANSWER = dict({name: [] for name in (
    "cases", "items", "steps", "starts", "incidents", "specifications",
    "diagnostics", "services", "reasons")}, retried=1, until="u")
# Methods that are no operations, of one client or both.
OTHERS = {"request", "load", "close", "worker", "wait_case", "waitCase",
          "with_headers", "withHeaders"}
not_sent = set()  # arguments and members, by their operation


class Recorder(http.server.BaseHTTPRequestHandler):
    requests = []

    def do(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/recorded":
            return self.answer(Recorder.requests)
        Recorder.requests.append({
            "method": self.command, "path": self.path, "body": body.decode(),
            "headers": {k.lower(): v for k, v in self.headers.items()}})
        if self.path.partition("?")[0].endswith("/events"):
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write(b'id: 1\nevent: step\ndata: {"id": "1"}\n\n')
        else:
            self.answer(ANSWER)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do

    def answer(self, content):
        content = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def snake(name):
    return re.sub("[A-Z]", lambda found: "_" + found.group().lower(), name)


def agrees(language, name, request):
    """The request is one of that operation."""
    operation = OPERATIONS[name]
    path, _, query = request["path"].partition("?")
    found = contract.find(request["method"], path)
    what = "%s: %s" % (language, name)
    if not check("%s is the operation" % what, found is operation, request):
        return
    type = request["headers"].get("content-type")
    wrong = contract.wrong_request(
        request["method"], request["path"], request["body"], type)
    check("%s sends what is described" % what, not wrong, wrong, request)
    sent = set(urllib.parse.parse_qs(query, keep_blank_values=True))
    missing = set(operation.names("query")) - sent
    if "last-event-id" in request["headers"]:
        missing.discard("after")
    described = "Idempotency-Key" in operation.names("header")
    check("%s has a key, or none" % what,
          ("idempotency-key" in request["headers"]) == described, request)
    content = (operation.body or {}).get("content", {}).get("application/json")
    if content and type == "application/json":
        members, _, free = contract.members(content["schema"])
        if not free:
            missing |= set(members) - set(json.loads(request["body"]))
    not_sent.update("%s.%s" % (name, one) for one in missing)


def with_recorder(test):
    def tested():
        Recorder.requests = []
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            test("http://127.0.0.1:%d" % server.server_port)
        finally:
            server.shutdown()
            server.server_close()
    tested.__name__ = test.__name__
    return tested


@with_recorder
def python(url):
    client = weft.Client(url, "t")
    for name, arguments, options in CALLS:
        options = {k + "_" * (k == "for"): v for k, v in options.items()}
        found = getattr(client, snake(name))(*arguments, **options)
        if inspect.isgenerator(found):
            next(found, None)
            found.close()
    client.close()
    if check("Python: each call is a request",
             len(Recorder.requests) == len(CALLS), len(Recorder.requests)):
        for (name, _, _), request in zip(CALLS, Recorder.requests):
            agrees("Python", name, request)
    methods = {name for name, _ in inspect.getmembers(
        weft.Client, inspect.isfunction) if not name.startswith("_")} - OTHERS
    check("Python: all methods are called", methods == {
        snake(name) for name, _, _ in CALLS},
        methods ^ {snake(name) for name, _, _ in CALLS})


CALL = """
import {Client} from %s;
const client = new Client({url: %s, token: "t"});
for (const [name, args, options] of %s) {
    const found = client[name](...args, options);
    if (found[Symbol.asyncIterator])
        for await (const _ of found) break;
    else
        await found;
}
console.log(JSON.stringify(Object.getOwnPropertyNames(Client.prototype)));
"""


@with_recorder
def javascript(url):
    if not has_node():
        skip("the JavaScript client", "there is no node of version 18 or later")
        return
    done = subprocess.run(
        ["node", "--input-type=module", "-e", CALL % tuple(map(json.dumps, (
            os.path.join(JAVASCRIPT, "weft.mjs"), url, CALLS)))],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not check("JavaScript: all calls are made", done.returncode == 0,
                 done.stderr.decode()):
        return
    if check("JavaScript: each call is a request",
             len(Recorder.requests) == len(CALLS), len(Recorder.requests)):
        for (name, _, _), request in zip(CALLS, Recorder.requests):
            agrees("JavaScript", name, request)
    methods = set(json.loads(done.stdout)) - OTHERS - {"constructor"}
    check("JavaScript: all methods are called", methods == {
        name for name, _, _ in CALLS}, methods ^ {name for name, _, _ in CALLS})


def declarations():
    """The text of each class and interface of weft.d.mts."""
    with open(os.path.join(JAVASCRIPT, "weft.d.mts")) as file:
        text = file.read()
    return {name: (base, re.findall(r"^    (?:readonly )?(\w+)\??[:(]", body,
                                    re.M))
            for name, base, body in re.findall(
                r"^export (?:class|interface) (\w+)(.*?) \{\n(.*?)^\}", text,
                re.M | re.S)}


def types():
    """Members of types are members of schemas; both languages have them."""
    declared = declarations()
    methods = set(declared["Client"][1]) - {
        "constructor", "url", "timeout", "retryFor", "fetch"} - OTHERS
    check("JavaScript: all methods are declared", methods == {
        name for name, _, _ in CALLS}, methods ^ {name for name, _, _ in CALLS})
    schemas = contract.document["components"]["schemas"]
    for name, kind in inspect.getmembers(values, typing.is_typeddict):
        own = set(typing.get_type_hints(kind))
        members = set(contract.members(schemas[name])[0])
        check("Python: members of %s are described" % name,
              own <= members | {"settled"}, own - members)
        base, found = declared[name]
        while base.strip():
            parent = re.search(r"extends (?:Omit<)?(\w+)", base).group(1)
            base, more = declared[parent][0], declared[parent][1]
            found = found + more
        check("JavaScript: %s has the same" % name,
              set(found) - {"secret"} == own, set(found) ^ own)


def coverage():
    """All other operations can be called with request()."""
    named = {name for name, _, _ in CALLS}
    others = sorted(set(OPERATIONS) - named)
    check("named operations exist", named <= set(OPERATIONS),
          named - set(OPERATIONS))
    methods = set(inspect.signature(weft.Client.request).parameters)
    check("others take no headers that request() cannot send",
          {"headers", "query", "body", "content_type"} <= methods)
    print("named: %d of %d operations; with request(): %s" % (
        len(named), len(OPERATIONS), " ".join(others)))
    print("arguments that only request() sends: %s" % " ".join(
        sorted(not_sent)))


run(python, javascript, types, coverage)
end()
