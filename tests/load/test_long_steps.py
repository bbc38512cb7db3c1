# SPDX-License-Identifier: Apache-2.0
"""Steps that take long hold up nobody else, and are refused as such."""
import subprocess
import threading
import time

from checks import SOAK, check, end, run, skip, until
from server import Server
from stores import Schema, has_postgresql, on_each

# Whoever completes A has a query evaluated that turns so many times.
NET = """<?xml version="1.0" encoding="UTF-8"?>
<specificationSet xmlns="http://www.yawlfoundation.org/yawlschema"
 version="4.0"><specification uri="%(uri)s"><metaData><version>0.1</version>
<identifier>UID_%(uri)s</identifier></metaData>
<schema xmlns="http://www.w3.org/2001/XMLSchema"/>
<decomposition id="N" isRootNet="true" xsi:type="NetFactsType"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<processControlElements><inputCondition id="i"><flowsInto><nextElementRef
 id="A"/></flowsInto></inputCondition>
<task id="A"><flowsInto><nextElementRef id="o"/><predicate ordering="0">
empty(for $i in 1 to %(turns)d, $j in 1 to 1000 return ())</predicate>
</flowsInto><flowsInto><nextElementRef id="c"/><isDefaultFlow/>
</flowsInto><join code="xor"/><split code="xor"/><decomposesTo id="W"/></task>
<task id="c"><flowsInto><nextElementRef id="o"/></flowsInto>
<join code="xor"/><split code="and"/><decomposesTo id="W"/></task>
<outputCondition id="o"/></processControlElements></decomposition>
<decomposition id="W" xsi:type="WebServiceGatewayFactsType"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/>
</specification></specificationSet>"""

# S, whose input takes about a second, for the service urn:slow.
SLOW_INPUT = """<?xml version="1.0" encoding="UTF-8"?>
<specificationSet xmlns="http://www.yawlfoundation.org/yawlschema"
 version="4.0"><specification uri="%(uri)s"><metaData><version>0.1</version>
<identifier>UID_%(uri)s</identifier></metaData>
<schema xmlns="http://www.w3.org/2001/XMLSchema"/>
<decomposition id="N" isRootNet="true" xsi:type="NetFactsType"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<processControlElements><inputCondition id="i"><flowsInto><nextElementRef
 id="S"/></flowsInto></inputCondition>
<task id="S"><flowsInto><nextElementRef id="o"/></flowsInto>
<join code="xor"/><split code="and"/><startingMappings><mapping>
<expression query="&lt;p&gt;{empty(for $i in 1 to 10000, $j in 1 to 1000
 return ())}&lt;/p&gt;"/><mapsTo>p</mapsTo></mapping></startingMappings>
<decomposesTo id="W"/></task>
<outputCondition id="o"/></processControlElements></decomposition>
<decomposition id="W" xsi:type="WebServiceGatewayFactsType"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<inputParam><index>0</index><name>p</name><type>boolean</type>
<namespace>http://www.w3.org/2001/XMLSchema</namespace></inputParam>
%(service)s</decomposition></specification></specificationSet>"""


# How many others come meanwhile; each waits for a processor.
SHORT = 30 if SOAK else 10


def load(client, uri, turns):
    text = NET % {"uri": uri, "turns": turns}
    answer = client.post("/v1/specifications", text, type="application/xml")
    check("%s is loaded" % uri, answer.status == 201, answer)


def launch(client, uri):
    return client.post("/v1/cases", {"specification": uri}).json()["case"]


def complete(client, case):
    return client.post("/v1/items/%s:A/complete" % case)


def metric(client, name):
    for line in client.get("/metrics").body.decode().split("\n"):
        if line.startswith(name + " "):
            return float(line.split()[1])
    return None


class Attack:
    """Clients that do nothing but long steps, until end() is called."""

    def __init__(self, server, uri, count):
        self.ends = False
        self.statuses = {}
        self.threads = [
            threading.Thread(target=self.work, args=(server.client(), uri))
            for _ in range(count)]
        for thread in self.threads:
            thread.start()

    def work(self, client, uri):
        while not self.ends:
            status = complete(client, launch(client, uri)).status
            self.statuses[status] = self.statuses.get(status, 0) + 1

    def end(self):
        self.ends = True
        for thread in self.threads:
            thread.join()


