# SPDX-License-Identifier: Apache-2.0
"""Statistics of periods, metrics of processes and tasks, and the files for
Prometheus and Grafana."""
import json
import os
import re
import signal
import subprocess
import urllib.parse

import prometheus
import yaml_subset
from checks import check, end, run, until
from people import add_people, process, resourcing
from server import WEFT, Server
from stores import on_each

CONTRIB = os.path.join(os.path.dirname(__file__), "..", "..", "contrib")


def start(client, key, case):
    answer = client.post("/v1/cases", {"specification": key, "case": case})
    if answer.status != 201:
        raise RuntimeError(repr(answer))


def complete(client, *items):
    for item in items:
        answer = client.post("/v1/items/%s/complete" % item, {})
        if answer.status != 200:
            raise RuntimeError(repr(answer))


def ask(client, **arguments):
    return client.get("/v1/statistics?" + urllib.parse.urlencode(arguments))


def all_counted(client):
    return until(lambda: ask(client).json()["complete"])


def rows(client, **arguments):
    answer = ask(client, **arguments)
    if answer.status != 200:
        raise RuntimeError(repr(answer))
    return answer.json()["statistics"]


def counts(row, *names):
    return tuple(row.get(name) for name in names)


def metrics(client):
    return prometheus.parse(client.get("/metrics").body.decode())


def counted(name, db):
    server = Server(db=db)
    client = server.client()
    key = client.load("sequence.yawl")
    other = client.load("parallel.yawl")
    for case in ("1", "2", "3"):
        start(client, key, case)
    complete(client, "1:Ask", "2:Ask", "1:Book", "1:Tell")
    client.post("/v1/cases/3/cancel")
    start(client, other, "4")
    check("%s: all is counted" % name, all_counted(client))
    of = {"specification": key}
    one, = rows(client, **of)
    check("%s: cases" % name, counts(
        one, "specification", "started", "completed", "cancelled",
        "deadlocked") == (key, 3, 1, 1, 0) and one["took"]["count"] == 1 and
        one["between"]["count"] == 2 and one["took"]["mean"] >= 0, one)
    check("%s: of all specifications" % name, {
        row["specification"]: row["started"] for row in rows(client)} ==
        {key: 3, other: 1})
    tasks = {row["task"]: row for row in rows(client, by="task", **of)}
    check("%s: tasks" % name, set(tasks) == {"Ask", "Book", "Tell"} and counts(
        tasks["Ask"], "enabled", "started", "completed", "cancelled",
        "withdrawn") == (3, 2, 2, 0, 1), tasks)
    check("%s: with times" % name, tasks["Ask"]["took"]["count"] == 2 and
          tasks["Ask"]["waited"]["p95"] >= tasks["Ask"]["waited"]["median"],
          tasks)
    check("%s: one task" % name, [row["task"] for row in rows(
        client, by="task", task="Book")] == ["Book"])
    flows = {(row["from"], row["to"]): row["taken"]
             for row in rows(client, by="flow", **of)}
    check("%s: flows" % name, flows.get(("Ask", "Book")) == 2 and
          flows.get(("Book", "Tell")) == 1 and sum(flows.values()) == 6,
          flows)
    with_buckets, = rows(client, buckets="true", **of)
    buckets = with_buckets["between"]["buckets"]
    check("%s: histograms" % name, sum(b["count"] for b in buckets) == 2 and
          all(b["from"] < b["to"] for b in buckets), buckets)
    by_hour = rows(client, per="hour", **of)
    check("%s: by the hour" % name, sum(
        row["started"] for row in by_hour) == 3 and all(
            row["time"].endswith(":00:00Z") or ":00:00.000" in row["time"]
            for row in by_hour), by_hour)
    by_day = rows(client, per="day", by="task", **of)
    check("%s: by the day" % name, sum(
        row["started"] for row in by_day) == 4, by_day)
    found, after = [], {}
    for _ in range(20):
        page = ask(client, by="task", limit="1", **after).json()
        found += page["statistics"]
        if "next" not in page:
            break
        after = {"after": page["next"]}
    check("%s: page by page" % name, found == rows(client, by="task") and
          len(found) > 3, found)
    check("%s: nothing before" % name, rows(
        client, **{"from": "P3D", "to": "P2D"}) == [])
    server.stop(signal.SIGKILL)
    server.start()
    client = server.client()
    start(client, key, "5")
    check("%s: after a crash each step is counted once" % name, until(
        lambda: ask(client, **of).json()["complete"]) and
        rows(client, **of)[0]["started"] == 4, rows(client, **of))
    server.close()


