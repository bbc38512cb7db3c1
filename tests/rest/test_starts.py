# SPDX-License-Identifier: Apache-2.0
"""Delayed starts are listed, withdrawn, and requested only by accounts that
may."""
import sqlite3

from checks import check, end, run, until
from server import Server
from stores import on_each


def starts(client, query=""):
    return client.get("/v1/starts" + query).json()


def later(client, key, **more):
    return client.post("/v1/cases", dict(
        {"specification": key, "delay": "PT1H"}, **more)).json()


def put_off(name, db):
    server = Server(db=db)
    client = server.client()
    key = client.load("sequence.yawl")
    check("%s: there is none" % name, starts(client) == {"starts": []})
    first = later(client, key, case="order", title="Monday")
    check("%s: one is put off" % name, first["status"] == "scheduled" and
          first["case"] == "order" and first["start"] > 0, first)
    others = [later(client, key)["start"] for _ in range(30)]
    found = starts(client, "?limit=1")
    row = found["starts"][0]
    check("%s: it is listed" % name, row.pop("at", "").endswith("Z") and
          row == {"start": first["start"], "case": "order", "owner": "admin",
                  "title": "Monday", "specification": key} and
          found["next"] == str(first["start"]), found)
    found = [row["start"] for row in starts(
        client, "?limit=100&after=" + found["next"])["starts"]]
    check("%s: and the others behind it" % name, found == others, found)
    reader = server.client(server.add_account("eve", "reader", 1))
    check("%s: a reader sees them" % name, len(starts(reader)["starts"]) == 31)
    place = "/v1/starts/%d" % first["start"]
    check("%s: but withdraws none" % name,
          reader.call("DELETE", place).status == 403)
    other = server.client(server.add_account("zoe", "operator", 2))
    check("%s: another namespace has others" % name,
          starts(other) == {"starts": []} and
          other.call("DELETE", place).status == 404)
    answer = client.call("DELETE", place)
    check("%s: one is withdrawn" % name, answer.status == 200 and
          answer.json() == {"case": "order", "start": first["start"],
                            "status": "withdrawn"}, answer)
    again = client.call("DELETE", place)
    check("%s: twice is once" % name, again.status == 200 and
          again.json()["repeated"], again)
    check("%s: it is not listed any more" % name,
          len(starts(client)["starts"]) == 30)
    check("%s: its name is free" % name, client.post("/v1/cases", {
        "specification": key, "case": "order"}).status == 201)
    soon = later(client, key, delay="PT0.2S")
    until(lambda: client.get("/v1/cases/" + soon["case"]).status == 200)
    gone = client.call("DELETE", "/v1/starts/%d" % soon["start"])
    check("%s: one that was made is not withdrawn" % name,
          gone.status == 404 and gone.json()["code"] == "not_found" and
          client.get("/v1/cases/" + soon["case"]).json()["status"] ==
          "running", gone)
    key_of = {"Idempotency-Key": "once"}
    soon = {"specification": key, "delay": "PT2H"}
    once = client.post("/v1/cases", soon, headers=key_of).json()
    again = client.post("/v1/cases", soon, headers=key_of)
    check("%s: the same delay again is the same request" % name,
          again.status == 202 and again.json() == dict(once, repeated=True),
          again)
    for other in ({"delay": "PT3H"}, {"at": "2100-01-01T00:00:00Z"}, {}):
        again = client.post("/v1/cases", dict({"specification": key}, **other),
                            headers=key_of)
        check("%s: %s with its key is another" % (name, other),
              again.status == 409, again)
    client.call("DELETE", "/v1/starts/%d" % once["start"])
    check("%s: nothing starts in the past" % name, client.post(
        "/v1/cases", {"specification": key, "delay": "-PT1S"}).status == 400)
    for bad in ("0", "-1", "order", "99999999999999999999"):
        answer = client.call("DELETE", "/v1/starts/" + bad)
        check("%s: %s is no start" % (name, bad),
              answer.status in (400, 404), answer)
    check("%s: the server ends" % name, server.stop() == 0)
    server.start()
    check("%s: they outlive it" % name,
          len(starts(server.client())["starts"]) == 30)
    server.close()


def far():
    """Times that a year of four digits cannot express."""
    server = Server()
    client = server.client()
    key = client.load("sequence.yawl")
    for when in ({"at": "9999-12-31T23:59:59.999Z"},
                 {"at": "10000-01-01T00:00:00Z"}, {"delay": "P9000Y"}):
        start = client.post("/v1/cases", dict(
            when, specification=key)).json()
        found = starts(client)["starts"]
        check("%s is limited to the last possible time" % when,
              [row["at"] for row in found] == ["9999-12-31T23:59:59.999Z"],
              found)
        client.call("DELETE", "/v1/starts/%d" % start["start"])
    server.close()


def damaged():
    server = Server()
    client = server.client()
    key = client.load("sequence.yawl")
    number, other = [later(client, key)["start"] for _ in range(2)]
    server.stop()
    store = sqlite3.connect(server.db[len("sqlite:"):])
    with store:
        changed = store.execute(
            "UPDATE due SET payload = x'78' WHERE number = 0").rowcount
        hurried = store.execute(
            "UPDATE due SET at = 1000, visible_at = 1000 WHERE number = 0 AND "
            "name = ?", ("launch %020d" % other,)).rowcount
    store.close()
    check("both are damaged, and one is due",
          (changed, hurried) == (2, 1), changed, hurried)
    server.start()
    client = server.client()
    place = "/v1/starts/%d" % number
    for repeated in ({}, {"repeated": True}):
        answer = client.call("DELETE", place)
        check("a damaged one is withdrawn", answer.status == 200 and
              answer.json() == dict(repeated, start=number,
                                    status="withdrawn"), answer)
    found = until(lambda: client.get("/v1/incidents").json()["incidents"])
    check("the other is an incident that names it", len(found) == 1 and
          "the launch of case %d:" % other in found[0]["text"], found)
    server.close()


run(*on_each(put_off, "starts"), far, damaged)
end()
