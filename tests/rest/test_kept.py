# SPDX-License-Identifier: Apache-2.0
"""What pages use: preferences, saved filters, the search, and what a worklist
shows of its items."""
import json

from checks import check, end, run, until
from people import FREE, add_people, process, resourcing
from server import Server
from stores import Schema, has_postgresql, on_each


def names(answer):
    return sorted(one["filter"] for one in answer.json()["filters"])


def put_filter(client, id, **more):
    return client.call("PUT", "/v1/filters/" + id, dict(
        {"view": "cases", "name": "Late", "query": "older=P2D"}, **more))


# --- preferences -----------------------------------------------------------


def preferences(name, server, other):
    anna = server.client(server.add_account("anna", "participant", 1))
    place = "/v1/session/preferences"
    check("%s: before, there are none" % name, anna.get(place).json() == {})
    wanted = {"language": "zh", "columns": {"cases": ["case", "title"]},
              "density": 1}
    answer = anna.call("PUT", place, wanted)
    check("%s: preferences are kept" % name,
          answer.status == 200 and anna.get(place).json() == wanted, answer)
    check("%s: others have their own" % name,
          server.client().get(place).json() == {})
    there = other.client(anna.token)
    check("%s: another node has them" % name, until(
        lambda: there.get(place).json() == wanted))
    big = {"a": "x" * (16384 - len('{"a":""}'))}
    check("%s: there is a bound" % name,
          anna.call("PUT", place, big).status == 200 and
          anna.call("PUT", place, {"a": big["a"] + "x"}).status == 413)
    deep = json.loads("[" * 40 + "]" * 40)
    check("%s: what is deep is refused, and nothing is lost" % name,
          anna.call("PUT", place, {"a": deep}).status == 400 and
          put_filter(anna, "deep", query={"a": deep}).status == 400 and
          anna.get(place).json() == big)
    check("%s: no browser could ask for a filter .." % name,
          put_filter(anna, "..").status == 400 and
          server.client().post("/v1/accounts", {
              "name": "..", "role": "reader"}).status == 400)
    for body in ([], "x", 1, None):
        check("%s: %r is refused" % (name, body), anna.call(
            "PUT", place, json.dumps(body),
            type="application/json").status == 400)
    check("%s: without a body too" % name,
          anna.call("PUT", place).status == 400)
    kinds = [row["kind"] for row in
             server.client().get("/v1/audit").json()["audit"]]
    check("%s: the audit does not have them" % name,
          "putPreferences" not in kinds, kinds)
    check("%s: an account is removed" % name, server.client().call(
        "DELETE", "/v1/accounts/anna").status == 204)
    anna = server.client(server.add_account("anna", "participant", 1))
    check("%s: another one of its name begins without them" % name,
          anna.get(place).json() == {} and names(anna.get("/v1/filters")) == [])


# --- filters ---------------------------------------------------------------


