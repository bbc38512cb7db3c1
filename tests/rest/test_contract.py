# SPDX-License-Identifier: Apache-2.0
"""schemas/openapi.yaml, rest/routes.def and the answers agree.

server.py checks every answer of every test against the description; here every
operation is used once, so that none is left out."""
import glob
import os
import re

import checks
from checks import check, end, run, until
from people import add_people, process, resourcing
from server import ROOT, Server, contract

ROW = re.compile(r'^WF_ROUTE\("(\w+)", "([^"]*)", "(\w+)", ([\w()]+), (\w+), '
                 r'"([^"]*)", "([^"]*)", (\w+), [\w()]+\)$', re.M)


def routes():
    with open(os.path.join(ROOT, "rest", "routes.def")) as file:
        text = file.read()
    rows = ROW.findall(text)
    check("all routes are read", len(rows) == text.count("\nWF_ROUTE("))
    described = {(o.method, re.sub(r"\{\w+\}", "{}", o.path)): o
                 for o in contract.operations}
    check("each path is described once",
          len(described) == len(contract.operations))
    check("each operation has a name of its own",
          len({o.id for o in contract.operations}) == len(described))
    check("what is described has a route, and each route is described",
          set(described) == {(row[0], row[1]) for row in rows},
          set(described) ^ {(row[0], row[1]) for row in rows})
    for method, path, name, right, _, arguments, members, _ in rows:
        operation = described.get((method, path))
        if operation is None:
            continue
        check("%s: its name" % name, operation.id == name, operation.id)
        check("%s: its right" % name,
              operation.open and operation.right is None if right in ("OPEN", "SIGN_IN")
              else operation.right == re.sub(r"[()]", " ", right).lower().strip()
              and not operation.open,
              operation.right)
        check("%s: its arguments" % name,
              sorted(operation.names("query"))
              == sorted(set(arguments.split()) - {"*"}),
              operation.names("query"))
        check("%s: what stands in its path" % name,
              operation.names("path") == re.findall(r"\{(\w+)\}",
                                                    operation.path))
        check("%s: its body" % name, body_is(operation, members),
              operation.body)
        failures(operation)


FOLDERS = ("http", "server", "rest")  # where problems are made


def codes():
    """Codes in the description, the table of docs/REST.md and the source."""
    problem = contract.document["components"]["schemas"]["Problem"]
    described = problem["properties"]["code"]["enum"]
    check("the table of codes is complete",
          sorted(described) == sorted(contract.codes),
          set(described) ^ set(contract.codes))
    text = ""
    for folder in FOLDERS:
        for name in sorted(glob.glob(os.path.join(ROOT, folder, "**", "*.c"),
                                     recursive=True)):
            with open(name) as file:
                text += file.read()
    with open(os.path.join(ROOT, "runtime", "engine.h")) as file:
        text += file.read()
    used = set(re.findall(
        r'#define WF_(?:SUSPENDED|CHANGED|MIGRATED)_CODE "(\w+)"', text) + re.findall(
        r'problem\(\s*(?:rest,\s*)?\d+, "(\w+)"', text) + re.findall(
        r'\\"code\\":\s*"?\s*"?\\"(\w+)\\"', text) + re.findall(
        r'\{ WF_[A-Z_]+, "(\w+)", "', text) + re.findall(
        r'wf_fail_code\([^,]+, WF_\w+, "([a-z_]+)"', text) + re.findall(
        r'struct wf_refusal \w+ = \{[^}]*"(\w+)" \};', text))
    check("the table has those that are used, and no others",
          used == set(described), used ^ set(described))


def body_is(operation, members):
    if not operation.body:
        return members == ""
    content = operation.body["content"].get("application/json")
    if content is None:
        return members == "*"
    properties, _, free = contract.members(content["schema"])
    return members == "*" if free else sorted(properties) == sorted(
        members.split())


def failures(operation):
    """Codes that follow from the kind of an operation."""
    statuses = set(operation.responses)
    needed = {"default"}
    if not operation.open:
        needed.add("401")
    if operation.right not in (None, "own", "all read"):
        needed.add("403")
    if "{" in operation.path and operation.method != "PUT":
        needed.add("404")
    check("%s describes what goes wrong" % operation.id,
          needed <= statuses, needed - statuses)


