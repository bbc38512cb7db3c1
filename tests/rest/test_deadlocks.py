# SPDX-License-Identifier: Apache-2.0
"""A case that deadlocks stays, with an incident, until it is cancelled."""
import json
import os
import re
import subprocess

from changing import NET
from checks import check, end, run
from server import WEFT, Server
from stores import on_each

# Three items of A, of which two are enough.
ITEMS = """<specificationSet version="4.0"
 xmlns="http://www.yawlfoundation.org/yawlschema"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<specification uri="Items"><metaData><version>0.1</version><identifier>UID_I
</identifier></metaData><schema xmlns="http://www.w3.org/2001/XMLSchema"/>
<decomposition id="N" isRootNet="true" xsi:type="NetFactsType">
<processControlElements><inputCondition id="i"><flowsInto><nextElementRef
 id="A"/></flowsInto></inputCondition>
<task id="A" xsi:type="MultipleInstanceExternalTaskFactsType"><flowsInto>
<nextElementRef id="o"/></flowsInto><join code="xor"/><split code="and"/>
<decomposesTo id="W"/><minimum>3</minimum><maximum>3</maximum>
<threshold>2</threshold><creationMode code="static"/><miDataInput>
<expression query="&lt;all/&gt;"/><splittingExpression
 query="for $i in 1 to 3 return &lt;p&gt;{$i}&lt;/p&gt;"/>
<formalInputParam>p</formalInputParam></miDataInput></task>
<outputCondition id="o"/></processControlElements></decomposition>
<decomposition id="W" xsi:type="WebServiceGatewayFactsType"><inputParam>
<index>0</index><name>p</name><type>string</type><namespace>http://www.w3.org/2001/XMLSchema</namespace>
</inputParam></decomposition></specification></specificationSet>"""


def deadlock(client, case):
    """The case, after its only task was done."""
    client.post("/v1/cases", {"specification": "Stuck", "case": case})
    done = client.post("/v1/items/%s:A/complete" % case)
    check("%s: its last item is completed" % case, done.status == 200, done)
    return done.json()


def incidents(client, query=""):
    return client.get("/v1/incidents" + query).json()["incidents"]


