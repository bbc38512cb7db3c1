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
                                             "streamWorklist")))
                check(what, allowed and status < 500, status)
            else:
                check(what, status == 403, status)


def limited(server, objects, count):
    """Rights to another process, service and namespace: nothing is done."""
    for verb in VERBS:
        if verb == "participate":
            continue
        client = server.client(server.add_account(
            "only-" + verb, None, 1, [
                "%s process:Other" % verb, "%s service:other" % verb]))
        for operation in contract.operations:
            verbs = needed(operation)
            if not verbs:
                continue
            status = ask(client, operation, objects)
            what = "%s with %s for others" % (operation.id, verb)
            if verb not in verbs or operation.right.startswith("all"):
                check(what, status == 403, status)
            else:
                # A body without a specification is refused as one, 422; of
                # what may be started each process is judged.
                check(what, status in (400, 403, 404) or (
                    status == 422 and operation.id == "loadSpecifications") or (
                        status == 200 and operation.id == "listStartable"),
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


def items(server, people, item):
    """An item that another participant has."""
    anna, bert = people["anna"], people["bert"]
    check("anna accepts it", anna.post(item + "/accept").status == 200)
    before = anna.get(item).json()
    for operation in contract.operations:
        if "{item}" not in operation.path:
            continue
        status = ask(bert, operation, {"item": item.split("/")[-1]})
        check("%s of anna's item by bert" % operation.id,
              status in (400, 403, 404, 409), status)
    check("it is as before", anna.get(item).json() == before)


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
    server.close()


run(all_of_them)
end()
