# SPDX-License-Identifier: Apache-2.0
"""Paused services are handed nothing; suspended specifications start nothing."""
import threading

from fake import SECRET, Fake, items, process
from checks import check, end, run, skip, until
from server import Server
from stores import Schema, has_postgresql, on_each

URI = "urn:pulled"
ALLOW = ("--allow-address", "127.0.0.0/8")


def start(client, key, case):
    answer = client.post("/v1/cases", {"specification": key, "case": case})
    if answer.status != 201:
        raise RuntimeError(repr(answer))


def claim(client, **more):
    return client.post("/v1/items:claim", {"service": "pulled", **more}).json()


def status(client, case):
    return client.get("/v1/cases/" + case).json().get("status")


def pause(client, name, reason=None):
    return client.post("/v1/services/%s/pause" % name,
                       {"reason": reason} if reason else None)


def pull(name, db):
    server = Server(db=db)
    client = server.client()
    client.call("PUT", "/v1/services/pulled", {
        "kind": "pull", "uri": URI, "timeout": "PT1H"})
    key = client.load(process(URI))
    start(client, key, "a")
    had = claim(client)["items"][0]
    start(client, key, "b")
    answer = pause(client, "pulled", "it loses mail")
    paused = answer.json().get("paused", {})
    check("%s: a service is paused" % name, answer.status == 200 and
          paused["by"] == "admin" and paused["reason"] == "it loses mail" and
          paused["since"].endswith("Z"), answer)
    check("%s: lists say so" % name,
          client.get("/v1/services").json()["services"][0]["paused"] == paused)
    again = pause(client, "pulled", "another reason")
    check("%s: a second pause is refused with the first" % name,
          again.status == 409 and "it loses mail" in again.json()["detail"],
          again)
    found = claim(client)
    check("%s: a claim finds nothing, and learns why" % name,
          found == {"items": [], "paused": paused}, found)
    found = claim(client, wait="PT0.3S")
    check("%s: so does one that waits" % name,
          found == {"items": [], "paused": paused}, found)
    item = client.get("/v1/items/b:T0").json()
    check("%s: the item says what it waits for" % name,
          item["waits"] == "pause" and
          item["paused"] == dict(paused, service="pulled") and
          "attempt" not in item, item)
    why = client.get("/v1/cases/b/why?task=T0").json()["reasons"]
    check("%s: and so does why" % name, any(
        line.startswith("b:T0 waits: the service pulled is paused since ") and
        line.endswith("by admin: it loses mail") for line in why), why)
    check("%s: what it has says nothing of it" % name, "paused" not in
          client.get("/v1/items/" + had["item"]).json())
    place = "/v1/items/%s/" % had["item"]
    check("%s: its lease goes on" % name, client.post(
        place + "heartbeat", {"fence": had["fence"]}).status == 200)
    check("%s: and is completed" % name, client.post(
        "%scomplete?fence=%d" % (place, had["fence"]), {"y": 1}).status == 200
        and status(client, "a") == "completed")
    client.call("PUT", "/v1/services/pulled", {
        "kind": "pull", "uri": URI, "timeout": "PT2H"})
    check("%s: registering it again does not resume it" % name,
          claim(client)["items"] == [])
    server.stop()
    server.start()
    client = server.client()
    check("%s: nor does a restart" % name, claim(client)["paused"] == paused)
    waiting = []
    thread = threading.Thread(target=lambda: waiting.append(
        claim(server.client(), wait="PT60S")))
    thread.start()
    answer = client.post("/v1/services/pulled/resume", {"reason": "mended"})
    check("%s: it is resumed" % name,
          answer.status == 200 and "paused" not in answer.json(), answer)
    thread.join()
    check("%s: and gets what waited, as a first attempt" % name,
          [(i["item"], i["attempt"]) for i in waiting[0]["items"]] ==
          [("b.1:T0", 1)], waiting)
    check("%s: it is resumed once" % name, client.post(
        "/v1/services/pulled/resume").status == 409)
    check("%s: there is no incident" % name,
          client.get("/v1/incidents").json()["incidents"] == [])
    acts = [(a["kind"], a["account"], a["subject"], a["result"], a["detail"])
            for a in client.get("/v1/audit").json()["audit"]]
    for act in (("pauseService", "admin", "pulled", "done", "it loses mail"),
                ("pauseService", "admin", "pulled", "conflict",
                 "another reason"),
                ("resumeService", "admin", "pulled", "done", "mended")):
        check("%s: the audit has %s" % (name, act), act in acts, acts)
    server.close()


def push(name, db):
    fake = Fake(lambda call: (200, {"y": 5}))
    server = Server(arguments=ALLOW, db=db)
    client = server.client()
    for service in ("one", "two"):
        client.call("PUT", "/v1/services/" + service, {
            "kind": "push", "secret": SECRET,
            "uri": fake.uri + ("" if service == "one" else "/two")})
    one = client.load(process(fake.uri))
    two = client.load(process(fake.uri + "/two", name="Q"))
    check("%s: one that pushes is paused" % name,
          pause(client, "one").status == 200)
    for i in range(20):
        start(client, one, "a%d" % i)
    start(client, two, "b")
    check("%s: others go on" % name,
          until(lambda: status(client, "b") == "completed"))
    check("%s: it got nothing" % name, not fake.wait(1, 0, of=items),
          len(fake.calls))
    check("%s: its items wait" % name, client.get(
        "/v1/items/a0:T0").json()["waits"] == "pause")
    server.stop()
    server.start()
    client = server.client()
    start(client, two, "c")
    check("%s: others go on after a restart" % name,
          until(lambda: status(client, "c") == "completed"))
    check("%s: it still got nothing" % name, not fake.wait(1, 0, of=items))
    check("%s: it is resumed" % name, client.post(
        "/v1/services/one/resume").status == 200)
    check("%s: all are done" % name, until(lambda: all(
        status(client, "a%d" % i) == "completed" for i in range(20))))
    check("%s: with one attempt each" % name,
          all(c.json()["attempt"] == 1 for c in fake.wait(20, of=items)) and
          len(fake.wait(20, of=items)) == 20)
    check("%s: none is an incident" % name,
          client.get("/v1/incidents").json()["incidents"] == [])
    server.close()
    fake.close()


