# SPDX-License-Identifier: Apache-2.0
"""Subscriptions: who is notified of ended cases, incidents and lost workers; in
groups, signed, in order, again until it is acknowledged."""
import contextlib
import email
import itertools
import json
import os
import re
import signal
import socket
import subprocess
import threading

from checks import check, end, run, skip, until
from people import process
from receiver import Receiver, is_signed
from server import ROOT, WEFT, Server
from smtp import Smtp, subject_of, text_of
from stores import Schema, has_postgresql, on_each

ALLOW = ["--allow-address", "127.0.0.1"]
SECRET = "0123456789abcdef-secret"


def failing():
    """A timer expires, and then the output of its item does not fit."""
    with open(os.path.join(ROOT, "examples", "sequence.yawl")) as file:
        return file.read().replace("UID_WeftSequence", "UID_Failing").replace(
            "{/Ask/destination/text()}", "{1 idiv 0}").replace(
            "</completedMappings>", "</completedMappings><timer><trigger>"
            "OnEnabled</trigger><duration>PT0.2S</duration></timer>", 1)


def subscribe(client, name, body):
    answer = client.call("PUT", "/v1/subscriptions/" + name, body)
    check("%s is added" % name, answer.status == 201, answer)
    return answer.json()


def show(client, name):
    return client.get("/v1/subscriptions/" + name).json()


def cancel(client, key, *names):
    for name in names:
        answer = client.post("/v1/cases", {
            "specification": key, "case": name, "title": "Order " + name})
        check("%s is started" % name, answer.status == 201, answer)
        client.post("/v1/cases/%s/cancel" % name, {})


def kinds(events):
    return [(event["event"], event.get("case")) for event in events]


def webhook(name, db):
    receiver = Receiver()
    server = Server(db=db, arguments=ALLOW)
    client = server.client()
    key = client.load(process("plain", [("A", "")]))
    other = client.load(process("other", [("B", "")]))
    # Fails first: nothing is lost, and what comes meanwhile comes after it.
    receiver.answers["/all"] = [500, 503]
    added = subscribe(client, "all", {
        "url": receiver.url + "/all", "window": "PT0.2S"})
    secret = added.get("secret", "")
    check("%s: it has a secret, all events and its window" % name,
          len(secret) == 64 and len(added["events"]) == 5 and
          added["window"] == "PT0.200S" and added["state"] == "active" and
          added["by"] == "admin" and added["waiting"] == 0, added)
    check("%s: which is shown once" % name,
          "secret" not in show(client, "all") and secret not in str(
              client.get("/v1/subscriptions").json()))
    # Several before the window is over go into one notification.
    subscribe(client, "few", {
        "url": receiver.url + "/few", "window": "PT2S",
        "events": ["case_cancelled"], "specification": "plain"})
    cancel(client, key, "a", "b", "c")
    cancel(client, other, "d")
    events = receiver.wait_for(4, "/all")
    check("%s: all arrive in order, though it failed first" % name,
          kinds(events) == [("case_cancelled", case) for case in "abcd"],
          events)
    first = [one for one in receiver.requests if one[0] == "/all"]
    check("%s: it was tried until it was acknowledged" % name,
          [one[3] for one in first][:3] == [500, 503, 204] and
          json.loads(first[2][2])["attempt"] == 3, first)
    check("%s: the failed ones had the same events" % name,
          json.loads(first[0][2])["events"][0] == events[0], first[0])
    check("%s: each is signed" % name,
          all(is_signed(one, secret) for one in first))
    check("%s: an event says what happened" % name,
          events[0]["title"] == "Order a" and events[0]["uri"] == "plain" and
          events[0]["specification"] == key and
          len({event["id"] for event in events}) == 4, events[0])
    few = receiver.wait_for(3, "/few")
    check("%s: a group has what comes in the window" % name,
          kinds(few) == [("case_cancelled", case) for case in "abc"], few)
    check("%s: in one notification" % name,
          len(receiver.notifications("/few")) == 1,
          receiver.notifications("/few"))
    # A completed case; and an incident wakes.
    client.post("/v1/cases", {"specification": key, "case": "e"})
    item = client.post("/v1/items:claim", {}).json()["items"][0]
    client.post("/v1/items/%s/complete?fence=%d" % (
        item["item"], item["fence"]), {})
    client.post("/v1/cases", {
        "specification": client.load(failing()), "case": "f"})
    events = receiver.wait_for(6, "/all")[4:]
    check("%s: a completed case, and an incident" % name,
          kinds(events) == [("case_completed", "e"),
                            ("incident_opened", "f")], events)
    incident = client.get("/v1/incidents").json()["incidents"][0]
    found = events[-1]["incident"]
    check("%s: which is that of the list" % name,
          found["incident"] == incident["incident"] and
          found["code"] == incident["code"] and
          found["text"] == incident["text"], found, incident)
    # A worker that does not come back.
    client.post("/v1/cases", {"specification": key, "case": "g"})
    client.post("/v1/items:claim", {"task": "A", "lease": "PT1S"})
    event = receiver.wait_for(7, "/all")[6]
    check("%s: a lost worker" % name,
          event["event"] == "worker_lost" and event["worker"] == "admin" and
          event["item"] == "g.1:A" and event["task"] == "A", event)
    check("%s: the other one got none of it" % name,
          len(receiver.events("/few")) == 3)
    # The secret is replaced: a signature with the old one is wrong.
    rotated = client.post("/v1/subscriptions/all/secret", {}).json()["secret"]
    client.post("/v1/subscriptions/all/test", {})
    event = receiver.wait_for(8, "/all")[7]
    last = [one for one in receiver.requests if one[0] == "/all"][-1]
    check("%s: another secret, and a test" % name,
          event["event"] == "test" and is_signed(last, rotated) and
          not is_signed(last, secret), event)
    server.close()
    receiver.close()


