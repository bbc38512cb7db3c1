# SPDX-License-Identifier: Apache-2.0
"""Event logs as XES: their content, and that they have the required form."""
import os
import re
import socket
import sqlite3
import xml.etree.ElementTree as ET

from checks import SANITIZED, check, run, end
from server import ROOT, Server

ATTRIBUTES = {
    "string": r".*",
    "date": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?",
    "int": r"[+-]?\d{1,19}",
    "float": r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?",
    "boolean": r"true|false|1|0",
}
NAME = r"[A-Za-z_:][\w:.-]*"


def faults_of_attribute(element):
    if element.tag not in ATTRIBUTES:
        return ["<%s> where an attribute is expected" % element.tag]
    if not re.fullmatch(NAME, element.get("key", "")):
        return ["the key %r" % element.get("key")]
    if not re.fullmatch(ATTRIBUTES[element.tag], element.get("value", "\0"),
                        re.DOTALL):
        return ["%r is no %s" % (element.get("value"), element.tag)]
    return []


def take(children, tag):
    """Removes the children with that tag from the front and returns them."""
    taken = []
    while children and children[0].tag == tag:
        taken.append(children.pop(0))
    return taken


def faults(text):
    """Violations of the schema of XES 1.0."""
    log = ET.fromstring(text)
    found = []
    if log.tag != "log" or not re.fullmatch(r"\d+(\.\d+)?",
                                            log.get("xes.version", "")):
        found.append("<log> and its version")
    children = list(log)
    for extension in take(children, "extension"):
        if sorted(extension.attrib) != ["name", "prefix", "uri"]:
            found.append("an extension")
    for part in take(children, "global"):
        if part.get("scope") not in ("trace", "event"):
            found.append("the scope of a global")
        for attribute in part:
            found += faults_of_attribute(attribute)
    for classifier in take(children, "classifier"):
        if sorted(classifier.attrib) != ["keys", "name"]:
            found.append("a classifier")
    for trace in take(children, "trace"):
        inside = list(trace)
        while inside and inside[0].tag in ATTRIBUTES:
            found += faults_of_attribute(inside.pop(0))
        for event in take(inside, "event"):
            for attribute in event:
                found += faults_of_attribute(attribute)
        found += ["<%s> in a trace" % rest.tag for rest in inside]
    found += ["<%s> in the log" % rest.tag for rest in children]
    return found


def traces(text):
    """{case: [(task, transition, instance, {data})]}"""
    found = {}
    for trace in ET.fromstring(text).iter("trace"):
        events = []
        for event in trace.iter("event"):
            values = {a.get("key"): a.get("value") for a in event}
            values.pop("time:timestamp")
            events.append((values.pop("concept:name"),
                           values.pop("lifecycle:transition"),
                           values.pop("concept:instance"), values))
        found[trace.find("string").get("value")] = events
    return found


def log(client, key, query=""):
    answer = client.get("/v1/specifications/%s/log%s" % (key, query))
    check("the log is sent", answer.status == 200, answer)
    check("as XML", answer.type == "application/xml", answer.headers)
    text = answer.body.decode()
    check("it is of the form of XES", faults(text) == [], faults(text))
    return traces(text)