def suspend(name, db):
    server = Server(db=db)
    client = server.client()
    key = client.load("sequence.yawl")
    place = "/v1/specifications/" + key
    start(client, key, "before")
    soon = client.post("/v1/cases", {
        "specification": key, "case": "soon", "delay": "PT0.5S"}).json()
    at = client.get("/v1/starts").json()["starts"][0]["at"]
    answer = client.post(place + "/suspend", {"reason": "wrong"})
    suspended = answer.json().get("suspended", {})
    check("%s: a specification is suspended" % name, answer.status == 200 and
          suspended["by"] == "admin" and suspended["reason"] == "wrong", answer)
    for where, member in ((place, None), ("/v1/specifications", 0),
                          ("/v1/startable", 0)):
        found = client.get(where).json()
        found = found if member is None else found["specifications"][0]
        check("%s: %s says so" % (name, where),
              found.get("suspended") == suspended, found)
    for more in ({}, {"delay": "PT1H"}):
        answer = client.post("/v1/cases", {"specification": key, **more})
        check("%s: it is not started" % name, answer.status == 409 and
              answer.json()["code"] == "suspended" and
              "by admin: wrong" in answer.json()["detail"], answer)
    check("%s: it is suspended once" % name,
          client.post(place + "/suspend").status == 409)
    check("%s: running cases go on" % name, client.post(
        "/v1/items/%s/complete" % client.get("/v1/items").json()
        ["items"][0]["item"], {}).status == 200)
    refused = until(lambda: [
        line for line in client.get("/metrics").body.decode().splitlines()
        if line.startswith('weft_refusals_total{code="conflict"}') and
        int(line.split()[-1]) >= 3])
    check("%s: a start that is due waits" % name, refused and
          client.get("/v1/cases/soon").status == 404)
    found = client.get("/v1/starts").json()["starts"]
    check("%s: the list says why, and when it was due" % name,
          [(s["start"], s["at"], s["suspended"]) for s in found] ==
          [(soon["start"], at, suspended)], found)
    server.stop()
    server.start()
    client = server.client()
    check("%s: it is suspended after a restart" % name, client.post(
        "/v1/cases", {"specification": key}).status == 409)
    check("%s: it is resumed" % name, "suspended" not in client.post(
        place + "/resume", {"reason": "mended"}).json())
    check("%s: the start is done" % name, until(
        lambda: status(client, "soon") == "running"))
    check("%s: others may start" % name, client.post(
        "/v1/cases", {"specification": key}).status == 201)
    check("%s: it is resumed once" % name,
          client.post(place + "/resume").status == 409)
    check("%s: there is no incident" % name,
          client.get("/v1/incidents").json()["incidents"] == [])
    acts = [(a["kind"], a["account"], a["result"], a["detail"])
            for a in client.get("/v1/audit").json()["audit"]]
    check("%s: the audit has both" % name,
          ("suspendSpecification", "admin", "done", "wrong") in acts and
          ("resumeSpecification", "admin", "done", "mended") in acts, acts)
    server.close()


def together():
    """What one node pauses is paused on another, and resumed there."""
    if not has_postgresql():
        skip("pausing on several nodes", "there is no PostgreSQL")
        return
    schema = Schema()
    one = Server(db=schema.url)
    other = Server(db=schema.url, token=one.token)
    near, far = one.client(), other.client()
    near.call("PUT", "/v1/services/pulled", {"kind": "pull", "uri": URI})
    key = near.load(process(URI))
    start(near, key, "a")
    pause(near, "pulled", "a flood")
    near.post("/v1/specifications/%s/suspend" % key)
    check("the other node hands out nothing",
          until(lambda: claim(far).get("paused")))
    check("and starts nothing", until(lambda: far.post(
        "/v1/cases", {"specification": key}).status == 409))
    far.post("/v1/services/pulled/resume")
    far.post("/v1/specifications/%s/resume" % key)
    check("what it resumes is resumed", until(
        lambda: claim(near)["items"]) and near.post(
        "/v1/cases", {"specification": key}).status == 201)
    one.close()
    other.close()
    schema.close()


def rights():
    server = Server()
    client = server.client()
    client.call("PUT", "/v1/services/pulled", {"kind": "pull", "uri": URI})
    key = client.load("sequence.yawl")
    worker = server.client(server.add_account("will", "worker", 1))
    one = server.client(server.add_account(
        "olga", "worker", 1, ("operate service:pulled",
                              "suspend process:%s" % client.get(
                                  "/v1/specifications/" + key)
                              .json()["identifier"])))
    for path in ("/v1/services/pulled/pause",
                 "/v1/specifications/%s/suspend" % key):
        check("a worker may not " + path, worker.post(path).status == 403)
        check("who may for this one, may " + path,
              one.post(path).status == 200)
    check("what is not there is not paused",
          pause(client, "other").status == 404 and client.post(
              "/v1/specifications/0123456789abcdef/suspend").status == 404)
    check("a reason is a sentence", client.post(
        "/v1/services/pulled/resume", {"reason": ""}).status == 400)
    server.close()


run(*on_each(pull, "pulling"), *on_each(push, "pushing"),
    *on_each(suspend, "suspending"), together, rights)
end()