def attack(name, db):
    server = Server(db=db)
    client = server.client()
    load(client, "Short", 1)
    # About 0.2 s, 1 s, and more than a step may take.
    for uri, turns in (("Some", 1000), ("Long", 10000), ("Endless", 1000000)):
        load(client, uri, turns)
    for uri, count in (("Some", 16), ("Long", 8), ("Endless", 8)):
        attack = Attack(server, uri, count)
        longest = 0
        free = 0
        for _ in range(SHORT):
            before = sum(attack.statuses.values())
            began = time.monotonic()
            done = complete(client, launch(client, "Short"))
            longest = max(longest, time.monotonic() - began)
            if done.status != 200:
                check("%s: others are served" % name, False, done)
            time.sleep(0.05)
            free += before == sum(attack.statuses.values())
        attack.end()
        print("%s: beside %d clients with steps of the kind '%s' (%s), others "
              "waited %.2f s at most" % (name, count, uri, ", ".join(
                  "%d: %d" % row for row in sorted(attack.statuses.items())),
                  longest))
        # Else one of these had ended while each of the others waited.
        check("%s: others did not wait for these" % name,
              uri == "Some" or free > 0, free)
        check("%s: no other answers than these" % name,
              set(attack.statuses) <= {200, 413, 503}, attack.statuses)
    check("%s: long steps were made" % name,
          metric(client, "weft_long_steps_total") > 0)
    check("%s: no step waits" % name,
          metric(client, "weft_long_steps_waiting") == 0)
    check("%s: there is no incident" % name,
          client.get("/v1/incidents").json()["incidents"] == [])
    check("%s: no case is quarantined" % name,
          client.get("/v1/cases?set_aside=true").json()["cases"] == [])
    server.close()


def slow_input():
    """An input that takes long is delivered, and shown before the start."""
    server = Server()
    client = server.client()
    client.call("PUT", "/v1/services/slow",
                {"kind": "built-in", "uri": "weft:echo/slow"})
    for uri, service in (("Echo", """<yawlService id="weft:echo/slow"/>"""),
                         ("Shown", "")):
        text = SLOW_INPUT % {"uri": uri, "service": service}
        answer = client.post(
            "/v1/specifications", text, type="application/xml")
        check("%s is loaded" % uri, answer.status == 201, answer)
    case = launch(client, "Echo")
    check("the service has done it", until(
        lambda: client.get("/v1/cases/" + case).json()["status"] ==
        "completed"))
    check("there is no incident",
          client.get("/v1/incidents").json()["incidents"] == [])
    case = launch(client, "Shown")
    answers = []

    def show(client):
        answers.append(client.get("/v1/items/%s:S/data" % case))

    threads = [threading.Thread(target=show, args=(server.client(),))
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check("a preview is made, others are refused for now",
          {answer.status for answer in answers} <= {200, 503} and
          200 in {answer.status for answer in answers}, answers)
    for answer in answers:
        if answer.status == 200:
            check("it is right",
                  answer.json()["items"][0]["data"] == {"p": True}, answer)
        else:
            check("it says when", "retry-after" in
                  {name.lower() for name in answer.headers}, answer)
    server.close()


def timeout():
    """A step that takes longer than the store lets a transaction wait."""
    if not has_postgresql():
        skip("steps longer than a transaction", "there is no PostgreSQL")
        return
    schema = Schema()
    server = Server(
        db=schema.url + "%20-cidle_in_transaction_session_timeout%3D3000",
        arguments=["--limit-query_steps", "150000000"])
    client = server.client()
    load(client, "Endless", 1000000)
    case = launch(client, "Endless")
    began = time.monotonic()
    refused = complete(client, case)
    print("PostgreSQL: refused after %.1f s" % (time.monotonic() - began))
    check("it is refused as too long", refused.json()["code"] == "limit",
          refused)
    check("it was made once", metric(client, "weft_long_steps_total") == 1)
    items = client.get("/v1/items?case=" + case).json()["items"]
    check("the case is as before",
          [item["item"] for item in items] == [case + ":A"], items)
    check("there is no incident",
          client.get("/v1/incidents").json()["incidents"] == [])
    server.close()
    schema.close()


def stall():
    """A batch that does not end is seen."""
    if not has_postgresql():
        skip("a shard that stands still", "there is no PostgreSQL")
        return
    schema = Schema()
    server = Server(db=schema.url + "%20-clock_timeout%3D0"
                    "%20-cstatement_timeout%3D0")
    client = server.client()
    load(client, "Short", 1)
    check("the server is ready", client.get("/readyz").status == 200)
    locker = subprocess.Popen(["psql", "-qAt", schema.server], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    locker.stdin.write("BEGIN;\nLOCK TABLE %s.history IN ACCESS EXCLUSIVE MODE;\n"
                       "SELECT 'locked';\n" % schema.name)
    locker.stdin.flush()
    check("the table is locked", locker.stdout.readline() == "locked\n")
    other = server.client()
    waiting = threading.Thread(target=launch, args=(other, "Short"))
    waiting.start()
    answer = until(lambda: [a for a in [client.get("/readyz")]
                            if a.status == 503])
    check("it is not ready", answer and b"shard 0" in answer[0].body, answer)
    check("it runs", client.get("/healthz").status == 200)
    check("a metric says so",
          until(lambda: metric(client, "weft_shard_busy_seconds") > 4))
    locker.communicate("COMMIT;\n")
    waiting.join()
    check("it is ready again",
          until(lambda: client.get("/readyz").status == 200))
    check("the metric ends",
          until(lambda: metric(client, "weft_shard_busy_seconds") == 0))
    server.close()
    schema.close()


run(*on_each(attack, "an attack by long steps"), slow_input, timeout, stall)
end()
