# SPDX-License-Identifier: Apache-2.0
"""Every operation with every role, and with rights to other things only.

What an account may do follows from the right that schemas/openapi.yaml states
for the operation; test_contract.py compares that with the table of routes.  An
operation whose right is not known here fails."""
import re

from checks import check, end, run, until
from people import add_people, process, resourcing
from server import Server, Stream, contract

# As in identity/rights.def; each role has the verbs of those before it.
ROLES = (("participant", ("participate",)), ("reader", ("read",)),
         ("worker", ("work",)),
         ("operator", ("start", "suspend", "cancel", "load", "operate")),
         ("admin", ("organise", "act", "audit", "administer")))
VERBS = [verb for _, verbs in ROLES for verb in verbs]
# What can be granted on one process, and on one service.
OF_PROCESS = ["participate", "read", "work", "start", "suspend", "cancel",
              "load", "operate", "act"]
OF_SERVICE = ["read", "work", "cancel", "operate", "administer"]
NOTHING = {"case": "999999", "item": "999999:X", "incident": "999999",
           "start": "999999"}


def verbs_of(role):
    found = []
    for name, verbs in ROLES:
        found += verbs
        if name == role:
            return found


def needed(operation):
    """The verbs of which one is needed; None: no account."""
    if operation.open:
        return None
    scope, _, verb = (operation.right or "").partition(" ")
    if scope == "own" and not verb:
        return []
    if scope in ("all", "one") and verb in VERBS:
        return [verb]
    if scope == "people" and verb in VERBS:
        return [verb, "participate"]
    if scope == "files" and verb in VERBS:
        return [verb, "operate", "participate"]
    if scope == "starter" and verb in VERBS:
        return [verb, "start"]
    if scope == "loader" and verb in VERBS:
        return [verb, "load"]
    check("%s: its right is known" % operation.id, False, operation.right)
    return []


def ask(client, operation, objects, **headers):
    """The status of a request for those objects, by the names in the path."""
    path = re.sub(r"\{(\w+)\}", lambda found: objects.get(
        found.group(1), "nosuch"), operation.path)
    if operation.id in ("streamEvents", "streamWorklist"):
        stream = Stream(client.port, client.token, operation.path, {
            name.replace("_", "-"): value for name, value in headers.items()})
        stream.close()
        return stream.status
    body = None
    if operation.body:
        body = {name: objects["key"] for name in ("specification",)
                if operation.id == "startCase" and "key" in objects}
    return client.call(operation.method, path, body, headers={
        name.replace("_", "-"): value
        for name, value in headers.items()}).status


def roles(server):
    """What is not there, asked for with each role."""
    clients = {"": server.client(token="")}
    for role, _ in ROLES:
        clients[role] = server.client(
            server.add_account("one-" + role, role, 1))
    for operation in contract.operations:
        verbs = needed(operation)
        for role, client in clients.items():
            status = ask(client, operation, NOTHING)
            what = "%s as %s" % (operation.id, role or "nobody")
            if verbs is None:
                # Signing in is refused with a body that names nobody.
                check(what, status not in (401, 403), status)
            elif not role:
                check(what, status == 401, status)
            elif not verbs or set(verbs) & set(verbs_of(role)):
                # Who is no participant may not act as one.
                allowed = status not in (401, 403) or (
                    status == 403 and operation.right.startswith("people")
                    and (verbs[0] not in verbs_of(role)
                         or operation.id in ("showWorklist",
                                             "countWorklist",
                                             "streamWorklist")))
                check(what, allowed and status < 500, status)
            else:
                check(what, status == 403, status)


def limited(server, objects, count):
    """Rights to another process, service and namespace: nothing is done."""
    for verb in VERBS:
        if verb == "participate" or verb not in OF_PROCESS + OF_SERVICE:
            continue
        client = server.client(server.add_account(
            "only-" + verb, None, 1, [
                "%s %s" % (verb, of) for of, verbs in (
                    ("process:Other", OF_PROCESS),
                    ("service:other", OF_SERVICE)) if verb in verbs]))
        for operation in contract.operations:
            verbs = needed(operation)
            if not verbs:
                continue
            status = ask(client, operation, objects)
            what = "%s with %s for others" % (operation.id, verb)
            if verb not in verbs or operation.right.startswith("all"):
                check(what, status == 403, status)
            else:
                # A body without a specification is refused as one, 422, or
                # it is checked; of what may be started each process is judged;
                # filters are of whoever asks.
                check(what, status in (400, 403, 404) or (
                    status == 422 and operation.id == "loadSpecifications") or (
                        status == 200 and operation.id in (
                            "listStartable", "listFilters", "checkFile",
                            "listSpecifications", "countCases")),
                      status)
    stranger = server.client(server.add_account("far", "admin", 7))
    for operation in contract.operations:
        if not needed(operation):
            continue
        check("%s from another namespace" % operation.id, ask(
            stranger, operation, objects, Weft_Namespace="1") == 403)
    check("nothing was done", server.client().get(
        "/v1/cases").json()["cases"][0]["status"] == "running"
        and len(server.client().get("/v1/cases").json()["cases"]) == count)


