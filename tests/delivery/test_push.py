# SPDX-License-Identifier: Apache-2.0
"""Push: items in signed requests, answers as outputs, failures, retries."""
import os
import shutil
import sqlite3
import ssl
import subprocess
import tempfile
import threading
import time

from fake import SECRET, Fake, items, process
from checks import LIMIT, check, end, run, skip, until
from ports import free_port
from server import Server

ALLOW = ("--allow-address", "127.0.0.0/8")


def put(client, uri, name="one", **more):
    answer = client.call("PUT", "/v1/services/" + name, {
        "kind": "push", "uri": uri, "secret": SECRET, "delay": "PT0.2S",
        "cap": "PT0.4S", **more})
    if answer.status not in (200, 201):
        raise RuntimeError(repr(answer))


def begin(fake, *arguments, **policy):
    server = Server(arguments=arguments or ALLOW)
    client = server.client()
    put(client, fake.uri, **policy)
    key = client.load(process(fake.uri))
    return server, client, key


def start(client, key, case=None):
    return client.post("/v1/cases", {
        "specification": key, **({"case": case} if case else {})})


def status(client, case):
    return client.get("/v1/cases/" + case).json()["status"]


def done():
    fake = Fake(lambda call: (200, {"y": 5}))
    server, client, key = begin(fake)
    start(client, key, "a")
    check("an item that is answered with its output is completed",
          until(lambda: status(client, "a") == "completed"))
    call = fake.wait(1, of=items)[0]
    body = call.json()
    check("it comes with what it is about", {
        k: body[k] for k in ("service", "item", "case", "task", "data",
                             "specification", "attempt")} == {
        "service": "one", "item": "a:T0", "case": "a", "task": "T0",
        "data": {"x": "7"}, "specification": key, "attempt": 1}, body)
    check("it is signed", call.is_signed())
    check("but not with another secret", not call.is_signed("x" * 16))
    check("its id is the idempotency key",
          call.headers["Idempotency-Key"] == body["id"])
    check("its output is what was answered",
          client.get("/v1/cases/a/data").json().get("v") == "5",
          client.get("/v1/cases/a/data"))
    ended = fake.wait(1, of=lambda c: c.json()["event"] == "item_ended")
    check("its end is sent", ended and ended[0].json()["item"] == "a.1:T0" and
          ended[0].json()["status"] == "complete",
          [c.json() for c in ended])
    server.close()
    fake.close()


def later():
    fake = Fake(lambda call: (202, None))
    server, client, key = begin(fake)
    start(client, key, "a")
    check("an item can be taken to be done later", fake.wait(1, of=items))
    time.sleep(0.7)
    check("and is not sent again", len(fake.wait(1, of=items)) == 1)
    check("and is still there", status(client, "a") == "running")
    answer = client.post("/v1/items/a:T0/complete", {"y": 3})
    check("it is completed over REST", answer.status == 200, answer)
    check("which ends the case", status(client, "a") == "completed")
    server.close()
    fake.close()


def failing():
    """Answers that are failures, and hang-ups, are retried."""
    answers = [None, (500, None), (503, None, {"Retry-After": "1"}),
               (429, None), (200, {"y": 1})]
    fake = Fake(lambda call: answers.pop(0) if items(call) else (200, None))
    server, client, key = begin(fake)
    start(client, key, "a")
    check("it is tried again until it is done",
          until(lambda: status(client, "a") == "completed"))
    calls = fake.wait(5, of=items)
    check("so often", len(calls) == 5, len(calls))
    check("with the same key",
          len({c.headers["Idempotency-Key"] for c in calls}) == 1)
    check("and says how often",
          [c.json()["attempt"] for c in calls] == [1, 2, 3, 4, 5])
    check("and waits as long as Retry-After says",
          calls[3].at - calls[2].at >= 0.9, calls[3].at - calls[2].at)
    server.close()
    fake.close()


