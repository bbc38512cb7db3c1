# SPDX-License-Identifier: Apache-2.0
"""A dropped incident is kept with account, time and reason; a case that waits
for nothing any more is not reported as damaged for ever."""
import os
import re
import sqlite3
import subprocess

from checks import check, end, run, until
from server import ROOT, WEFT, Server
from stores import on_each


def failing():
    """The example: its first timer expires, and then its output does not
    fit."""
    with open(os.path.join(ROOT, "examples", "sequence.yawl")) as file:
        return file.read().replace("UID_WeftSequence", "UID_Failing").replace(
            "{/Ask/destination/text()}", "{1 idiv 0}").replace(
            "</completedMappings>", "</completedMappings><timer><trigger>"
            "OnEnabled</trigger><duration>PT0.2S</duration></timer>", 1)


def incidents(client, query=""):
    return client.get("/v1/incidents" + query).json()["incidents"]


def wait_for_one(client):
    found = until(lambda: incidents(client))
    return found[0] if found else {}


def is_whole(name, server, what):
    """Runs weft db check; the server is stopped and started again."""
    check("%s: the server ends" % name, server.stop() == 0)
    done = subprocess.run([WEFT, "db", "check", "--quiet", "--db", server.db],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    check("%s: the store is whole %s" % (name, what), done.returncode == 0,
          done.stdout.decode())
    server.start()
    return server.client()


def waited_for(name, db):
    """Who waits for a case learns of its incident, and goes on waiting."""
    server = Server(db=db, arguments=["--keep-alive", "1s"])
    client = server.client()
    key = client.load(failing())
    waiting = subprocess.Popen(
        [WEFT, "case", "start", key, "--id", "c", "--wait", "--server",
         "http://127.0.0.1:%d" % server.port],
        env=dict(os.environ, WEFT_TOKEN=server.token),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = [waiting.stderr.readline().decode() for _ in range(2)]
    number = wait_for_one(client)["incident"]
    check("%s: whoever waits learns of the incident" % name, said[1] ==
          "weft: case c has the incident %d (DATA); still waiting\n" % number,
          said)
    case = client.get("/v1/cases/c").json()
    check("%s: the case names it" % name, (case.get("incident"), case.get(
        "incident_code")) == (number, "DATA"), case)
    row = client.get("/v1/cases").json()["cases"][0]
    check("%s: so does the list" % name, (row.get("incident"), row.get(
        "incident_code")) == (number, "DATA"), row)
    check("%s: it is found by its code" % name, [
        one["incident"] for one in incidents(client, "?code=data")] ==
        [number] and incidents(client, "?code=deadlock") == [])
    why = client.get("/v1/cases/c/why?task=Ask").json()["reasons"]
    check("%s: why names it" % name, any(
        line.startswith("c:Ask has the incident %d (DATA): " % number)
        for line in why), why)
    client.post("/v1/cases/c/cancel")
    check("%s: the wait ends with the case" % name, waiting.wait() == 1 and
          b"cancelled" in waiting.stdout.read())
    waiting.stdout.close()
    waiting.stderr.close()
    server.close()


def dropped(name, db):
    server = Server(db=db)
    client = server.client()
    key = client.load(failing())
    client.post("/v1/cases", {"specification": key, "case": "c"})
    number = wait_for_one(client).get("incident", 0)
    place = "/v1/incidents/%d" % number
    open_one = client.get(place).json()
    check("%s: a timer that cannot act is an incident" % name,
          open_one.get("status") == "open" and
          "reason" not in open_one and "droppedBy" not in open_one, open_one)
    client = is_whole(name, server, "with an incident")
    check("%s: it is not dropped without a reason" % name,
          client.post(place + "/drop", {}).status == 400)
    why = "ordered by hand, \u20ac 12 \"cash\""
    check("%s: it is dropped" % name,
          client.post(place + "/drop", {"reason": why}).status == 200)
    gone = client.get(place).json()
    check("%s: it has account, time and reason" % name,
          gone.get("status") == "dropped" and gone.get("reason") == why and
          gone.get("droppedBy") == "admin" and
          re.match(r"\d{4}-\d\d-\d\dT.*Z$", gone.get("droppedAt", "")), gone)
    check("%s: it is no longer open" % name, incidents(client) == [] and
          incidents(client, "?status=open") == [])
    check("%s: it is listed when that is asked" % name,
          incidents(client, "?status=dropped&case=c") == [gone])
    check("%s: there is no other status" % name,
          client.get("/v1/incidents?status=closed").status == 400)
    again = client.post(place + "/drop", {"reason": "another"})
    check("%s: it is dropped once" % name, again.status == 409 and
          "'admin'" in again.json()["detail"], again)
    check("%s: all are retried, but not those" % name, client.post(
        "/v1/incidents:retry", {"all": True}).json() == {"retried": 0})
    client = is_whole(name, server, "when it was dropped")
    check("%s: it can be retried" % name,
          client.post(place + "/retry").status == 200)
    back = wait_for_one(client)
    check("%s: and fails again" % name, back.get("incident") == number and
          back["status"] == "open" and "reason" not in back and
          back["attempts"] > gone["attempts"], back)
    got = subprocess.run(
        [WEFT, "incident", "drop", str(number), "--reason", "enough",
         "--server", "http://127.0.0.1:%d" % server.port],
        env=dict(os.environ, WEFT_TOKEN=server.token), stdout=subprocess.PIPE)
    check("%s: weft incident drop" % name, got.returncode == 0)
    got = subprocess.run(
        [WEFT, "incident", "list", "--status", "dropped", "--json",
         "--server", "http://127.0.0.1:%d" % server.port],
        env=dict(os.environ, WEFT_TOKEN=server.token), stdout=subprocess.PIPE)
    check("%s: weft incident list --status dropped" % name,
          b'"enough"' in got.stdout, got.stdout)
    server.close()


def served():
    """The example, with a service that nobody registers."""
    with open(os.path.join(ROOT, "examples", "sequence.yawl")) as file:
        return file.read().replace("</outputParam>\n</decomposition>",
                                   "</outputParam><yawlService id='urn:no'/>"
                                   "</decomposition>", 1)


def over(name, db):
    """An incident is closed with what it is about."""
    server = Server(db=db, arguments=["--unserved", "100ms"])
    client = server.client()
    key = client.load(served())
    cases = ("done", "left", "cancelled", "erased")
    for case in cases:
        client.post("/v1/cases", {"specification": key, "case": case})

    def of(case, query="?status=open"):
        return [found for found in incidents(client, query + "&case=" + case)
                if found.get("item") == case + ":Ask"]

    check("%s: items without a service are incidents" % name,
          until(lambda: all(of(case) for case in cases)), incidents(client))
    number = of("done")[0]["incident"]
    check("%s: an item is completed" % name, client.post(
        "/v1/items/done:Ask/complete", {}).status == 200)
    gone = client.get("/v1/incidents/%d" % number).json()
    check("%s: its incident is closed, by whom and why" % name,
          (gone["status"], gone.get("droppedBy"), gone.get("reason")) ==
          ("dropped", "admin", "its item ended") and
          of("done") == [] and of("done", "?status=dropped") == [gone], gone)
    check("%s: another case's is not" % name, len(of("left")) == 1)
    client.post("/v1/cases/cancelled/cancel", {"reason": "a wrong order"})
    check("%s: with the case, all are closed" % name,
          of("cancelled") == [] and [
              found["reason"] for found in of("cancelled", "?status=dropped")]
          == ["the case was cancelled: a wrong order"],
          of("cancelled", "?status=dropped"))
    check("%s: it is not listed as one with an incident" % name, [
        case["case"] for case in client.get(
            "/v1/cases?incident=unserved").json()["cases"]
        if case["case"] in ("cancelled", "left")] == ["left"])
    client.post("/v1/cases/erased/cancel")
    client.call("DELETE", "/v1/cases/erased?reason=by+request")
    check("%s: of an erased case nothing is left" % name, "erased:Ask" not in [
        found["item"] for found in incidents(client, "?status=dropped")])
    client = is_whole(name, server, "with closed incidents")
    check("%s: the open one is still open" % name, len(of("left")) == 1)
    if db is None:
        why_quarantined(server)
    server.close()


def why_quarantined(server):
    """Of a quarantined case, weft db check names the incident that says why."""
    server.stop()
    store = sqlite3.connect(server.folder + "/weft.db")
    store.execute("UPDATE history SET events = x'ffff' WHERE number ="
                  " (SELECT number FROM cases WHERE name = 'left')")
    store.commit()
    store.close()
    subprocess.run([WEFT, "db", "check", "--set-aside", "--quiet", "--db",
                    server.db], stdout=subprocess.DEVNULL)
    found = subprocess.run([WEFT, "db", "check", "--quiet", "--db", server.db],
                           stdout=subprocess.PIPE).stdout.decode()
    check("one incident says why a case is quarantined",
          found.count(" is quarantined (incident ") == 1 and
          "no service is registered" not in found, found)


run(*on_each(dropped, "incidents"), *on_each(waited_for, "incidents"),
    *on_each(over, "incidents that are over"))
end()
