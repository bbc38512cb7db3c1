# SPDX-License-Identifier: Apache-2.0
"""Test mode: the clock is moved, and what becomes due is done at its time."""
import base64
import datetime
import http.server
import json
import os
import subprocess
import threading

from checks import check, end, run
from people import process, resourcing
from server import WEFT, Server

CLERKS = resourcing(roles=["RO-clerk"])


def test_server(*arguments):
    return Server(db="memory:", arguments=["--test", *arguments])


def move(client, **body):
    return client.post("/v1/test/clock", body)


def seconds(text):
    return datetime.datetime.strptime(
        text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(
            tzinfo=datetime.timezone.utc).timestamp()


def steps(client, case):
    return client.get("/v1/cases/%s/history" % case).json()["steps"]


def hours(client, case, kind):
    """After how many hours of its case events of that kind happened."""
    found = steps(client, case)
    return [round((seconds(step["time"]) - seconds(found[0]["time"])) / 3600)
            for step in found for event in step["events"]
            if event["event"] == kind]


def timers(name, *durations):
    """A sequence of tasks that do nothing but wait."""
    text = process(name, [("T%d" % i, "") for i in range(len(durations))])
    text = text.replace("<externalInteraction>manual</externalInteraction>", "")
    for i, duration in enumerate(durations):
        head, found, tail = text.partition('<decomposesTo id="DoT%d"/>' % i)
        text = (head + "<timer><trigger>OnEnabled</trigger><duration>%s"
                "</duration></timer>" % duration + found + tail)
    return text


def a_clock():
    """It shows the time, is moved forward, and never back."""
    server = test_server()
    client = server.client()
    now = client.get("/v1/test/clock").json()["now"]
    moved = move(client, advance="P3D")
    check("it is moved", moved.status == 200 and moved.json()["settled"]
          and 0 <= seconds(moved.json()["now"]) - seconds(now) - 3 * 86400
          < 3600, (now, moved))
    moved = move(client, to="2040-02-29T12:00:00Z").json()
    check("to a time", moved["now"].startswith("2040-02-29T12:0"), moved)
    check("and goes on from there", seconds(client.get(
        "/v1/test/clock").json()["now"]) >= seconds(moved["now"]))
    for body, said in (
            ({}, "either"), ({"advance": "P1D", "to": "2050-01-01T00:00:00Z"},
                             "either"),
            ({"advance": "-P1D"}, "forward"),
            ({"to": "2040-02-28T00:00:00Z"}, "forward"),
            ({"advance": "2050-01-01T00:00:00Z"}, "advance"),
            ({"to": "P1D"}, "to: "), ({"advance": "soon"}, "advance: "),
            ({"advance": 5}, "advance: "), ({"advance": "P9000Y"}, "9999"),
            ({"advance": "P1D", "wait": "PT61S"}, "wait: "),
            ({"advance": "P1D", "wait": "never"}, "wait: "),
            ({"back": "P1D"}, "back")):
        refused = move(client, **body)
        check("%s is refused" % json.dumps(body), refused.status == 400
              and said in refused.json()["detail"], refused)
    client.post("/v1/accounts", {"name": "o", "role": "operator",
                                 "password": "correct horse"})
    word = base64.b64encode(b"o:correct horse").decode()
    check("an operator may not", server.client(token="").post(
        "/v1/test/clock", {"advance": "P1D"}, headers={
            "Authorization": "Basic " + word}).status == 403)
    server.close()


def elsewhere():
    """Other servers have no such clock, and their stores are not for it."""
    server = Server()
    client = server.client()
    for refused in (client.get("/v1/test/clock"), move(client, advance="P1D")):
        check("another server says how", refused.status == 404
              and "--test" in refused.json()["detail"], refused)
    server.close()
    for words, environment in ((["--db", "sqlite:x.db"], {}),
                               ([], {"WEFT_DB": "postgresql://x/y"})):
        done = subprocess.run(
            [WEFT, "serve", "--test", *words], cwd="/",
            env=dict(os.environ, **environment),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        check("a durable store is refused", done.returncode == 2
              and b"one in memory" in done.stderr, done)
    done = subprocess.run([WEFT, "serve", "--test", "--show-config"],
                          stdout=subprocess.PIPE)
    check("it has one in memory", b"db = memory:" in done.stdout, done)


def what_follows():
    """What is due does what follows from it at its own time, not at the end."""
    server = test_server()
    client = server.client()
    key = client.load(timers("chain", "P1D", "PT12H", "P2D"))
    client.post("/v1/cases", {"specification": key, "case": "a"})
    client.post("/v1/cases", {"specification": key, "case": "b",
                              "delay": "P1D"})
    move(client, advance="P2D")
    case = client.get("/v1/cases/a").json()
    check("two of three timers have acted", case["status"] == "running"
          and hours(client, "a", "TIMER_EXPIRED") == [24, 36],
          steps(client, "a"))
    check("a case began meanwhile, with its timer", hours(
        client, "b", "TIMER_EXPIRED") == [24], steps(client, "b"))
    move(client, advance="P10D")
    check("both have ended at their time", [hours(
        client, case, "TIMER_EXPIRED") for case in "ab"] == [[24, 36, 84]] * 2
          and not client.get("/v1/cases?status=running").json()["cases"],
          steps(client, "b"))
    server.close()


def no_end():
    """What never ends is bounded: the clock stands where all was done."""
    server = test_server()
    client = server.client()
    loop = timers("loop", "PT1S").replace(
        '<flowsInto><nextElementRef id="o"/></flowsInto>',
        '<flowsInto><nextElementRef id="T0"/>'
        '<predicate ordering="0">true()</predicate>'
        '</flowsInto><flowsInto><nextElementRef id="o"/><isDefaultFlow/>'
        '</flowsInto>').replace('<split code="and"/>', '<split code="xor"/>')
    client.post("/v1/cases", {"specification": client.load(loop), "case": "l"})
    before = seconds(client.get("/v1/test/clock").json()["now"])
    moved = move(client, advance="P300Y", wait="PT0.5S").json()
    after = seconds(client.get("/v1/test/clock").json()["now"])
    check("it says so", not moved["settled"]
          and before < after < before + 86400 * 365, moved)
    client.post("/v1/cases/l/cancel")
    moved = move(client, advance="P300Y").json()
    check("and goes on", moved["settled"], moved)
    server.close()


class Failing(http.server.BaseHTTPRequestHandler):
    calls = 0

    def do_POST(self):
        Failing.calls += 1
        task = json.loads(self.rfile.read(
            int(self.headers["Content-Length"])))["task"]
        body = json.dumps({"total": 1} if task == "Price" else
                          {"parcel": "x"}).encode()
        self.send_response(500 if Failing.calls < 8 else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def order():
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "examples",
                           "services", "order.yawl")) as file:
        return file.read().replace('weft:attempts="5"', "").replace(
            'weft:postcondition="/Price/total &gt; 0"', "")


def services():
    """Attempts to reach a service, and ends of leases."""
    server = test_server("--allow-address", "127.0.0.1")
    client = server.client()
    client.load(order())
    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Failing)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    place = "/v1/services/orders"
    client.call("PUT", place, {
        "kind": "push", "uri": "urn:example:orders", "attempts": 7,
        "secret": "a secret of 16 bytes", "delay": "PT1H", "cap": "P1D",
        "address": "http://127.0.0.1:%d/" % service.server_port})
    start = {"specification": "Order", "case": "p",
             "data": {"item": "tea", "amount": 4}}
    client.post("/v1/cases", start)
    moved = move(client, advance="P9D").json()
    found = client.get("/v1/incidents?case=p").json()["incidents"]
    check("all attempts were made", moved["settled"] and Failing.calls == 7
          and len(found) == 1, (moved, Failing.calls, found))
    client.post("/v1/incidents:retry", {"all": True})
    moved = move(client, advance="PT2H").json()
    check("it works again", moved["settled"] and Failing.calls >= 8
          and not client.get("/v1/incidents").json()["incidents"], moved)
    client.call("PUT", place, {"kind": "pull", "uri": "urn:example:orders"})
    client.post("/v1/cases", dict(start, case="q"))
    claim = {"service": "orders", "task": "Price", "lease": "PT5M",
             "wait": "PT20S"}
    claimed = client.post("/v1/items:claim", claim).json()["items"][0]
    move(client, advance="PT4M")
    beat = {"fence": claimed["fence"], "lease": "PT10M"}
    check("a lease lasts", client.post("/v1/items/%s/heartbeat" % (
        claimed["item"]), beat).status == 200)
    move(client, advance="PT11M")
    lost = client.post("/v1/items/%s/heartbeat" % claimed["item"], beat)
    check("and is over", lost.status in (404, 409), lost)
    again = client.post("/v1/items:claim", claim).json()["items"]
    check("another worker gets the item", [row["attempt"] for row in again]
          == [2], again)
    service.shutdown()
    server.close()