def filters(name, server, other):
    admin = server.client()
    ben = server.client(server.add_account("ben", "participant", 1))
    cleo = server.client(server.add_account("cleo", "operator", 1))
    dora = server.client(server.add_account("dora", "operator", 1))
    far = server.client(server.add_account("far", "operator", 2))
    answer = put_filter(ben, "late", columns=["case"])
    check("%s: a filter is saved" % name, answer.status == 201, answer)
    answer = put_filter(ben, "late", query={"older": "P3D"})
    check("%s: and replaced" % name, answer.status == 200 and
          answer.json()["query"] == {"older": "P3D"}, answer)
    put_filter(ben, "work.1", view="work")
    found = ben.get("/v1/filters?view=cases").json()["filters"]
    check("%s: a list has its own" % name, len(found) == 1 and
          found[0]["filter"] == "late" and found[0]["own"] and
          found[0]["owner"] == "ben" and not found[0]["shared"] and
          "columns" not in found[0], found)
    check("%s: nobody else has them" % name,
          names(cleo.get("/v1/filters")) == [] and
          cleo.call("DELETE", "/v1/filters/late").status == 404)
    check("%s: sharing needs a right" % name,
          put_filter(ben, "late", shared=True).status == 403)
    check("%s: an operator shares" % name,
          put_filter(cleo, "broken", shared=True).status == 201)
    found = [one for one in ben.get("/v1/filters").json()["filters"]
             if one["shared"]]
    check("%s: which others see" % name, len(found) == 1 and
          found[0]["owner"] == "cleo" and not found[0]["own"], found)
    check("%s: on each node" % name, until(lambda: "broken" in names(
        other.client(ben.token).get("/v1/filters"))))
    check("%s: not in another namespace" % name,
          names(far.get("/v1/filters")) == [])
    check("%s: but not change" % name,
          put_filter(ben, "broken").status == 403 and
          put_filter(dora, "broken", shared=True).status == 403 and
          dora.call("DELETE", "/v1/filters/broken").status == 403)
    answer = put_filter(admin, "broken", shared=True, name="Stuck")
    check("%s: an administrator does, for its owner" % name,
          answer.status == 200 and [one for one in ben.get(
              "/v1/filters").json()["filters"] if one["name"] == "Stuck"]
          [0]["owner"] == "cleo", answer)
    check("%s: its owner takes it back" % name,
          put_filter(cleo, "broken").status == 200 and
          "broken" not in names(ben.get("/v1/filters")) and
          names(cleo.get("/v1/filters")) == ["broken"])
    check("%s: filters are removed" % name,
          ben.call("DELETE", "/v1/filters/late").status == 204 and
          names(ben.get("/v1/filters")) == ["work.1"])
    for body in ({"view": "Cases"}, {"view": ""}, {"name": ""}, {"name": 1},
                 {"name": "x" * 201}, {"query": 1}, {"query": "x" * 4097},
                 {"query": {"x": "x" * 4097}}, {"columns": "case"},
                 {"columns": [1]}, {"columns": ["x"] * 51}, {"shared": 1},
                 {"more": 1}):
        check("%s: %.60s is refused" % (name, body),
              put_filter(ben, "wrong", **body).status == 400)
    check("%s: so is an id" % name, put_filter(ben, "a%20b").status == 400 and
          put_filter(ben, "a" * 65).status == 400)
    for i in range(199):
        put_filter(ben, "n%d" % i)
    check("%s: an account has so many" % name,
          put_filter(ben, "one-more").status == 413 and
          put_filter(ben, "n1").status == 200)


# --- search ----------------------------------------------------------------


def ids(found, part, member):
    return [one[member] for one in found[part]]


