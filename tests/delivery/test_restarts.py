# SPDX-License-Identifier: Apache-2.0
"""Deliveries while servers and services are killed: nothing lost or twice."""
import collections
import os
import random
import threading
import time

from fake import SECRET, Fake, items, process
from checks import SOAK, check, end, run, skip, until
from ports import free_port
from server import Server
from stores import Schema, has_postgresql

ALLOW = ("--allow-address", "127.0.0.0/8")
SEED = int(os.environ.get("WEFT_SEED", "1"))


def put(client, uri, name="one", **more):
    answer = client.call("PUT", "/v1/services/" + name, {
        "kind": "push", "uri": uri, "secret": SECRET, "delay": "PT0.1S",
        "cap": "PT0.5S", "attempts": 1000, **more})
    if answer.status not in (200, 201):
        raise RuntimeError(repr(answer))


class Moody:
    """A service that is slow, fails, hangs up, answers late or wrongly."""

    def __init__(self, chance):
        self.chance = chance
        self.done = collections.Counter()
        self.failed = 0
        self.lock = threading.Lock()

    def __call__(self, call):
        body = call.json()
        with self.lock:
            mood = self.chance.random()
            # An answer that is late need not be too late.
            if body["event"] == "item" and (mood < 0.6 or 0.7 <= mood < 0.8):
                self.done[body["item"]] += 1
            self.failed += body["event"] == "item" and mood >= 0.5
        if body["event"] != "item":
            return (200, None) if mood < 0.8 else (500, None)
        if mood < 0.5:
            return 200, {"y": 1}
        if mood < 0.6:  # it was done, and nobody hears of it
            return None
        if mood < 0.7:
            time.sleep(self.chance.random() * 0.3)
            return 500, b"later"
        if mood < 0.8:
            time.sleep(1.2)  # longer than the time-out
            return 200, {"y": 2}
        return (503, None) if mood < 0.9 else None


def settled(client, cases):
    listed = client.get("/v1/cases?limit=1000").json()["cases"]
    return sum(c["status"] == "completed" for c in listed) == cases


def torment(server, fake, moody, chance, nodes=()):
    client = server.client()
    put(client, fake.uri, timeout="PT1S")
    until(lambda: all(
        node.client().get("/v1/services/one").status == 200
        for node in nodes))
    key = client.load(process(fake.uri))
    cases = 200 if SOAK else 40
    rounds = 20 if SOAK else 4
    began = 0
    for turn in range(rounds):
        for _ in range(cases // rounds):
            answer = client.post("/v1/cases", {"specification": key,
                                               "case": "c%d" % began})
            began += answer.status == 201
        time.sleep(chance.random() * 0.6)
        if turn % 2 == 0:
            victim = chance.choice([server, *nodes])
            victim.stop(9)
            victim.start()
            client = server.client()
        else:
            fake.close()
            time.sleep(chance.random() * 0.5)
            fake.open(fake.port)
    check("cases were started", began == cases, began)
    check("all cases end, whichever process was killed",
          until(lambda: settled(client, began)),
          client.get("/v1/cases?status=running"),
          client.get("/v1/incidents"))
    check("no incident is left",
          client.get("/v1/incidents").json() == {"incidents": []})
    check("the service failed often", moody.failed > began / 4, moody.failed)
    check("each was handed over", len(moody.done) == began, moody.done)
    keys = collections.defaultdict(set)
    for call in fake.calls:
        if items(call):
            keys[call.json()["item"]].add(call.headers["Idempotency-Key"])
    check("an item has one key, however often it comes",
          all(len(k) == 1 for k in keys.values()), keys)


def one_node():
    chance = random.Random(SEED)
    moody = Moody(chance)
    fake = Fake(moody, free_port())
    server = Server(arguments=ALLOW)
    torment(server, fake, moody, chance)
    server.close()
    fake.close()


def several_nodes():
    if not has_postgresql():
        skip("deliveries by several nodes", "there is no PostgreSQL")
        return
    chance = random.Random(SEED + 1)
    moody = Moody(chance)
    fake = Fake(moody, free_port())
    schema = Schema()
    server = Server(db=schema.url, arguments=ALLOW)
    others = [Server(db=schema.url, arguments=ALLOW, token=server.token)
              for _ in range(2)]
    torment(server, fake, moody, chance, others)
    for one in [server, *others]:
        one.close()
    schema.close()
    fake.close()


def many_services():
    """A service that does not answer delays no other."""
    server = Server(arguments=ALLOW)
    client = server.client()
    fake = Fake(lambda call: (200, {"y": 1}))
    gate = threading.Event()
    stuck = Fake(lambda call: (gate.wait(300), (200, {"y": 1}))[1])
    services = 1000 if SOAK else 100
    uris = []
    for i in range(services):
        uris.append("http://127.0.0.1:%d/x?%d" % (fake.port, i))
        put(client, uris[-1], "s%d" % i)
    put(client, stuck.uri, "stuck", concurrency=2, timeout="PT300S")
    slow = client.load(process(stuck.uri, name="Slow"))
    for i in range(60):
        client.post("/v1/cases", {"specification": slow, "case": "z%d" % i})
    wide = client.load(process(*uris[:50], name="Wide"))
    client.post("/v1/cases", {"specification": wide, "case": "wide"})
    check("items of many services are all done", until(
        lambda: client.get("/v1/cases/wide").json()["status"] == "completed"),
        client.get("/v1/items?case=wide"))
    check("while another is stuck, which gets no more at a time than it takes",
          len(stuck.wait(2)) == 2, len(stuck.calls))
    gate.set()
    server.close()
    fake.close()
    stuck.close()


run(one_node, several_nodes, many_services)
end()