def late():
    """Reminders and escalation of items of people; sessions."""
    server = test_server("--people")
    client = server.client()
    move(client, to="2040-01-02T09:00:00Z")  # a Monday: rules count workdays
    client.call("PUT", "/v1/roles/RO-clerk", {"name": "Clerk"})
    client.post("/v1/people", {"user": "anna", "roles": ["Clerk"]})
    client.post("/v1/accounts", {"name": "anna", "role": "participant",
                                 "password": "correct horse"})
    anna = server.client(token="")
    signed = anna.post("/v1/session", {"name": "anna",
                                       "password": "correct horse"})
    cookie = {"Cookie": signed.headers["set-cookie"].split(";")[0]}
    key = client.load(process("late", [("A", CLERKS, (
        'p:remind="enabled+PT20H" p:escalate="enabled+PT72H incident Late"'))]))
    client.post("/v1/cases", {"specification": key, "case": "late"})
    check("a session begins", anna.get(
        "/v1/worklist", headers=cookie).json()["items"])
    move(client, advance="P2D")
    check("who is late is reminded", hours(
        client, "late", "ITEM_REMINDED") == [20], steps(client, "late"))
    check("a session ends", anna.get(
        "/v1/worklist", headers=cookie).status == 401)
    move(client, advance="P2D")
    found = client.get("/v1/incidents?case=late").json()["incidents"]
    check("then it is an incident", [row["code"] for row in found] == ["late"]
          and hours(client, "late", "ITEM_ESCALATED") == [72],
          found, steps(client, "late"))
    server.close()


if __name__ == "__main__":
    run(a_clock, elsewhere, what_follows, no_end, services, late)
    end()
