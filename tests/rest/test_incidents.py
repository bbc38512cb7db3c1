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


def operated(name, client, group):
    """A group of 25 is retried, and 5 of it dropped, by operations."""
    choice = {"group": group["group"]}
    tried = client.post("/v1/operations", {
        "kind": "retry", "incidents": choice, "dry_run": True}).json()
    check("%s: a dry run counts the group" % name,
          (tried["count"], tried["more"]) == (25, False), tried)

    def do(body):
        answer = client.post("/v1/operations", body)
        place = "/v1/operations/%d" % answer.json()["operation"]
        until(lambda: client.get(place).json()["state"] != "running")
        return client.get(place).json()

    before = {one["incident"]: one["attempts"] for one in incidents(
        client, "?limit=1000&group=" + group["group"])}
    done = do({"kind": "retry", "incidents": choice})
    check("%s: an operation retries each of them once" % name, (
        done["state"], done["done"], done["refused"], done["incidents"]) ==
        ("done", 25, 0, choice) and until(lambda: {
            one["incident"]: one["attempts"] - 1 for one in incidents(
                client, "?limit=1000&group=" + group["group"])} == before),
          done)
    choice = dict(choice, case="c7")
    done = do({"kind": "drop", "incidents": choice, "reason": "by hand"})
    check("%s: an operation drops" % name, (done["state"], done["done"]) ==
          ("done", 1) and incidents(client, "?case=c7") == [] and [
              one["reason"] for one in incidents(
                  client, "?status=dropped&case=c7")] == ["by hand"], done)
    for body in ({"kind": "drop", "incidents": {}},
                 {"kind": "cancel", "incidents": {}, "reason": "x"},
                 {"kind": "retry", "incidents": {"group": "x"}},
                 {"kind": "retry", "incidents": {"colour": "red"}},
                 {"kind": "retry", "incidents": {}, "filter": {}}):
        check("%s: %s is refused" % (name, body), client.post(
            "/v1/operations", body).status == 400)


def grouped(name, db):
    """Incidents of one cause are one group, which is retried or dropped."""
    server = Server(db=db, arguments=["--unserved", "100ms"])
    client = server.client()
    key = client.load(failing())
    other = client.load(served())
    for i in range(25):
        client.post("/v1/cases", {"specification": key, "case": "c%d" % i})
    for i in range(3):
        client.post("/v1/cases", {"specification": other, "case": "d%d" % i})

    def groups(query=""):
        return client.get("/v1/incidents/groups" + query).json()

    check("%s: there are two groups, the larger first" % name, until(
        lambda: [group["count"] for group in groups()["groups"]] == [25, 3]),
        groups())
    found = groups()
    large, small = found["groups"]
    check("%s: each says what it is of" % name, (
        large["process"], large["task"], large["code"], large["retryable"],
        small["process"], small["code"], small["count"]) == (
            "BusinessTrip", "Ask", "DATA", 25, "BusinessTrip", "unserved",
            3) and small.get("service") == "urn:no", found)
    check("%s: the reason is without the case" % name, not re.search(
        r"\bc\d", large["reason"]) and not re.search(
            r"\bd\d", small["reason"]), found)
    check("%s: the example is one of them" % name, client.get(
        "/v1/incidents/%d" % large["example"]).json()["group"] ==
        large["group"] and large["first"] <= large["last"])
    check("%s: all are counted" % name,
          (found["incidents"], found["more"]) == (28, False), found)
    page = groups("?limit=1")
    check("%s: groups come in pages" % name, page["groups"] == [large] and
          groups("?limit=1&after=" + page["next"])["groups"] == [small], page)
    of = lambda query: len(incidents(client, query + "&limit=1000"))
    check("%s: a group, and parts of it, are found" % name, [
        of("?group=" + large["group"]), of("?specification=" + key),
        of("?specification=" + other), of("?task=Ask&code=data"),
        of("?text=UNSERVED"), of("?text=No+Service"), of("?task=Book"),
        of("?service=urn:no"), of("?specification=BusinessTrip")] ==
        [25, 25, 3, 25, 0, 3, 0, 3, 28], incidents(client, "?text=no+service"))
    first = [one["incident"] for one in incidents(
        client, "?limit=10&group=" + large["group"])]
    some = client.post("/v1/incidents:retry", {
        "group": large["group"], "limit": 10})
    check("%s: the ten first are retried" % name,
          some.json() == {"retried": 10, "more": True,
                          "next": str(first[-1])}, some)
    check("%s: and fail again, in the same group" % name, until(
        lambda: all(client.get("/v1/incidents/%d" % number).json().get(
            "attempts") == 2 for number in first) and
        of("?group=" + large["group"]) == 25))
    operated(name, client, large)
    check("%s: they are not dropped without a reason" % name, client.post(
        "/v1/incidents:drop", {"group": small["group"]}).status == 400)
    check("%s: nor is everything dropped by mistake" % name, client.post(
        "/v1/incidents:drop", {"reason": "x", "limit": 1}).status == 400)
    gone = client.post("/v1/incidents:drop", {
        "group": small["group"], "reason": "served by hand"})
    check("%s: a group is dropped" % name,
          gone.json() == {"dropped": 3} and of("?group=" + small["group"]) ==
          0 and [one["reason"] for one in incidents(
              client, "?status=dropped&group=" + small["group"])] ==
          ["served by hand"] * 3, gone)
    check("%s: dropped ones have groups, too" % name, [
        (group["group"], group["count"]) for group in
        groups("?status=dropped")["groups"]] == [(small["group"], 3),
                                                 (large["group"], 1)])
    reader = server.client(token=server.add_account(
        "gr", "reader", 1))
    check("%s: a reader sees groups, and retries none" % name, reader.get(
        "/v1/incidents/groups").status == 200 and reader.post(
            "/v1/incidents:retry", {"all": True}).status == 403)
    server.close()