def apart(name, db):
    """A dead receiver holds up nobody; a restart loses nothing; one that was
    removed gets nothing."""
    dead = Receiver()
    receiver = Receiver()
    server = Server(db=db, arguments=ALLOW)
    client = server.client()
    key = client.load(process("plain", [("A", "")]))
    dead.answers["/"] = ["hang"]
    subscribe(client, "dead", {"url": dead.url, "window": "PT0S"})
    subscribe(client, "good", {"url": receiver.url, "window": "PT0S"})
    cancel(client, key, "a")
    dead.wait(lambda d: len(d.requests) == 1)
    cancel(client, key, "b")
    check("%s: one that does not answer holds up no other" % name,
          kinds(receiver.wait_for(2)) == [
              ("case_cancelled", "a"), ("case_cancelled", "b")])
    check("%s: its events wait" % name,
          show(client, "dead")["waiting"] == 2, show(client, "dead"))
    # Paused: events wait, also over the end of the server.
    answer = client.post("/v1/subscriptions/good/pause", {"reason": "night"})
    check("%s: it is paused" % name, answer.json()["state"] == "paused" and
          answer.json()["paused"]["reason"] == "night", answer)
    check("%s: but not twice" % name, client.post(
        "/v1/subscriptions/good/pause", {}).status == 409)
    cancel(client, key, "c")
    server.stop(signal.SIGKILL)
    done = subprocess.run([WEFT, "db", "check", "--quiet", "--db", server.db],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    check("%s: the store is whole" % name, done.returncode == 0, done.stdout)
    dead.answers.clear()
    server.start()
    client = server.client()
    check("%s: after the end of the server they are there" % name,
          kinds(dead.wait_for(3)) == [
              ("case_cancelled", case) for case in "abc"], dead.requests)
    check("%s: those of the paused one wait" % name,
          len(receiver.events()) == 2 and
          show(client, "good")["waiting"] == 1, show(client, "good"))
    check("%s: it is resumed" % name, client.post(
        "/v1/subscriptions/good/resume", {}).json()["state"] == "active")
    check("%s: and gets what waited" % name,
          kinds(receiver.wait_for(3))[2:] == [("case_cancelled", "c")])
    check("%s: resumed once" % name, client.post(
        "/v1/subscriptions/good/resume", {}).status == 409)
    client.post("/v1/subscriptions/dead/pause", {})
    cancel(client, key, "d")
    receiver.wait_for(4)
    check("%s: it is removed, with what waits" % name, client.call(
        "DELETE", "/v1/subscriptions/dead").status == 204)
    before = len(dead.requests)
    subscribe(client, "dead", {"url": dead.url, "window": "PT0S"})
    cancel(client, key, "e")
    check("%s: one of its name gets what happens from then on" % name,
          kinds(dead.wait_for(4))[3:] == [("case_cancelled", "e")] and
          len(dead.requests) == before + 1, dead.requests)
    client.call("DELETE", "/v1/subscriptions/dead")
    cancel(client, key, "f")
    receiver.wait_for(6)
    check("%s: a removed one gets nothing" % name,
          len(dead.requests) == before + 1, dead.requests)
    check("%s: and is not found" % name,
          client.get("/v1/subscriptions/dead").status == 404 and
          client.call("DELETE", "/v1/subscriptions/dead").status == 404)
    server.close()
    receiver.close()
    dead.close()


def hanging(name, db):
    """Many receivers that never answer leave places to the others."""
    places = []
    for _ in range(200):
        place = socket.socket()
        place.bind(("127.0.0.1", 0))
        place.listen(8)
        place.setblocking(False)
        places.append(place)
    receiver = Receiver()
    server = Server(db=db, arguments=ALLOW)
    client = server.client()
    key = client.load(process("plain", [("A", "")]))
    for number, place in enumerate(places):
        client.post("/v1/cases", {
            "specification": key, "case": "h%d" % number,
            "observer": "http://127.0.0.1:%d/" % place.getsockname()[1]})
        client.post("/v1/cases/h%d/cancel" % number, {})
    subscribe(client, "good", {"url": receiver.url, "window": "PT0S"})
    cancel(client, key, "a")
    check("%s: a receiver that answers is notified" % name,
          kinds(receiver.wait_for(1)) == [("case_cancelled", "a")])
    # Each call to another one takes ten seconds.
    called = 0
    for place in places:
        with contextlib.suppress(BlockingIOError):
            place.accept()[0].close()
            called += 1
    check("%s: before all others were called" % name, 0 < called < 150, called)
    server.close()
    receiver.close()
    for place in places:
        place.close()


def slow(name, db):
    """What waits for a receiver that answers slowly is bounded, too."""
    receiver = Receiver()
    other = Receiver()
    server = Server(db=db, arguments=ALLOW + ["--events-waiting", "3"])
    client = server.client()
    key = client.load(process("plain", [("A", "")]))
    subscribe(client, "woken", {
        "url": other.url, "events": ["incident_opened"]})
    subscribe(client, "slow", {"url": receiver.url, "window": "PT0S"})
    receiver.held = threading.Semaphore(0)
    # A notification, of at most 100 events, is answered after 105 new ones.
    cases = itertools.count()
    while not other.events() and next(cases) < 20000:
        for _ in range(105):
            number = next(cases)
            client.post("/v1/cases", {
                "specification": key, "case": "s%d" % number})
            client.post("/v1/cases/s%d/cancel" % number, {})
        receiver.held.release()
    event = other.wait_for(1)[0]
    check("%s: too many events wait for one that answers slowly" % name,
          "slow was stopped" in event["incident"]["text"] and
          event["incident"]["text"].endswith("more than 3 events wait"), event)
    check("%s: it is stopped" % name, show(client, "slow")["state"] ==
          "stopped" and len(receiver.requests) > 1, show(client, "slow"))
    receiver.held.release()
    server.close()
    receiver.close()
    other.close()


def given_up(name, db):
    """Nothing arrives for too long: it is stopped, and an incident says so."""
    dead = Receiver()
    receiver = Receiver()
    server = Server(db=db, arguments=ALLOW + ["--events-kept", "3s",
                                         "--events-waiting", "5"])
    client = server.client()
    key = client.load(process("plain", [("A", "")]))
    dead.answers["/"] = [500] * 100
    subscribe(client, "dead", {"url": dead.url, "window": "PT0S"})
    subscribe(client, "good", {
        "url": receiver.url, "window": "PT0S", "events": ["incident_opened"]})
    cancel(client, key, "a")
    dead.wait(lambda d: len(d.requests) >= 2)
    until(lambda: "failing" in show(client, "dead") or
          show(client, "dead")["state"] == "stopped")
    listed = client.get("/v1/subscriptions").json()["subscriptions"]
    check("%s: the list says how many wait, and why" % name, [
        row["waiting"] for row in listed if row["name"] == "good"] == [0] and
        all(row["waiting"] > 0 and "HTTP 500" in row["failing"]["reason"]
            for row in listed if row["state"] == "failing"), listed)
    event = receiver.wait_for(1)[0]
    check("%s: an incident wakes the others" % name,
          event["incident"]["code"] == "subscription" and
          "dead" in event["incident"]["text"] and "case" not in event, event)
    until(lambda: show(client, "dead")["state"] == "stopped")
    stopped = show(client, "dead")
    check("%s: it is stopped, and nothing waits" % name,
          stopped["state"] == "stopped" and stopped["waiting"] == 0 and
          "HTTP 500" in stopped["stopped"]["reason"], stopped)
    listed = subprocess.run(
        [WEFT, "subscription", "list", "--server",
         "http://127.0.0.1:%d" % server.port], stdout=subprocess.PIPE,
        env=dict(os.environ, WEFT_TOKEN=server.token)).stdout.decode()
    check("%s: a table marks what it cuts" % name,
          re.search(r": nothing has arrived for 3 .*\.\.  ", listed) and
          "HTTP 500" not in listed, listed)
    check("%s: there is one incident" % name, [
        row["code"] for row in client.get("/v1/incidents").json()["incidents"]
    ] == ["subscription"])
    number = client.get("/v1/incidents").json()["incidents"][0]["incident"]
    check("%s: which is logged and counted like others" % name, any(
        '"event": "incident"' in line and '"incident": %d,' % number in line and
        '"code": "subscription"' in line and "the subscription dead" in line
        for line in server.read_log().splitlines()) and
        "\nweft_incidents_opened_total 1\n" in
        client.get("/metrics").body.decode(), server.read_log())
    refused = client.post("/v1/incidents/%d/retry" % number)
    check("%s: it cannot be retried" % name, refused.status == 409 and
          "has nothing to retry" in refused.json()["detail"], refused)
    check("%s: nor with all" % name, client.post(
        "/v1/incidents:retry", {"all": True}).json() == {"retried": 0} and
        len(client.get("/v1/incidents").json()["incidents"]) == 1)
    check("%s: it gets nothing, not even a test" % name, client.post(
        "/v1/subscriptions/dead/test", {}).status == 409)
    dead.answers.clear()
    before = len(dead.requests)
    check("%s: it is resumed" % name, client.post(
        "/v1/subscriptions/dead/resume", {}).json()["state"] == "active")
    cancel(client, key, "b")
    check("%s: and gets what happens from then on" % name,
          kinds(dead.wait_for(1)) == [("case_cancelled", "b")] and
          len(dead.requests) == before + 1, dead.requests)
    check("%s: its incident is dropped" % name, client.post(
        "/v1/incidents/%d/drop" % number, {"reason": "seen"}).status == 200)
    # Too many events wait for one that is paused.
    subscribe(client, "idle", {"url": dead.url, "window": "PT0S"})
    client.post("/v1/subscriptions/idle/pause", {})
    cancel(client, key, *"cdefgh")
    event = receiver.wait_for(2)[1]
    check("%s: too many events wait" % name,
          "more than 5 events wait" in event["incident"]["text"], event)
    # A failing one is called at once when it has another URL.
    dead.answers["/bad"] = [500] * 100
    subscribe(client, "moved", {"url": dead.url + "/bad", "window": "PT0S"})
    cancel(client, key, "i")
    dead.wait(lambda d: len(d.notifications("/bad", 500)) == 2)
    client.call("PUT", "/v1/subscriptions/moved", {"url": dead.url + "/new"})
    check("%s: another URL gets what waited" % name,
          kinds(dead.wait_for(1, "/new")) == [("case_cancelled", "i")])
    check("%s: the log says so" % name,
          "notification_given_up" in server.read_log())
    server.close()
    receiver.close()
    dead.close()


def taken_over(name, db):
    """A server that starts counts failures on from the first one."""
    dead = Receiver()
    server = Server(db=db, arguments=ALLOW)
    client = server.client()
    key = client.load(process("plain", [("A", "")]))
    dead.answers["/"] = [500] * 100
    subscribe(client, "dead", {"url": dead.url, "window": "PT0S"})
    cancel(client, key, "a")
    until(lambda: show(client, "dead").get("failing", {}).get("attempts"))
    before = show(client, "dead")["failing"]
    server.stop()
    server.start()
    client = server.client()
    count = len(dead.requests)
    dead.wait(lambda d: len(d.requests) >= count + 2)
    after = until(lambda: show(client, "dead")["failing"]["attempts"] >
                  before["attempts"] and show(client, "dead")["failing"])
    check("%s: it has failed since the first time" % name,
          after["since"] == before["since"] and "HTTP 500" in after["reason"],
          (before, after))
    server.close()
    dead.close()


def aged():
    """Events that have waited for days, in a long window or for a paused
    service: the age of an event is no failure."""
    receiver = Receiver()
    server = Server(db="memory:", arguments=ALLOW + ["--test"])
    client = server.client()
    key = client.load(process("plain", [("A", "")]))
    receiver.answers["/url"] = [503]
    subscribe(client, "url", {"url": receiver.url + "/url", "window": "PT1H"})
    client.call("PUT", "/v1/services/boss", {
        "kind": "push", "uri": receiver.url + "/boss", "secret": SECRET})
    client.post("/v1/services/boss/pause", {"reason": "holidays"})
    subscribe(client, "boss", {"service": "boss", "window": "PT0S"})
    cancel(client, key, "a")
    client.post("/v1/test/clock", {"advance": "P4D"})
    check("what arrives late, and fails once, is not given up", kinds(
        receiver.wait_for(1, "/url")) == [("case_cancelled", "a")] and
        until(lambda: show(client, "url")["state"] == "active"),
        show(client, "url"))
    check("nor is what waits for a paused service",
          show(client, "boss")["state"] == "active" and
          "failing" not in show(client, "boss"), show(client, "boss"))
    client.post("/v1/services/boss/resume", {})
    check("it arrives when the service is resumed", kinds(
        receiver.wait_for(1, "/boss")) == [("case_cancelled", "a")])
    server.close()
    receiver.close()


def observers(name, db):
    receiver = Receiver()
    server = Server(db=db, arguments=ALLOW)
    client = server.client()
    key = client.load(process("plain", [("A", "")]))
    client.call("PUT", "/v1/services/boss", {
        "kind": "push", "uri": receiver.url + "/boss", "secret": SECRET})
    receiver.answers["/a?x=1"] = [500]
    client.post("/v1/cases", {"specification": key, "case": "a",
                              "observer": receiver.url + "/a?x=1"})
    client.post("/v1/cases", {"specification": key, "case": "n"})
    client.post("/v1/cases", {"specification": client.load(failing()),
                              "case": "f", "observer": "boss"})
    for case in ("n", "a"):
        client.post("/v1/cases/%s/cancel" % case, {})
    events = receiver.wait_for(1, "/a?x=1")
    check("%s: the observer of a case is notified of its end" % name,
          kinds(events) == [("case_cancelled", "a")] and
          receiver.notifications("/a?x=1")[0]["observer"] ==
          receiver.url + "/a?x=1", receiver.requests)
    events = receiver.wait_for(1, "/boss")
    check("%s: a service, of an incident" % name,
          kinds(events) == [("incident_opened", "f")], events)
    client.post("/v1/cases/f/cancel", {})
    events = receiver.wait_for(2, "/boss")
    check("%s: and of the end" % name,
          kinds(events)[1:] == [("case_cancelled", "f")], events)
    signed = [one for one in receiver.requests if one[0] == "/boss"]
    check("%s: signed with the secret of the service" % name,
          signed and all(is_signed(one, SECRET) for one in signed))
    check("%s: nobody of a case without an observer" % name,
          all(event["case"] != "n" for event in receiver.events()))
    # A start that is delayed keeps it, and the command line names it.
    done = subprocess.run(
        [WEFT, "case", "start", "plain", "--id", "c", "--delay", "PT0.5S",
         "--observer", receiver.url + "/c", "--server",
         "http://127.0.0.1:%d" % server.port],
        env=dict(os.environ, WEFT_TOKEN=server.token),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    check("%s: weft case start --observer" % name, done.returncode == 0,
          done.stdout)
    until(lambda: client.get("/v1/cases/c").status == 200)
    client.post("/v1/cases/c/cancel", {})
    check("%s: a delayed start has an observer" % name,
          kinds(receiver.wait_for(1, "/c")) == [("case_cancelled", "c")])
    for wrong in ("ftp://x/", "http://", "nobody", "http://u:p@x/", "x" * 1001):
        answer = client.post("/v1/cases", {
            "specification": key, "observer": wrong})
        check("%s: %.20s is no observer" % (name, wrong),
              answer.status == 400 and "observer" in
              answer.json()["detail"], answer)
    server.close()
    receiver.close()


def mail(name, db):
    smtp = Smtp()
    server = Server(db=db, arguments=[
        "--people", "--mail-server", "smtp://127.0.0.1:%d" % smtp.port,
        "--mail-from", "weft@example.org"])
    client = server.client()
    key = client.load(process("plain", [("A", "")]))
    person = client.post("/v1/people", {
        "user": "eve", "email": "eve@example.org"}).json()["id"]
    smtp.refuse["ops@example.org"] = ["451 not now"]
    subscribe(client, "ops", {"mail": "ops@example.org"})
    subscribe(client, "eve", {"participant": person,
                              "events": ["incident_opened"]})
    cancel(client, key, "a", "b")
    client.post("/v1/cases", {
        "specification": client.load(failing()), "case": "f"})
    smtp.wait(lambda: {to for to, _ in smtp.mails} == {
        "ops@example.org", "eve@example.org"})
    texts = {}
    for to, text in smtp.mails:
        message = email.message_from_bytes(text)
        texts.setdefault(to, []).append(
            (subject_of(message), text_of(message)))
    subject, text = texts["eve@example.org"][0]
    check("%s: somebody is woken by an incident" % name,
          subject == "Weft: an incident was opened, or has failed again "
          "(case f)" and "incident: 1," in text and "case: f" in text, texts)
    check("%s: another one by all, when it is taken" % name,
          any("case: a" in text for _, text in texts["ops@example.org"]),
          texts)
    server.close()
    smtp.close()


def nodes():
    """Two servers of a store: one of them notifies, whichever has committed;
    the other one when that was killed."""
    if not has_postgresql():
        skip("subscriptions of two nodes", "there is no server to test on")
        return
    receiver = Receiver()
    schema = Schema()
    servers = [Server(db=schema.url, arguments=ALLOW)]
    servers.append(Server(db=schema.url, arguments=ALLOW,
                          token=servers[0].token))
    clients = [server.client() for server in servers]
    key = clients[0].load(process("plain", [("A", "")]))
    subscribe(clients[0], "all", {"url": receiver.url, "window": "PT0S"})
    until(lambda: clients[1].get("/v1/subscriptions/all").status == 200)
    cancel(clients[0], key, "a")
    cancel(clients[1], key, "b")
    check("each event arrives once", kinds(receiver.wait_for(2)) == [
        ("case_cancelled", "a"), ("case_cancelled", "b")], receiver.requests)
    for number, case in ((0, "c"), (1, "d")):
        cancel(clients[1 - number], key, case)
        receiver.wait(lambda r: len(r.events()) > number + 2)
        servers[number].stop(signal.SIGKILL)
        if number == 0:
            servers[0].start()
            clients[0] = servers[0].client()
    cancel(clients[0], key, "e")
    receiver.wait(lambda r: ("case_cancelled", "e") in kinds(r.events()))
    found = {event["id"]: event for event in receiver.events()}
    check("none is lost when servers are killed",
          kinds(found.values()) == [
              ("case_cancelled", case) for case in "abcde"], receiver.requests)
    for server in servers:
        server.close()
    schema.close()
    receiver.close()


def refuse():
    server = Server()
    client = server.client()
    good = {"url": "http://example.org/hook"}
    for what, body in (
            ("nobody", {}), ("two", {**good, "service": "x"}),
            ("no URL", {"url": "hook"}), ("another scheme", {"url": "ftp://x/"}),
            ("a password", {"url": "http://u:p@x/"}),
            ("no host", {"url": "http://"}), ("a number", {"url": 7}),
            ("this machine", {"url": "http://127.0.0.1:9/"}),
            ("a private address", {"url": "http://[fd00::1]/"}),
            ("a NUL", {"url": "http://x/\0"}),
            ("a long one", {"url": "http://x/" + "y" * 1000}),
            ("no such service", {"service": "nobody"}),
            ("no such person", {"participant": "nobody"}),
            ("mail without a server", {"mail": "a@b"}),
            ("no event", {**good, "events": []}),
            ("an unknown one", {**good, "events": ["sunrise"]}),
            ("no list", {**good, "events": "case_completed"}),
            ("no duration", {**good, "window": "soon"}),
            ("a long window", {**good, "window": "PT2H"}),
            ("what is unknown", {**good, "colour": "red"})):
        answer = client.call("PUT", "/v1/subscriptions/bad", body)
        check("%s is refused" % what, answer.status == 400 and
              answer.json()["code"] == "invalid", answer)
    for bad in ("a%20b", "n" * 101):
        check("%.10s is no name" % bad, client.call(
            "PUT", "/v1/subscriptions/" + bad, good).status == 400)
    check("there is none", client.get("/v1/subscriptions").json() == {
        "subscriptions": []})
    for number in range(100):
        client.call("PUT", "/v1/subscriptions/s%d" % number, good)
    answer = client.call("PUT", "/v1/subscriptions/more", good)
    check("there are not more than 100", answer.status >= 400 and
          len(client.get("/v1/subscriptions").json()["subscriptions"]) == 100,
          answer)
    replaced = client.call("PUT", "/v1/subscriptions/s1", {
        **good, "events": ["worker_lost"]})
    check("one is replaced, and keeps its secret", replaced.status == 200 and
          "secret" not in replaced.json() and
          replaced.json()["events"] == ["worker_lost"], replaced)
    reader = server.client(server.add_account("rita", "reader", 1))
    check("who may read sees them, and changes none",
          len(reader.get("/v1/subscriptions").json()["subscriptions"]) == 100
          and reader.call("PUT", "/v1/subscriptions/s1", good).status == 403
          and reader.post("/v1/subscriptions/s1/pause", {}).status == 403)
    operator = server.client(server.add_account("otto", "operator", 1))
    check("who operates pauses and tests them",
          operator.post("/v1/subscriptions/s1/pause", {}).status == 200 and
          operator.post("/v1/subscriptions/s1/test", {}).status == 202 and
          operator.post("/v1/subscriptions/s1/secret", {}).status == 403 and
          operator.call("DELETE", "/v1/subscriptions/s1").status == 403)
    stranger = server.client(server.add_account("zoe", "admin", 2))
    check("another namespace has none", stranger.get(
        "/v1/subscriptions").json() == {"subscriptions": []} and
        stranger.get("/v1/subscriptions/s1").status == 404)

    def weft(*words):
        done = subprocess.run(
            [WEFT, "subscription", *words, "--server",
             "http://127.0.0.1:%d" % server.port],
            env=dict(os.environ, WEFT_TOKEN=server.token),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout.decode()

    for name in ("s1", "s2", "s3"):
        check("weft subscription remove",
              weft("remove", name)[0] == 0)
    code, text = weft("add", "night", "https://example.org/hook", "--events",
                      "incident_opened,worker_lost", "--window", "PT5S")
    check("weft subscription add", code == 0 and "secret" in text, text)
    code, text = weft("show", "night", "--json")
    check("weft subscription show", json.loads(text)["events"] == [
        "incident_opened", "worker_lost"] and
        json.loads(text)["window"] == "PT5S", text)
    check("weft subscription list", "night" in weft("list")[1])
    code, text = weft("add", "typo", "https://example.org/hook",
                      "--specification", "nosuch")
    check("a specification that is not there is a warning", code == 0 and
          "no specification has the URI or the key nosuch" in text, text)
    key = client.load(process("plain", [("A", "")]))
    check("one that is there is none", all(
        "warning" not in client.call("PUT", "/v1/subscriptions/typo", {
            **good, "specification": known}).json()
        for known in ("plain", key)))
    client.call("DELETE", "/v1/subscriptions/typo")
    check("weft subscription pause, resume, test, secret", [
        weft(word, "night")[0] for word in (
            "pause", "resume", "test", "secret")] == [0, 0, 0, 0])
    code, text = weft("add", "night", "nobody")
    check("TO must be one of four", code != 0 and "service:NAME" in text, text)
    server.close()


run(*on_each(webhook, "subscriptions"), *on_each(apart, "their order"),
    *on_each(hanging, "receivers that hang"), *on_each(slow, "slow receivers"),
    *on_each(given_up, "giving up"),
    *on_each(taken_over, "failing for longer"),
    *on_each(observers, "observers"), *on_each(mail, "mail of events"), aged, nodes, refuse)
end()
