#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients of servers that are killed, and the proof that nothing was lost.

usage: clients.py WEFT FOLDER URL SEED KILLS NODES [no-keys]

NODES servers run on the store URL, in FOLDER. 32 clients, each with a
connection of its own, start cases of count.yawl and complete their items, one
command after the other; every fourth of them does items of people, who accept
them, give them back, pass them on, start and complete them. A command without
an answer, or with an answer that leaves the outcome unknown, is sent again with
the same Idempotency-Key, to any server; now and then an answered command is
sent again too. KILLS times a server is killed at a random instant and started
again. Then the records of the clients are compared with the answers of the
servers: the list of cases, their states, their histories, and the worklists of
the people.

no-keys: the clients send no keys, so their commands are done twice; the proof
must fail.

The last line says what was done; exit code 1: something is wrong."""
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "rest"))
import whereabouts  # noqa: E402,F401
from people import FREE, process, resourcing  # noqa: E402
from ports import free_port  # noqa: E402

CLIENTS = 32
ITEMS = 10
USERS = ("anna", "ben", "cara")
PRIVILEGES = "".join(
    "<privilege><name>%s</name><allowall>true</allowall></privilege>" % name
    for name in ("canDeallocate", "canDelegate", "canReallocateStateful",
                 "canSuspend"))
ENOUGH = 600  # answers, or it would prove little
TRIES = 1200.0  # seconds after which a command is given up

complaints = []
lock = threading.Lock()


def complain(what):
    with lock:
        complaints.append(what)


class Node:
    """A server on a port that stays the same."""

    def __init__(self, weft, folder, url):
        self.words = [weft, "serve", "--people", "--db", url]
        self.folder = folder
        self.port = free_port()
        self.process = None

    def start(self):
        log = open(os.path.join(self.folder, "log"), "ab")
        self.process = subprocess.Popen(
            self.words + ["--listen", "127.0.0.1:%d" % self.port],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=log)
        log.close()
        # Its own line: another server may answer on the port.
        with self.process.stdout as said:
            if b"listening on" in said.readline():
                return
        with open(os.path.join(self.folder, "log")) as log:
            sys.exit("a server does not start: " + log.read()[-400:])

    def kill(self):
        if self.process.poll() is not None:
            complain("a server ended with %d before it was killed"
                     % self.process.returncode)
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait() != 0:
            complain("a server ends with %d" % self.process.returncode)


class Connection:
    """Sends to one of the nodes; after a failure to any of them."""

    def __init__(self, nodes, chance):
        self.nodes = nodes
        self.random = chance
        self.connection = None
        self.headers = {}

    def authorization(self):
        path = os.path.join(self.nodes[0].folder, "weft.token")
        with open(path, encoding="ascii") as file:
            return "Bearer " + file.read().strip()

    def connect(self):
        node = self.random.choice(self.nodes)
        self.headers = {"Authorization": self.authorization(),
                        "Content-Type": "application/json"}
        self.connection = http.client.HTTPConnection(
            "127.0.0.1", node.port, timeout=300)

    def ask(self, method, path, body=None, key=None):
        if self.connection is None:
            self.connect()
        headers = self.headers
        if key:
            headers = {**headers, "Idempotency-Key": key}
        try:
            self.connection.request(
                method, path, None if body is None else json.dumps(body),
                headers)
            answer = self.connection.getresponse()
            status, content = answer.status, json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError):
            self.connection.close()
            self.connection = None
            raise
        # A store that forgets has a new token, written once it listens.
        if status == 401 and \
                self.authorization() != self.headers["Authorization"]:
            self.connection.close()
            self.connection = None
            return self.ask(method, path, body, key)
        return status, content

    def see(self, path):
        status, answer = self.ask("GET", path)
        if status != 200:
            complain("%s: %d %s" % (path, status, answer))
            return {}
        return answer


class Client(threading.Thread):
    """Starts cases and completes their items; remembers the answers."""

    def __init__(self, number, nodes, seed, keys, over):
        super().__init__(daemon=True)
        self.number = number
        self.random = random.Random(seed * 1000 + number)
        self.connection = Connection(nodes, self.random)
        self.keys = keys
        self.over = over
        self.serial = 0
        self.cases = {}  # id: completions that were acknowledged
        self.answers = 0
        self.again = 0  # answered again
        self.broken = 0  # ended without an answer

    def send(self, path, body):
        """Sends until there is an answer, and returns it; None: refused."""
        self.serial += 1
        key = "%d-%d" % (self.number, self.serial) if self.keys else None
        end = time.monotonic() + TRIES
        while time.monotonic() < end:
            try:
                status, answer = self.connection.ask("POST", path, body, key)
            except (OSError, http.client.HTTPException, ValueError):
                self.broken += 1
                time.sleep(0.02)
                continue
            if status == 503:
                time.sleep(0.05)
                continue
            if status not in (200, 201):
                complain("%s: %d %s" % (path, status, answer))
                return None
            self.answers += 1
            if answer.pop("repeated", False):
                self.again += 1
            if self.random.random() < 0.08:
                self.forget(path, body, key, answer)
            return answer
        complain("%s: no answer" % path)
        return None

    def forget(self, path, body, key, first):
        """Repeats commands that were answered already."""
        try:
            status, answer = self.connection.ask("POST", path, body, key)
        except (OSError, http.client.HTTPException, ValueError):
            return
        if status == 503:
            return
        if not answer.pop("repeated", False) or answer != first:
            complain("%s: answered %s, and then %d %s"
                     % (path, first, status, answer))
        self.again += 1

    def do_case(self):
        body = {"specification": "Count"}
        if self.random.random() < 0.5:
            body["case"] = "own-%d-%d" % (self.number, self.serial)
        started = self.send("/v1/cases", body)
        if started is None:
            return False
        case = started["case"]
        if case in self.cases or started["sequence"] != 1:
            complain("a case is started twice: %s" % started)
        self.cases[case] = 0
        for n in range(ITEMS):
            if self.over.is_set():
                return False
            done = self.send(
                "/v1/items/%s:Count/complete" % case, {"n": n})
            if done is None:
                return False
            if done["sequence"] != n + 2:
                complain("completion %d of case %s is step %d"
                         % (n, case, done["sequence"]))
            self.cases[case] += 1
        return True

    def run(self):
        try:
            while not self.over.is_set() and self.do_case():
                pass
        except Exception as error:  # shown by the proof
            complain("client %d: %r" % (self.number, error))


class People(Client):
    """Does items of people; remembers what each step was, and where the item
    is: who may accept it, or who has it."""

    def __init__(self, number, nodes, seed, keys, over):
        super().__init__(number, nodes, seed, keys, over)
        self.places = {}

    def act(self, case, item, action, who, event, to=None):
        answer = self.send("/v1/items/%s/%s?for=%s" % (item, action, who),
                           {} if to is None else {"to": to})
        if answer is None:
            return None
        steps = self.cases[case]
        steps.append((event, to or who))
        if answer["sequence"] != len(steps):
            complain("%s of %s is step %d, not %d"
                     % (action, item, answer["sequence"], len(steps)))
        return answer

    def do_item(self, case, task):
        """False: it is not done."""
        item = "%s:%s" % (case, task)
        free = list(USERS)
        self.random.shuffle(free)
        who = free.pop()
        plan = [("accept", "ITEM_ALLOCATED")]
        if self.random.random() < 0.4:
            plan += [("deallocate", "ITEM_RETURNED"),
                     ("accept", "ITEM_ALLOCATED")]
        if self.random.random() < 0.4:
            plan.append(("delegate", "ITEM_ALLOCATED"))
        plan.append(("start", "ITEM_TAKEN"))
        if self.random.random() < 0.4:
            plan += [("suspend", "ITEM_SUSPENDED"), ("resume", "ITEM_RESUMED")]
        if self.random.random() < 0.4:
            plan.append(("reallocate", "ITEM_TAKEN"))
        plan.append(("complete", "ITEM_DONE_BY"))
        self.places[case] = set(USERS)
        for action, event in plan:
            to = None
            if action in ("delegate", "reallocate"):
                to = self.random.choice([u for u in USERS if u != who])
            answer = self.act(case, item, action, who, event, to)
            if answer is None:
                return False
            self.places[case] = {to or who}
            if action == "deallocate":
                self.places[case] = set(free)
                who = free.pop()
            elif action == "start":
                item = answer["item"]
            who = to or who
            if self.over.is_set() and action != "complete":
                return False
        return True

    def do_case(self):
        started = self.send("/v1/cases", {"specification": "people"})
        if started is None:
            return False
        case = started["case"]
        if case in self.cases or started["sequence"] != 1:
            complain("a case is started twice: %s" % started)
        self.cases[case] = [("CASE_LAUNCHED", None)]
        self.places[case] = set(USERS)
        if not self.do_item(case, "A") or not self.do_item(case, "B"):
            return False
        self.places[case] = set()
        return True


def list_cases(connection):
    found = {}
    path = "/v1/cases?limit=500"
    while True:
        page = connection.see(path)
        for case in page.get("cases", []):
            if case["case"] in found:
                complain("case %s is listed twice" % case["case"])
            found[case["case"]] = case
        if "next" not in page:
            return found
        path = "/v1/cases?limit=500&after=" + page["next"]


def prove_case(connection, case, done):
    """done: completions that were acknowledged; all were answered."""
    shown = connection.see("/v1/cases/" + case)
    steps = connection.see("/v1/cases/%s/history?limit=100" % case)
    wanted = list(range(1, done + 2))
    if [step["sequence"] for step in steps.get("steps", [])] != wanted:
        complain("case %s: the history is not %s" % (case, wanted))
    if shown.get("sequence") != done + 1:
        complain("case %s: %d acknowledged, but %s" % (case, done, shown))
    status = "completed" if done == ITEMS else "running"
    if shown.get("status") != status:
        complain("case %s is %s, not %s" % (case, shown.get("status"), status))
    if shown.get("data", {}).get("n", done) != done:
        complain("case %s: n is %s, not %d" % (case, shown["data"], done))


def prove_people(connection, case, steps, place, ids):
    """steps: events and their people; place: on whose lists the item is."""
    shown = connection.see("/v1/cases/" + case)
    history = connection.see(
        "/v1/cases/%s/history?limit=100" % case).get("steps", [])
    if [step["sequence"] for step in history] != \
            list(range(1, len(steps) + 1)):
        complain("case %s: the history is not %s" % (case, steps))
    for step, (event, user) in zip(history, steps):
        if not any(e["event"] == event and
                   (event in ("CASE_LAUNCHED", "ITEM_SUSPENDED",
                              "ITEM_RESUMED") or
                    e["participant"] == ids[user]) for e in step["events"]):
            complain("case %s, step %d is not %s of %s: %s" % (
                case, step["sequence"], event, user, step))
    if shown.get("status") != ("running" if place else "completed"):
        complain("case %s is %s" % (case, shown.get("status")))
    found = {user for user in USERS if connection.see(
        "/v1/worklist?case=%s&for=%s" % (case, user)).get("items")}
    if found != place:
        complain("case %s: its item is on the lists of %s, not of %s"
                 % (case, sorted(found), sorted(place)))


def prove(connection, clients):
    acknowledged = {}
    for client in clients:
        for case in client.cases:
            if case in acknowledged:
                complain("two clients were given case %s" % case)
        acknowledged.update(client.cases)
    listed = list_cases(connection)
    for case in sorted(set(acknowledged) - set(listed)):
        complain("case %s is lost" % case)
    for case in sorted(set(listed) - set(acknowledged)):
        complain("case %s was started by nobody" % case)
    ids = {person["user"]: person["id"]
           for person in connection.see("/v1/people").get("people", [])}
    places = {}
    for client in clients:
        places.update(getattr(client, "places", {}))
    for case in sorted(set(listed) & set(acknowledged)):
        if case in places:
            prove_people(connection, case, acknowledged[case], places[case],
                         ids)
        else:
            prove_case(connection, case, acknowledged[case])
    return len(acknowledged)


def load(connection):
    path = os.path.join(os.path.dirname(__file__), "count.yawl")
    connection.connect()
    made = [connection.ask("PUT", "/v1/roles/RO-all", {"name": "All"})]
    for user in USERS:
        made.append(connection.ask("POST", "/v1/people", {
            "user": user, "roles": ["All"], "privileges": FREE}))
    if [status for status, _ in made] != [201] * len(made):
        sys.exit("the people are refused: %s" % made)
    rule = resourcing(roles=["RO-all"],
                      more="<privileges>%s</privileges>" % PRIVILEGES)
    with open(path, encoding="utf-8") as file:
        texts = (file.read(), process("people", [("A", rule), ("B", rule)]))
    for text in texts:
        connection.connect()
        connection.connection.request(
            "POST", "/v1/specifications", text,
            {**connection.headers, "Content-Type": "application/xml"})
        answer = connection.connection.getresponse()
        if answer.status != 201:
            sys.exit("the specification is refused: %s" % answer.read())
        answer.read()
    # The other nodes know the people soon.
    for node in connection.nodes:
        other = Connection([node], connection.random)
        limit = time.monotonic() + TRIES
        while len(other.see("/v1/people").get("people", [])) < len(USERS) and \
                time.monotonic() < limit:
            time.sleep(0.05)


def await_answers(clients, count):
    """Waits while clients are at work: those that are refused end."""
    limit = time.monotonic() + TRIES
    while sum(c.answers for c in clients) < count and \
            time.monotonic() < limit and any(c.is_alive() for c in clients):
        time.sleep(0.02)


def work(nodes, clients, chance, kills):
    for client in clients:
        client.start()
    for _ in range(kills):
        # A server that has done nothing has nothing to lose.
        await_answers(clients, sum(c.answers for c in clients) + 1)
        time.sleep(0.2 + chance.random())
        node = chance.choice(nodes)
        node.kill()
        time.sleep(chance.choice((0, 0, 0.3)))
        node.start()
    await_answers(clients, ENOUGH)
    time.sleep(0.5)
    clients[0].over.set()
    for client in clients:
        client.join()


def main():
    weft, folder, url, seed, kills, count = sys.argv[1:7]
    chance = random.Random(int(seed))
    nodes = [Node(weft, folder, url) for _ in range(int(count))]
    over = threading.Event()
    for node in nodes:
        node.start()
    try:
        load(Connection(nodes, chance))
        clients = [(People if i % 4 == 3 else Client)(
            i, nodes, int(seed), "no-keys" not in sys.argv, over)
                   for i in range(CLIENTS)]
        work(nodes, clients, chance, int(kills))
        cases = prove(Connection(nodes, chance), clients)
        for node in nodes:
            node.stop()
    finally:
        for node in nodes:
            node.process.kill()
    for what in complaints[:20]:
        print(what)
    print("%d cases, %d answers, %d answered again, %d unanswered, "
          "%d complaints" % (
              cases, sum(c.answers for c in clients),
              sum(c.again for c in clients),
              sum(c.broken for c in clients), len(complaints)))
    sys.exit(1 if complaints else 0)


main()
