# SPDX-License-Identifier: Apache-2.0
"""Operations on many cases: what a dry run says, what each kind does, rate,
pause, undo, the report, bad input, and a server that is killed meanwhile."""
import os
import signal
import subprocess

from changing import NET, first, second
from checks import check, end, run, until
from server import WEFT, Server
from stores import on_each

CASES = 12


def start(client, **body):
    return client.post("/v1/operations", body)


def show(client, number):
    return client.get("/v1/operations/%d" % number).json()


def over(client, number):
    """The operation when it does not run any more."""
    return until(lambda: next((o for o in [show(client, number)]
                               if o["state"] != "running"), None))


def do(client, **body):
    answer = start(client, **body)
    if answer.status != 201:
        return {"state": repr(answer)}
    return over(client, answer.json()["operation"])


def is_done(operation, done, refused=0):
    return (operation["state"], operation.get("done"),
            operation.get("refused")) == ("done", done, refused)


def states(client, status):
    return sorted(c["case"] for c in client.get(
        "/v1/cases?status=%s&limit=1000" % status).json()["cases"])


def report(client, number, query=""):
    return client.get("/v1/operations/%d/cases%s" % (number, query)).json()


def cases(client, specification, count=CASES, prefix="c"):
    names = ["%s%02d" % (prefix, i) for i in range(count)]
    for name in names:
        answer = client.post("/v1/cases", {
            "specification": specification, "case": name})
        if answer.status != 201:
            raise RuntimeError(repr(answer))
    return names


