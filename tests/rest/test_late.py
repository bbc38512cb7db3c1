# SPDX-License-Identifier: Apache-2.0
"""Urgent and late items: priority, due time, reminders, escalation, and working
calendars."""
import json
import os
import subprocess
import threading

from checks import check, end, run
from people import add_people, process, resourcing
from server import WEFT, Server
from stores import on_each

CLERKS = resourcing(roles=["RO-clerk"])


def items(client, query=""):
    answer = client.get("/v1/worklist" + query)
    return [row["item"] for row in answer.json().get("items", [answer])]


def detail(answer):
    return answer.json().get("detail", "")


def wait_for(what, find):
    """Waits until find() answers something."""
    for _ in range(600):
        found = find()
        if found:
            return found
        threading.Event().wait(0.05)
    check("%s happens" % what, False, find())
    return None


def events(client, case, kind):
    steps = client.get("/v1/cases/%s/history" % case).json()["steps"]
    return [event for step in steps for event in step["events"]
            if event["event"] == kind]


def calendars(name, client, anna):
    made = client.call("PUT", "/v1/calendars/CL-office", {
        "name": "Office", "timezone": "Europe/Berlin",
        "hours": {"mon-fri": ["09:00-17:00"]}, "daysOff": ["--12-25"]})
    check("%s: a calendar is made" % name, made.status == 201, made)
    shown = client.get("/v1/calendars/Office")
    check("%s: and shown" % name, shown.json().get("hours") == {
        "mon-fri": ["09:00-17:00"]} and shown.headers.get("etag"), shown)
    for member, wrong, said in (
            ("hours", {"monday": ["9-17"]}, "monday"),
            ("hours", 5, "object"), ("timezone", "Mars", "Mars"),
            ("daysOff", ["Christmas"], "Christmas"),
            ("exceptions", {"2026-12-31": ["late"]}, "late"),
            ("includes", ["nowhere"], "nowhere")):
        refused = client.call("PUT", "/v1/calendars/bad", {
            "name": "Bad", member: wrong})
        check("%s: %s %s is refused" % (name, member, wrong),
              refused.status == 400 and said in detail(refused), refused)
    client.call("PUT", "/v1/calendars/CL-shop", {
        "name": "Shop", "includes": ["Office"]})
    for calendar in ("CL-office", "CL-shop"):
        refused = client.call("PATCH", "/v1/calendars/CL-office", {
            "includes": [calendar]})
        check("%s: a circle is refused" % name, refused.status == 400
              and "circle" in detail(refused), refused)
    changed = client.call("PATCH", "/v1/people/ben", {"calendar": "Office"})
    check("%s: a person has a calendar" % name, changed.status == 200
          and changed.json()["calendar"] == "CL-office", changed)
    check("%s: only those who organise change one" % name, anna.call(
        "PATCH", "/v1/calendars/CL-office", {"daysOff": []}).status == 403)
    check("%s: and remove one" % name, client.call(
        "DELETE", "/v1/calendars/Shop").status == 204)


def lists(name, client, anna):
    """Items by priority and due time; those who see them are reminded."""
    for uri, priority in (("low", 10), ("high", 90)):
        key = client.load(process(uri, [("A", CLERKS, (
            'p:priority="%d" p:due="PT%dH" p:remind="enabled due"' % (
                priority, priority)))]))
        client.post("/v1/cases", {"specification": key, "case": uri})
    rows = anna.get("/v1/worklist").json()["items"]
    check("%s: what is urgent comes first" % name,
          [(row["item"], row["priority"]) for row in rows]
          == [("high:A", 90), ("low:A", 10)] and all(
              row.get("due") for row in rows), rows)
    check("%s: or what is due" % name,
          items(anna, "?order=due") == ["low:A", "high:A"])
    check("%s: or only what is due soon" % name,
          items(anna, "?due=P3D&order=due") == ["low:A"])
    check("%s: or only what has a priority" % name,
          items(anna, "?priority=50") == ["high:A"])
    check("%s: those who are offered it are reminded" % name, wait_for(
        "a reminder", lambda: events(client, "low", "ITEM_REMINDED")))


