# SPDX-License-Identifier: Apache-2.0
"""The whole at a glance: figures and what needs somebody, how services do, the
attempts of an incident, the server."""
import datetime
import os
import re
import subprocess

from checks import check, end, run, until
from people import process, resourcing
from receiver import Receiver
from server import ROOT, Server
from stores import on_each


def served(uri, name):
    """The example, with a service for its first task."""
    with open(os.path.join(ROOT, "examples", "sequence.yawl")) as file:
        return file.read().replace("UID_WeftSequence", "UID_" + name).replace(
            "</outputParam>\n</decomposition>",
            "</outputParam><yawlService id='%s'/></decomposition>" % uri, 1)


def figures(client):
    return client.get("/v1/overview").json()["figures"]


def glance(name, db):
    server = Server(db=db, arguments=["--people"])
    client = server.client()
    empty = client.get("/v1/overview").json()
    check("%s: nothing is there" % name, all(
        figure["count"] == 0 for figure in empty["figures"].values()) and all(
            rows == [] for rows in empty["attention"].values()), empty)
    key = client.load(process("desk", [("Ask", resourcing())]).replace(
        '<task id="Ask">', '<task id="Ask"><name>Ask for a trip</name>'))
    for i in range(4):
        client.post("/v1/cases", {"specification": key, "case": "c%d" % i})
    client.post("/v1/cases/c3/cancel")
    # Another namespace has the same process, and a case of its own.
    other = server.client(token=server.add_account("other", "admin", 2))
    other.load(process("desk", [("Ask", resourcing())]).replace(
        '<task id="Ask">', '<task id="Ask"><name>Ask for a trip</name>'))
    other.post("/v1/cases", {"specification": key, "case": "elsewhere"})
    check("%s: each namespace counts its own cases" % name,
          other.get("/v1/overview").json()["figures"]["running"]["count"] ==
          1)

    def counts():
        return {word: figure["count"]
                for word, figure in figures(client).items()}

    check("%s: cases are counted, and items for people" % name, until(
        lambda: [counts()[word] for word in (
            "started", "completed", "running", "waiting", "late")] ==
        [4, 0, 3, 3, 0]), figures(client))
    found = client.get("/v1/overview").json()
    hours = {word: figure.get("hours")
             for word, figure in found["figures"].items()}
    check("%s: with the hours of the day" % name, all(
        len(hours[word]) == 24 for word in (
            "started", "completed", "running", "incidents")) and
        hours["started"][-2] + hours["started"][-1] == 4 and
        hours["running"][-1] == 3 and hours["running"][0] == 0, hours)
    check("%s: the oldest items are named" % name, [
        item["item"] for item in found["attention"]["waiting"]] ==
        ["c0:Ask", "c1:Ask", "c2:Ask"] and
        found["attention"]["waiting"][0]["name"] == "Ask for a trip" and
        client.get("/v1/cases/c0").json()["items"][0]["name"] ==
        "Ask for a trip" and
        found["figures"]["waiting"]["oldest"] ==
        found["attention"]["waiting"][0]["enabled"], found["attention"])
    late = client.call("PATCH", "/v1/items/c1:Ask", {"due": "PT1S"})
    check("%s: an item gets a due time" % name, late.status == 200, late)
    check("%s: which is late then" % name, until(
        lambda: counts()["late"] == 1) and [
            item["item"] for item in client.get(
                "/v1/overview").json()["attention"]["late"]] == ["c1:Ask"])
    other = server.client(token=server.add_account("else", "reader", 7))
    check("%s: another namespace has none of it" % name, all(
        figure["count"] == 0 for figure in figures(other).values()))
    check("%s: who may read one process only is refused" % name,
          server.client(token=server.add_account("some", "", 1, grants=[
              "read process:UID_desk"])).get("/v1/overview").status == 403)
    server.close()