def tour():
    server = Server()
    client = server.client()
    for path in ("/", "/about", "/healthz", "/readyz", "/openapi.yaml",
                 "/metrics"):
        client.get(path)
        client.call("HEAD", path)
    assets = re.findall(r'"(/assets/[^"]+)"', client.get("/").body.decode())
    for path in assets:
        client.get(path)
    if not assets:  # the program was built without the page
        checks.seen.add("showAsset")
    key = client.load("document-handling.yawl")
    several = client.load("several-instances.yawl")
    simple = client.load("sequence.yawl")
    loaded = client.get("/v1/specifications").json()["specifications"]
    client.get("/v1/specifications?uri=" + loaded[0]["uri"])
    for one in loaded:
        place = "/v1/specifications/" + one["key"]
        for path in (place, place + "/diagram", place + "/nets",
                     place + "/check", place + "/standing",
                     place + "/log", place + "/form"):
            client.get(path)
        client.post(place + "/form", {})
        client.get(place, headers={"Accept": "application/xml"})
    with open(ROOT + "/examples/timer.yawl", "rb") as file:
        client.post("/v1/check?states=100", file.read(),
                    type="application/xml")
    client.post("/v1/cases", {
        "specification": loaded[0]["uri"], "version": loaded[0]["version"],
        "case": "named", "title": "One with a title", "data": {}})
    client.post("/v1/cases", {"specification": simple, "delay": "PT1H"})
    start = client.post("/v1/cases", {"specification": simple, "title": "t",
                                      "delay": "PT1H"}).json()["start"]
    client.get("/v1/starts?limit=1&after=0")
    for number in (start, start, 12345):
        client.call("DELETE", "/v1/starts/%d" % number)
    client.post("/v1/cases", {"specification": simple, "xml": "<wrong"})
    for of in (key, several, simple):
        client.post("/v1/cases", {"specification": of, "data": {}},
                    headers={"Idempotency-Key": "k" + of})
        client.post("/v1/cases", {"specification": of, "data": {}},
                    headers={"Idempotency-Key": "k" + of})
    for _ in range(12):
        read_all(client)
        move_all(client)
    cases = client.get("/v1/cases?limit=1&order=oldest").json()
    client.get("/v1/cases?order=newest&status=running,completed&set_aside="
               "false&after=" + cases["next"])
    finding(client, key)
    operations(client, key)
    choices(client)
    media_types(client, cases["cases"][0]["case"])
    commands(client, simple)
    several_instances(client)
    incidents(client, simple)
    services(client)
    subscriptions(client)
    kept(client)
    accounts(server, client)
    claims(client, simple)
    stream = client.stream("/v1/events?after=0")
    check("the stream has steps", len(stream.take(20)) == 20)
    checks.seen.update(("streamEvents", "streamWorklist"))
    checks.seen |= {"beginOidc", "finishOidc"}  # tests/providers
    checks.seen |= {"showTestClock", "moveTestClock"}  # test_clock.py
    stream.close()
    unused = {o.id for o in contract.operations} - checks.seen
    check("each operation was done well once", not unused, unused)
    server.close()


def accounts(server, client):
    """Accounts, their tokens and sessions, and what the audit says of it."""
    word = "correct horse"
    place = "/v1/accounts/anna"
    client.post("/v1/accounts", {"name": "anna", "role": "operator",
                                 "password": word})
    client.get("/v1/accounts?limit=1")
    client.get(place)
    client.call("PATCH", place, {"grants": ["reader", "start process:p"]})
    client.post(place + "/tokens", {"name": "t", "scope": ["reader"],
                                    "expires": "P1D"})
    client.get(place + "/tokens")
    client.call("DELETE", place + "/tokens/t")
    client.call("DELETE", place + "/sessions")
    anna = server.client(token="")
    signed = anna.post("/v1/session", {"name": "anna", "password": word})
    both = {"Cookie": signed.headers["set-cookie"].split(";")[0],
            "X-CSRF-Token": signed.json()["csrf_token"]}
    anna.get("/v1/session", headers=both)
    anna.call("DELETE", "/v1/session", headers=both)
    anna.post("/v1/session/password", {"name": "anna", "password": word,
                                       "new_password": word + " battery"})
    client.call("DELETE", place)
    client.get("/v1/audit?limit=3")
    for by in ("case", "task", "flow"):
        client.get("/v1/statistics?buckets=true&per=hour&by=" + by)


