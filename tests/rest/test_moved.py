# SPDX-License-Identifier: Apache-2.0
"""Work on cases that are migrated meanwhile: what an item keeps when its task
has another id, and commands of a server that knows a case by its former
specification."""
from changing import first, second
from checks import check, end, run, skip, until
from server import Server
from stores import Schema, has_postgresql, on_each

RENAMED = {"tasks": {"B": "C"}}
# The output of tasks has another root element, and a parameter.
OTHER = second().replace('<decomposesTo id="W"/>', '<decomposesTo id="WW"/>') \
    .replace('<decomposition id="W" xsi:type="WebServiceGatewayFactsType">',
             """<decomposition id="WW" xsi:type="WebServiceGatewayFactsType">
<outputParam><index>0</index><name>more</name><type>string</type>
<namespace>http://www.w3.org/2001/XMLSchema</namespace></outputParam>""")


def at_b(client, specification, *names):
    for name in names:
        client.post("/v1/cases", {"specification": specification,
                                  "case": name})
        got = client.post("/v1/cases/%s/repair" % name, {
            "changes": [{"change": "skip_to", "task": "B"}], "force": True})
        if got.status != 200:
            raise RuntimeError(repr(got))


def claim(client, task, lease="PT10M"):
    got = client.post("/v1/items:claim", {
        "task": task, "count": 9, "lease": lease})
    return {item["item"].split(".")[0]: item for item in got.json()["items"]}


def items(client, case):
    return [(i["item"], i["status"]) for i in client.get(
        "/v1/items?case=" + case).json()["items"]]


def migrate(client, case, **more):
    got = client.post("/v1/cases/%s/migrate" % case, more)
    if got.status != 200:
        raise RuntimeError(repr(got))


def renamed(name, db):
    server = Server(db=db)
    client = server.client()
    old = client.load(first())
    new = client.load(second())
    worker = server.client(server.add_account("worker", None, 1, [
        "work service:DefaultWorklist"]))
    at_b(client, old, "a", "b", "c", "d", "e")
    claimed = claim(worker, "B")
    check("%s: a worker has items" % name, sorted(claimed) == [
        "a", "b", "c", "d", "e"], claimed)
    fence = claimed["a"]["fence"]
    document = client.call("POST", "/v1/items/a.1:B/documents?name=a.txt",
                           b"text", type="text/plain")
    draft = client.call("PUT", "/v1/items/a.1:B/draft", {})
    check("%s: one has a draft and a document" % name,
          (document.status, draft.status) == (201, 200), document, draft)
    for case in "abcd":
        migrate(client, case, specification=new, plan=RENAMED)
    check("%s: its task is renamed" % name,
          items(client, "a") == [("a.1:C", "executing")], items(client, "a"))
    kept = client.get("/v1/items/a.1:C/draft")
    check("%s: the draft is kept" % name, kept.status == 200 and
          kept.json()["saved"] == draft.json()["saved"], kept)
    files = client.get("/v1/items/a.1:C/documents")
    check("%s: so is the document" % name,
          [d["name"] for d in files.json()["documents"]] == ["a.txt"], files)
    row = client.get("/v1/items/a.1:C").json()
    check("%s: so are holder, lease and attempt" % name,
          (row.get("holder"), row.get("until"), row.get("attempt")) ==
          ("worker", claimed["a"]["until"], 1), row)
    beat = worker.post("/v1/items/a.1:B/heartbeat", {
        "fence": fence, "lease": "PT20M"})
    check("%s: the worker keeps it by the id that it knows" % name,
          beat.status == 200 and beat.json()["item"] == "a.1:C", beat)
    check("%s: not with another fence" % name, worker.post(
        "/v1/items/a.1:B/heartbeat", {"fence": fence + 1}).status == 409)
    for id, of in (("a.1:B", fence + 1), ("a.9:B", fence), ("a:B", fence)):
        got = worker.post("/v1/items/%s/complete?fence=%d" % (id, of), {})
        check("%s: %s with fence %d is refused" % (name, id, of),
              got.status in (403, 404), got)
    got = client.post("/v1/items/a.1:B/complete?fence=%d" % fence, {})
    check("%s: so is another account" % name, got.status == 404, got)
    done = worker.post("/v1/items/a.1:B/complete?fence=%d" % fence, {})
    check("%s: completes it" % name, done.status == 200 and
          done.json()["status"] == "completed", done)
    done = worker.call(
        "POST", "/v1/items/b.1:B/complete?fence=%d" % claimed["b"]["fence"],
        b"<W/>", type="application/xml")
    check("%s: in XML, too" % name, done.status == 200, done)
    given = worker.post("/v1/items/c.1:B/release", {
        "fence": claimed["c"]["fence"]})
    check("%s: or gives it back" % name, given.status == 200 and
          items(client, "c") == [("c.1:C", "fired")], given,
          items(client, "c"))
    check("%s: which another worker gets" % name,
          sorted(claim(client, "C")) == ["c"])
    check("%s: nobody else completes it" % name, client.post(
        "/v1/items/d.1:C/complete", {}).status == 409)
    # The lease ends as if the item had not been renamed.
    worker.post("/v1/items/d.1:B/heartbeat", {
        "fence": claimed["d"]["fence"], "lease": "PT0.1S"})
    check("%s: the end of the lease offers it again" % name,
          until(lambda: sorted(claim(client, "C")) == ["d"]))
    check("%s: the server ends" % name, server.close() == 0)


