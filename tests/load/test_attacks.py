# SPDX-License-Identifier: Apache-2.0
"""What one specification, worker, reader or service may cost the others: each
attack goes on while a victim works, and prints how long the victim waited at
most and how much memory the server took at most.

A server is built so that nobody waits longer than 2 s.  Times are printed, not
checked: a slow machine would fail.  What is checked is how much the victim does
while others attack."""
import base64
import http.client
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time

from checks import LIMIT, SANITIZED, check, end, run, skip, until
from server import WEFT, Server
from stores import on_each

MEMORY_MIB = 1024

SPECIFICATION = """<specificationSet version="4.0"
 xmlns="http://www.yawlfoundation.org/yawlschema"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<specification uri="%(name)s"><metaData><version>0.1</version>
<identifier>%(name)s</identifier></metaData>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">%(schema)s</xs:schema>
<decomposition id="N" isRootNet="true" xsi:type="NetFactsType">
<localVariable><index>0</index><name>v</name><type>%(type)s</type>%(space)s
<initialValue>%(initial)s</initialValue></localVariable>
<processControlElements>
<inputCondition id="i"><flowsInto><nextElementRef id="T"/></flowsInto>
</inputCondition>
<task id="T"><flowsInto><nextElementRef id="o"/></flowsInto>
<join code="xor"/><split code="and"/>
<completedMappings><mapping><expression query="%(query)s"/>
<mapsTo>v</mapsTo></mapping></completedMappings>
<decomposesTo id="D"/></task>
<outputCondition id="o"/></processControlElements></decomposition>
<decomposition id="D" xsi:type="WebServiceGatewayFactsType">
<outputParam><index>0</index><name>v</name><type>%(type)s</type>%(space)s
</outputParam>%(service)s</decomposition>
</specification></specificationSet>"""
SPACE = "<namespace>http://www.w3.org/2001/XMLSchema</namespace>"
COPY = "&lt;v>{/T/v/text()}&lt;/v>"


def specification(name, type="string", schema="", initial="", query=COPY,
                  service=""):
    return SPECIFICATION % {
        "name": name, "type": type, "schema": schema, "initial": initial,
        "query": query.replace('"', "&quot;"), "service": service,
        "space": "" if schema else SPACE}


def pattern(name, expression, initial):
    """A specification whose variable has a type with a pattern."""
    return specification(
        name, "P", '<xs:simpleType name="P"><xs:restriction base="xs:string">'
        '<xs:pattern value="%s"/></xs:restriction></xs:simpleType>' %
        expression, initial)


class Victim(threading.Thread):
    """Somebody who works: starts cases and completes their first item."""

    def __init__(self, server, key):
        super().__init__(daemon=True)
        self.client = server.client()
        self.key = key
        self.longest = 0.0
        self.rounds = 0
        self.refused = []
        self.stopped = False

    def ask(self, path, body):
        begun = time.monotonic()
        try:
            answer = self.client.post(path, body)
        finally:
            self.longest = max(self.longest, time.monotonic() - begun)
        if answer.status not in (200, 201):
            self.refused.append(answer)
        return answer

    def run(self):
        while not self.stopped:
            answer = self.ask("/v1/cases", {"specification": self.key})
            if answer.status == 201:
                case = answer.json()["case"]
                self.ask("/v1/items/%s:Ask/complete" % case, {})
            self.rounds += 1


def memory(server):
    """The most memory that the server has had, in MiB."""
    with open("/proc/%d/status" % server.process.pid) as file:
        for line in file:
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024


class Attack:
    """A server and a victim at work, while the body of "with" attacks."""

    def __init__(self, what, name, db, arguments=()):
        self.what = "%s (%s)" % (what, name)
        self.server = Server(db, arguments=arguments)
        self.client = self.server.client()

    def __enter__(self):
        self.victim = Victim(self.server, self.client.load("sequence.yawl"))
        self.victim.start()
        until(lambda: self.victim.rounds > 5)
        return self

    def __exit__(self, kind, error, trace):
        rounds = self.victim.rounds
        until(lambda: self.victim.rounds > rounds + 2)
        self.victim.stopped = True
        self.victim.join(LIMIT)
        print("%s: others waited for at most %.2f s, memory %d MiB" % (
            self.what, self.victim.longest, memory(self.server)))
        check("%s: others are served" % self.what,
              self.victim.rounds > rounds, self.victim.refused[:3])
        check("%s: nobody else is refused" % self.what,
              not self.victim.refused, self.victim.refused[:3])
        check("%s: memory is bounded" % self.what,
              memory(self.server) < MEMORY_MIB, memory(self.server))
        self.server.close()

    def together(self, calls):
        """Posts all at once, each on a connection of its own; the statuses."""
        statuses = []

        def call(path, body, type=None):
            client = self.server.client()
            try:
                statuses.append(client.post(path, body, type=type).status)
            except OSError as error:
                statuses.append(repr(error))
            client.close()

        threads = [threading.Thread(target=call, args=one, daemon=True)
                   for one in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LIMIT)
        return statuses