def finding(client, key):
    index = {"specification": key, "variable": "x"}
    for body in (index, dict(index, specification="*", type="date"),
                 dict(index, variable="/"), {}):
        client.post("/v1/indexes", body)
    client.get("/v1/indexes")
    for rest in ("specification=*&variable=x", "variable=x",
                 "specification=no&variable=x"):
        client.call("DELETE", "/v1/indexes?" + rest)
    for of in ("cases", "items"):
        for rest in ("q=title", "title=one", "older=P1D", "incident=any",
                     "where=y%3D1", "where=(", "older=x", "q=-"):
            client.get("/v1/%s?%s" % (of, rest))


def operations(client, key):
    case = client.post("/v1/cases", {"specification": key}).json()["case"]
    body = {"kind": "suspend", "cases": [case]}
    for more in ({"dry_run": True}, {"kind": "migrate", "dry_run": True,
                                     "specification": key}, {"rate": 1}):
        last = client.post("/v1/operations", dict(body, **more))
    place = "/v1/operations/%d" % last.json()["operation"]
    client.get("/v1/operations")
    until(lambda: client.get(place).json()["state"] == "done")
    client.get(place + "/cases?result=done")
    client.post(place + "/undo", {"reason": "a test"})
    client.call("DELETE", place)
    for _ in range(60):  # so many seconds
        client.post("/v1/cases", {"specification": key})
    body = {"kind": "suspend", "filter": {"specification": key}, "rate": 1}
    place = "/v1/operations/%d" % client.post(
        "/v1/operations", body).json()["operation"]
    for verb in ("pause", "resume", "cancel", "cancel"):
        client.post("%s/%s" % (place, verb))
    until(lambda: client.call("DELETE", place).status == 204)
    last = client.post("/v1/operations", {
        "kind": "cancel", "filter": {"specification": key}}).json()
    until(lambda: client.get("/v1/operations/%d" % last["operation"]).json()[
        "state"] == "done")


def choices(client):
    for operation in contract.operations:
        for parameter in operation.parameters:
            schema = parameter["schema"]
            if parameter["in"] == "query" and (
                    schema.get("type") == "boolean" or "enum" in schema):
                path = operation.path.replace("{specification}", "rich")
                answer = client.call(operation.method, "%s?%s=other" % (
                    path, parameter["name"]))
                check("%s: %s is one of some words" % (
                    operation.id, parameter["name"]),
                      answer.status == 400, answer)


def media_types(client, case):
    place = "/v1/cases/%s/data" % case
    for accept, type in (("application/xml", "application/xml"),
                         ("Text/XML", "application/xml"),
                         ("Application/JSON, text/xml", "application/json"),
                         ("*/*", "application/json")):
        check("%s is answered in %s" % (accept, type), client.get(
            place, headers={"Accept": accept}).type == type)
    empty = client.get(place, headers={"Accept": "text/xml"}).body
    answer = client.call("PATCH", place, empty, type="Application/XML")
    check("a type of media in any case is XML",
          answer.status != 400, answer)


def read_all(client):
    for case in client.get("/v1/cases?limit=1000").json()["cases"]:
        place = "/v1/cases/" + case["case"]
        for path in ("", "/data", "/diagram", "/history"):
            client.get(place + path)
        client.get(place + "/data", headers={"Accept": "application/xml"})
        client.get(place + "/why?task=Ask")
        client.get(place + "/prospects")
        client.get(place + "/actions")
        client.get(place + "/form")
        client.post(place + "/form", {})
    for item in client.get("/v1/items?limit=1000").json()["items"]:
        client.get("/v1/items/" + item["item"])
        client.get("/v1/items/%s/data" % item["item"])
        client.get("/v1/items/%s/actions" % item["item"])
        client.get("/v1/items/%s/form" % item["item"])
        client.post("/v1/items/%s/form" % item["item"], {})
        client.call("PUT", "/v1/items/%s/draft" % item["item"], {})
        client.get("/v1/items/%s/draft" % item["item"])
        client.call("DELETE", "/v1/items/%s/draft" % item["item"])