def by_hand(name, client, anna):
    changed = client.call("PATCH", "/v1/items/low:A", {
        "priority": 95, "due": None})
    check("%s: an operator changes that" % name, changed.status == 200, changed)
    row = anna.get("/v1/worklist").json()["items"][0]
    check("%s: so it comes first" % name, row["item"] == "low:A"
          and row["priority"] == 95 and "due" not in row, row)
    changed = client.call("PATCH", "/v1/items/low:A", {
        "due": "2030-01-31T12:00:00Z"})
    row = anna.get("/v1/worklist").json()["items"][0]
    check("%s: and is due again" % name, changed.status == 200
          and row["due"].startswith("2030-01-31T12:00:00"), row)
    last = client.get("/v1/cases/low/history").json()["steps"][-1]
    check("%s: the history says who" % name, last["actor"] == "admin"
          and any(event["event"] == "ITEM_DUE" for event in last["events"]),
          last)
    refused = anna.call("PATCH", "/v1/items/low:A", {"priority": 1})
    check("%s: others may not" % name, refused.status == 403, refused)
    anna.post("/v1/items/low:A/accept")
    refused = anna.call("PATCH", "/v1/items/low:A", {"priority": 1})
    check("%s: nor who has it without the privilege" % name,
          refused.status == 403 and "canReorder" in detail(refused), refused)
    client.call("PATCH", "/v1/people/anna", {"privileges": ["canReorder"]})
    check("%s: but with it" % name, wait_for("a right", lambda: anna.call(
        "PATCH", "/v1/items/low:A", {"priority": 1}).status == 200))
    done = subprocess.run(
        [WEFT, "work", "reschedule", "low:A", '{"priority": 42}'],
        env=dict(os.environ, WEFT_TOKEN=client.token,
                 WEFT_SERVER="http://127.0.0.1:%d" % client.port),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    row = client.get("/v1/items/low:A").json()
    check("%s: so does the command line" % name, done.returncode == 0
          and row["priority"] == 42, (done.stdout, row))
    for body in ({}, {"priority": 101}, {"priority": "1"}, {"due": 5},
                 {"due": "soon"}, {"owner": "anna"}):
        refused = client.call("PATCH", "/v1/items/low:A", body)
        check("%s: %s is refused" % (name, json.dumps(body)),
              refused.status == 400, refused)


def escalation(name, client, people):
    client.call("PUT", "/v1/roles/RO-boss", {"name": "Boss"})
    client.call("PATCH", "/v1/people/cara", {"roles": ["Boss"]})
    key = client.load(process("late", [("A", CLERKS, (
        'p:escalate="enabled notify; enabled reoffer Boss; '
        'enabled incident Nobody does it"'))]))
    client.post("/v1/cases", {"specification": key, "case": "late"})
    incident = wait_for("an incident", lambda: client.get(
        "/v1/incidents?case=late").json()["incidents"])
    check("%s: an incident is raised" % name, incident
          and incident[0]["code"] == "late"
          and incident[0]["text"] == "Nobody does it", incident)
    check("%s: and the item is offered to others" % name,
          items(people["anna"], "?case=late") == []
          and items(people["cara"], "?case=late") == ["late:A"])
    check("%s: as the history says" % name, [
        event["action"] for event in events(client, "late", "ITEM_ESCALATED")]
        == ["notify", "reoffer Boss", "incident Nobody does it"])


def late(name, db):
    server = Server(db=db, arguments=["--people"])
    client = server.client()
    client.call("PUT", "/v1/roles/RO-clerk", {"name": "Clerk"})
    people = add_people(server, {
        "anna": {"roles": ["Clerk"]}, "ben": {"roles": ["Clerk"]}, "cara": {}})
    calendars(name, client, people["anna"])
    lists(name, client, people["anna"])
    by_hand(name, client, people["anna"])
    escalation(name, client, people)
    server.close()


run(*on_each(late, "late"))
end()
