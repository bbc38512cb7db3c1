# SPDX-License-Identifier: Apache-2.0
"""The history says who did a step, how and why; its events have the members
that docs/EVENTS.md promises."""
import os
import re
import subprocess

from checks import check, end, run, until
from people import FREE, process, resourcing
from server import ROOT, WEFT, Server

TIMER = """</completedMappings><timer><trigger>OnEnabled</trigger>
<duration>PT0.2S</duration></timer>"""


def weft(server, *arguments):
    done = subprocess.run(
        [WEFT] + list(arguments) +
        ["--server", "http://127.0.0.1:%d" % server.port],
        env=dict(os.environ, WEFT_TOKEN=server.token), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    return done.stdout.decode()


def promised():
    """The members of each event, as docs/EVENTS.md has them."""
    with open(os.path.join(ROOT, "docs", "EVENTS.md")) as file:
        rows = re.findall(r"^\| `([A-Z_]+)` \| ([^|]*) \| [^|]* \|$",
                          file.read(), re.M)
    return {name: set(re.findall(r"`(\w+)`", found)) for name, found in rows}


def steps_of(client, case):
    return client.get("/v1/cases/%s/history" % case).json()["steps"]


def reasons():
    server = Server()
    client = server.client()
    client.load("sequence.yawl")
    client.post("/v1/cases", {"specification": "BusinessTrip", "case": "c"})
    for path, body in (
            ("/v1/cases/c/suspend", {"reason": "no money"}),
            ("/v1/cases/c/resume", {}),
            ("/v1/items/c:Ask/suspend", {"reason": "lunch"}),
            ("/v1/items/c:Ask/resume", None),
            ("/v1/items/c:Ask/start", None),
            ("/v1/items/c.1:Ask/rollback", {"reason": "a mistake"}),
            ("/v1/cases/c/cancel", {"reason": "no trip, \u20ac 5"})):
        got = client.post(path, body)
        check(path, got.status == 200, got)
    steps = steps_of(client, "c")
    check("each step says who did it, and how", all(
        step["actor"] == "admin" and step["origin"] == "rest"
        for step in steps), steps)
    check("and why, when a reason was given",
          [step.get("reason") for step in steps] ==
          [None, "no money", None, "lunch", None, None, "a mistake",
           "no trip, \u20ac 5"], steps)
    text = weft(server, "case", "history", "c")
    check("so do the words of weft case history",
          "CASE_SUSPENDED" in text and "by admin (rest): no money" in text,
          text)
    check("an empty reason is refused", client.post(
        "/v1/cases/c/cancel", {"reason": ""}).status == 400)
    server.close()


def causes():
    """A timer that could not act, and the retry of its incident."""
    server = Server()
    client = server.client()
    with open(os.path.join(ROOT, "examples", "sequence.yawl")) as file:
        text = file.read()
    client.load(text.replace("UID_WeftSequence", "UID_Failing").replace(
        "{/Ask/destination/text()}", "{/Ask/destination/text()}").replace(
            "</completedMappings>", TIMER, 1))
    client.post("/v1/cases", {"specification": "BusinessTrip", "case": "t"})
    until(lambda: len(steps_of(client, "t")) > 1)
    step = steps_of(client, "t")[1]
    check("a step of a timer says so", step["origin"] == "timer" and
          "actor" not in step and "TIMER_EXPIRED" in [
              event["event"] for event in step["events"]], step)
    text = weft(server, "case", "history", "t")
    check("in words, too", "by timer" in text, text)
    key = client.load("sequence.yawl")
    client.post("/v1/cases", {"specification": key, "case": "late",
                              "delay": "PT1S"})
    client.call("DELETE", "/v1/specifications/" + key)
    found = until(lambda: client.get("/v1/incidents").json()["incidents"])
    number = found[0]["incident"]
    client.load("sequence.yawl")
    client.post("/v1/incidents/%d/retry" % number)
    until(lambda: client.get("/v1/cases/late").status == 200)
    step = steps_of(client, "late")[0]
    check("a step of a retry names the incident", step["origin"] == "rest" and
          step.get("incident") == number, step)
    text = weft(server, "case", "history", "late")
    check("also in words", "retry of incident %d" % number in text, text)
    known = promised()
    for case in ("t", "late"):
        for step in steps_of(client, case):
            for event in step["events"]:
                name = event["event"]
                check("%s is documented" % name, name in known)
                check("%s has the members that are documented" % name,
                      set(event) - {"event"} <= known.get(name, set()),
                      event, known.get(name))
    server.close()


def audiences():
    """To whom items are offered, and who has them, in words."""
    server = Server(arguments=["--people"])
    client = server.client()
    for role in ("few", "many", "live"):
        client.call("PUT", "/v1/roles/" + role, {
            "name": role.title(), "live": role == "live"})
    client.post("/v1/organisation", {"people": [
        {"user": "user%03d" % i, "id": "P%03d" % i, "roles": ["many"] + (
            ["few", "live"] if i < 12 else []), "privileges": FREE}
        for i in range(120)]})
    # Whoever has done A does not do D.
    apart = """<offer initiator="system"><distributionSet><initialSet>
<role>few</role></initialSet><constraints><constraint>
<name>SeparationOfDuties</name><params><param><key>familiarTask</key>
<value>A</value></param></params></constraint></constraints>
</distributionSet></offer><allocate initiator="user"/>
<start initiator="user"/>"""
    client.load(process("offers", [
        ("A", resourcing(["few"])), ("B", resourcing(["many"])),
        ("C", resourcing(["live"])), ("D", "<resourcing>%s</resourcing>" %
                                     apart), ("E", "")]))
    client.post("/v1/cases", {"specification": "offers", "case": "c"})
    for task in "ABCD":
        user = "user%03d" % (1 if task == "D" else 0)
        item = client.post("/v1/items/c:%s/start?for=%s" % (
            task, user)).json().get("item", "")
        done = client.post("/v1/items/%s/complete?for=%s" % (item, user), {})
        check("%s is done" % task, done.status == 200, done)
    text = weft(server, "case", "history", "c")
    few = ", ".join("user%03d" % i for i in range(10))
    for said in ("ITEM_OFFERED c:A to %s and 2 more" % few,
                 "ITEM_OFFERED c:B to %s and 110 more" % few,
                 "ITEM_OFFERED c:C to role Live",
                 "ITEM_OFFERED c:E to everybody"):
        check("it says " + said, re.search(re.escape(said) + "( |$)", text,
                                           re.M), text)
    check("who is left out is not named among them", re.search(
        "ITEM_OFFERED c:D to (%s, user010 and 1 more|%s and 2 more but "
        "user000)$" % (few[9:], few), text, re.M), text)
    check("it says who has an item", re.search(
        r"ITEM_TAKEN c\S*:A \S* ?user000", text), text)
    page = client.get("/v1/cases/c/history?names=true").json()["steps"]
    offer = [event for step in page for event in step["events"]
             if event["event"] == "ITEM_OFFERED" and event["task"] == "B"][0]
    check("of a set there are some names, and the number",
          len(offer["audience"]["people"]) == 10
          and offer["audience"]["count"] == 120, offer)
    plain = client.get("/v1/cases/c/history").json()["steps"]
    check("without names there are ids", "P000" in str(plain)
          and "user000" not in str(plain), plain)
    client.call("DELETE", "/v1/people/P000")
    text = weft(server, "case", "history", "c")
    check("who is gone has the id", "to P000, user001" in text, text)
    server.close()


run(reasons, causes, audiences)
end()