def search(name, server, other):
    admin = server.client()
    role = admin.post("/v1/roles", {"name": "Clerks"}).json()["id"]
    clients = add_people(server, {"emma": {"roles": [role]}, "finn": {}})
    assert admin.post("/v1/people", {
        "user": "otto", "firstName": "Otto", "roles": [role],
        "privileges": FREE}).status == 201
    one = admin.load(process("loans", [("Check", resourcing([role]))]))
    two = admin.load(process("travel", [("Book", resourcing([role]))]))
    for key, case, title in ((one, "loan-1", "Blue house of Weber"),
                             (one, "loan-2", "Green boat"),
                             (two, "trip-7", "Weber to Lisbon")):
        admin.post("/v1/cases", {
            "specification": key, "case": case, "title": title})

    def find(client, text, **more):
        answer = client.get("/v1/search?q=" + text + "".join(
            "&%s=%s" % pair for pair in more.items()))
        check("%s: %s is searched" % (name, text), answer.status == 200, answer)
        return answer.json()

    emma, finn = clients["emma"], clients["finn"]
    check("%s: the list has the items" % name, until(
        lambda: len(emma.get("/v1/worklist").json()["items"]) == 3))
    found = find(admin, "weber")
    check("%s: cases are found by words" % name,
          ids(found, "cases", "case") == ["trip-7", "loan-1"] and
          ids(found, "cases", "uri") == ["travel", "loans"], found)
    check("%s: and their items" % name,
          sorted(ids(found, "items", "case")) == ["loan-1", "trip-7"], found)
    check("%s: so many" % name,
          len(find(admin, "weber", limit=1)["cases"]) == 1)
    check("%s: by the beginning of an id" % name,
          ids(find(admin, "loan"), "cases", "case") == ["loan-2", "loan-1"])
    check("%s: by an id" % name,
          ids(find(admin, "loan-2"), "cases", "case") == ["loan-2"])
    check("%s: an item by its id" % name, ids(find(
        admin, "trip-7:Book"), "items", "item") == ["trip-7:Book"])
    check("%s: a process by its title and its key" % name,
          ids(find(admin, "trav"), "specifications", "uri") == ["travel"] and
          ids(find(admin, one), "specifications", "uri") == ["loans"])
    check("%s: people" % name,
          ids(find(admin, "emm"), "people", "user") == ["emma"])
    check("%s: nothing" % name, not any(find(admin, "nothing").values()))
    check("%s: what has no word" % name, not any(find(admin, "%23").values()))
    # What one may see.
    found = find(emma, "weber")
    check("%s: a participant finds the own list" % name,
          sorted(ids(found, "items", "case")) == ["loan-1", "trip-7"] and
          found["cases"] == [] and "service" not in found["items"][0] and
          "accept" in found["items"][0]["actions"], found)
    check("%s: by task and process" % name,
          ids(find(emma, "Book"), "items", "case") == ["trip-7"] and
          sorted(ids(find(emma, "loans"), "items", "case")) ==
          ["loan-1", "loan-2"])
    check("%s: no processes" % name, find(emma, "travel")["specifications"]
          == [] and find(emma, "loan-1")["cases"] == [])
    check("%s: others find nothing of it" % name,
          not any(find(finn, "weber").values()) and
          ids(find(finn, "emma"), "people", "user") == ["emma"])
    answer = emma.post("/v1/items/loan-1:Check/accept")
    check("%s: an item is taken" % name, answer.status == 200, answer)
    check("%s: the own case is found then" % name, until(
        lambda: ids(find(emma, "weber"), "cases", "case") == ["loan-1"] and
        ids(find(emma, "loan-1"), "cases", "case") == ["loan-1"]))
    otto = server.client(server.add_account(
        "otto", None, 1, grants=["participate", "read process:UID_travel"]))
    answer = otto.post("/v1/items/loan-2:Check/accept")
    check("%s: one who also reads a process takes an item" % name,
          answer.status == 200, answer)
    check("%s: and finds what it reads, and the own cases" % name, until(
        lambda: ids(find(otto, "boat"), "cases", "case") == ["loan-2"]) and
        ids(find(otto, "lisbon"), "cases", "case") == ["trip-7"] and
        find(otto, "house")["cases"] == [])
    admin.load(process("xylem", [("Check", resourcing([role]))]).replace(
        "<title>Xylem", "<title>" + " ".join("w%d" % i for i in range(20))))
    check("%s: a process with a long title by its URI" % name, ids(
        find(admin, "xyl%20w3"), "specifications", "uri") == ["xylem"])
    some = server.client(server.add_account(
        "some", None, 1, grants=["read process:UID_travel"]))
    found = find(some, "weber")
    check("%s: rights on a process" % name,
          ids(found, "cases", "case") == ["trip-7"] and
          ids(found, "items", "case") == ["trip-7"] and
          find(some, "loan-1")["cases"] == [] and
          ids(find(some, "travel"), "specifications", "uri") == ["travel"] and
          find(some, "loans")["specifications"] == [], found)
    far = server.client(server.add_account("far2", "reader", 2))
    check("%s: another namespace" % name,
          not any(find(far, "weber")[part] for part in
                  ("cases", "items", "specifications")))
    for text in ("", "%20", "x" * 5000):
        check("%s: %.10r is refused" % (name, text),
              admin.get("/v1/search?q=" + text).status == 400)
    check("%s: without a text" % name, admin.get("/v1/search").status == 400)


def search_incident(name, server, other):
    admin = server.client()
    key = admin.load(process("fails", [("Do", "")]))
    for _ in range(2):
        admin.post("/v1/cases", {"specification": key, "case": "twice",
                                 "delay": "PT1S"})

    def incidents():
        return admin.get("/v1/incidents").json()["incidents"]

    if not check("%s: there is an incident" % name, until(incidents)):
        return
    number = incidents()[0]["incident"]
    found = admin.get("/v1/search?q=%d" % number).json()["incidents"]
    check("%s: an incident is found by its number" % name,
          ids({"x": found}, "x", "incident") == [number], found)
    far = server.client(server.add_account("far3", "reader", 2))
    check("%s: not in another namespace" % name, far.get(
        "/v1/search?q=%d" % number).json()["incidents"] == [])