def move_all(client):
    """Accepted and refused moves of an item: refusals are checked as well."""
    items = client.get("/v1/items").json()["items"]
    for i, item in enumerate(items):
        place = "/v1/items/" + item["item"]
        detail = client.get(place).json()
        if item["status"] == "enabled" and i % 2:
            client.post(place + "/start")
        elif client.post(place + "/complete", {}).status == 200:
            pass
        else:
            output = {v["name"]: detail.get("data", {}).get(v["name"], "1")
                      for v in detail.get("outputs", [])}
            if client.post(place + "/complete", output).status != 200:
                client.post(place + "/force")


def commands(client, key):
    start = {"specification": key}
    case = client.post("/v1/cases", start).json()["case"]
    place = "/v1/cases/" + case
    item = "/v1/items/%s:Ask" % case
    documents(client, place, item)
    comments(client, place)
    client.post(place + "/suspend")
    client.post(place + "/resume")
    started = "/v1/items/" + client.post(item + "/start").json()["item"]
    data = client.get(started + "/data").json()
    client.call("PATCH", started + "/data", data)
    client.post(started + "/suspend")
    client.post(started + "/resume")
    client.post(started + "/rollback")
    data = client.get(place + "/data").json()
    client.call("PATCH", place + "/data", data)
    client.post(place + "/cancel")
    case = client.post("/v1/cases", start).json()["case"]
    client.post("/v1/items/%s:Ask/skip" % case)
    for what, body in (("fail", {"reason": "tired"}),
                       ("cancel", {"reason": "why not"}), ("force", {})):
        case = client.post("/v1/cases", start).json()["case"]
        item = "%s:Ask" % case
        started = client.post("/v1/items/%s/start" % item).json()["item"]
        client.post("/v1/items/%s/%s" % (started, what), body)
        client.get("/v1/cases/%s/history" % case)
    client.call("DELETE", "/v1/specifications/" + key)  # it is in use
    for word in ("suspend", "resume"):
        for _ in range(2):
            client.post("/v1/specifications/%s/%s" % (key, word))
    for keep in ("never", "default", "soon"):
        client.call("PUT", "/v1/specifications/%s/retention" % key,
                    {"keep": keep})
    client.post("/v1/cases", {"specification": key, "case": "erased"})
    client.call("DELETE", "/v1/cases/erased?reason=x")  # it runs
    client.post("/v1/cases/erased/cancel")
    for _ in range(2):
        client.call("DELETE", "/v1/cases/erased?reason=x")
    client.get("/v1/cases/erased")
    text = other_version("sequence.yawl")
    other = client.post("/v1/specifications", text, type="application/xml"
                        ).json()["specifications"][0]["key"]
    case = client.post("/v1/cases", start).json()["case"]
    for dry in (True, False):
        client.post("/v1/cases/%s/repair" % case, {"dry_run": dry, "changes": [
            {"change": "skip_to", "task": "Ask"}]})
        client.post("/v1/cases/%s/migrate" % case, {
            "dry_run": dry, "specification": other, "plan": {}})
    client.post("/v1/cases/%s/migrate" % case, {"specification": key})
    client.call("DELETE", "/v1/specifications/" + other)


def comments(client, case):
    added = client.post(case + "/comments", {"text": "one"}).json()
    client.post(case + "/comments", {"text": ""})
    client.get(case + "/comments?limit=1")
    client.get(case + "/comments?after=x")
    number = added["comment"]
    for expected in (200, 404):
        check("a comment is removed once", client.call(
            "DELETE", case + "/comments/%d" % number).status == expected)


def documents(client, case, item):
    client.post(case + "/documents?name=a.txt", b"one", type="text/plain")
    document = client.post(item + "/documents?name=b.pdf", b"%PDF-1",
                           type="application/pdf").headers["location"]
    client.post(document + "?name=c.txt", b"two", type="text/plain")
    for path in (case + "/documents", item + "/documents", document,
                 document + "?version=1", document + "/content",
                 document + "/content?version=1"):
        client.get(path)
        client.call("HEAD", path)
    client.get(document + "/content", headers={"Range": "bytes=1-"})
    client.call("DELETE", document + "?version=1")
    client.call("DELETE", document)


def other_version(name):
    with open(os.path.join(ROOT, "examples", name)) as file:
        return file.read().replace("<version>0.1<", "<version>0.9<")