def examined():
    """However few of many incidents are chosen, one request reads a part."""
    server = Server()
    client = server.client()
    key = client.load(failing())
    for case in ("a", "z"):
        client.post("/v1/cases", {"specification": key, "case": case})
    check("two cases have incidents", until(
        lambda: len(incidents(client)) == 2), incidents(client))
    server.stop()
    # 25,000 more like the first one, before the last one.
    with sqlite3.connect(server.folder + "/weft.db") as store:
        store.execute("UPDATE incident SET id = 900000, text = 'the last one'"
                      " WHERE id = (SELECT max(id) FROM incident)")
        columns = ", ".join(
            row[1] for row in store.execute("PRAGMA table_info(incident)")
            if row[1] != "id")
        store.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n"
            " WHERE i < 25999) INSERT INTO incident (id, %s) SELECT i, %s FROM"
            " n, (SELECT * FROM incident ORDER BY id LIMIT 1)" % (
                columns, columns))
    server.start()
    client = server.client()
    choice = {"text": "THE LAST", "reason": "found"}
    answers = []
    while len(answers) < 9:
        answers.append(client.post("/v1/incidents:drop", choice).json())
        if "next" not in answers[-1]:
            break
        choice["after"] = answers[-1]["next"]
    check("three requests find the last one", [
        (one["dropped"], one.get("more")) for one in answers] == [
            (0, True), (0, True), (1, None)], answers)
    check("it is dropped", [one["text"] for one in incidents(
        client, "?status=dropped")] == ["the last one"])
    groups = client.get("/v1/incidents/groups").json()
    check("groups are of the first ones", groups["more"] is True and
          10000 <= groups["incidents"] <= 11000, groups["incidents"])
    for after in (7, "x", [], "-1"):
        wrong = client.post("/v1/incidents:retry", dict(choice, after=after))
        check("after %r is refused" % after, wrong.status == 400, wrong)
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
    *on_each(over, "incidents that are over"),
    *on_each(grouped, "groups of incidents"),
    examined)
end()