def what_it_says():
    server = Server()
    client = server.client()
    with open(os.path.join(ROOT, "tests/scenarios/logging.yawl")) as file:
        key = client.load(file.read())
    check("a log without cases", log(client, key) == {})
    client.post("/v1/cases", {"specification": key, "case": "a"})
    client.post("/v1/items/a:Check/start", {})
    client.post("/v1/items/a.1:Check/suspend", {})
    client.post("/v1/items/a.1:Check/resume", {})
    client.post("/v1/items/a.1:Check/complete", {"who": "B \"&\" <C>"})
    client.post("/v1/items/a:Many/start", {})
    client.post("/v1/items/a.2:Many/complete", {})
    client.post("/v1/items/a.3:Many/start", {})
    client.post("/v1/items/a.3:Many/fail", {"reason": "broken"})
    client.post("/v1/cases", {"specification": key, "case": "b"})
    client.post("/v1/cases/b/cancel", {})
    admin = {"org:resource": "admin"}
    check("what happened, in YAWL's transitions", log(client, key) == {
        "a": [
            ("Check", "schedule", "a", {}),
            ("Check", "start", "a.1", admin),
            ("Check", "suspend", "a.1", admin),
            ("Check", "complete", "a.1", admin),
            ("Check", "complete", "a", {}),
            ("Many", "schedule", "a", {}),
            ("Many", "start", "a.2", admin),
            ("Many", "complete", "a.2", admin),
            ("Many", "start", "a.3", admin),
            ("Many", "ate_abort", "a.3", admin),
            ("Many", "ate_abort", "a", {}),
            ("Sub", "schedule", "a.4", {}),
            ("Last", "schedule", "a.4", {}),
        ],
        "b": [
            ("Check", "schedule", "b", {}),
            ("Check", "pi_abort", "b", {}),
        ]}, log(client, key))
    events = log(client, key, "?data=true&all=true")["a"]
    started = [e for e in events if e[1:3] == ("start", "a.1")][0][3]
    check("values of the start", started["who"] == "given", started)
    check("and its log predicate", "Check it" in started["Executing"], started)
    ended = [e for e in events if e[1:3] == ("complete", "a.1")][0][3]
    check("values of the end, markup and all",
          ended["Complete"].startswith("Complete for B "), ended)
    check("events of no transition", [e[:3] for e in events[:3]] ==
          [("Check", "schedule", "a"), ("Check", "unknown", "a"),
           ("Check", "unknown", "a.1")], events[:3])
    check("a switch is one", client.get(
        "/v1/specifications/%s/log?all=1" % key).status == 400)
    check("the specification must be there", client.get(
        "/v1/specifications/0000000000000001/log").status == 404)
    client.close()
    server.close()


def many():
    server = Server()
    client = server.client()
    key = client.load("sequence.yawl")
    cases = 6000 if os.environ.get("WEFT_SOAK") == "1" else 300
    for i in range(cases):
        client.post("/v1/cases", {"specification": key, "case": "c%d" % i})
    forget_peak(server)
    before = peak(server)
    found = log(client, key)
    if not SANITIZED:
        check("memory does not grow with the log",
              peak(server) - before < 1500, before, peak(server))
    check("all cases, in their order", list(found) ==
          ["c%d" % i for i in range(cases)], len(found))
    check("each with its events",
          all(len(events) == 1 for events in found.values()))
    for _ in range(20):
        begin(server, key).close()
    slow = begin(server, key)
    check("a reader that leaves early does no harm", log(client, key) == found)
    client.close()
    check("the server ends in spite of slow readers", server.close() == 0)
    slow.close()


def forget_peak(server):
    with open("/proc/%d/clear_refs" % server.process.pid, "w") as file:
        file.write("5")


def peak(server):
    """The server's largest memory use, in KiB."""
    with open("/proc/%d/status" % server.process.pid) as file:
        return int(re.search(r"VmHWM:\s+(\d+)", file.read()).group(1))


def begin(server, key):
    """A reader of the log that has read its beginning."""
    reader = socket.socket()
    reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    reader.connect(("127.0.0.1", server.port))
    reader.sendall(("GET /v1/specifications/%s/log?all=true HTTP/1.1\r\n"
                    "Host: x\r\nAuthorization: Bearer %s\r\n\r\n" % (
                        key, server.token)).encode())
    reader.recv(1000)
    return reader


def is_whole(client, key):
    answer = client.get("/v1/specifications/%s/log?all=true" % key)
    try:
        ET.fromstring(answer.body.decode())
    except ET.ParseError:
        return False
    return True


def damaged():
    """Damaged steps are left out; a step that cannot be read now ends the
    log."""
    server = Server()
    client = server.client()
    key = client.load("sequence.yawl")
    for case in "abc":
        client.post("/v1/cases", {"specification": key, "case": case})
        client.post("/v1/items/%s:Ask/complete" % case,
                    {"destination": "x" * 5000})
    check("a log is whole", is_whole(client, key))
    server.stop()
    with sqlite3.connect(server.folder + "/weft.db") as store:
        store.execute("UPDATE history SET events = x'00' WHERE number = 1")
    store.close()
    server.start()
    check("without what is damaged too", is_whole(server.client(), key))
    server.stop()
    with sqlite3.connect(server.folder + "/weft.db") as store:
        store.execute("DELETE FROM value WHERE number = 2")
    store.close()
    server.start()
    check("and not when it had to end, whatever was damaged before",
          not is_whole(server.client(), key))
    server.close()


run(what_it_says, many, damaged)
end()
