# SPDX-License-Identifier: Apache-2.0
"""A case is repaired and migrated over REST: first tried, then done, and
refused where it would break something."""
import subprocess

from changing import NET, first, second
from checks import check, end, run
from server import WEFT, Server
from stores import on_each


def start(client, case, specification="moved", **more):
    return client.post("/v1/cases", dict(
        {"specification": specification, "case": case}, **more))


def repair(client, case, *changes, **more):
    return client.post("/v1/cases/%s/repair" % case,
                       dict({"changes": list(changes)}, **more))


def migrate(client, case, **body):
    return client.post("/v1/cases/%s/migrate" % case, body)


def items(client, case):
    return sorted(item["item"] for item in client.get(
        "/v1/items?case=" + case).json()["items"])


def names(rows):
    return sorted(row["item"] for row in rows)


def close(name, server):
    check("%s: the server ends" % name, server.stop() == 0)
    done = subprocess.run([WEFT, "db", "check", "--quiet", "--db", server.db],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    check("%s: the store is whole" % name, done.returncode == 0,
          done.stdout.decode())
    server.start()
    server.close()


def repairs(name, db):
    server = Server(db=db)
    client = server.client()
    client.load(first())
    start(client, "c")
    seen = client.get("/v1/cases/c/prospects").json()
    check("%s: a new case can complete" % name, seen["steps"] == 1 and
          [p["possible"] for p in seen["prospects"]] == ["yes"], seen)
    skip = {"change": "skip_to", "task": "B"}
    trial = repair(client, "c", skip, dry_run=True).json()
    check("%s: a dry run says what comes and goes" % name, trial["allowed"] and
          names(trial["enabled"]) == ["c:B"] and names(trial["ended"]) == ["c:A"]
          and trial["steps"] == 1 and trial["prospects"][0]["possible"] == "yes"
          and trial["nets"][0]["marking"] == {"c{S_B}": 1}, trial)
    check("%s: and does nothing" % name, items(client, "c") == ["c:A"])
    trap = {"change": "skip_to", "task": "T"}
    trial = repair(client, "c", trap, dry_run=True).json()
    check("%s: a dry run says that it could not complete" % name,
          trial["allowed"] is False and trial["refusal"]["code"] ==
          "cannot_complete" and names(trial["enabled"]) == ["c:T"] and
          trial["prospects"][0]["possible"] == "no", trial)
    got = repair(client, "c", trap)
    check("%s: it is refused with the witness" % name, got.status == 409 and
          got.json()["code"] == "cannot_complete" and
          "net c cannot complete" in got.json()["detail"] and
          "(force: " in got.json()["detail"] and
          got.json()["prospects"][0]["possible"] == "no", got)
    got = repair(client, "c", trap, steps=1, force=True, reason="a test")
    check("%s: unless it is forced" % name, got.status == 200 and
          got.json()["sequence"] == 2 and got.json()["status"] == "running" and
          names(got.json()["enabled"]) == ["c:T"], got)
    got = repair(client, "c", skip, steps=1)
    check("%s: a case that has changed is left alone" % name, got.status == 409
          and got.json()["code"] == "changed" and "2 steps, not 1" in
          got.json()["detail"], got)
    key = {"Idempotency-Key": "once"}
    body = {"changes": [{"change": "empty"}, {"change": "add", "tokens": 1,
                        "condition": "c{A_S}"}], "reason": "back"}
    got = client.post("/v1/cases/c/repair", body, headers=key)
    check("%s: by tokens" % name, got.status == 200 and
          items(client, "c") == ["c.1:X"], got)
    again = client.post("/v1/cases/c/repair", body, headers=key)
    check("%s: the same key is answered as before" % name, again.status == 200
          and again.json().get("repeated") is True and
          again.json()["sequence"] == got.json()["sequence"], again)
    got = repair(client, "c", {"change": "cancel", "task": "X",
                               "net": "c.1"})
    check("%s: what is not busy cannot be cancelled" % name, got.status == 409,
          got)
    got = repair(client, "c", {"change": "set", "data": {"n": 7, "note": "x"}})
    check("%s: variables are set" % name, got.status == 200 and
          client.get("/v1/cases/c/data").json()["n"] == 7, got)
    key = {"Idempotency-Key": "twice"}
    body = {"changes": [{"change": "cancel", "task": "S"},
                        {"change": "enter", "task": "B"}]}
    got = client.post("/v1/cases/c/repair", body, headers=key)
    check("%s: a busy task is cancelled" % name, got.status == 200 and
          items(client, "c") == ["c:B"], got)
    again = client.post("/v1/cases/c/repair", body, headers=key)
    check("%s: also where it would be refused now" % name, again.status == 200
          and again.json().get("repeated") is True, again)
    again = client.post("/v1/cases/c/repair", body,
                        headers={"Idempotency-Key": "new"})
    check("%s: a new key is refused as without" % name, again.status == 409 and
          "S is not busy" in again.json()["detail"], again)
    got = repair(client, "c", {"change": "move", "from": "c{S_B}", "to": "o"},
                 dry_run=True).json()
    check("%s: a dry run sees the end" % name, got["status"] == "completed" and
          names(got["ended"]) == ["c:B"], got)
    steps = client.get("/v1/cases/c/history").json()["steps"]
    check("%s: each says who did it and why" % name,
          [step.get("reason") for step in steps][:3] ==
          [None, "a test", "back"] and all(
              step["actor"] == "admin" for step in steps), steps)
    close(name, server)


def wrong(name, db):
    server = Server(db=db)
    client = server.client()
    client.load(first())
    client.load(second())
    start(client, "c", version="1.0")
    add = {"change": "add", "condition": "trap"}
    for what, changes, status, said in (
            ("no changes", [], 400, "1 to 1000"),
            ("no list", {"change": "empty"}, 400, "a list"),
            ("no object", ["empty"], 400, "number 1: expected an object"),
            ("an unknown change", [{"change": "heal"}], 400, "add, remove"),
            ("no condition", [{"change": "add"}], 400, "condition: an id"),
            ("an unknown condition", [dict(add, condition="no")], 404,
             "no condition 'no' in net N"),
            ("an unknown task", [add, {"change": "enter", "task": "no"}], 404,
             "no task 'no' in net N"),
            ("an unknown net", [dict(add, net="c.7")], 404,
             "no net 'c.7' in the case"),
            ("a net that is a number", [dict(add, net=7)], 400, "id of a net"),
            ("no tokens", [dict(add, tokens=0)], 400, "at least 1"),
            ("too many tokens", [dict(add, tokens=2000000000)], 413, "tokens"),
            ("tokens that are not there", [dict(add, change="remove")], 409,
             "has 0 tokens"),
            ("a wrong type", [{"change": "set", "data": {"n": "x"}}], 422,
             "n"),
            ("an unknown variable", [{"change": "set", "data": {"m": 1}}], 422,
             "m"),
            ("no data", [{"change": "set"}], 400, "data"),
            ("XML of a wrong type", [{"change": "set",
                                      "xml": "<N><n>x</n></N>"}], 422, "n"),
            ("an empty net", [{"change": "empty"}], 409, "no token")):
        got = client.post("/v1/cases/c/repair", {"changes": changes})
        check("%s: %s is refused" % (name, what), got.status == status and
              said in got.json()["detail"], got)
        got = client.post("/v1/cases/c/repair", {"changes": changes,
                                                 "dry_run": True})
        check("%s: %s is also refused in a dry run" % (name, what),
              got.status == status or (got.status == 200 and
                                       got.json()["allowed"] is False and
                                       got.json()["refusal"]["status"] ==
                                       status), got)
    for body, said in (({"changes": [add], "dry_run": "yes"}, "dry_run"),
                       ({"changes": [add], "force": 1}, "force"),
                       ({"changes": [add], "steps": -1}, "steps"),
                       ({"changes": [add], "reason": ""}, "reason"),
                       ({"changes": [add], "why": "no"}, "why"), (None, "")):
        got = client.post("/v1/cases/c/repair", body)
        check("%s: %s is refused" % (name, body), got.status == 400 and
              said in got.json()["detail"], got)
    for body, status, said in (
            ({"version": "7.0"}, 404, "7.0"),
            ({"specification": "nowhere"}, 404, "nowhere"),
            ({"specification": "0123456789abcdef"}, 404, ""),
            ({"specification": 7}, 400, "specification"),
            ({"version": "1.0"}, 409, "of that version already"),
            ({"version": "2.0", "plan": []}, 400, "plan"),
            ({"version": "2.0", "plan": {"tasks": {"B": 7}}}, 400, "plan: B"),
            ({"version": "2.0", "plan": {"task": {}}}, 400, "plan: task"),
            ({"version": "2.0", "plan": {"tasks": {"no": "C"}}}, 400, "no"),
            ({"version": "2.0", "plan": {"tasks": {"B": "no"}}}, 400, "no"),
            ({"version": "2.0", "plan": {"nets": {"no": {"to": "N"}}}}, 400, "no")):
        got = migrate(client, "c", **body)
        check("%s: a migration with %s is refused" % (name, body),
              got.status == status and said in got.json()["detail"], got)
    for path in ("repair", "migrate", "prospects"):
        got = client.call("GET" if path == "prospects" else "POST",
                          "/v1/cases/none/" + path)
        check("%s: %s of no case" % (name, path), got.status == 404, got)
    check("%s: nothing has changed" % name, client.get(
        "/v1/cases/c").json()["sequence"] == 1)
    client.post("/v1/cases/c/cancel")
    got = repair(client, "c", {"change": "enter", "task": "B"})
    check("%s: a case that has ended is not repaired" % name,
          got.status in (404, 409), got)
    got = migrate(client, "c", version="2.0")
    check("%s: nor migrated" % name, got.status in (404, 409), got)
    close(name, server)


def migrations(name, db):
    server = Server(db=db)
    client = server.client()
    old = client.load(first())
    new = client.load(second())
    start(client, "c", version="1.0")
    client.post("/v1/items/c:A/complete")
    trial = migrate(client, "c", version="2.0", dry_run=True).json()
    check("%s: a dry run of a migration" % name, trial["allowed"] and
          trial["enabled"] == [] == trial["ended"] and
          [p["possible"] for p in trial["prospects"]] == ["yes", "yes"], trial)
    client.post("/v1/items/c.2:X/complete")
    client.call("PATCH", "/v1/cases/c/data", {"note": "hello"})
    got = migrate(client, "c", version="2.0")
    check("%s: what has nowhere to go is named, all of it" % name,
          got.status == 409 and got.json()["code"] == "conflict" and
          sorted((p["kind"], p["element"]) for p in got.json()["problems"]) ==
          [("condition", "c{S_B}"), ("variable", "note")], got)
    trial = migrate(client, "c", version="2.0", dry_run=True).json()
    check("%s: also by a dry run" % name, trial["allowed"] is False and
          len(trial["problems"]) == 2 and trial["refusal"]["status"] == 409,
          trial)
    plan = {"tasks": {"B": "C"}, "variables": {"note": "remark"}}
    trial = migrate(client, "c", version="2.0", plan=plan, dry_run=True).json()
    check("%s: the plan says where it goes" % name, trial["allowed"] and
          "problems" not in trial and names(trial["enabled"]) == ["c:C"] and
          names(trial["ended"]) == ["c:B"], trial)
    got = migrate(client, "c", version="2.0", plan=plan, steps=trial["steps"],
                  reason="a mistake")
    check("%s: it is done" % name, got.status == 200 and
          items(client, "c") == ["c:C"], got)
    shown = client.get("/v1/cases/c").json()
    check("%s: the case is of the new version" % name,
          shown["specification"] == new and shown["data"]["remark"] == "hello",
          shown)
    got = client.call("PATCH", "/v1/cases/c/data", {"remark": "new"})
    check("%s: and so are commands to it" % name, got.status == 200, got)
    got = migrate(client, "c", specification=old, plan={
        "tasks": {"C": "B"}, "variables": {"remark": "note"}})
    check("%s: and back, by its key" % name, got.status == 200 and
          items(client, "c") == ["c:B"], got)
    # Left behind: C stays without a token, so that nothing could happen.
    got = migrate(client, "c", version="2.0", plan={
        "conditions": {"c{S_B}": None}, "variables": {"note": None}})
    check("%s: nothing could happen any more" % name, got.status == 409, got)
    got = migrate(client, "c", version="2.0", plan={
        "conditions": {"c{S_B}": "trap"}, "variables": {"note": None}})
    check("%s: it could not complete" % name, got.status == 409 and
          got.json()["code"] == "cannot_complete", got)
    other = client.load(second("other"))
    got = migrate(client, "c", specification="other",
                  plan={"tasks": {"B": "C"}, "variables": {"note": "remark"}})
    check("%s: another process, too" % name, got.status == 200 and client.get(
        "/v1/cases/c").json()["specification"] == other, got)
    start(client, "d", version="1.0")
    gone = client.load(second(version="3.0"))
    client.call("DELETE", "/v1/specifications/" + gone)
    for body in ({"version": "3.0"}, {"specification": gone}):
        got = migrate(client, "d", **body)
        check("%s: one that is removed is no target: %s" % (name, body),
              got.status == 404, got)
    check("%s: one that a step was made as is kept" % name, client.get(
        "/v1/cases/c/history").json()["steps"][0]["specification"] == old)
    got = client.call("DELETE", "/v1/specifications/" + new)
    steps = client.get("/v1/cases/c/history").json()["steps"]
    check("%s: also after it is removed" % name,
          got.status in (204, 409) and not any("error" in s for s in steps),
          got, steps)
    close(name, server)


def deadlocked(name, db):
    server = Server(db=db)
    client = server.client()
    client.load(NET % {"uri": "Stuck"})
    client.load((NET % {"uri": "Stuck"}).replace("0.1", "0.2").replace(
        '<join code="and"/>', '<join code="xor"/>'))
    for case in "de":
        start(client, case, "Stuck", version="0.1")
        client.post("/v1/items/%s:A/complete" % case)
    seen = client.get("/v1/cases/d/prospects").json()
    check("%s: a deadlocked case cannot complete" % name,
          seen["status"] == "deadlocked" and
          seen["prospects"][0]["possible"] == "no", seen)
    got = repair(client, "d", {"change": "add", "condition": "q"})
    check("%s: it is revived by a repair" % name, got.status == 200 and
          got.json()["status"] == "running" and items(client, "d") == ["d:B"],
          got)
    got = migrate(client, "e", version="0.2", reason="mended")
    check("%s: and by a migration" % name, got.status == 200 and
          got.json()["status"] == "running" and items(client, "e") == ["e:B"],
          got)
    found = client.get("/v1/incidents?status=dropped").json()["incidents"]
    check("%s: their incidents are closed" % name,
          client.get("/v1/incidents").json()["incidents"] == [] and
          sorted(i["reason"] for i in found) ==
          ["the case was migrated: mended", "the case was repaired"], found)
    for case in "de":
        check("%s: they go on" % name, client.post(
            "/v1/items/%s:B/complete" % case).json()["status"] == "completed")
    close(name, server)


def rights(name, db):
    server = Server(db=db)
    client = server.client()
    client.load(first())
    client.load(second())
    client.load(second("other"))
    start(client, "c", version="1.0")
    change = {"change": "enter", "task": "B"}
    reader = server.client(server.add_account("rita", "reader", 1))
    for path, body in (("repair", {"changes": [change]}),
                       ("migrate", {"version": "2.0"})):
        body["dry_run"] = True
        got = reader.post("/v1/cases/c/" + path, body)
        check("%s: a reader may not %s" % (name, path), got.status == 403, got)
    check("%s: but see the prospects" % name,
          reader.get("/v1/cases/c/prospects").status == 200)
    one = server.client(server.add_account(
        "olga", "-", 1, ["operate process:UID_moved"]))
    for body, status in (({"version": "2.0"}, 200),
                         ({"specification": "other"}, 403)):
        got = migrate(one, "c", dry_run=True, **body)
        check("%s: of one process, to %s" % (name, body),
              got.status == status, got)
    got = repair(one, "c", change)
    check("%s: who operates one process repairs its cases" % name,
          got.status == 200, got)
    close(name, server)


run(*on_each(repairs, "repairs"), *on_each(wrong, "wrong changes"),
    *on_each(migrations, "migrations"), *on_each(deadlocked, "revived cases"),
    *on_each(rights, "rights to change"))
end()