def incidents():
    behave = {"a": (400, {"reason": "no such address"}), "b": (200, {"z": 1}),
              "c": (200, {"y": "no number"}), "d": (500, b"oops"),
              "e": (302, None, {"Location": "/y"})}
    fake = Fake(lambda call: behave[call.json()["case"]]
                if items(call) else (200, None))
    server, client, key = begin(fake, attempts=3)
    for case in behave:
        start(client, key, case)
    check("what is refused, or failed too often, is an incident", until(
        lambda: len(client.get("/v1/incidents").json()["incidents"]) == 5))
    found = {i["case"]: i
             for i in client.get("/v1/incidents").json()["incidents"]}
    for case, code, text in (
            ("a", "refused", "HTTP 400: no such address"),
            ("b", "refused", "z: there is no such parameter"),
            ("c", "DATA", "no number"), ("d", "delivery", "HTTP 500: oops"),
            ("e", "refused", "HTTP 302")):
        check("the incident of %s says why" % case,
              found[case]["code"] == code and text in found[case]["text"] and
              found[case]["item"] == case + ":T0" and
              found[case]["retryable"], found[case])
    check("after so many attempts", found["d"]["attempts"] == 3 and
          len(fake.wait(3, of=lambda c: items(c) and
                        c.json()["case"] == "d")) == 3, found["d"])
    check("redirects are not followed",
          not [c for c in fake.calls if c.path != "/x"])
    check("the items are still there", all(
        status(client, case) == "running" for case in behave))
    for case in behave:
        behave[case] = (200, {"y": 1})
    answer = client.post(
        "/v1/incidents/%d/retry" % found["a"]["incident"], {})
    check("one is retried", answer.status == 200 and
          until(lambda: status(client, "a") == "completed"), answer)
    check("the others wait", status(client, "b") == "running")
    answer = client.post("/v1/incidents:retry", {"all": True})
    check("all are retried", answer.json() == {"retried": 4} and until(
        lambda: all(status(client, c) == "completed" for c in behave)), answer)
    check("no incident is left",
          client.get("/v1/incidents").json() == {"incidents": []})
    server.close()
    fake.close()


def outputs():
    """Empty answers, and XML whatever its content type."""
    behave = {
        "a": (200, b"", {"Content-Type": "application/xml"}),
        "b": (204, None, {"Content-Type": "text/xml"}),
        "c": (200, b"<D0><y>4</y></D0>", {"Content-Type": "Text/XML"}),
        "d": (200, b'{"y": 1, "y": 2}')}
    fake = Fake(lambda call: behave[call.json()["case"]]
                if items(call) else (200, None))
    server, client, key = begin(fake)
    for case in behave:
        start(client, key, case)
    check("an output of any type is taken",
          until(lambda: status(client, "c") == "completed"))
    check("what is wrong with the others is an incident", until(
        lambda: len(client.get("/v1/incidents").json()["incidents"]) == 3))
    found = {i["case"]: i["text"]
             for i in client.get("/v1/incidents").json()["incidents"]}
    for case, text in (("a", "y is missing"), ("b", "y is missing"),
                       ("d", "duplicate")):
        check("the incident of %s says what it lacks" % case,
              text in found[case], found)
    server.close()
    fake.close()


def moved():
    """A service is changed to another kind while its items wait."""
    fake = Fake(lambda call: (500, None) if items(call) else (200, None))
    server, client, key = begin(fake, attempts=1000)
    start(client, key, "a")
    fake.wait(1, of=items)
    put(client, fake.uri, kind="pull", attempts=1000)
    time.sleep(1)
    check("an item whose push failed waits for workers",
          client.get("/v1/incidents").json() == {"incidents": []} and
          [i["item"] for i in client.post("/v1/items:claim", {
              "service": "one", "wait": "PT60S"}).json()["items"]] ==
          ["a.1:T0"], client.get("/v1/incidents"))
    start(client, key, "b")
    time.sleep(0.3)
    fake.behave = lambda call: (200, {"y": 1}) if items(call) else (200, None)
    put(client, fake.uri)
    check("what waited to be asked for is sent", until(
        lambda: status(client, "b") == "completed"))
    server.close()
    fake.close()


