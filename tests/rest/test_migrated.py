# SPDX-License-Identifier: Apache-2.0
"""What is shown of a migrated case: its history, its event log in XES and in
YAWL's terms, its picture, reasons, and live events; each step with the names
of the specification that it was made as."""
import os
import re
import sys

from changing import first, second
from checks import check, end, run
from server import Server
from stores import on_each

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "yawl"))

from client import Yawl  # noqa: E402 (the path comes first)

LARGE = "large " * 1000  # a value that is stored apart


def events_of(steps):
    return [event for step in steps for event in step["events"]]


def trace_of(xes):
    """(task, transition, instance) of each event of the only trace."""
    return re.findall(
        r'"concept:name" value="([^"]*)"/>\s*<string key="lifecycle:transition"'
        r' value="([^"]*)"/>\s*<string key="concept:instance" value="([^"]*)"',
        xes.split("<trace>")[1])


def shown(name, db):
    server = Server(db=db, arguments=["--yawl"])
    client = server.client()
    old = client.load(first())
    new = client.load(second())
    client.post("/v1/cases", {"specification": old, "case": "c"})
    client.call("PATCH", "/v1/cases/c/data", {"note": LARGE})
    stream = client.stream("/v1/events?after=0&case=c")
    for nets, where in (({"x": {}}, "x: expected the id of a net"),
                        ([], "nets: expected an object")):
        got = client.post("/v1/cases/c/migrate", {
            "specification": new, "plan": {"nets": nets}})
        check("%s: a plan says where it is wrong" % name,
              got.status == 400 and where in str(got.json()), got)
    client.post("/v1/items/c:A/start")
    client.post("/v1/items/c.1:A/complete")
    client.post("/v1/items/c.2:X/start")
    client.post("/v1/items/c.2.1:X/rollback", {"reason": "a pause"})
    got = client.post("/v1/cases/c/migrate", {
        "specification": new, "reason": "a wrong version",
        "plan": {"variables": {"note": "remark"}}})
    check("%s: it is migrated" % name, got.status == 200, got)
    check("%s: why uses the new names" % name, "C" in str(client.get(
        "/v1/cases/c/why?task=C").json()["reasons"]) and client.get(
            "/v1/cases/c/why?task=B").status == 404)
    picture = client.get("/v1/cases/c/diagram").body.decode()
    check("%s: so does the picture" % name, ">C<" in picture and
          ">A0<" in picture and ">B<" not in picture, picture)
    client.post("/v1/items/c.2.1:X/start")
    client.post("/v1/items/c.2.1:X/complete")
    got = client.post("/v1/cases/c/migrate", {
        "specification": old, "plan": {"tasks": {"C": "B"},
                                       "variables": {"remark": "note"}}})
    check("%s: and back" % name, got.status == 200, got)
    client.post("/v1/items/c:B/start")
    got = client.post("/v1/cases/c/migrate", {
        "specification": new, "plan": {"tasks": {"B": "C"},
                                       "variables": {"note": "remark"}}})
    check("%s: a started item is migrated" % name, got.status == 200, got)
    done = client.post("/v1/items/c.3:C/complete")
    check("%s: and completed" % name, done.json()["status"] == "completed",
          done)

    page = client.get("/v1/cases/c/history").json()["steps"]
    check("%s: each step can be read" % name, not any(
        "error" in step for step in page), page)
    events = events_of(page)
    moves = [(e["from"]["version"], e["to"]["version"], e["to"]["uri"])
             for e in events if e["event"] == "CASE_MIGRATED"]
    check("%s: a migration says from where to where" % name, moves == [
        ("1.0", "2.0", "moved"), ("2.0", "1.0", "moved"),
        ("1.0", "2.0", "moved")], moves)
    check("%s: but not its bytes" % name, all(
        set(e) == {"event", "from", "to"} for e in events
        if e["event"] == "CASE_MIGRATED"), events)
    check("%s: with its reason" % name, "a wrong version" in [
        step.get("reason") for step in page])
    tasks = [(e["event"], e["item"]) for e in events if "item" in e]
    check("%s: steps have the names of their time" % name,
          ("TASK_ENABLED", "c:A") in tasks and
          ("TASK_EXITED", "c.2.1:X") in tasks and
          ("TASK_EXITED", "c.2:S") in tasks and
          ("TASK_FIRED", "c.3:B") in tasks and
          ("TASK_EXITED", "c.3:C") in tasks, tasks)
    for i in range(len(page)):
        got = client.get("/v1/cases/c/history?limit=1&after=%d" % i).json()
        check("%s: step %d read alone is the same" % (name, i + 1),
              got["steps"] == [page[i]], got, page[i])
    live = [one for one in stream.take(len(page))]
    stream.close()
    check("%s: live events are the same" % name,
          [events_of([one]) for one in live] ==
          [events_of([step]) for step in page], live)
    for key in (old, new):
        count = [step["specification"] for step in page].count(key)
        stream = client.stream("/v1/events?after=0&specification=" + key)
        some = stream.take(count)
        stream.close()
        check("%s: those of one version" % name,
              {step["specification"] for step in some} == {key}, some)

    trace = trace_of(client.get(
        "/v1/specifications/%s/log" % new).body.decode())
    check("%s: the trace in XES has the names of their time" % name, trace == [
        ("A", "schedule", "c"), ("A", "start", "c.1"),
        ("A", "complete", "c.1"), ("A", "complete", "c"),
        ("Sub", "schedule", "c.2"), ("X", "schedule", "c.2"),
        ("X", "start", "c.2.1"), ("X", "start", "c.2.1"),
        ("X", "complete", "c.2.1"),
        ("X", "complete", "c.2"), ("Sub", "complete", "c.2"),
        ("C", "schedule", "c"), ("B", "schedule", "c"),
        ("B", "start", "c.3"), ("C", "complete", "c.3"),
        ("C", "complete", "c")], trace)
    with_data = client.get(
        "/v1/specifications/%s/log?data=true" % new).body.decode()
    check("%s: with the input of before" % name,
          with_data.count('key="p" value="seven"') == 2, with_data)
    check("%s: it is in the log of the version that it ended as" % name,
          "<trace>" not in client.get(
              "/v1/specifications/%s/log" % old).body.decode())

    yawl = Yawl(server).connect()
    events = yawl.ask("logGateway", "getEventsForTaskInstance",
                      itemid="c.3:C")
    check("%s: YAWL's log finds the item by its last name" % name,
          re.findall("<descriptor>([A-Za-z]*)<", events)[:3] ==
          ["Fired", "Executing", "Complete"], events)
    nets = yawl.ask("logGateway", "getCompleteCaseLogsForSpecification",
                    identifier="UID_moved", version="2.0", uri="moved")
    check("%s: and has the case whole" % name, '<net name="N"' in nets and
          '<net name="Sub"' in nets and "<name>X</name>" in nets and
          "<name>A</name>" in nets, nets)
    check("%s: the server ends" % name, server.close() == 0)


run(*on_each(shown, "migrated cases"))
end()