def useless(server):
    """A verb that is never asked for an object is not granted on it."""
    client = server.client()
    for kind, verbs in (("process", OF_PROCESS), ("service", OF_SERVICE)):
        for verb in VERBS:
            grant = "%s %s:x" % (verb, kind)
            answer = client.post("/v1/accounts", {
                "name": "u-%s-%s" % (verb, kind), "grants": [grant]})
            check(grant, (answer.status == 201) == (verb in verbs), answer)
            check(grant + " is refused with a reason", verb in verbs or
                  "would allow nothing" in answer.json()["detail"], answer)


def single(server):
    """Rights on one process: what they allow, and what those on another do
    not."""
    client = server.client()
    for user in ("dora", "emil"):
        client.post("/v1/people", {"user": user})
    dora = client.get("/v1/people/dora").json()["id"]
    key = client.load(process("single", [("T", resourcing(people=[dora]))]))

    def account(name, process, *verbs):
        return server.client(server.add_account(name, None, 1, [
            "%s process:%s" % (verb, process) for verb in verbs]))

    def case():
        name = client.post(
            "/v1/cases", {"specification": key}).json()["case"]
        item = "/v1/items/%s:T" % name
        until(lambda: client.get(item).status == 200)
        return item

    own = account("dora", "UID_single", "participate")
    good = account("emil", "UID_single", "participate", "work", "operate")
    bad = account("bad", "UID_other", "participate", "work", "operate", "act",
                  "start")
    act = account("act", "UID_single", "participate", "act")
    start = account("starter", "UID_single", "start")
    item = case()
    check("participate: the item is seen", own.get(item).status == 200)
    check("participate: the list names the process",
          own.get("/v1/worklist").status == 403)
    shown = own.get("/v1/worklist?specification=single")
    check("participate: the list", shown.status == 200
          and len(shown.json()["items"]) == 1, shown)
    check("participate: the list of a case", own.get(
        "/v1/worklist?case=" + item.split("/")[-1].split(":")[0]).status == 200)
    check("participate of another process", bad.get(item).status == 403)
    check("participate: it is accepted",
          own.post(item + "/accept").status == 200)
    refused = bad.post(item + "/deallocate?override=true")
    check("operate of another process", refused.status == 403, refused)
    refused = act.post(item + "/deallocate?override=true")
    check("override without operate", refused.status == 403, refused)
    done = good.post(item + "/reoffer", {})
    check("operate: it is offered again", done.status == 200, done)
    refused = bad.post(item + "/accept?for=dora")
    check("act of another process", refused.status == 403, refused)
    done = act.post(item + "/accept?for=dora")
    check("act: it is accepted for her", done.status == 200, done)
    done = own.post(item + "/start")
    check("participate: it is started", done.status == 200, done)
    item = item.replace(":T", ".1:T")
    check("a draft of her item", good.call(
        "PUT", item + "/draft", {}).status == 403)
    done = good.call("PUT", item + "/draft?override=true", {})
    check("operate: a draft of her item", done.status == 200, done)
    done = good.post(item + "/complete?override=true&for=dora", {})
    check("override acts for nobody", done.status == 403, done)
    done = good.post(item + "/complete?override=true", {})
    check("operate: it is completed", done.status == 200, done)
    later = start.post("/v1/cases", {"specification": key, "delay": "PT1H"})
    check("start: a delayed one", later.status == 202, later)
    place = "/v1/starts/%d" % later.json()["start"]
    check("start of another process", bad.call("DELETE", place).status == 403)
    check("start: of none", start.call(
        "DELETE", "/v1/starts/999999").status == 403)
    done = start.call("DELETE", place)
    check("start: it is withdrawn", done.status == 200, done)