def late():
    """A service is registered when its items wait already."""
    fake = Fake(lambda call: (200, {"y": 1}) if items(call) else (200, None))
    server = Server(arguments=ALLOW)
    client = server.client()
    key = client.load(process(fake.uri, "urn:other"))
    for number in range(300):
        start(client, key, "a%d" % number)
    put(client, fake.uri)

    def sent():
        return sorted(c.json()["case"] for c in fake.calls if items(c))

    check("it gets them", until(lambda: len(sent()) >= 300), len(sent()))
    put(client, fake.uri)
    time.sleep(0.5)
    check("once, however often it is registered",
          sent() == sorted("a%d" % number for number in range(300)), sent())
    server.close()
    fake.close()


def addresses():
    fake = Fake()
    for arguments, what in (((), "nothing is allowed"),
                            (("--allow-address", "10.0.0.0/8"),
                             "something else is")):
        server = Server(arguments=arguments)
        client = server.client()
        for name, uri in (("one", fake.uri),
                          ("two", fake.uri.replace("127.0.0.1",
                                                   "localhost"))):
            put(client, uri, name)
            start(client, client.load(process(uri, name=name)), name)
        check("addresses of this machine are not called when %s" % what,
              until(lambda: len(client.get(
                  "/v1/incidents").json()["incidents"]) == 2) and
              not fake.calls, fake.calls)
        check("which is reported", all(
            "not allowed" in i["text"] for i in client.get(
                "/v1/incidents").json()["incidents"]))
        server.close()
    fake.close()


def other_address():
    """A host name with an allowed address and a forbidden one."""
    port = free_port()
    fake = Fake(lambda call: (200, {"y": 1}), port)
    fake.close()
    server = Server(arguments=("--allow-address", "127.0.0.1"))
    client = server.client()
    uri = fake.uri.replace("127.0.0.1", "localhost")
    put(client, uri, attempts=1000)
    start(client, client.load(process(uri)), "a")
    time.sleep(0.5)
    check("a service that is down is tried again, whatever its name", client
          .get("/v1/incidents").json()["incidents"] == [],
          client.get("/v1/incidents"))
    fake.open(port)
    check("and gets its item", until(lambda: status(client, "a") ==
                                     "completed"))
    server.close()
    fake.close()


def strange_certificate():
    """Nothing is sent to a service whose certificate is not trusted."""
    if shutil.which("openssl") is None:
        skip("certificates", "openssl is not installed")
        return
    fake = Fake()
    with tempfile.TemporaryDirectory() as folder:
        pem = os.path.join(folder, "both.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
             "-subj", "/CN=localhost", "-addext",
             "subjectAltName=DNS:localhost,IP:127.0.0.1", "-days", "2",
             "-keyout", pem, "-out", pem], check=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
    fake.listener.socket = context.wrap_socket(
        fake.listener.socket, server_side=True)
    server = Server(arguments=ALLOW)
    client = server.client()
    uri = fake.uri.replace("http:", "https:")
    put(client, uri, attempts=2)
    start(client, client.load(process(uri)), "a")
    until(lambda: client.get("/v1/incidents").json()["incidents"])
    found = client.get("/v1/incidents").json()["incidents"]
    check("an untrusted certificate is an incident",
          len(found) == 1 and "certificate" in found[0]["text"], found)
    check("and nothing was sent", not fake.calls, fake.calls)
    server.close()
    fake.close()


def back():
    """A service that failed, and then refuses, is healthy again."""
    answers = [(500, None)] * 5 + [(404, None)]
    gate = threading.Barrier(2)

    def behave(call):
        if not items(call):
            return 200, None
        if answers:
            return answers.pop(0)
        gate.wait(300)
        return 200, {"y": 1}

    fake = Fake(behave)
    server, client, key = begin(fake, attempts=1, timeout="PT300S")
    for number in range(6):
        start(client, key, "a%d" % number)
        check("one is refused", until(lambda: len(client.get(
            "/v1/incidents").json()["incidents"]) == number + 1))
        time.sleep(0.5 if number == 4 else 0)
    for case in "bc":
        start(client, key, case)
    check("and called by several at once", until(lambda: all(
        status(client, case) == "completed" for case in "bc")))
    server.close()
    fake.close()