def states(name, db):
    """How many cases of each process stand in each state."""
    server = Server(db=db, arguments=["--people"])
    client = server.client()
    keys = [client.load(process("desk%d" % i, [("Ask", resourcing())]))
            for i in range(2)]

    def put(key, count, *verbs):
        for _ in range(count):
            case = client.post(
                "/v1/cases", {"specification": key}).json()["case"]
            for verb in verbs:
                client.post("/v1/cases/%s/%s" % (case, verb))

    def counts(query="", of=client):
        answer = of.get("/v1/case-counts" + query).json()
        return {row.pop("specification"): {
            word: count for word, count in row.items() if count > 0}
            for row in answer["counts"]}

    put(keys[0], 3)
    put(keys[0], 2, "suspend")
    put(keys[0], 1, "suspend", "resume")
    put(keys[0], 1, "cancel")
    put(keys[1], 1, "suspend", "cancel")
    # Nobody is there for the items of live cases.
    expected = {keys[0]: {"running": 4, "suspended": 2, "cancelled": 1,
                          "incidents": 6},
                keys[1]: {"cancelled": 1}}
    check("%s: cases are counted by state" % name,
          until(lambda: counts() == expected), counts())
    check("%s: or those of one process" % name,
          counts("?specification=" + keys[1]) == {
              keys[1]: {"cancelled": 1}})
    put(keys[1], 1)
    check("%s: the counts of all are made again" % name, until(
        lambda: counts()[keys[1]] == {
            "running": 1, "cancelled": 1, "incidents": 1}), counts())
    some = server.client(token=server.add_account("some", "", 1, grants=[
        "read process:UID_desk1"]))
    check("%s: who reads one process has its counts" % name,
          list(counts(of=some)) == [keys[1]] and some.get(
              "/v1/case-counts?specification=" + keys[0]).status == 403)
    other = server.client(token=server.add_account("else", "reader", 7))
    check("%s: another namespace has none" % name, counts(of=other) == {})
    server.close()


def failing(name, db):
    """A service that answers with an error: what is known of it."""
    receiver = Receiver()
    receiver.answers["/hook?key=hidden"] = [500] * 50
    server = Server(db=db, arguments=["--allow-address", "127.0.0.1"])
    client = server.client()
    uri = receiver.url + "/hook?key=hidden"
    check("%s: a service" % name, client.call("PUT", "/v1/services/hook", {
        "kind": "push", "uri": uri, "secret": "0123456789abcdef",
        "attempts": 2, "delay": "PT0.1S"}).status == 201)
    key = client.load(served(uri, "Hooked"))
    client.post("/v1/cases", {"specification": key, "case": "c"})
    found = until(lambda: client.get("/v1/incidents").json()["incidents"])
    shown = client.get("/v1/incidents/%d" % found[0]["incident"]).json()
    calls = shown.get("calls", [])
    check("%s: the incident has its two attempts" % name, [
        (call["attempt"], call["status"]) for call in calls] ==
        [(1, 500), (2, 500)], shown)
    last = calls[-1] if calls else {}
    check("%s: with the request and the answer of the last one" % name,
          last.get("request", {}).get("method") == "POST" and
          last["request"]["url"] == receiver.url + "/hook" and
          '"item":"c:Ask"' in last["request"]["body"].replace(" ", "") and
          last["answer"]["status"] == 500 and "hidden" not in str(calls) and
          "0123456789abcdef" not in str(calls), calls)
    check("%s: a list has no attempts" % name, "calls" not in found[0])
    check("%s: the incident names the service" % name,
          shown["service"] == "hook", shown)
    state = client.get("/v1/services/hook/state").json()
    node = state["state"].get("node", {})
    check("%s: the state of the service says so" % name, (
        node.get("breaker"), node.get("hour", {}).get("failed"),
        node.get("hour", {}).get("done"), state["leases"]) ==
        ("closed", 2, 0, []) and "500" in node["failure"] and
        node["active"] == 0, state)
    check("%s: so does the list, when that is asked" % name, [
        service["state"]["node"]["hour"] for service in client.get(
            "/v1/services?state=true").json()["services"]
        if service["name"] == "hook"] == [node["hour"]] and all(
            "state" not in service for service in
            client.get("/v1/services").json()["services"]))
    check("%s: the overview names it" % name, [
        service["service"] for service in client.get(
            "/v1/overview").json()["attention"]["failing_services"]] ==
        ["hook"])
    client.post("/v1/incidents/%d/drop" % shown["incident"], {"reason": "x"})
    check("%s: a dropped incident keeps them" % name, client.get(
        "/v1/incidents/%d" % shown["incident"]).json()["calls"] == calls)
    receiver.answers["/hook?key=hidden"] = [200] * 50
    client.post("/v1/cases", {"specification": key, "case": "d"})
    check("%s: it works again" % name, until(lambda: "failing_since" not in
          client.get("/v1/services/hook/state").json()["state"]["node"]))
    check("%s: there is no state of what does not exist" % name,
          client.get("/v1/services/none/state").status == 404)
    server.close()
    receiver.close()