def of_one_process(server):
    """A participant, and who acts for others, in one process: own cases and
    lists are those of that process."""
    client = server.client()
    rosas = client.post("/v1/people", {
        "user": "rosa", "privileges": ["carteblanche"]}).json()["id"]
    rules = resourcing(people=[rosas], more="<privileges><privilege><name>"
                       "canPile</name><allowall>true</allowall></privilege>"
                       "</privileges>")
    keys = {name: client.load(process(name, [("T", rules)]).replace(
        "isRootNet=\"true\"", "isRootNet=\"true\" p:withdraw=\"starter\""))
        for name in ("mine", "theirs")}
    rosa = server.client(server.add_account("rosa", None, 1, [
        "start process:UID_mine", "start process:UID_theirs",
        "participate process:UID_mine"]))
    for name in keys:
        made = rosa.post("/v1/cases", {"specification": keys[name],
                                       "case": "o-" + name})
        check("rosa starts a case of " + name, made.status == 201, made)
    for path in ("", "/history", "/diagram", "/comments", "/documents"):
        check("her own case of the process: " + path, rosa.get(
            "/v1/cases/o-mine" + path).status == 200)
        check("not of another: " + path, rosa.get(
            "/v1/cases/o-theirs" + path).status in (403, 404)
            or (path == "/documents" and rosa.get(
                "/v1/cases/o-theirs" + path).json() == {"documents": []}))
    check("she comments on it", rosa.post(
        "/v1/cases/o-mine/comments", {"text": "x"}).status == 201)
    listed = rosa.get("/v1/cases?mine=true&specification=mine")
    check("the list names the process", listed.status == 200 and [
        case["case"] for case in listed.json()["cases"]] == ["o-mine"], listed)
    check("and no other, nor all", [rosa.get(
        "/v1/cases?mine=true" + more).status for more in (
            "", "&specification=theirs")] == [403, 403])
    reader = server.client(server.add_account("reads-mine", None, 1, [
        "read process:UID_mine"]))
    listed = reader.get("/v1/specifications").json()["specifications"]
    check("the list of processes has those that may be read",
          [one["key"] for one in listed] == [keys["mine"]], listed)
    check("to read a process makes nobody a participant", reader.get(
        "/v1/cases?mine=true&specification=mine").status == 403)

    act = server.client(server.add_account("acts", None, 1, [
        "participate process:UID_mine", "act process:UID_mine"]))
    for more in ("specification=mine", "case=o-mine",
                 "view=offered&specification=mine",
                 "specification=" + keys["mine"]):
        shown = act.get("/v1/worklist?for=rosa&" + more)
        check("act: her list, " + more, shown.status == 200 and [
            row["item"] for row in shown.json()["items"]] == ["o-mine:T"],
            shown)
    for more in ("", "&specification=theirs", "&case=o-theirs"):
        refused = act.get("/v1/worklist?for=rosa" + more)
        check("act of another process, or all: " + more,
              refused.status == 403, refused)
    both = server.client(server.add_account("acts-there", None, 1, [
        "participate", "act process:UID_theirs"]))
    for name, status in (("mine", 403), ("theirs", 200)):
        check("who takes part everywhere acts in one: " + name, both.get(
            "/v1/worklist?for=rosa&specification=" + name).status == status)
    check("the view of another", act.get(
        "/v1/worklist?view=team&for=rosa&specification=mine").status == 200)
    for action in ("accept", "pile"):
        done = client.post("/v1/items/o-mine:T/%s?for=rosa" % action)
        check("%s for her" % action, done.status == 200, done)
    task = {"specification": "UID_mine", "version": "0.1", "task": "T"}
    for who, status in ((both, 403), (act, 200)):
        done = who.post("/v1/worklist/unpile?for=rosa", task)
        check("unpile: %d" % status, done.status == status, done)
    task["specification"] = "UID_theirs"
    check("nor of another process", act.post(
        "/v1/worklist/unpile?for=rosa", task).status == 403)

    # Who may not read all people does not learn who has taken an item.
    two = [client.post("/v1/people", {"user": user}).json()["id"]
           for user in ("rudi", "ruth")]
    race = client.load(process("race", [("T", resourcing(people=two))]))
    rudi = server.client(server.add_account("rudi", "participant", 1))
    ruth = server.client(server.add_account("ruth", None, 1, [
        "participate process:UID_race"]))
    client.post("/v1/cases", {"specification": race, "case": "race"})
    done = rudi.post("/v1/items/race:T/start")
    check("one takes it", done.status == 200, done)
    refused = ruth.post("/v1/items/race:T/start")
    check("the other learns that somebody has", refused.status == 409 and
          refused.json()["detail"]
          == "somebody else has taken work item race:T", refused)
    check("as there are no people for her",
          ruth.get("/v1/people/rudi").status == 403)

    operates = server.client(server.add_account("operates", None, 1, [
        "participate process:UID_mine", "operate process:UID_mine"]))
    check("operate: the unoffered items of the process", [operates.get(
        "/v1/worklist?view=unoffered" + more).status for more in (
            "&specification=mine", "&specification=theirs", "")] == [
                200, 403, 403])
    made = rosa.post("/v1/cases", {"specification": keys["mine"],
                                   "case": "o-last"})
    check("another case", made.status == 201, made)
    done = rosa.post("/v1/cases/o-last/withdraw")
    check("she withdraws her own case of the process", done.status == 200,
          done)
    check("not that of another", rosa.post(
        "/v1/cases/o-theirs/withdraw").status == 403)


