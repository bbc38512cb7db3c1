#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/EVENTS.md from the tables of events, statuses and origins.

usage: tests/events.py >docs/EVENTS.md
tests/documents.py compares the file with what this writes, and
tests/rest/test_history.py the members with those of answers.
"""
import os
import re

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
PARTICIPANT = ("ITEM_ALLOCATED", "ITEM_TAKEN", "ITEM_RETURNED",
               "ITEM_PASSED_ON", "ITEM_DONE_BY", "ITEM_DONE_FOR", "CASE_CHAINED",
               "CASE_UNCHAINED")
CONDITIONS = ("CONDITION_EMPTIED", "CONDITION_MARKED")
HEAD = """# Events

What `GET /v1/events` and `GET /v1/cases/{case}/history` send, and `weft case history --json` and `weft case watch --json` print: a contract for readers. Names and members do not change their meaning; later versions may add events and members, which a reader passes over. `tests/events.py` writes this file from the tables of the program.

## Steps

A step is what one command did to a case, whole or not at all.

| member | content |
|---|---|
| `id` | the position in the stream: `?after=` and `Last-Event-ID` continue behind it |
| `case` | the id of the case |
| `specification` | the key of its specification |
| `sequence` | the number of the step in its case, from 1 without a gap |
| `time` | when it was done |
| `actor` | the account that gave the command; missing when nobody did |
| `origin` | how the command came, see below |
| `incident` | the incident whose retry gave the command; missing for others |
| `override` | `true` when an operator did it against the lease of another account; missing for others |
| `reason` | why the command was given, in the words of who gave it; missing without a reason |
| `events` | what happened, in this order |
| `error` | why the events cannot be read: the step is damaged, or earlier steps were retired |

| `origin` | the command came |
|---|---|
%(origins)s

## Events

Each has the member `event`, its name, and those of this table where they apply. `net` is the id of a net instance (`7`, or `7.2` for a sub-net), `task` the id of a task, `item` that of a work item (`7.1:Approve`), `condition` and `conditions` ids of conditions, `values` values by the names of variables or parameters, as JSON, `participant` the id of a participant, `audience` who an item is offered to: `{"all":true}`, `{"people":[..]}`, `{"roles":[..]}`, or a named set, each perhaps with `"except":[..]`, `from` and `to` the specifications of a migration: `specification`, its key, `uri` and `version` (`from` is missing when the step before is not kept any more). `GET /v1/cases/{case}/history?names=true` has names in their place, and of a set, as long as items are offered to it and a day longer, some `people` and the `count`. What `number` is, the meaning says.

| `event` | members | meaning |
|---|---|---|
%(events)s

## Status

The words of `status`: %(statuses)s.

## Announcements

What services are notified of after the commit of a step; `docs/SERVICES.md` and `docs/YAWL-COMPATIBILITY.md` say in which form. Delivered messages name their kind as follows.

| kind | about |
|---|---|
%(announcements)s
"""
ORIGINS = {
    "rest": "over the REST interface",
    "yawl": "over an interface of YAWL",
    "timer": "from a timer that ran out",
    "lease": "from a worker that claimed the item, or from the end of its lease",
    "search": "from a longer search for an OR-join",
    "service": "from a service that answered an announcement",
    "bench": "from `weft bench`",
    "yawl-import": "from `weft import-yawl`",
}


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def members(name, fields):
    """The members of an event beside its name."""
    found = []
    if "NET" in fields:
        found.append("net")
    if "TASK" in fields:
        found += ["condition"] if name in CONDITIONS else ["task", "item"]
    if "STATUS" in fields:
        found.append("status")
    if "CONDITIONS" in fields:
        found.append("conditions")
    if "TIME" in fields:
        found.append("time")
    if name == "PREDICATE_LOGGED":
        found += ["parameter", "text"]
    elif "NUMBER" in fields:
        found.append("number")
    if name.startswith("REASON_") or name in ("ITEM_UNOFFERED",
                                              "START_FAILED"):
        found.append("reason")
    if name == "CASE_MIGRATED":
        found += ["from", "to"]
    if name == "ITEM_OFFERED":
        found.append("audience")
    if name.startswith("RESOURCES_"):
        found.append("resources")
    if name == "ITEM_REDIRECTED":
        found.append("service")
    if name == "COST_PRICED":
        found.append("cost")
    if name == "FACTS_USED":
        found.append("facts")
    if name in PARTICIPANT:
        found.append("participant")
    if "VALUES" in fields:
        found.append("values")
    return found


def events():
    """Name, members and meaning of each event."""
    return [(name, members(name, set(re.findall(r"WF_HAS_(\w+)", fields))),
             meaning) for name, fields, meaning in re.findall(
                 r'^WF_EVENT\(\d+, (\w+), ([^"]*), "([^"]*)"\)$',
                 read("kernel/events.def"), re.M)]


def document():
    rows = ["| `%s` | %s | %s |" % (
        name, ", ".join("`%s`" % one for one in found), meaning)
        for name, found, meaning in events()]
    statuses = ["`%s`" % one.lower() for one in re.findall(
        r'^WF_STATUS\(\w+, "(\w+)"', read("kernel/statuses.def"), re.M)]
    announcements = ["| `%s` | %s |" % (
        name, "an item" if item == "true" else "the server"
        if name.startswith("ENGINE") else "a case")
        for name, item in re.findall(
            r"^WF_ANNOUNCEMENT\(\d+, (\w+), (\w+)\)",
            read("runtime/announcements.def"), re.M)]
    return HEAD % {
        "origins": "\n".join("| `%s` | %s |" % row for row in ORIGINS.items()),
        "events": "\n".join(rows),
        "statuses": ", ".join(statuses),
        "announcements": "\n".join(announcements)}


if __name__ == "__main__":
    print(document(), end="")