def several_instances(client):
    """An instance is added to a running task that allows further instances."""
    with open(os.path.join(ROOT, "examples", "several-instances.yawl")) as f:
        key = client.load(f.read().replace(
            '<creationMode code="static"/>', '<creationMode code="dynamic"/>'
        ).replace("<version>0.1<", "<version>0.9<"))
    case = client.post("/v1/cases", {"specification": key}).json()["case"]
    answer = client.get("/v1/items/%s:Ask/data" % case)
    preview = answer.json().get("items", [])
    check("several instances are shown before they start, by their data",
          len(preview) > 1 and len({i["item"] for i in preview}) ==
          len({str(i["data"]) for i in preview}) == len(preview), answer)
    started = client.post("/v1/items/%s:Ask/start" % case).json()["item"]
    client.post("/v1/items/%s/add" % started, {"supplier": "Elm"})


def incidents(client, key):
    """A delayed start that fails when it is due."""
    # One that comes when the first is launched already is refused at once.
    for seconds in (5, 30, 120):
        name = "twice%d" % seconds
        statuses = [client.post("/v1/cases", {
            "specification": key, "case": name,
            "delay": "PT%dS" % seconds}).status for _ in range(3)]
        if statuses == [202] * 3:
            break

    def failed():
        return [incident for incident in
                client.get("/v1/incidents").json()["incidents"]
                if name in str(incident)]

    until(lambda: len(failed()) == 2)
    found = failed()
    if not check("what fails when it is due is an incident",
                 len(found) == 2, found):
        return
    client.get("/v1/incidents?limit=1&case=%s&code=CONFLICT" % name)
    group = client.get("/v1/incidents/groups?limit=1").json()["groups"][0]
    client.post("/v1/incidents:drop", {
        "group": "%016x" % 1, "reason": "there is none", "limit": 1})
    client.get("/v1/incidents?group=" + group["group"])
    for i, incident in enumerate(found):
        place = "/v1/incidents/%d" % incident["incident"]
        client.get(place)
        client.post("/v1/incidents:retry", {"incidents": [
            incident["incident"]]} if i else {"all": True})
        fails_again(client, incident["incident"])
        client.post(place + "/retry")
        fails_again(client, incident["incident"])
        client.post(place + "/drop", {"reason": "it was a test"})


def fails_again(client, number):
    until(lambda: number in [
        incident["incident"]
        for incident in client.get("/v1/incidents").json()["incidents"]])


def claims(client, key):
    """Any account may take items of the default worklist."""
    client.post("/v1/cases", {"specification": key, "case": "claimed"})
    got = client.post("/v1/items:claim", {
        "count": 100, "lease": "PT1H"}).json()["items"]
    mine = [item for item in got if item["case"] == "claimed"][0]
    place = "/v1/items/" + mine["item"]
    client.post(place + "/heartbeat", {
        "fence": mine["fence"], "lease": "PT1H"})
    client.post(place + "/release", {"fence": mine["fence"]})
    client.post(place + "/release", {"fence": mine["fence"]})


def services(client):
    place = "/v1/services/post"
    for _ in range(2):
        client.call("PUT", place, {
            "kind": "push", "uri": "http://127.0.0.1:9/post",
            "secret": "0123456789abcdef", "documentation": "Sends letters"})
    client.get(place)
    client.get(place + "/state")
    client.call("POST", place + "/test")
    client.get("/v1/services?state=true")
    client.get("/v1/overview")
    client.get("/v1/case-counts")
    client.get("/v1/server")
    client.get("/v1/services")
    for path in (place + "/pause", place + "/resume"):
        for _ in range(2):
            client.post(path, {"reason": "a flood"})
    client.call("DELETE", place)


def kept(client):
    """What pages keep for their account."""
    client.call("PUT", "/v1/session/preferences", {"theme": "dark"})
    client.get("/v1/session/preferences")
    place = "/v1/filters/late"
    for _ in range(2):
        client.call("PUT", place, {"view": "cases", "name": "Late",
                                   "query": "older=P2D", "shared": True})
    client.get("/v1/filters?view=cases")
    for expected in (204, 404):
        check("a filter is removed once",
              client.call("DELETE", place).status == expected)
    client.get("/v1/search?q=order&limit=3")


def subscriptions(client):
    place = "/v1/subscriptions/night"
    for _ in range(2):
        client.call("PUT", place, {
            "url": "http://night.invalid/", "window": "PT1H",
            "events": ["incident_opened"], "specification": "a process"})
    client.get("/v1/subscriptions")
    for path in ("/pause", "/test", "/resume", "/secret"):
        client.post(place + path, {})
        client.get(place)
    client.call("DELETE", place)