def unaccepted(name, db):
    """A service whose output its task does not accept."""
    receiver = Receiver()
    receiver.answers["/"] = [200] * 50
    receiver.bodies["/"] = b'{"total": 0}'
    server = Server(db=db, arguments=["--allow-address", "127.0.0.1"])
    client = server.client()
    client.call("PUT", "/v1/services/orders", {
        "kind": "push", "uri": "urn:example:orders", "delay": "PT0.1S",
        "secret": "0123456789abcdef", "address": receiver.url + "/"})
    with open(os.path.join(ROOT, "examples", "services", "order.yawl")) as file:
        client.load(file.read().replace('attempts="5"', 'attempts="3"'))
    client.post("/v1/cases", {"specification": "Order", "case": "o",
                              "data": {"item": "tea", "amount": 4}})
    found = until(lambda: client.get("/v1/incidents").json()["incidents"])
    calls = client.get("/v1/incidents/%d" % found[0]["incident"]).json()[
        "calls"]
    check("%s: the incident has its three attempts" % name, [
        (call["attempt"], "postcondition" in call["reason"])
        for call in calls] == [(1, True), (2, True), (3, True)], calls)
    node = client.get("/v1/services/orders/state").json()["state"]["node"]
    check("%s: the state of the service says so" % name, (
        node["hour"]["failed"], node["hour"]["done"]) == (3, 0) and
        "postcondition" in node["failure"], node)
    server.close()
    receiver.close()


def pulled(name, db):
    """A service whose items workers claim."""
    server = Server(db=db)
    client = server.client()
    client.call("PUT", "/v1/services/desk", {
        "kind": "pull", "uri": "urn:desk"})
    key = client.load(served("urn:desk", "Desk"))
    for i in range(3):
        client.post("/v1/cases", {"specification": key, "case": "c%d" % i})
    waits = client.get("/v1/services/desk/state").json()
    check("%s: three items wait" % name, waits["state"]["waiting"] == 3 and
          waits["state"]["leased"] == 0 and "oldest" in waits["state"] and
          waits["leases"] == [], waits)
    got = client.post("/v1/items:claim", {
        "service": "desk", "lease": "PT1H"}).json()["items"]
    has = client.get("/v1/services/desk/state").json()
    check("%s: one of them is leased, to whom and until when" % name, (
        has["state"]["waiting"], has["state"]["leased"]) == (2, 1) and [
            (lease["item"], lease["holder"], lease["until"])
            for lease in has["leases"]] ==
        [(got[0]["item"], "admin", got[0]["until"])], has)
    worker = has["state"]["node"]["workers"]
    check("%s: the worker was seen" % name, len(worker) == 1 and (
        worker[0]["account"], worker[0]["items"]) == ("admin", 1), has)
    server.close()