def elsewhere():
    """A service that failed, and gets another address, is tried there."""
    fake = Fake(lambda call: (200, {"y": 1}) if items(call) else (200, None))
    server = Server(arguments=ALLOW)
    client = server.client()
    policy = {"attempts": 1, "delay": "PT300S", "cap": "PT300S"}
    put(client, "urn:moved", address="http://127.0.0.1:1/", **policy)
    key = client.load(process("urn:moved"))
    for number in range(6):
        start(client, key, "a%d" % number)
    check("the service is unreachable", until(lambda: len(client.get(
        "/v1/incidents").json()["incidents"]) == 6))
    put(client, "urn:moved", address=fake.uri, **policy)
    client.post("/v1/incidents:retry", {"all": True})
    check("where it is now it is called at once", until(lambda: all(
        status(client, "a%d" % number) == "completed"
        for number in range(6))), client.get("/v1/incidents"))
    server.close()
    fake.close()


def withdrawn():
    gate = threading.Event()
    fake = Fake(lambda call: (gate.wait(300), (200, {"y": 1}))[1]
                if items(call) else (200, None))
    server, client, key = begin(fake, timeout="PT300S")
    start(client, key, "a")
    fake.wait(1, of=items)
    client.post("/v1/cases/a/cancel", {})
    ended = fake.wait(1, 1, of=lambda c: c.json()["event"] == "item_ended")
    check("an end is not announced before its start", not ended)
    gate.set()
    ended = fake.wait(1, of=lambda c: c.json()["event"] == "item_ended")
    check("a withdrawal is announced", ended and
          ended[0].json()["item"] == "a:T0", [c.json() for c in fake.calls])
    time.sleep(0.5)
    check("an answer that is too late has no effect",
          status(client, "a") == "cancelled" and
          client.get("/v1/incidents").json() == {"incidents": []})
    server.close()
    fake.close()


def suspended():
    fake = Fake(lambda call: (500, None))
    server, client, key = begin(fake, delay="PT0.5S", cap="PT0.5S",
                                attempts=1000)
    start(client, key, "a")
    fake.wait(1, of=items)
    client.post("/v1/cases/a/suspend", {})
    count = len(fake.calls)
    time.sleep(2.5)
    check("items of a suspended case are not sent",  # one may be on its way
          len(fake.calls) <= count + 1 and status(client, "a") == "suspended",
          len(fake.calls), count)
    fake.behave = lambda call: (200, {"y": 1})
    client.post("/v1/cases/a/resume", {})
    check("and are when it goes on",
          until(lambda: status(client, "a") == "completed"))
    server.close()
    fake.close()


def quarantined():
    """Outputs of items cannot be accepted while their case is quarantined."""
    fake = Fake(lambda call: (500, None) if items(call) else (200, None))
    server, client, key = begin(fake, delay="PT0.5S", cap="PT0.5S",
                                attempts=1000)
    start(client, key, "a")
    fake.wait(1, of=items)
    store = sqlite3.connect(server.folder + "/weft.db", timeout=LIMIT,
                            isolation_level=None)
    store.execute("UPDATE cases SET set_aside = 1")
    fake.behave = lambda call: (200, {"y": 1})
    count = len(fake.calls)
    time.sleep(5)
    check("items of a quarantined case are not sent",
          len(fake.calls) <= count + 1, len(fake.calls), count)
    store.execute("UPDATE cases SET set_aside = 0")
    check("and are when it is put back",
          until(lambda: status(client, "a") == "completed"))
    server.close()
    fake.close()


def removed():
    """The reason why an item is not delivered is reported, however long and
    strange the name of its service is."""
    fake = Fake(lambda call: (500, None))
    server = Server(arguments=ALLOW)
    client = server.client()
    uri = "urn:a" + "\u00fc" * 150
    put(client, uri, address=fake.uri, delay="PT0.3S", cap="PT0.3S",
        attempts=1000)
    start(client, client.load(process(uri)), "a")
    fake.wait(1, of=items)
    client.call("DELETE", "/v1/services/one")
    check("the service is gone", until(
        lambda: client.get("/v1/incidents").json()["incidents"]))
    text = client.get("/v1/incidents").json()["incidents"][0]["text"]
    check("which is reported", "there is no service urn:a" in text, text)
    server.close()
    fake.close()


run(done, later, failing, incidents, outputs, moved, late, addresses,
    other_address, strange_certificate, back, elsewhere, withdrawn, suspended,
    quarantined, removed)
end()
