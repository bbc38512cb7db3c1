# SPDX-License-Identifier: Apache-2.0
"""The delivery policy in a decomposition."""
import time

from fake import SECRET, Fake, items, process
from checks import check, end, run, until
from server import Server

SPACE = " xmlns:w='urn:weft:hand-over' "


def begin(behave):
    fake = Fake(lambda call: behave(call) if items(call) else (200, None))
    server = Server(arguments=("--allow-address", "127.0.0.1"))
    client = server.client()
    client.call("PUT", "/v1/services/one", {
        "kind": "push", "uri": fake.uri, "secret": SECRET})
    return fake, server, client


def start(client, fake, name, attributes):
    key = client.load(process(fake.uri, name=name, more=SPACE + attributes))
    client.post("/v1/cases", {"specification": key, "case": name})


def of(case):
    return lambda call: items(call) and call.json()["case"] == case


def is_done(client, case):
    return client.get("/v1/cases/" + case).json()["status"] == "completed"


def incident(client, case):
    until(lambda: client.get("/v1/incidents?case=" + case).json()["incidents"])
    found = client.get("/v1/incidents?case=" + case).json()["incidents"]
    return found[0]["text"] if found else ""


def policy():
    fake, server, client = begin(lambda call: (500, None))
    start(client, fake, "a", "w:attempts='3' w:delay='PT0.2S' w:backoff='1'")
    check("it has its own policy", "HTTP 500" in incident(client, "a") and
          len(fake.wait(3, 1, of("a"))) == 3, fake.calls)
    fake.behave = lambda call: (time.sleep(3), (200, {"y": 1}))[1]
    start(client, fake, "b", "w:timeout='PT0.3S' w:attempts='1'")
    check("and time-out", "imed" in incident(client, "b"))
    fake.behave = lambda call: b"nonsense\r\n\r\n"
    start(client, fake, "c", "w:attempts='2' w:delay='PT0.2S'")
    check("what is no HTTP is tried again",
          "HTTP/0.9" in incident(client, "c") and
          "no address" not in incident(client, "c") and
          len(fake.wait(2, 1, of("c"))) == 2, fake.calls)
    server.close()
    fake.close()


def conditions():
    answers = [(200, {"y": 1}), (200, {"y": 5})]
    fake, server, client = begin(lambda call: answers.pop(0))
    start(client, fake, "a",
          "w:postcondition='/D0/y &gt; 3' w:delay='PT0.2S'")
    check("an output that does not do is an attempt that failed",
          until(lambda: is_done(client, "a")) and
          len(fake.wait(2, 1, of("a"))) == 2, len(fake.calls))
    answers.extend([(200, {"y": 1})] * 2)
    start(client, fake, "b", "w:postcondition='/D0/y &gt; 3' "
          "w:delay='PT0.1S' w:attempts='2'")
    check("behind the last it is an incident",
          "postcondition does not hold" in incident(client, "b"))
    answers.append((200, {"y": 1}))
    start(client, fake, "c", "w:precondition='/D0/x = \"8\"' "
          "w:delay='PT0.2S' w:attempts='1'")
    time.sleep(1)
    check("an item whose precondition does not hold is not sent",
          not fake.wait(1, 0, of("c")) and not is_done(client, "c"))
    check("which is no attempt",
          client.get("/v1/incidents?case=c").json()["incidents"] == [])
    shown = client.get("/v1/items/c:T0").json()
    check("it shows that it waits", shown.get("waits") == "precondition",
          shown)
    client.call("PATCH", "/v1/cases/c/data", {"v": "8"})
    check("until it does", until(lambda: is_done(client, "c")))
    start(client, fake, "d", "w:precondition='xs:integer(\"x\") = 1'")
    check("one that fails is an incident", "FORG0001" in incident(client, "d")
          or "integer" in incident(client, "d"), incident(client, "d"))
    server.close()
    fake.close()


def delays():
    fake, server, client = begin(lambda call: (200, {"y": 1}))
    began = time.monotonic()
    start(client, fake, "a",
          "w:startDelay='concat(\"PT0.\", /D0/x, \"S\")'")
    check("a start delay is computed", until(lambda: is_done(client, "a")) and
          time.monotonic() - began > 0.65)
    start(client, fake, "b", "w:startDelay='\"PT1H\"'")
    shown = client.get("/v1/items/b:T0").json()
    check("and shown", shown.get("waits") == "start", shown)
    start(client, fake, "c", "w:startDelay='\"soon\"'")
    check("one that is none is an incident",
          'startDelay gives "soon"' in incident(client, "c"))
    server.close()
    fake.close()


def pulled():
    server = Server()
    client = server.client()
    client.call("PUT", "/v1/services/one", {
        "kind": "pull", "uri": "urn:p", "timeout": "PT1H"})

    def begin_pulled(name, attributes):
        key = client.load(process("urn:p", name=name,
                                  more=SPACE + attributes))
        client.post("/v1/cases", {"specification": key, "case": name})

    def claim(wait):
        return client.post("/v1/items:claim", {
            "service": "one", "wait": wait}).json()["items"]

    began = time.monotonic()
    begin_pulled("a", "w:startDelay='\"PT1S\"'")
    got = claim("PT50S")
    check("a start delay counts for workers that pull", len(got) == 1 and
          time.monotonic() - began > 0.9, got)
    begin_pulled("b", "w:precondition='/D0/x = \"8\"' w:delay='PT0.2S'")
    check("and a precondition", claim("PT1S") == [])
    client.call("PATCH", "/v1/cases/b/data", {"v": "8"})
    got = claim("PT50S")
    check("until it holds", len(got) == 1 and got[0]["case"] == "b", got)
    check("which was no attempt", got and got[0]["attempt"] == 1, got)
    begin_pulled("c", "w:precondition='xs:integer(\"x\") = 1'")
    check("one that fails is an incident", claim("PT1S") == [] and
          incident(client, "c") != "")
    server.close()


def refused():
    fake, server, client = begin(lambda call: (200, {}))
    for attributes, text in (
            ("w:attempts='0'", "attempts"), ("w:attempts='x'", "attempts"),
            ("w:delay='soon'", "delay"), ("w:colour='red'", "colour"),
            ("w:precondition='1 +'", "precondition"),
            ("w:cap='P1M'", "cap"), ("w:cap='PT99999999999S'", "cap"),
            ("w:timeout='PT0S'", "timeout")):
        answer = client.post(
            "/v1/specifications", process(fake.uri, more=SPACE + attributes),
            type="application/xml")
        check("%s is an error" % attributes, answer.status == 422 and any(
            text in d["text"] and d["severity"] == "error"
            for d in answer.json()["diagnostics"]), answer)
    server.close()
    fake.close()


run(policy, conditions, delays, pulled, refused)
end()
