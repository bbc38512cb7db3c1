# SPDX-License-Identifier: Apache-2.0
"""A case as it was after a step: what is shown for each step of its history is
what was shown then, also across migrations; of an erased case nothing is."""
import random
import os

from changing import first, second
from checks import check, end, run
from server import Server
from stores import on_each

# What only present items have, and what is known of services today.
PRESENT = ("until", "attempt", "next_try", "last_answer", "unserved", "paused")


def plain(detail):
    """What a moment has of a case, without the present."""
    kept = {k: v for k, v in detail.items()
            if k not in ("incident", "incident_code", "set_aside")}
    kept["items"] = sorted(
        ({k: v for k, v in item.items() if k not in PRESENT}
         for item in detail.get("items", [])), key=lambda item: item["item"])
    return kept


def watched(client, seen, *calls):
    """Makes calls, and notes what the case is after each."""
    for method, path, body in calls:
        got = client.call(method, path, body)
        check("%s %s is done" % (method, path), got.status < 300, got)
        detail = client.get("/v1/cases/c").json()
        seen[detail["sequence"]] = (
            detail, client.get("/v1/cases/c/data").body,
            client.get("/v1/cases/c/diagram").body,
            client.get("/v1/cases/c/why?task=A").json())


def at(client, step, what=""):
    mark = "&" if "?" in what else "?"
    return client.get("/v1/cases/c%s%sstep=%d" % (what, mark, step))


def compare(name, client, seen, step):
    detail, data, picture, why = seen[step]
    check("%s: step %d is as it was" % (name, step),
          plain(at(client, step).json()) == plain(detail),
          at(client, step).json(), detail)
    check("%s: so is its data" % name,
          at(client, step, "/data").body == data)
    check("%s: its picture" % name,
          at(client, step, "/diagram").body == picture)
    check("%s: and why" % name,
          at(client, step, "/why?task=A").json() == why)


def moments(name, db):
    server = Server(db=db)
    client = server.client()
    old = client.load(first())
    new = client.load(second())
    seen = {}
    back = {"specification": old, "plan": {"tasks": {"C": "B"},
                                           "variables": {"remark": "note"}}}
    watched(
        client, seen,
        ("POST", "/v1/cases", {"specification": old, "case": "c",
                               "title": "a case"}),
        ("PATCH", "/v1/cases/c/data", {"note": "large " * 1000}),
        ("POST", "/v1/items/c:A/start", None),
        ("POST", "/v1/cases/c/suspend", {"reason": "a pause"}),
        ("POST", "/v1/cases/c/resume", {"reason": "no more"}),
        ("PATCH", "/v1/cases/c/data", {"note": "small"}),
        ("POST", "/v1/items/c.1:A/complete", None),
        ("POST", "/v1/items/c.2:X/start", None),
        ("POST", "/v1/cases/c/migrate", {
            "specification": new, "plan": {"variables": {"note": "remark"}}}),
        ("POST", "/v1/items/c.2.1:X/complete", None),
        ("POST", "/v1/cases/c/migrate", back),
        ("POST", "/v1/items/c:B/start", None))
    random.seed(int(os.environ.get("WEFT_SEED", "1")))
    for steps in (sorted(seen), sorted(seen, reverse=True),
                  random.sample(sorted(seen), len(seen))):
        for step in steps:
            compare(name, client, seen, step)
    inner = [net for net in at(client, 8).json()["nets"] if "parent" in net]
    check("%s: a net says where it is" % name, [
        (net["id"], net["parent"], net["task"]) for net in inner] == [
            ("c.2", "c", "S")], inner)
    keys = {at(client, n).json()["specification"] for n in seen}
    check("%s: of the specification of then" % name, keys == {old, new}, keys)

    for step, status in ((0, 400), (1000, 404), ("x", 400), (-1, 400)):
        got = client.get("/v1/cases/c?step=%s" % step)
        check("%s: step %s is refused" % (name, step),
              got.status == status, got)
    check("%s: of a case that is not there" % name,
          client.get("/v1/cases/d?step=1").status == 404)
    client.post("/v1/items/c.3:B/complete")
    check("%s: after its end" % name,
          at(client, 1).json()["status"] == "running")
    compare(name, client, seen, 5)
    client.call("DELETE", "/v1/cases/c?reason=wanted")
    got = at(client, 5)
    check("%s: erased" % name, got.status == 410 and
          "wanted" in got.json()["detail"], got)
    check("%s: its data, too" % name, at(client, 5, "/data").status == 410)
    check("%s: the server ends" % name, server.close() == 0)


def rights():
    server = Server()
    client = server.client()
    key = client.load(first())
    client.post("/v1/cases", {"specification": key, "case": "c"})
    stranger = server.client(server.add_account(
        "stranger", "", 1, ["read process:other"]))
    check("who may not see the case sees no moment of it",
          stranger.get("/v1/cases/c?step=1").status == 403 and
          stranger.get("/v1/cases/c/data?step=1").status == 403 and
          stranger.get("/v1/cases/c/diagram?step=1").status == 403 and
          stranger.get("/v1/cases/c/why?task=A&step=1").status == 403)
    reader = server.client(server.add_account("reader", "reader", 1))
    check("who may does", reader.get("/v1/cases/c?step=1").status == 200)
    check("the server ends", server.close() == 0)


def two_nodes(name, db):
    if db is None:
        return
    one = Server(db=db)
    two = Server(db=db, token=one.token)
    first_client, client = one.client(), two.client()
    key = first_client.load(first())
    first_client.post("/v1/cases", {"specification": key, "case": "c"})
    check("a node shows a step that it knows",
          at(client, 1).json()["sequence"] == 1)
    first_client.post("/v1/items/c:A/start")
    check("and one that another node has made meanwhile",
          at(client, 2).json()["items"][0]["status"] == "executing" and
          at(client, 1).json()["items"][0]["status"] == "enabled")
    first_client.post("/v1/cases/c/cancel")
    first_client.call("DELETE", "/v1/cases/c?reason=wanted")
    got = at(client, 1)
    check("another node erases it", got.status in (404, 410), got)
    check("the nodes end", one.close() == 0 and two.close() == 0)


run(*on_each(moments, "moments of cases"), rights,
    *on_each(two_nodes, "moments on two nodes"))
end()