def two_servers(name, db):
    """One is killed while both work: the other counts on, each step once."""
    if db is None:
        return
    servers = [Server(db=db)]
    servers.append(Server(db=db, token=servers[0].token))
    clients = [server.client() for server in servers]
    key = clients[0].load("sequence.yawl")
    until(lambda: clients[1].get("/v1/specifications/" + key).status == 200)
    for i in range(20):
        start(clients[i % 2], key, "a%d" % i)
        complete(clients[i % 2], "a%d:Ask" % i)
        if i == 10:
            check("%s: all is counted by either" % name,
                  all_counted(clients[1]))
    servers[0].stop(signal.SIGKILL)
    for i in range(5):
        start(clients[1], key, "b%d" % i)
    check("%s: the other one goes on" % name, all_counted(clients[1]))
    one, = rows(clients[1])
    ask_, = rows(clients[1], by="task", task="Ask")
    check("%s: each step was counted once" % name, one["started"] == 25 and
          one["between"]["count"] == 24 and
          counts(ask_, "enabled", "completed") == (25, 20), one, ask_)
    for server in servers:
        server.close()


def measured(name, db):
    """What the metrics have of processes and tasks."""
    server = Server(db=db)
    client = server.client()
    key = client.load("sequence.yawl")
    for case in ("1", "2"):
        start(client, key, case)
    complete(client, "1:Ask")
    client.post("/v1/items/1:Book/start", {})
    all_counted(client)
    spec = client.get("/v1/specifications/" + key).json()
    found = metrics(client)
    started = found["weft_case_events_total"].samples
    process = {dict(where)["process"] for _, where in started}
    check("%s: one process" % name, len(process) == 1, started)
    labels = {"process": process.pop(), "version": spec["version"]}
    check("%s: cases" % name, prometheus.value(
        found, "weft_case_events_total", event="started", **labels) == 2)
    check("%s: items" % name, [prometheus.value(
        found, "weft_item_events_total", event=event, task="Ask", **labels)
        for event in ("enabled", "started", "completed", "withdrawn")] ==
        [2, 1, 1, 0])
    check("%s: times" % name, prometheus.value(
        found, "weft_item_seconds", "_count", task="Ask", **labels) == 1 and
        prometheus.value(found, "weft_item_wait_seconds", "_count",
                         task="Book", **labels) == 1)
    server.stop()
    server.arguments += ["--metrics-labels", "1"]
    server.start()
    client = server.client()
    found = metrics(client)
    open_items = found["weft_items_open"].samples
    check("%s: items that are open, and what is beyond the bound" % name, sum(
        open_items.values()) == 2 and any(
            ("task", "_other") in where for _, where in open_items), open_items)
    server.stop()
    server.arguments += ["--statistics-kept", "0s"]
    server.start()
    client = server.client()
    start(client, key, "3")
    check("%s: switched off, it stays as it was" % name, rows(client)[0][
        "started"] == 2 and not ask(client).json()["complete"])
    check("%s: and counts no metrics" % name, not metrics(client)[
        "weft_case_events_total"].samples)
    server.close()


def refused():
    server = Server()
    client = server.client()
    key = client.load("sequence.yawl")
    for arguments in ({"by": "king"}, {"per": "week"}, {"from": "soon"},
                      {"from": "P1D", "to": "P2D"}, {"task": "Ask"},
                      {"buckets": "2"}, {"limit": "0"}, {"version": "1"}):
        check("refused: %s" % arguments, ask(
            client, **arguments).status == 400, ask(client, **arguments))
    check("an unknown one", ask(client, specification="x").status == 404)
    start(client, key, "1")
    all_counted(client)
    uri = client.get("/v1/specifications/" + key).json()["uri"]
    identifier = client.get("/v1/specifications/" + key).json().get(
        "identifier") or uri
    reader = server.client(server.add_account(
        "rita", None, 1, ["read process:" + identifier]))
    check("a reader of the process", rows(
        reader, specification=uri)[0]["started"] == 1)
    check("reads no other", ask(reader).status == 403)
    server.close()


def participants():
    server = Server(arguments=["--people"])
    client = server.client()
    anna = add_people(server, {"anna": {}})["anna"]
    people = client.get("/v1/people").json()["people"]
    number = people[0]["id"]
    key = client.load(process("Work", [("A", resourcing(people=[number]))]))
    start(client, key, "1")
    until(lambda: anna.get("/v1/worklist").json()["items"])
    for verb in ("accept", "start"):
        done = anna.post("/v1/items/1:A/" + verb)
        check("anna's %s" % verb, done.status == 200, done)
    item = anna.get("/v1/worklist").json()["items"][0]["item"]
    complete(anna, item)
    all_counted(client)
    row, = rows(client, by="participant")
    check("what anna did", row["participant"] == number and
          row["completed"] == 1 and row["took"]["count"] == 1 and
          "task" not in row, row)
    row, = rows(client, by="participant", task="A")
    check("of one task", row["task"] == "A" and row["completed"] == 1, row)
    check("of another", rows(client, by="participant", task="B") == [])
    server.close()


