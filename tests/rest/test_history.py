# SPDX-License-Identifier: Apache-2.0
"""The history says who did a step, how and why; its events have the members
that docs/EVENTS.md promises."""
import os
import re
import subprocess

from checks import check, end, run, until
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


run(reasons, causes)
end()