def close(name, server):
    check("%s: the server ends" % name, server.stop() == 0)
    done = subprocess.run([WEFT, "db", "check", "--quiet", "--db", server.db],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    check("%s: the store is whole" % name, done.returncode == 0,
          done.stdout.decode())
    server.start()
    server.close()


def states_change(name, db):
    """Suspend, resume, cancel; a filter, a list; what is refused."""
    server = Server(db=db)
    client = server.client()
    client.load(first())
    names = cases(client, "moved")
    tried = start(client, kind="suspend", filter={"specification": "moved"},
                 dry_run=True)
    check("%s: a dry run counts and shows ten" % name, tried.status == 200 and
          (tried.json()["count"], tried.json()["more"]) == (CASES, False) and
          [row["case"] for row in tried.json()["sample"]] == names[:10] and
          all(row["allowed"] for row in tried.json()["sample"]), tried)
    check("%s: and does nothing" % name, states(client, "suspended") == [] and
          client.get("/v1/operations").json()["operations"] == [])
    got = do(client, kind="suspend", cases=names[:3] + ["none"] + names[:2] +
             ["none"], reason="a list")
    check("%s: those of a list are suspended" % name,
          is_done(got, 3, 1) and states(client, "suspended") == names[:3], got)
    lines = report(client, got["operation"], "?result=refused")["cases"]
    check("%s: one that is not there is reported" % name, len(lines) == 1 and
          lines[0]["result"] == "refused" and lines[0]["subject"] == "none" and
          "none" in lines[0]["text"], lines)
    got = do(client, kind="suspend", filter={"status": "running"},
             reason="stop them")
    check("%s: those of a filter are suspended" % name, is_done(got, CASES - 3)
          and states(client, "suspended") == names, got)
    check("%s: the operation says what it was given" % name,
          got["filter"] == {"status": "running"} and got["by"] == "admin" and
          got["reason"] == "stop them", got)
    step = client.get("/v1/cases/c11/history").json()["steps"][-1]
    check("%s: the history has actor, reason and operation" % name,
          step["actor"] == "admin" and step.get("reason") == "stop them" and
          step.get("origin") == "operation %d" % got["operation"], step)
    client.post("/v1/cases/c05/resume")
    back = client.post("/v1/operations/%d/undo" % got["operation"],
                       {"reason": "a mistake"})
    check("%s: it is undone" % name, back.status == 201 and
          back.json()["undoes"] == got["operation"], back)
    back = over(client, back.json()["operation"])
    check("%s: but not where the case has gone on" % name,
          is_done(back, CASES - 4, 1) and
          states(client, "suspended") == names[:3], back)
    lines = report(client, back["operation"], "?result=refused")["cases"]
    check("%s: which is reported" % name, [line["case"] for line in lines] ==
          ["c05"] and lines[0]["code"] == "CONFLICT", lines)
    got = do(client, kind="cancel", filter={})
    check("%s: an empty filter selects all that run" % name,
          is_done(got, CASES) and states(client, "running,suspended") == [],
          got)
    no = client.post("/v1/operations/%d/undo" % got["operation"])
    check("%s: nothing undoes that" % name, no.status == 409 and
          "nothing undoes cancel" in no.json()["detail"], no)
    seen, after = [], ""
    while after is not None:
        page = report(client, got["operation"], "?limit=5" + after)
        seen += [line["case"] for line in page["cases"]]
        after = "&after=" + page["next"] if "next" in page else None
    check("%s: the report comes in pages" % name, seen == names, seen)
    latest = client.get("/v1/operations").json()["operations"]
    check("%s: the latest is first" % name,
          [o["kind"] for o in latest] ==
          ["cancel", "resume", "suspend", "suspend"], latest)
    check("%s: of one state, and so many" % name, [
        o["kind"] for o in client.get(
            "/v1/operations?state=done&limit=2").json()["operations"]] ==
        ["cancel", "resume"] and client.get(
            "/v1/operations?state=paused").json() == {"operations": []} and
        client.get("/v1/operations?state=x").status == 400)
    place = "/v1/operations/%d" % got["operation"]
    check("%s: it is removed with its report" % name,
          client.call("DELETE", place).status == 204 and
          client.get(place).status == 404 and
          client.get(place + "/cases").status == 404)
    close(name, server)


def migrated(name, db):
    """A wrong version: what a dry run finds, and the way back."""
    server = Server(db=db)
    client = server.client()
    index = {"specification": "moved", "variable": "note"}
    old = client.load(first())
    client.post("/v1/indexes", index)
    new = client.load(second())
    client.post("/v1/indexes", dict(index, variable="remark"))
    check("%s: the indexes are ready" % name, until(lambda: all(
        i["state"] == "ready"
        for i in client.get("/v1/indexes").json()["indexes"])))
    names = cases(client, old)
    for case in names[:4]:
        client.post("/v1/items/%s:A/start" % case)
        client.post("/v1/items/%s.1:A/complete" % case)
        client.post("/v1/items/%s.2:X/start" % case)
        client.post("/v1/items/%s.2.1:X/complete" % case)
    body = {"kind": "migrate", "filter": {"specification": old},
            "specification": "moved", "version": "2.0"}
    tried = start(client, dry_run=True, **body).json()
    groups = sorted(tried["groups"], key=lambda g: g["count"])
    check("%s: a dry run has the cases that stand alike" % name,
          [(g["count"], g["allowed"], g["specification"]) for g in groups] ==
          [(4, False, old), (8, True, old)] and tried["count"] == CASES, tried)
    lost = groups[0]["problems"]
    check("%s: and names what has nowhere to go" % name,
          ("condition", "c{S_B}") in [(p["kind"], p["element"]) for p in lost], lost)
    check("%s: and that the others can complete" % name,
          [p["possible"] for p in groups[1]["prospects"]] == ["yes"], groups)
    got = do(client, **body)
    check("%s: those that fit are migrated" % name, is_done(got, 8, 4) and
          got["target"] == new, got)
    check("%s: the others stay as they are" % name, sorted(
        c["case"] for c in client.get(
            "/v1/cases?specification=" + old).json()["cases"]) == names[:4])
    client.call("PATCH", "/v1/cases/c01/data", {"note": "found"})
    again = do(client, plan={"tasks": {"B": "C"},
                             "conditions": {"c{S_B}": "c{S_C}"},
                             "variables": {"note": "remark"}}, **body)
    check("%s: with a plan, they go, too" % name, is_done(again, 4), again)
    check("%s: all are of the other version" % name, client.get(
        "/v1/cases?limit=100&specification=" + new).json()["cases"][-1:] and
        client.get("/v1/cases?specification=" + old).json()["cases"] == [])
    check("%s: they are found by what the plan renamed" % name, [
        c["case"] for c in client.get(
            "/v1/cases?where=remark%20%3D%20'found'").json()["cases"]] ==
        ["c01"] and client.get(
            "/v1/cases?where=note%20%3D%20'found'").json()["cases"] == [])
    client.post("/v1/items/c03:C/start")
    stopped = client.post("/v1/specifications/%s/suspend" % old)
    check("%s: the old version is suspended" % name, stopped.status == 200 and
          start(client, dry_run=True, kind="migrate", specification=old,
                filter={"specification": new},
                plan={"tasks": {"C": "B"}}).json()["groups"][0]["allowed"],
          stopped)
    back = client.post("/v1/operations/%d/undo" % again["operation"]).json()
    back = over(client, back["operation"])
    check("%s: cases go back to it nevertheless" % name, client.post(
        "/v1/specifications/%s/resume" % old).status == 200)
    check("%s: and back, while nothing has moved" % name, is_done(back, 3, 1)
          and sorted(c["case"] for c in client.get(
              "/v1/cases?specification=" + old).json()["cases"]) == names[:3],
          back)
    item = client.get("/v1/items?case=c00").json()["items"]
    check("%s: where the case stands as before" % name,
          [i["item"] for i in item] == ["c00:B"], item)
    names = cases(client, old, 3, "t") + cases(client, old, 2, "u")
    client.post("/v1/operations", {
        "kind": "repair", "cases": names[:3], "force": True,
        "changes": [{"change": "skip_to", "task": "T"}]})
    until(lambda: [i["task"] for i in client.get(
        "/v1/items?case=t02").json()["items"]] == ["T"])
    body = {"kind": "migrate", "cases": names, "specification": "moved",
            "version": "2.0", "plan": {"tasks": {"B": "C"},
                                       "variables": {"note": "remark"}}}
    tried = start(client, dry_run=True, **body).json()
    check("%s: a dry run finds those that could not complete" % name,
          sorted((g["count"], g["allowed"]) for g in tried["groups"]) ==
          [(2, True), (3, False)], tried)
    got = do(client, **body)
    lines = report(client, got["operation"], "?result=refused")["cases"]
    check("%s: they are not migrated, beside others that are" % name,
          is_done(got, 2, 3) and [line["case"] for line in lines] ==
          names[:3] and all("cannot complete" in line["text"]
                            for line in lines), got, lines)
    got = do(client, force=True, **body)
    check("%s: unless it is forced" % name, is_done(got, 3, 2), got)
    close(name, server)


def repaired(name, db):
    """The same changes in each case; a case that could not complete then."""
    server = Server(db=db)
    client = server.client()
    client.load(first())
    names = cases(client, "moved")
    skip = [{"change": "skip_to", "task": "T"}]
    tried = start(client, kind="repair", filter={}, changes=skip,
                 dry_run=True).json()
    check("%s: a dry run says what could not complete" % name,
          [(g["count"], g["allowed"]) for g in tried["groups"]] ==
          [(CASES, False)] and "cannot complete" in
          tried["groups"][0]["refusal"], tried)
    got = do(client, kind="repair", filter={}, changes=skip)
    check("%s: it is not done" % name, is_done(got, 0, CASES), got)
    got = do(client, kind="repair", cases=names[:2], changes=skip, force=True)
    check("%s: unless it is forced" % name, is_done(got, 2) and
          [i["task"] for i in client.get(
              "/v1/items?case=c01").json()["items"]] == ["T"], got)
    skip[0]["task"] = "B"
    got = do(client, kind="repair", filter={}, changes=skip + [
        {"change": "set", "data": {"n": 7}}])
    check("%s: all are at B, with n = 7" % name, is_done(got, CASES) and
          client.get("/v1/cases/c09/data").json().get("n") in (7, "7"), got)
    got = do(client, kind="suspend_items", filter={}, task="B")
    check("%s: items of a task are suspended" % name, is_done(got, CASES), got)
    back = client.post("/v1/operations/%d/undo" % got["operation"]).json()
    back = over(client, back["operation"])
    check("%s: which is undone" % name, is_done(back, CASES) and
          back["kind"] == "resume_items" and client.get(
              "/v1/items/c05:B").json()["status"] == "enabled", back)
    got = do(client, kind="suspend_items", filter={}, task="B")
    got = do(client, kind="resume_items", filter={}, task="B")
    check("%s: and resumed" % name, is_done(got, CASES), got)
    got = do(client, kind="skip_items", filter={"q": "c03"}, task="B")
    check("%s: an item is skipped, and the case completes" % name,
          is_done(got, 1) and states(client, "completed") == ["c03"], got)
    client.post("/v1/items/c04:B/start")
    got = do(client, kind="complete_items", filter={"q": "c04"}, task="B")
    check("%s: an item is completed" % name, is_done(got, 1) and
          states(client, "completed") == ["c03", "c04"], got)
    client.post("/v1/cases/c05/suspend")
    got = do(client, kind="complete", filter={"q": "c05"})
    check("%s: a suspended case does not complete" % name, is_done(got, 0, 1)
          and "resume it first" in report(
              client, got["operation"])["cases"][0]["text"]
          and states(client, "suspended") == ["c05"], got)
    client.post("/v1/cases/c05/resume")
    got = do(client, kind="complete", filter={})
    check("%s: cases complete as they are" % name, is_done(got, CASES - 2) and
          states(client, "completed") == names, got)
    client.load(NET % {"uri": "stuck"})
    client.post("/v1/cases", {"specification": "stuck", "case": "s"})
    client.post("/v1/items/s:A/start")
    client.post("/v1/items/s.1:A/complete")
    check("%s: a case is stuck" % name, until(lambda: client.get(
        "/v1/incidents").json()["incidents"]))
    got = do(client, kind="repair", filter={"incident": "any"},
             changes=[{"change": "add", "condition": "q"}])
    check("%s: and helped" % name, is_done(got, 1) and client.get(
        "/v1/incidents").json()["incidents"] == [], got)
    close(name, server)


def paused(name, db):
    """Rate, pause, resume, cancel; and a server that is killed meanwhile."""
    server = Server(db=db)
    client = server.client()
    client.load(first())
    names = cases(client, "moved", 40)
    once = {"Idempotency-Key": "once"}
    body = {"kind": "suspend", "cases": ["none"]}
    first_one = client.post("/v1/operations", body, headers=once).json()
    again = client.post("/v1/operations", body, headers=once).json()
    check("%s: a key starts one operation" % name, "repeated" not in first_one
          and again["repeated"] and
          again["operation"] == first_one["operation"], again)
    for other in (dict(body, kind="resume"), dict(body, cases=["other"])):
        got = client.post("/v1/operations", other, headers=once)
        check("%s: the key is not for another one" % name, got.status == 409
              and "idempotency key" in got.json()["detail"], got)
    over(client, first_one["operation"])
    client.call("DELETE", "/v1/operations/%d" % first_one["operation"])
    got = client.post("/v1/operations", body, headers=once)
    check("%s: until it is removed" % name, got.status == 201 and
          "repeated" not in got.json(), got)
    got = start(client, kind="suspend", filter={}, rate=1, reason="slowly")
    number = got.json()["operation"]
    place = "/v1/operations/%d" % number
    check("%s: it begins" % name, until(
        lambda: show(client, number)["done"] > 0))
    check("%s: it is paused" % name, client.post(
        place + "/pause").json()["state"] == "paused")
    check("%s: once" % name, client.post(place + "/pause").status == 409)
    check("%s: one that is not over is not removed" % name,
          client.call("DELETE", place).status == 409)
    # At once is the last page done.
    server.stop(signal.SIGKILL)
    server.start()
    client = server.client()
    now = show(client, number)
    check("%s: it is as it was after a kill" % name, now["state"] == "paused"
          and 0 < now["done"] < 40, now)
    check("%s: it goes on" % name, client.post(
        place + "/resume").json()["state"] == "running" and until(
            lambda: show(client, number)["done"] > now["done"]))
    server.stop(signal.SIGKILL)
    server.start()
    client = server.client()
    check("%s: also after a kill" % name, until(
        lambda: show(client, number)["done"] > now["done"] + 1))
    done = subprocess.run(
        [WEFT, "operation", "cancel", str(number), "--server",
         "http://127.0.0.1:%d" % server.port],
        env=dict(os.environ, WEFT_TOKEN=server.token), stdout=subprocess.PIPE)
    check("%s: it is cancelled by weft, which succeeds" % name,
          done.returncode == 0 and b": cancelled, " in done.stdout and
          show(client, number)["state"] == "cancelled", done)
    check("%s: for good" % name, client.post(
        place + "/resume").status == 409)
    got = do(client, kind="suspend", filter={"status": "running"})
    check("%s: the rest is done by another" % name, got["state"] == "done" and
          states(client, "suspended") == names, got)
    close(name, server)


def interrupted(name, db):
    """Ends that come too early: what was done has an outcome."""
    server = Server(db=db)
    client = server.client()
    client.load(first())
    names = cases(client, "moved", 30)
    client.post("/v1/indexes", {"specification": "moved", "variable": "note"})
    until(lambda: client.get("/v1/indexes").json()["indexes"][0]["state"] ==
          "ready")
    for case in names:
        client.call("PATCH", "/v1/cases/%s/data" % case, {"note": "x"})
    number = start(client, kind="suspend", filter={"where": "note = 'x'"},
                   rate=10).json()["operation"]
    until(lambda: show(client, number)["done"] >= 10)
    client.call("DELETE", "/v1/indexes?specification=moved&variable=note")
    got = over(client, number)
    check("%s: an operation without its index has failed" % name,
          got["state"] == "failed" and "note" in got["error"] and
          got["done"] == len(states(client, "suspended")) < 30, got)
    back = client.post("/v1/operations/%d/undo" % number).json()
    back = over(client, back["operation"])
    check("%s: what it has done is undone" % name, is_done(
        back, got["done"]) and states(client, "suspended") == [], back)

    number = start(client, kind="suspend", filter={}, rate=20).json()[
        "operation"]
    place = "/v1/operations/%d" % number
    until(lambda: show(client, number)["done"] == 20)
    if client.post(place + "/pause").status == 200:
        client.post(place + "/resume")
    got = over(client, number)
    check("%s: paused in its last page, it counts each case once" % name,
          is_done(got, 30) and got["examined"] == 30, got)
    undo = client.post(place + "/undo", {}).json()["operation"]
    over(client, undo)

    slow = [start(client, kind="suspend", rate=1, filter={
        "status": "suspended"}).json()["operation"] for _ in range(3)]
    got = do(client, kind="suspend", filter={"q": "c01"})
    check("%s: slow ones keep no other" % name, is_done(got, 1), got)
    undo, again = (client.post(
        "/v1/operations/%d/undo" % got["operation"],
        headers={"Idempotency-Key": "u"}).json() for _ in range(2))
    check("%s: a key undoes once" % name, again.get("repeated") and
          again["operation"] == undo["operation"], undo, again)
    for one in slow:
        client.post("/v1/operations/%d/cancel" % one)
    until(lambda: states(client, "suspended") == [])

    number = start(client, kind="suspend", filter={}, rate=10).json()[
        "operation"]
    until(lambda: show(client, number)["done"] > 0)
    cases(client, "moved", 10, "late")
    got = over(client, number)
    check("%s: cases that start later are not meant" % name,
          is_done(got, 30) and states(client, "suspended") == names, got)
    do(client, kind="resume", cases=names)
    do(client, kind="cancel", cases=["late%02d" % i for i in range(10)])

    number = start(client, kind="suspend", filter={}, rate=5).json()[
        "operation"]
    place = "/v1/operations/%d" % number
    until(lambda: show(client, number)["done"] > 0)
    client.post(place + "/pause")
    got = client.post(place + "/undo")
    check("%s: one that is paused is not undone" % name, got.status == 409 and
          "cancel it first" in got.json()["detail"], got)
    client.post(place + "/cancel")
    # Its last page may not be done yet: the other one waits for it.
    undo = client.post(place + "/undo").json()["operation"]
    got = client.call("DELETE", place)
    check("%s: nor is it removed before its undo is over" % name,
          got.status == 409, got)
    got = over(client, undo)
    check("%s: all is undone" % name, is_done(got, show(
        client, number)["done"]) and states(client, "suspended") == [], got)
    check("%s: then it is removed" % name,
          client.call("DELETE", place).status == 204)
    close(name, server)


def refusals(name, db):
    server = Server(db=db)
    client = server.client()
    key = client.load(first())
    cases(client, "moved", 1)
    for body, why in (
            ({}, "kind: expected suspend, resume"),
            ({"kind": "destroy", "filter": {}}, "kind: expected suspend"),
            ({"kind": "cancel"}, "expected filter or cases"),
            ({"kind": "cancel", "filter": {}, "cases": ["c00"]},
             "expected filter or cases"),
            ({"kind": "cancel", "cases": []}, "cases: expected a list"),
            ({"kind": "cancel", "cases": [1]}, "cases: expected ids"),
            ({"kind": "cancel", "filter": []}, "filter of cases: expected an object"),
            ({"kind": "cancel", "filter": {"status": 1}}, "status: expected"),
            ({"kind": "cancel", "filter": {"status": "x"}}, "status"),
            ({"kind": "cancel", "filter": {"older": "x"}}, "older"),
            ({"kind": "cancel", "filter": {"colour": "x"}}, "colour"),
            ({"kind": "cancel", "filter": {}, "rate": 0}, "rate: expected"),
            ({"kind": "cancel", "filter": {}, "force": 1}, "force: expected"),
            ({"kind": "cancel", "filter": {}, "dry_run": 1}, "dry_run"),
            ({"kind": "cancel", "filter": {}, "task": "A"}, "task: expected"),
            ({"kind": "cancel", "filter": {}, "colour": "A"}, "colour"),
            ({"kind": "skip_items", "filter": {}}, "task: expected"),
            ({"kind": "skip_items", "cases": ["c00"], "task": "A"},
             "filter: expected"),
            ({"kind": "repair", "filter": {}}, "changes: expected"),
            ({"kind": "repair", "filter": {}, "changes": {}}, "changes"),
            ({"kind": "repair", "filter": {}, "changes": []}, "changes"),
            ({"kind": "repair", "filter": {}, "changes": [{"set": {}}]},
             "changes: number 1: expected an object with change"),
            ({"kind": "repair", "filter": {}, "changes": [
                {"change": "empty"}, {"change": "add", "token": 2}]},
             "changes: number 2: this change has no member token"),
            ({"kind": "repair", "filter": {}, "changes": [
                {"change": "set", "data": 1}]}, "changes: number 1: expected"),
            ({"kind": "migrate", "filter": {}, "specification": "moved",
              "plan": {"nets": []}}, "nets: expected an object"),
            ({"kind": "suspend", "cases": ["c00", "c" * 8000]},
             "cases: expected ids"),
            ({"kind": "migrate", "filter": {}}, "specification: expected"),
            ({"kind": "migrate", "filter": {}, "plan": 1}, "plan: expected"),
            ({"kind": "cancel", "filter": {}, "reason": "r" * 1001},
             "reason")):
        got = client.post("/v1/operations", body)
        check("%s: 400 for %s" % (name, why), got.status == 400 and
              why in got.json()["detail"], body, got)
    got = start(client, kind="migrate", filter={}, specification="moved",
                version="9")
    check("%s: there is no such version" % name, got.status == 404, got)
    tried = start(client, kind="repair", filter={}, dry_run=True,
                 changes=[{"change": "enter", "task": "none"}]).json()
    check("%s: there is no such task" % name, "none" in
          tried["groups"][0]["refusal"], tried)
    tried = start(client, kind="migrate", filter={}, specification=key,
                 dry_run=True).json()
    check("%s: they are of that version" % name, "already" in
          tried["groups"][0]["refusal"], tried)
    got = start(client, kind="migrate", filter={},
                specification="0123456789abcdef")
    check("%s: one to nowhere is not started" % name, got.status == 404, got)
    tried = start(client, kind="resume", filter={}, dry_run=True).json()
    check("%s: a dry run knows what would be refused" % name,
          [row["allowed"] for row in tried["sample"]] == [False], tried)
    client.post("/v1/items/c00:A/start")
    tried = start(client, kind="suspend_items", filter={}, task="A",
                  dry_run=True).json()
    check("%s: also of items, whose case it names" % name,
          [(row["case"], row["subject"], row["allowed"])
           for row in tried["sample"]] == [("c00", "c00.1:A", True)], tried)
    check("%s: there is no such operation" % name,
          client.get("/v1/operations/99").status == 404 and
          client.get("/v1/operations/x").status == 404 and
          client.post("/v1/operations/99/undo").status == 404)
    for query in ("?result=x", "?after=x", "?limit=x"):
        check("%s: 400 for %s" % (name, query), client.get(
            "/v1/operations/99/cases" + query).status in (400, 404))
    server.close()


run(*on_each(states_change, "operations"), *on_each(migrated, "operations"),
    *on_each(repaired, "operations"), *on_each(paused, "operations"),
    *on_each(interrupted, "operations"),
    *on_each(refusals, "operations"))
end()