# --- specifications -----------------------------------------------------------

def complete_with(attack, key, value, count):
    cases = [attack.client.post("/v1/cases", {"specification": key})
             for _ in range(count)]
    return attack.together([
        ("/v1/items/%s:T/complete" % case.json()["case"], {"v": value})
        for case in cases])


def patterns(name, db):
    with Attack("patterns", name, db) as attack:
        words = attack.client.load(pattern(
            "Words", "([A-Za-z]+[ -]?)+[A-Za-z]+", "ab"))
        nested = attack.client.load(pattern(
            "Nested", "(a+)+(b|a)*(a*)*c", "ac"))
        for key, value in ((words, "a" * 50000 + "1"),
                           (nested, "a" * 4000)):
            statuses = complete_with(attack, key, value, 4)
            check("%s: it is refused" % attack.what,
                  set(statuses) <= {413, 422} and len(statuses) == 4,
                  statuses)


def queries(name, db):
    expressions = (
        'count(for $i in 1 to 1000000 return matches("aaaaaaaaaaaaaaaaaab",'
        '"(a+)+$"))',
        'sum(for $i in 1 to 10000, $j in 1 to 10000 return $i * $j)',
        'max(for $i in 1 to 10000, $j in 1 to 10000 return $i + 0.5 + 1e0)',
        'string-length(string-join(for $i in 1 to 3000000 return "abc"))')
    with Attack("queries", name, db) as attack:
        for number, text in enumerate(expressions):
            key = attack.client.load(specification(
                "Query%d" % number, query="&lt;v>{%s}&lt;/v>" % text))
            rounds = attack.victim.rounds
            statuses = complete_with(attack, key, "x", 4)
            rounds = attack.victim.rounds - rounds
            print("%s: %d rounds of others beside 4 of: %s" % (
                attack.what, rounds, text))
            # If others waited for each query, they would make one or two.
            check("%s: others work beside: %s" % (attack.what, text),
                  rounds >= 4, rounds)
            check("%s: it is done or refused: %s" % (attack.what, text),
                  set(statuses) <= {200, 413} and len(statuses) == 4,
                  statuses)


TASK = """<task id="T%d"><flowsInto><nextElementRef id="%s"/></flowsInto>
<join code="xor"/><split code="and"/><startingMappings><mapping>
<expression query="&lt;v>{/N/v/text()}&lt;/v>"/><mapsTo>v</mapsTo></mapping>
</startingMappings><completedMappings><mapping>
<expression query="&lt;v>{/T%d/v/text()}&lt;/v>"/><mapsTo>v</mapsTo></mapping>
</completedMappings><decomposesTo id="D"/></task>"""


def sequence(name, count):
    """A specification of so many tasks with data."""
    text = specification(name).replace('"T"', '"T0"').replace(
        "<outputParam>", "<inputParam><index>0</index><name>v</name>"
        "<type>string</type>%s</inputParam><outputParam>" % SPACE)
    head, rest = text.split("<task ", 1)
    tail = rest.split("</task>", 1)[1]
    tasks = (TASK % (i, "T%d" % (i + 1) if i + 1 < count else "o", i)
             for i in range(count))
    return head + "".join(tasks) + tail


def large_specifications(name, db):
    """They are loaded one after the other, beside the only reading thread."""
    with Attack("large specifications", name, db, ("--readers", "1")) as attack:
        statuses = []

        def load():
            statuses.extend(attack.together([
                ("/v1/specifications", sequence("Large%d" % i, 6000),
                 "application/xml") for i in range(6)]))

        loads = threading.Thread(target=load, daemon=True)
        loads.start()
        reader = attack.server.client()
        longest = 0.0
        reads = 0
        while loads.is_alive():
            begun = time.monotonic()
            reader.get("/v1/cases?limit=10")
            longest = max(longest, time.monotonic() - begun)
            reads += 1
        print("%s: %d reads beside 6 loads, of at most %.2f s" % (
            attack.what, reads, longest))
        # Readers that waited for each load would make a few reads between.
        check("%s: readers are served" % attack.what, reads > 100, reads)
        check("%s: they are loaded" % attack.what, statuses == [201] * 6,
              statuses)