# What is sent to do something with an item, where it is more than {}.
BODIES = {"delegateItem": {"to": "bert"}, "reallocateItem": {"to": "bert"},
          "allocateItem": {"to": "bert"}, "offerItem": {"to": ["bert"]},
          "reofferItem": {"to": ["bert"]}, "restartItem": {"to": "bert"},
          "redirectItem": {"service": "post"},
          "changeItem": {"priority": 90},
          "setNeeds": {"needs": []},
          "keepItem": {"fence": 1}, "releaseItem": {"fence": 1}}


def others(server, people, item, state, refused):
    """What another participant has: an item, and a document of it."""
    client, bert = server.client(), people["bert"]
    added = client.call("POST", item + "/documents?name=a.txt", b"hers",
                        type="text/plain")
    check("%s: a file of it" % state, added.status == 201, added)
    files = {"item": item.split("/")[-1],
             "document": str(added.json()["document"])}
    before = client.get(item).json()
    for operation in contract.operations:
        if not re.search(r"\{(item|document)\}", operation.path):
            continue
        path = re.sub(r"\{(\w+)\}", lambda found: files[found.group(1)],
                      operation.path)
        body, more = None, {}
        if operation.id in ("addItemDocument", "addVersion"):
            path, body, more = path + "?name=b.txt", b"his", {
                "type": "text/plain"}
        elif operation.body:
            body = BODIES.get(operation.id, {})
        answer = bert.call(operation.method, path, body, **more)
        # In a wrong state nobody does it.
        check("%s: %s by bert" % (state, operation.id),
              answer.status in (403, 404, 409), answer)
        refused.setdefault(operation.id, set()).add(answer.status)
    check("%s: it is as before" % state, client.get(item).json() == before)
    kept = client.get(added.headers["location"] + "/content")
    check("%s: and the file" % state, kept.body == b"hers", kept)


def items(server, people, item):
    """An item that another participant has, in each state."""
    client, anna = server.client(), people["anna"]
    client.call("PUT", "/v1/services/post", {
        "kind": "pull", "uri": "urn:post"})
    ids = {p["user"]: p["id"] for p in client.get("/v1/people").json()["people"]}
    for user in people:
        client.call("PATCH", "/v1/people/" + user, {
            "privileges": ["carteblanche"]})
    may = "<privileges>%s</privileges>" % "".join(
        "<privilege><name>%s</name><allowall>true</allowall></privilege>" % name
        for name in ("canSuspend", "canDelegate", "canDeallocate", "canSkip",
                     "canReallocateStateful"))
    key = client.load(process("hers", [
        ("T", resourcing(people=[ids["anna"]], more=may)),
        ("U", resourcing(people=[ids["anna"]]))]))
    refused = {}

    def begin(case, *actions):
        """An item of a new case, after what anna does."""
        item = "/v1/items/%s:T" % case
        client.post("/v1/cases", {"specification": key, "case": case})
        for action in actions:
            done = anna.post(item + "/" + action)
            check("anna does it: " + action, done.status == 200, done)
            item = "/v1/items/" + done.json().get("item", item[10:])
        return item

    others(server, people, begin("h1"), "offered", refused)
    others(server, people, begin("h2", "accept"), "allocated", refused)
    others(server, people, begin("h3", "start"), "started", refused)
    others(server, people, begin("h4", "start", "suspend"), "suspended",
           refused)
    begin("h5", "chain")
    started = anna.get("/v1/worklist?case=h5").json()["items"][0]["item"]
    others(server, people, "/v1/items/" + started, "chained", refused)
    check("offered to both, one accepts", anna.post(
        item + "/accept").status == 200)
    others(server, people, item, "taken by her", refused)
    nobodys = client.load(process("nobodys", [("T", resourcing(
        roles=["RO-none"]))]))
    client.post("/v1/cases", {"specification": nobodys, "case": "h6"})
    others(server, people, "/v1/items/h6:T", "unoffered", refused)
    for operation, statuses in refused.items():
        # Of the tasks here none takes further instances.
        check("%s: the right is asked for" % operation,
              statuses & {403, 404} or operation == "addInstance", statuses)


def all_of_them():
    server = Server(arguments=["--people"])
    people = add_people(server, {"anna": {}, "bert": {}})
    client = server.client()
    ids = [p["id"] for p in client.get("/v1/people").json()["people"]]
    key = client.load(process("shared", [("T", resourcing(people=ids))]))
    case = client.post("/v1/cases", {"specification": key}).json()["case"]
    item = "/v1/items/%s:T" % case
    until(lambda: client.get(item).status == 200)
    roles(server)
    limited(server, dict(NOTHING, specification=key, key=key, case=case,
                         item=item.split("/")[-1]), 1)
    items(server, people, item)
    useless(server)
    single(server)
    of_one_process(server)
    server.close()


run(all_of_them)
end()