def weft(server, *arguments):
    done = subprocess.run(
        [WEFT] + list(arguments) +
        ["--server", "http://127.0.0.1:%d" % server.port],
        env=dict(os.environ, WEFT_TOKEN=server.token), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode()


def verify(name, server, what):
    check("%s: the server ends" % name, server.stop() == 0)
    done = subprocess.run([WEFT, "db", "check", "--quiet", "--db", server.db],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    check("%s: the store is whole %s" % (name, what), done.returncode == 0,
          done.stdout.decode())
    server.start()
    return server.client()


def metric(client, name):
    for line in client.get("/metrics").body.decode().splitlines():
        if line.startswith(name + " "):
            return float(line.split()[1])
    return None


def kept(name, db):
    server = Server(db=db)
    client = server.client()
    loaded = client.post("/v1/specifications", (NET % {"uri": "Stuck"}).encode(),
                         type="application/xml").json()
    found = loaded["diagnostics"]
    check("%s: loading says that it is not sound" % name, len(found) == 1 and
          found[0]["severity"] == "warning" and
          found[0]["element"] == "net N" and
          "stuck" in found[0]["text"] and "weft check" in found[0]["text"],
          loaded)
    check("%s: so does the log" % name,
          "specification_not_sound" in server.read_log(), server.read_log())
    path = server.folder + "/stuck.yawl"
    with open(path, "w") as file:
        file.write(NET % {"uri": "Stuck"})
    code, text = weft(server, "spec", "load", path)
    check("%s: weft spec load prints it" % name, code == 0 and
          "stuck.yawl: warning: net N: it is not sound" in text, text)
    answer = deadlock(client, "c")
    check("%s: the answer says deadlocked" % name,
          answer["status"] == "deadlocked", answer)
    found = incidents(client)
    check("%s: it is an incident" % name, len(found) == 1 and
          found[0]["code"] == "deadlock" and found[0]["case"] == "c" and
          found[0]["retryable"] is False, found)
    text = found[0]["text"] if found else ""
    check("%s: which says what is left and what waits" % name,
          "condition p" in text and "task B waits for condition q" in text,
          text)
    check("%s: it is counted" % name,
          metric(client, "weft_cases_deadlocked_total") == 1 and
          metric(client, "weft_cases_open") == 1 and
          metric(client, "weft_incidents_open") == 1)
    check("%s: it is logged" % name, any(
        json.loads(line).get("code") == "deadlock"
        for line in server.read_log().splitlines() if line.startswith("{")),
        server.read_log())
    shown = client.get("/v1/cases/c").json()
    net = shown["nets"][0]
    check("%s: the case shows its tokens and what waits for what" % name,
          shown["status"] == "deadlocked" and net["marking"] == {"p": 1} and
          net["waiting"] == [{"task": "B", "join": "and", "for": ["q"]}],
          shown)
    check("%s: it is listed" % name, [
        c["case"] for c in client.get(
            "/v1/cases?status=deadlocked").json()["cases"]] == ["c"])
    client = verify(name, server, "with a deadlocked case")
    for method, path, body in (
            ("POST", "/v1/cases/c/suspend", None),
            ("POST", "/v1/cases/c/resume", None),
            ("PATCH", "/v1/cases/c/data", {}),
            ("POST", "/v1/items/c:B/start", None)):
        got = client.call(method, path, body)
        check("%s: %s is refused" % (name, path), got.status == 409 and
              "deadlocked" in got.json()["detail"] and
              "cancel" in got.json()["detail"], got)
    number = found[0]["incident"]
    place = "/v1/incidents/%d" % number
    again = client.post(place + "/retry")
    check("%s: to retry it says what to do" % name, again.status == 409 and
          "cancel" in again.json()["detail"], again)
    check("%s: and so it is with all" % name, client.post(
        "/v1/incidents:retry", {"all": True}).json() == {"retried": 0})
    check("%s: the case is cancelled" % name,
          client.post("/v1/cases/c/cancel").json()["status"] == "cancelled")
    gone = client.get(place).json()
    check("%s: its incident is closed with it" % name,
          gone["status"] == "dropped" and gone["droppedBy"] == "admin" and
          incidents(client) == [], gone)
    deadlock(client, "d")
    number = incidents(client)[0]["incident"]
    code, text = weft(server, "incident", "drop", str(number), "--cancel",
                      "--reason", "a wrong order")
    check("%s: dropped with --cancel" % name, code == 0, text)
    gone = client.get("/v1/incidents/%d" % number).json()
    check("%s: the case and the incident are closed" % name,
          gone["status"] == "dropped" and
          gone["reason"] == "the case was cancelled: a wrong order" and
          client.get("/v1/cases/d").json()["status"] == "cancelled", gone)
    deadlock(client, "e")
    number = incidents(client)[0]["incident"]
    check("%s: dropped without, the case stays" % name, client.post(
        "/v1/incidents/%d/drop" % number, {"reason": "later"}).status == 200
        and client.get("/v1/cases/e").json()["status"] == "deadlocked" and
        client.post("/v1/cases/e/cancel").status == 200)
    code, text = weft(server, "case", "start", "Stuck", "--id", "f")
    weft(server, "item", "complete", "f:A")
    code, text = weft(server, "case", "show", "f")
    check("%s: weft case shows it" % name, "deadlocked" in text and
          "task  B" in text, text)
    verify(name, server, "at the end")
    server.close()


def failed(name, db):
    server = Server(db=db)
    client = server.client()
    client.load(NET % {"uri": "Stuck"})
    client.post("/v1/cases", {"specification": "Stuck", "case": "f"})
    client.post("/v1/items/f:A/start")
    got = client.post("/v1/items/f.1:A/fail", {"reason": "no paper"}).json()
    check("%s: the answer to fail says what it means" % name,
          got.get("effect") == "task A counts as done: a token went to "
          "condition p; the case is deadlocked by this", got)
    client.load(ITEMS)
    client.post("/v1/cases", {"specification": "Items", "case": "m"})
    for item in ("m:A", "m.2:A"):
        client.post("/v1/items/%s/start" % item)
    got = client.post("/v1/items/m.1:A/fail").json()
    check("%s: also when other items are left" % name, got.get("effect") ==
          "task A goes on with its other items; the case goes on", got)
    got = client.post("/v1/items/m.2:A/fail").json()
    check("%s: and when they are cancelled" % name, got.get("effect") ==
          "task A counts as done: a token went to condition o; the case is "
          "completed by this", got)
    server.close()


def ends(name, db):
    server = Server(db=db, arguments=["--end-deadlocked"])
    client = server.client()
    client.load(NET % {"uri": "Stuck"})
    deadlock(client, "c")
    check("%s: the case ends at once when the setting says so" % name,
          incidents(client) == [] and
          metric(client, "weft_cases_open") == 0 and
          metric(client, "weft_cases_deadlocked_total") == 1 and
          client.post("/v1/cases/c/cancel").status == 404)
    check("%s: which is logged" % name, "case_deadlocked" in server.read_log(),
          server.read_log())
    verify(name, server, "with an ended deadlock")
    server.close()



def hard(uri):
    """A specification with more states than loading explores."""
    threads, steps = range(8), range(20)
    tasks = "".join("""<task id="T%d_%d"><flowsInto><nextElementRef id="%s"/>
<isDefaultFlow/></flowsInto><flowsInto><nextElementRef id="T%d_%d"/><predicate
 ordering="0">true()</predicate></flowsInto><join code="xor"/><split code="xor"/>
<removesTokens id="T%d_%d"/><decomposesTo id="W"/></task>""" % (
        i, j, "T%d_%d" % (i, j + 1) if j + 1 in steps else "E", i,
        max(j - 1, 0), (i + 1) % len(threads), j)
                    for i in threads for j in steps)
    flows = "".join("""<flowsInto><nextElementRef id="T%d_0"/></flowsInto>""" % i
                    for i in threads)
    return """<specification uri="%s"><metaData><version>0.1</version>
<identifier>UID_%s</identifier></metaData>
<schema xmlns="http://www.w3.org/2001/XMLSchema"/>
<decomposition id="N" isRootNet="true" xsi:type="NetFactsType">
<processControlElements><inputCondition id="i"><flowsInto><nextElementRef
 id="S"/></flowsInto></inputCondition><task id="S">%s<join code="xor"/>
<split code="and"/><decomposesTo id="W"/></task>%s<task id="E"><flowsInto>
<nextElementRef id="o"/></flowsInto><join code="or"/><split code="and"/>
<decomposesTo id="W"/></task><outputCondition id="o"/></processControlElements>
</decomposition><decomposition id="W" xsi:type="WebServiceGatewayFactsType"/>
</specification>""" % (uri, uri, flows, tasks)


def many():
    """The specifications of a file share what their analysis may cost."""
    server = Server()
    body = """<specificationSet version="4.0"
 xmlns="http://www.yawlfoundation.org/yawlschema"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">%s</specificationSet>
""" % "".join(hard("Hard%d" % i) for i in range(6))
    answer = server.client().post("/v1/specifications", body.encode(),
                                  type="application/xml").json()
    states = [int(re.search("in ([0-9]+) states", found["text"]).group(1))
              for found in answer.get("diagnostics", ())]
    check("each is analysed", len(states) == 6, answer)
    check("within the states of one", sum(states) <= 25000, states)
    server.close()


run(*on_each(kept, "deadlocks"), *on_each(failed, "failing"), *on_each(ends, "deadlocks that end"),
    many)
end()