def people():
    """The operations about people, on a server that has some."""
    server = Server(arguments=["--people"])
    client = server.client()
    for word in ("capabilities", "roles", "groups", "positions", "people",
                 "categories", "things", "rates", "calendars"):
        name = {"people": "user", "positions": "title"}.get(word, "name")
        place = "/v1/" + word
        client.post(place, {name: "one"})
        client.call("PUT", place + "/X-1", {name: "two"})
        client.call("PATCH", place + "/X-1", {name: "three"})
        client.get(place + "?q=o&limit=1")
        client.get(place + "/X-1?names=true")
        client.get(place + "/X-1/members?names=true")
        client.call("DELETE", place + "/X-1")
    client.post("/v1/organisation?dry_run=true", {"roles": []})
    client.get("/v1/organisation")
    clients = add_people(server, {"anna": {}, "ben": {}})
    anna = clients["anna"]
    may = "<privileges>%s</privileges>" % "".join(
        "<privilege><name>%s</name><allowall>true</allowall></privilege>" % w
        for w in ("canDelegate", "canDeallocate", "canReallocateStateful",
                  "canPile"))
    everybody = [row["id"] for row in client.get("/v1/people").json()["people"]]
    key = client.load(process("everybody", [
        ("A", resourcing(people=everybody, more=may))]))
    for case in "abcde":
        client.post("/v1/cases", {"specification": key, "case": case})
    anna.get("/v1/worklist")
    anna.get("/v1/worklist/counts")
    anna.get("/v1/search?q=ask")
    client.call("PATCH", "/v1/items/a:A", {"priority": 70, "due": None})
    anna.post("/v1/items/a:A/accept")
    anna.post("/v1/items/a:A/delegate", {"to": "ben"})
    clients["ben"].post("/v1/items/a:A/deallocate", {})
    item = anna.post("/v1/items/b:A/start").json()["item"]
    anna.post("/v1/items/%s/reallocate" % item, {"to": "ben"})
    anna.post("/v1/items/c:A/chain")
    client.post("/v1/items/d:A/offer?override=true", {"to": "ben"})
    client.post("/v1/items/e:A/allocate?override=true", {"to": "ben"})
    chained = anna.get("/v1/worklist?case=c").json()["items"][0]["item"]
    anna.post("/v1/items/%s/unchain" % chained)
    client.post("/v1/items/%s/reoffer" % chained, {"to": "ben"})
    client.call("PUT", "/v1/services/parcels", {
        "kind": "pull", "uri": "urn:parcels"})
    client.post("/v1/items/d:A/redirect", {"service": "parcels"})
    client.post("/v1/items/d:A/reoffer", {"to": "ben"})
    client.post("/v1/items/%s/restart" % chained, {"to": "anna"})
    clients["ben"].post("/v1/items/e:A/pile")
    client.get("/v1/items/d:A/needs")
    client.call("PUT", "/v1/items/d:A/needs", {"needs": []})
    pile = clients["ben"].get("/v1/worklist/piles").json()["piles"][0]
    del pile["participant"]
    client.post("/v1/worklist/unpile", pile)
    clients["ben"].post("/v1/items/d:A/accept")
    piled = clients["ben"].post("/v1/items/d:A/pile").json()["item"]
    clients["ben"].post("/v1/items/%s/unpile" % piled)
    client.get("/v1/startable")
    key = client.load(process("withdrawn", [("A", "")]).replace(
        '<decomposition id="Net"',
        '<decomposition id="Net" xmlns:p="urn:weft:people" p:withdraw="starter"'))
    client.post("/v1/cases", {"specification": key, "case": "w"})
    client.post("/v1/cases/w/withdraw", {"reason": "not needed"})
    for kind, key, body in (("absences", "absence", {"to": "P1D"}),
                            ("deputies", "entry", {"to": "P1D",
                                                   "deputy": "ben"})):
        place = "/v1/people/anna/" + kind
        made = anna.post(place, body)
        anna.get(place)
        anna.call("DELETE", "%s/%d" % (place, made.json()[key]))
    server.close()


if __name__ == "__main__":
    run(routes, codes, people, tour)
    end()