def known(name, db):
    """The server has migrated the cases by an operation, so it knows them by
    the specification of before, as another server would."""
    server = Server(db=db)
    client = server.client()
    old = client.load(first())
    new = client.load(OTHER)
    for case in "abcdef":
        client.post("/v1/cases", {"specification": old, "case": case})
        client.post("/v1/items/%s:A/start" % case)
        client.get("/v1/items/%s.1:A" % case)
    started = client.post("/v1/operations", {
        "kind": "migrate", "cases": list("abcdef"), "specification": new})
    until(lambda: client.get("/v1/operations/%d" % started.json()[
        "operation"]).json()["state"] == "done")
    moves_on(name, client)
    check("%s: the server ends" % name, server.close() == 0)


def moves_on(name, client):
    got = client.post("/v1/items/a.1:A/complete", {"more": "x"})
    check("%s: an item is completed by the new specification" % name,
          got.status == 200, got)
    got = client.post("/v1/items/b.1:A/complete", {})
    check("%s: which says what is missing" % name, got.status == 422 and
          "more is missing" in str(got.json()), got)
    got = client.post("/v1/items/c.1:A/complete", {"less": "x"})
    check("%s: not with any data" % name, got.status == 422 and
          "there is more" in str(got.json()), got)
    got = client.call("PATCH", "/v1/cases/d/data", {"remark": "x"})
    check("%s: a variable that only that one has is changed" % name,
          got.status == 200, got)
    got = client.post("/v1/cases/e/repair", {
        "changes": [{"change": "skip_to", "task": "C"}], "force": True})
    check("%s: it is repaired" % name, got.status == 200, got)
    got = client.post("/v1/items/e:C/start")
    check("%s: an item of a new task is started" % name,
          got.status == 200, got)
    got = client.post("/v1/cases/f/suspend", {})
    check("%s: what needs no data is done" % name, got.status == 200, got)


def two_servers():
    if not has_postgresql():
        skip("cases that another server migrates",
             "there is no PostgreSQL to test on")
        return
    schema = Schema()
    one = Server(db=schema.url)
    other = Server(db=schema.url, token=one.token)
    client, knows = one.client(), other.client()
    old = client.load(first())
    new = client.load(OTHER)
    for case in "abcdef":
        knows.post("/v1/cases", {"specification": old, "case": case})
        knows.post("/v1/items/%s:A/start" % case)
        migrate(client, case, specification=new)
    moves_on("another server", knows)
    check("both servers end", one.close() == 0 and other.close() == 0)
    schema.close()


run(*on_each(renamed, "items whose task is renamed"),
    *on_each(known, "cases that are known by a former specification"),
    two_servers)
end()