def waits(name, db):
    """Why says how the service does that an enabled item is offered to."""
    server = Server(db=db)
    client = server.client()
    client.load(served("urn:desk", "AtDesk"))
    for case in ("one", "two"):
        client.post("/v1/cases", {"specification": "UID_AtDesk",
                                  "case": case, "data": {}})
    item = client.get("/v1/items?case=two").json()["items"][0]

    def why(client=client):
        return client.get("/v1/cases/two/why?task=%s" % item["task"]).json()
    answer = why()
    check("%s: a service that is not registered" % name,
          answer["service"] == {"name": "urn:desk", "state": "unregistered"} and
          "%s waits: the service urn:desk is not registered" % item["item"] in
          answer["reasons"], answer)
    client.call("PUT", "/v1/services/desk", {"kind": "pull",
                                             "uri": "urn:desk"})
    answer = why()
    check("%s: no worker has come" % name,
          answer["service"] == {"name": "desk", "state": "unclaimed"} and
          any("none has asked" in reason for reason in answer["reasons"]),
          answer)
    client.post("/v1/items:claim", {"service": "desk"})
    answer = why()
    check("%s: one came, and took the other item" % name,
          answer["service"]["state"] == "unclaimed" and
          answer["service"]["asked"] and
          any("the last one asked at" in reason
              for reason in answer["reasons"]), answer)
    client.post("/v1/services/desk/pause", {"reason": "a flood"})
    answer = why()
    check("%s: it is paused" % name, answer["service"]["state"] == "paused" and
          answer["service"]["paused"]["reason"] == "a flood" and any(
              "the service desk is paused" in reason
              for reason in answer["reasons"]), answer)
    client.call("PUT", "/v1/services/desk", {
        "kind": "push", "uri": "urn:desk", "secret": "sixteen bytes and more",
        "address": "http://127.0.0.1:9/", "delay": "PT600S"})
    client.post("/v1/services/desk/resume", {})
    check("%s: its calls fail" % name, until(
        lambda: why()["service"]["state"] == "failing"), why())
    answer = why()
    check("%s: since when, and why" % name, answer["service"]["since"] and
          answer["service"]["reason"], answer)
    reader = server.client(server.add_account("reads-it", None, 1, [
        "read process:UID_AtDesk"]))
    answer = why(reader)
    check("%s: the reason may be about another process" % name,
          answer["service"]["state"] == "failing" and
          "reason" not in answer["service"], answer)
    server.close()


def about():
    server = Server(arguments=["--log-level", "info"])
    client = server.client()
    shown = client.get("/v1/server").json()
    settings = {row["key"]: row for row in shown["settings"]}
    check("the settings say where they come from", (
        settings["log-level"]["value"], settings["log-level"]["source"],
        settings["log-level"]["reloaded"], settings["batch"]["source"]) ==
        ("info", "option", True, "default"), settings.get("log-level"))
    check("the store is described", shown["store"]["url"].startswith(
        "sqlite:") and not shown["store"]["shared"] and
        shown["store"]["tables"] >= 7, shown["store"])
    check("its program, its size and the versions of libraries",
          re.fullmatch(r"SQLite 3\.\d+\.\d+", shown["store"]["program"]) and
          shown["store"]["bytes"] > 4096 and
          "oldest_transaction" not in shown["store"] and
          all(re.match(r"\d+\.\d+", version)
              for version in shown["libraries"].values()) and
          "libcurl" in shown["libraries"], shown)
    check("the only node is listed", [
        (node["node"], node["this"], node["version"])
        for node in shown["nodes"]] == [
            (shown["node"], True, shown["version"])], shown["nodes"])
    check("an operator does not see them", server.client(
        token=server.add_account("op", "operator", 1)).get(
            "/v1/server").status == 403)
    server.close()


def nodes(name, db):
    """Two servers on one store."""
    if name != "PostgreSQL":
        return
    one = Server(db=db)
    two = Server(db=db, token=one.token)
    client = one.client()
    check("both nodes are listed, and which one answers", until(
        lambda: sorted(node["this"] for node in client.get(
            "/v1/server").json()["nodes"]) == [False, True]),
          client.get("/v1/server").json()["nodes"])
    two.close()
    with subprocess.Popen(
            ["psql", "-qAt", os.environ["WEFT_TEST_POSTGRESQL"]],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdin.write(b"BEGIN; SELECT (extract(epoch FROM now()) * 1000)"
                          b"::bigint, pg_current_xact_id();\n")
        other.stdin.flush()
        began = int(other.stdout.readline().split(b"|")[0]) / 1000
        store = client.get("/v1/server").json()["store"]
        check("a transaction that stays open is shown", store["program"]
              .startswith("PostgreSQL ") and store["bytes"] > 8192 and
              datetime.datetime.fromisoformat(store["oldest_transaction"]
                                              .replace("Z", "+00:00"))
              .timestamp() <= began + 0.001, (store, began))
        other.stdin.close()
    one.close()


run(*on_each(glance, "the overview"), *on_each(states, "cases by state"),
    *on_each(failing, "a failing service"),
    *on_each(unaccepted, "an output that is not accepted"),
    *on_each(pulled, "a service of workers"),
    *on_each(waits, "why items wait for a service"), about,
    *on_each(nodes, "nodes"))
end()