# --- the worklist ----------------------------------------------------------

SHOWN = process("claims", [("Judge", resourcing(["JUDGES"]))]).replace(
    'isRootNet="true" xsi:type="NetFactsType">',
    'isRootNet="true" xsi:type="NetFactsType" p:show="customer amount">'
    + "".join('<inputParam><index>%d</index><name>%s</name>'
              '<type>string</type></inputParam>' % (i, variable)
              for i, variable in enumerate(("customer", "amount", "secret"))),
).replace('<task id="Judge">', '<task id="Judge"><name>Judge the claim</name>'
          '<documentation>  Of ${/Net/customer/text()}.\nMore.'
          '</documentation>')


def worklist(name, server, other):
    admin = server.client()
    role = admin.post("/v1/roles", {"name": "Judges"}).json()["id"]
    gina = add_people(server, {
        "gina": {"roles": [role]}, "hugo": {"roles": [role]},
        "ida": {"roles": [role]}})["gina"]
    shown = SHOWN.replace("JUDGES", role)
    wrong = shown.replace("customer amount", "customer amout")
    answer = admin.post("/v1/specifications", wrong, type="application/xml")
    check("%s: an unknown variable is an error" % name,
          answer.status == 422 and "amout" in answer.body.decode(), answer)
    key = admin.load(shown)
    for i in range(3):
        admin.post("/v1/cases", {
            "specification": key, "case": "claim%d" % i,
            "title": "Hail %d" % i, "data": {
                "customer": "Weber %d" % i, "amount": "7", "secret": "x"}})

    def rows(query=""):
        return gina.get("/v1/worklist" + query).json()["items"]

    check("%s: the items come" % name, until(lambda: len(rows()) == 3))
    row = rows("?q=hail+1")[0]
    check("%s: a row says what it is for" % name,
          row["title"] == "Hail 1" and row["process"] == "Claims" and
          row["name"] == "Judge the claim" and
          row["documentation"] == "Of Weber 1." and
          row["values"] == [{"name": "customer", "value": "Weber 1"},
                            {"name": "amount", "value": "7"}] and
          row["offered_count"] == 3 and "accept" in row["actions"], row)
    check("%s: words select" % name, len(rows("?q=hail")) == 3 and
          len(rows("?q=claim2")) == 1 and len(rows("?q=judge+hail")) == 3 and
          rows("?q=judge+snow") == [] and
          gina.get("/v1/worklist?q=%23").status == 400)
    page = gina.get("/v1/worklist?q=hail&limit=2").json()
    rest = gina.get("/v1/worklist?q=hail&limit=2&after=" + page["next"]).json()
    check("%s: in pages" % name, len(page["items"]) == 2 and
          len(rest["items"]) == 1, page, rest)

    def counts():
        return gina.get("/v1/worklist/counts").json()

    check("%s: they are counted" % name, counts() == {
        "mine": {"allocated": 0, "started": 0, "suspended": 0},
        "offered": 3, "late": 0, "at_least": False}, counts())
    for i, steps in enumerate((("accept",), ("accept", "start"))):
        for step in steps:
            gina.post("/v1/items/claim%d:Judge/%s" % (i, step))
    taken = rows("?state=allocated")
    check("%s: what is taken is offered to nobody" % name,
          len(taken) == 1 and "offered_count" not in taken[0], taken)
    admin.call("PATCH", "/v1/items/claim0:Judge",
               {"due": "2020-01-01T00:00:00Z"})
    check("%s: by their state" % name, until(lambda: counts() == {
        "mine": {"allocated": 1, "started": 1, "suspended": 0},
        "offered": 1, "late": 1, "at_least": False}), counts())
    check("%s: who is nobody has none" % name,
          admin.get("/v1/worklist/counts").status == 403 and
          admin.get("/v1/worklist/counts?for=gina").json() == counts())


def all_of(name, db):
    server = Server(db=db, arguments=["--people"])
    other = Server(db=db, arguments=["--people"], token=server.token) \
        if db else server
    for test in (preferences, filters, search, worklist, search_incident):
        test(name, server, other)
    if other is not server:
        other.close()
    server.close()


run(*on_each(all_of, "what pages use"))
end()