def large_previews(name, db):
    """One is made at a time: their memory is not in the budget of answers."""
    with Attack("large previews", name, db) as attack:
        key = attack.client.load(sequence("Preview", 2))
        case = attack.client.post("/v1/cases", {
            "specification": key}).json()["case"]
        answer = attack.client.call(
            "PATCH", "/v1/cases/%s/data" % case, {"v": "x" * (8 << 20)})
        check("%s: the case has large data" % attack.what,
              answer.status == 200, answer)
        statuses = []
        refused = threading.Event()

        def preview():
            client = attack.server.client()
            end = time.monotonic() + LIMIT
            while not refused.is_set() and time.monotonic() < end:
                statuses.append(
                    client.get("/v1/items/%s:T0/data" % case).status)
                if statuses[-1] == 503:
                    refused.set()

        threads = [threading.Thread(target=preview, daemon=True)
                   for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LIMIT)
        check("%s: one is made, others are refused for now" % attack.what,
              set(statuses) == {200, 503}, statuses[-20:])


# --- readers ------------------------------------------------------------------

def readers_that_do_not_read(name, db):
    """Each asks for pages of a thousand cases, and takes none."""
    request = (b"GET /v1/cases?limit=1000 HTTP/1.1\r\nHost: x\r\n"
               b"Authorization: Bearer %s\r\n\r\n")
    with Attack("readers that do not read", name, db) as attack:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as lines:
            lines.write("{}\n" * 2000)
            lines.flush()
            subprocess.run(
                [WEFT, "case", "start", "BusinessTrip", "--each", lines.name,
                 "--quiet"], check=True, stdout=subprocess.DEVNULL,
                env=dict(os.environ, WEFT_TOKEN=attack.server.token,
                         WEFT_SERVER="http://127.0.0.1:%d" %
                         attack.server.port))
        sockets = []
        for _ in range(1000):
            s = socket.socket()
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            s.connect(("127.0.0.1", attack.server.port))
            s.sendall(request % attack.server.token.encode() * 3)
            sockets.append(s)
        until(lambda: attack.victim.rounds > 100)
        for s in sockets:
            s.close()


def wrong_passwords(name, db):
    basic = base64.b64encode(b"admin:wrong password").decode()
    with Attack("wrong passwords", name, db) as attack:
        stopped = threading.Event()

        def guess():
            while not stopped.is_set():
                connection = http.client.HTTPConnection(
                    "127.0.0.1", attack.server.port, timeout=LIMIT)
                try:
                    connection.request("GET", "/v1/cases", headers={
                        "Authorization": "Basic " + basic})
                    connection.getresponse().read()
                except OSError:
                    pass
                connection.close()

        threads = [threading.Thread(target=guess, daemon=True)
                   for _ in range(50)]
        for thread in threads:
            thread.start()
        until(lambda: attack.victim.rounds > 100)
        stopped.set()
        for thread in threads:
            thread.join(LIMIT)


# --- services -----------------------------------------------------------------

def service_that_never_answers(name, db):
    """Messages for it pile up; the work of others goes on."""
    silent = socket.socket()
    silent.bind(("127.0.0.1", 0))
    silent.listen(1024)
    with Attack("a service that never answers", name, db,
                ("--allow-address", "127.0.0.1")) as attack:
        attack.client.call("PUT", "/v1/services/silent", {
            "kind": "push", "uri": "urn:example:silent",
            "address": "http://127.0.0.1:%d/" % silent.getsockname()[1],
            "secret": "a secret of 16 bytes or more"})
        attack.client.load(specification(
            "Silent", service='<yawlService id="urn:example:silent"/>'))
        with tempfile.NamedTemporaryFile("w", suffix=".json") as lines:
            lines.write("{}\n" * 10000)
            lines.flush()
            subprocess.run(
                [WEFT, "case", "start", "Silent", "--each", lines.name,
                 "--quiet"], check=True, stdout=subprocess.DEVNULL,
                env=dict(os.environ, WEFT_TOKEN=attack.server.token,
                         WEFT_SERVER="http://127.0.0.1:%d" %
                         attack.server.port))
        rounds = attack.victim.rounds
        until(lambda: attack.victim.rounds > rounds + 200)
    silent.close()


if SANITIZED:
    skip("attacks", "a sanitizer multiplies what they cost")
else:
    run(*(test for attack in (patterns, queries, large_specifications,
                              large_previews, readers_that_do_not_read,
                              wrong_passwords, service_that_never_answers)
          if attack.__name__ in sys.argv[1:] or len(sys.argv) == 1
          for test in on_each(attack, attack.__name__)))
end()