def weft(server, *arguments):
    return subprocess.run(
        [WEFT, "statistics", *arguments], stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, env=dict(
            os.environ, WEFT_TOKEN=server.token,
            WEFT_SERVER="http://127.0.0.1:%d" % server.port)).stdout.decode()


def commands():
    server = Server()
    client = server.client()
    key = client.load("sequence.yawl")
    start(client, key, "1")
    complete(client, "1:Ask")
    all_counted(client)
    lines = weft(server, "cases").splitlines()
    check("weft statistics cases", lines[0].split()[:3] == [
        "SPECIFICATION", "STARTED", "COMPLETED"] and len(lines) == 2, lines)
    lines = weft(server, "tasks", "--per", "hour", "--from", "PT1H").splitlines()
    check("weft statistics tasks", lines[0].startswith("TIME") and
          "WAITED.MEDIAN" in lines[0] and any("Ask" in x for x in lines), lines)
    lines = weft(server, "flows", "--specification", key).splitlines()
    check("weft statistics flows", any(
        re.search(r"Ask +Book +1$", line) for line in lines), lines)
    check("weft statistics participants", weft(
        server, "participants") == "no statistics\n")
    server.stop()
    server.arguments += ["--statistics-kept", "0s"]
    server.start()
    start(server.client(), key, "2")
    note = "weft: some of the history is not counted yet"
    for arguments in (), ("--json",):
        check("weft says that not all is counted", note in weft(
            server, "cases", *arguments).splitlines())
    check("but not with --quiet", weft(server, "cases", "--quiet") == "")
    check("a mistake names the option", "--per" in weft(
        server, "cases", "--per", "week"))
    server.close()


def named(expression):
    return set(re.findall(r"\bweft_[a-z_]+", expression))


def files():
    """The dashboard and the rules name metrics that exist."""
    server = Server()
    families = metrics(server.client())
    names = set(families)
    for name, family in families.items():
        if family.kind == "histogram":
            names |= {name + e for e in ("_bucket", "_sum", "_count")}
            names.discard(name)
    server.close()
    with open(os.path.join(CONTRIB, "prometheus", "weft.rules.yaml")) as file:
        rules = yaml_subset.read(file.read())
    alerts = [rule for group in rules["groups"] for rule in group["rules"]]
    check("there are alerts", len(alerts) > 5)
    for rule in alerts:
        check("alert %s" % rule["alert"], named(rule["expr"]) and
              named(rule["expr"]) <= names and rule["annotations"]["summary"]
              and rule["labels"]["severity"] in ("page", "ticket"), rule)
    with open(os.path.join(CONTRIB, "grafana", "weft.json")) as file:
        dashboard = json.load(file)
    asked = [target["expr"] for panel in dashboard["panels"]
             for target in panel.get("targets", ())]
    asked += [one["query"]["query"] for one in dashboard["templating"]["list"]
              if one["type"] == "query"]
    check("the dashboard asks for something", len(asked) > 10)
    for expression in asked:
        check("dashboard: %s" % expression, named(expression) and
              named(expression) <= names)
    places = [panel["gridPos"] for panel in dashboard["panels"]]
    taken = [(x, y) for p in places for x in range(p["x"], p["x"] + p["w"])
             for y in range(p["y"], p["y"] + p["h"])]
    check("panels do not overlap", len(taken) == len(set(taken)) and
          len({panel["id"] for panel in dashboard["panels"]}) == len(places))


def strict():
    """The reader of metrics refuses what Prometheus would."""
    good = '# HELP a b\n# TYPE a gauge\na{x="1\\"\\n\\\\"} 2\n'
    check("a good text", prometheus.value(
        prometheus.parse(good), "a", x='1"\n\\') == 2)
    for bad in (good[:-1], good.replace("\\n", "\n"), good + "a 3 4 5\n",
                good + good, good.replace("gauge", "histogram"),
                good + 'a{x="1\\"\\n\\\\"} 3\n', good + "b 1\n"):
        try:
            prometheus.parse(bad)
            check("refused: %r" % bad, False)
        except (ValueError, KeyError):
            check("refused", True)


run(*on_each(counted, "statistics"), *on_each(two_servers, "two servers"), *on_each(measured, "metrics"), refused,
    participants, commands, files, strict)
end()
