# SPDX-License-Identifier: Apache-2.0
"""The organisation over REST: records, versions, circles, files."""
import os

from checks import check, end, run, skip, until
from server import Client, Server
from stores import on_each

CORPUS = os.path.join(os.environ.get("WEFT_CORPUS") or os.path.join(
    os.path.dirname(__file__), "..", "..", "..", "shared", "corpus"))


def detail(answer):
    return answer.json().get("detail", "")


def records(name, db):
    server = Server(db=db)
    client = server.client()
    made = client.post("/v1/roles", {"name": "Clerk", "notes": "first"})
    check("%s: a role is made" % name, made.status == 201
          and made.json()["id"].startswith("RO"), made)
    place = "/v1/roles/" + made.json()["id"]
    tag = made.headers["etag"]
    got = client.get(place)
    check("%s: it is read with its version" % name, got.json() == made.json()
          and got.headers["etag"] == tag, got)
    check("%s: also by its name" % name,
          client.get("/v1/roles/clerk").json() == got.json())
    refused = client.post("/v1/roles", {"name": "CLERK"})
    check("%s: a name is used once" % name, refused.status == 409, refused)
    changed = client.call("PATCH", place, {"description": "d"},
                          headers={"If-Match": tag})
    check("%s: members are changed" % name, changed.status == 200
          and changed.json()["notes"] == "first"
          and changed.headers["etag"] != tag, changed)
    refused = client.call("PATCH", place, {"description": "e"},
                          headers={"If-Match": tag})
    check("%s: not by whoever read it before" % name, refused.status == 409,
          refused)
    put = client.call("PUT", place, {"name": "Clerk"})
    check("%s: it is replaced" % name, put.status == 200
          and "notes" not in put.json(), put)
    refused = client.call("PUT", place, {"name": "Clerk"},
                          headers={"If-None-Match": "*"})
    check("%s: not where it must be new" % name, refused.status == 409,
          refused)
    client.call("PUT", "/v1/roles/RO-boss", {"name": "Boss"})
    client.call("PATCH", place, {"belongsTo": "Boss"})
    refused = client.call("PATCH", "/v1/roles/RO-boss", {"belongsTo": "Clerk"})
    check("%s: no circle" % name, refused.status == 400
          and "circle" in detail(refused), refused)
    refused = client.call("PATCH", place, {"belongsTo": "Nobody"})
    check("%s: no link to nothing" % name, refused.status == 400
          and "Nobody" in detail(refused), refused)
    for body, why in (({"name": ""}, "name"), ({}, "name"),
                      ({"name": "x", "colour": 1}, "no such member"),
                      ({"name": 1}, '"name": expected a string')):
        refused = client.post("/v1/roles", body)
        check("%s: refused: %s" % (name, body), refused.status == 400
              and why in detail(refused), refused)
    client.post("/v1/people", {"user": "anna", "roles": ["Clerk"]})
    gone = client.call("DELETE", place)
    check("%s: it is removed" % name, gone.status == 204, gone)
    check("%s: with the links to it" % name,
          client.get("/v1/people/anna").json()["roles"] == [])
    check("%s: once" % name, client.call("DELETE", place).status == 404)
    reader = Client(server.port, server.add_account("r", "operator", 1))
    refused = reader.post("/v1/roles", {"name": "X"})
    check("%s: only who may organise changes it" % name,
          refused.status == 403, refused)
    for number in range(25):
        client.post("/v1/people", {"user": "p%02d" % number,
                                   "lastName": "Odd" if number % 2 else "Even"})
    seen, after = [], ""
    while True:
        page = client.get("/v1/people?limit=10&q=odd" + after).json()
        seen += [row["user"] for row in page["people"]]
        if "next" not in page:
            break
        after = "&after=" + page["next"]
    check("%s: pages of those with a word" % name, sorted(seen) == [
        "p%02d" % number for number in range(25) if number % 2], seen)
    server.close()


def nodes(name, db):
    """Two servers on one store have the same organisation."""
    if db is None:
        return
    one, other = Server(db=db), None
    try:
        other = Server(db=db, token=one.token)
        one.client().call("PUT", "/v1/roles/RO-x", {"name": "X"})
        client = other.client()
        check("the other node has a record soon", until(
            lambda: client.get("/v1/roles/RO-x").status == 200))
        one.client().call("DELETE", "/v1/roles/RO-x")
        check("and loses a removed one", until(
            lambda: client.get("/v1/roles/RO-x").status == 404))
    finally:
        one.close()
        if other:
            other.close()


FILE = {"roles": [{"name": "Clerk"}, {"name": "Senior", "belongsTo": "Clerk"}],
        "people": [{"user": "anna", "firstName": "Anna, \"the\" first",
                    "roles": ["Senior"], "administrator": True},
                   {"user": "ben", "roles": ["Clerk"],
                    "privileges": ["canReorder", "canViewTeamItems"]}]}


def files():
    server = Server()
    client = server.client()
    dry = client.post("/v1/organisation?dry_run=true", FILE).json()
    check("a dry run says what would be", dry["added"] == 4
          and dry["dry_run"] is True, dry)
    check("and does nothing",
          client.get("/v1/people").json()["people"] == [])
    done = client.post("/v1/organisation", FILE).json()
    check("a file is taken", done["added"] == 4 and done["skipped"] == 0, done)
    anna = client.get("/v1/people/anna").json()
    senior = client.get("/v1/roles/Senior").json()
    check("names became links", anna["roles"] == [senior["id"]], anna)
    again = client.post("/v1/organisation", FILE).json()
    check("known records are skipped", again["skipped"] == 4
          and "known already" in again["records"][0]["why"], again)
    FILE["people"][0]["notes"] = "new"
    again = client.post("/v1/organisation?update=true", FILE).json()
    check("or changed", again["changed"] == 1 and again["unchanged"] == 3,
          again)
    whole = {}
    for form in ("json", "ybkp", "csv&kind=roles", "csv&kind=people"):
        got = client.get("/v1/organisation?format=" + form)
        check("exported as " + form, got.status == 200, got)
        whole[form] = got.body
    fresh = Server()
    other = fresh.client()
    for form, type in (("csv&kind=roles", "text/csv"),
                       ("csv&kind=people", "text/csv")):
        done = other.call("POST", "/v1/organisation?format=" + form,
                          whole[form], type=type)
        check("imported as " + form, done.status == 200
              and done.json()["skipped"] == 0, done)
    check("and is the same then",
          other.get("/v1/organisation").json() == client.get(
              "/v1/organisation").json(),
          other.get("/v1/organisation").json())
    done = other.call("POST", "/v1/organisation?format=ybkp&update=true",
                      whole["ybkp"], type="application/xml")
    check("a backup has the same", done.json()["added"] == 0, done)
    for form, body, why in (
            ("json", "{", "no JSON"), ("json", "[]", "expected an object"),
            ("json", '{"cats": []}', '"cats": expected people'),
            ("json", '{"roles": [{"name": 1}]}', "roles, record 1"),
            ("csv", "name", "kind: expected people"),
            ("csv&kind=roles", "id,colour\n", 'line 1: there is no column'),
            ("csv&kind=roles", "id;name\n", 'expected commas'),
            ("json", "", 'the file is empty'),
            ("csv&kind=roles", "name,live\nA,yes\nB,perhaps\n",
             'line 3: live: "perhaps" is not yes or no'),
            ("csv&kind=roles", 'name\n"A', "line 2"),
            ("csv&kind=roles", "name,notes\nA\n", "expected 2 values"),
            ("ybkp", "<x", ""), ("xml", "", "format: expected json")):
        refused = other.call("POST", "/v1/organisation?format=" + form, body,
                             type="text/csv" if "csv" in form
                             else "application/xml" if form == "ybkp"
                             else "application/json")
        check("refused: %s %r" % (form, body), refused.status == 400
              and why in detail(refused), refused)
    long = "x" * 50 + "\u00e4" * 50
    for form, body, why in (
            ("csv&kind=people", "user,lastName\nanna,Ash\nben,M\u00fcller\n"
             .encode("latin-1"), "line 3: byte 6 of the line (0xFC) is not "
             "UTF-8: expected a table that was saved as UTF-8"),
            ("csv&kind=people", "user\nanna\n".encode("utf-16"),
             "line 1: byte 1 of the line (0xFF)"),
            ("csv&kind=roles", ("name,live\nA,%s\n" % long).encode(),
             'line 2: live: "%s" is not yes or no' % (long[:80] + "..")),
            ("csv&kind=roles", (long + "\n").encode(),
             '"%s" for roles' % (long[:80] + ".."))):
        refused = other.call("POST", "/v1/organisation?format=" + form, body,
                             type="text/csv")
        check("refused: %s %r" % (form, body), refused.status == 400
              and why in detail(refused), refused)
    done = other.call("POST", "/v1/organisation?format=csv&kind=people",
                      "user\n%s\n" % ("y" * 2000), type="text/csv")
    row = done.json()["records"][0]
    check("what is too long is not shown whole", row["result"] == "skipped"
          and row["name"] == "y" * 80 + ".." and len(row["why"]) < 300, done)
    done = other.call("POST", "/v1/organisation?format=csv&kind=people",
                      'id,user\n"PA-1,PA-2",two\n', type="text/csv")
    check("an id has no comma", done.json()["skipped"] == 1
          and "has a comma" in done.json()["records"][0]["why"], done)
    server.close()
    fresh.close()


def user_ids():
    """Who is to sign in needs a name that an account can have."""
    server = Server()
    client = server.client()
    for user in ("m\u00fcller", "a b", "x" * 65, "a/b"):
        refused = client.post("/v1/people", {"user": user})
        check("no account can have the name %r" % user, refused.status == 400
              and "no account can have the name" in detail(refused)
              and "_ . @ -" in detail(refused), refused)
    check("but such names", all(client.post(
        "/v1/people", {"user": user}).status == 201
        for user in ("a.b-c_d@example.org", "x" * 64)))
    done = client.call("POST", "/v1/organisation?format=csv&kind=people",
                       "id,user,lastName\nM,m\u00fcller,M\nN,ann,N\n".encode(),
                       type="text/csv")
    check("an import takes them", done.status == 200, done)
    done = done.json()
    check("and says it", done["added"] == 2 and [
        (row["id"], "nobody can sign in as 'm\u00fcller'" in row.get(
            "why", "")) for row in done["records"]]
        == [("M", True), ("N", False)], done)
    changed = client.call("PATCH", "/v1/people/M", {"lastName": "Other"})
    check("the participant can be changed", changed.status == 200, changed)
    refused = client.call("PATCH", "/v1/people/M", {"user": "m\u00f6ller"})
    check("not to another such name", refused.status == 400, refused)
    whole = client.get("/v1/people/M").json()
    check("and be written back", client.call(
        "PUT", "/v1/people/M", whole).status == 200)
    check("to a good one", client.call(
        "PATCH", "/v1/people/M", {"user": "moeller"}).status == 200)
    server.close()


def tables():
    """What a table does not say stays; what can be seen of others."""
    server = Server()
    client = server.client()
    client.post("/v1/organisation", FILE)
    for word, name in (("groups", "Dept"), ("capabilities", "Drive")):
        client.post("/v1/" + word, {"name": name})
    client.post("/v1/positions", {"title": "Head", "group": "Dept"})
    client.post("/v1/rates", {"name": "hour", "role": "Clerk",
                              "amount": 1234567.654321})
    client.call("PATCH", "/v1/people/anna", {
        "email": "anna@example.org", "positions": ["Head"],
        "capabilities": ["Drive"], "notes": "secret"})
    table = "user,lastName,notes\r\nanna,Ash,\r\n,,\r\ncara,,\r\n"
    done = client.call("POST", "/v1/organisation?kind=people&update=true",
                       table, type="text/csv").json()
    check("each kind has its counts", done["kinds"] == {
        "people": {"added": 1, "changed": 1}}, done)
    anna = client.get("/v1/people/anna?names=true").json()
    check("columns that are not there stay", anna["lastName"] == "Ash"
          and anna["email"] == "anna@example.org"
          and anna["firstName"] == FILE["people"][0]["firstName"], anna)
    check("an empty cell is empty", "notes" not in anna, anna)
    check("links can be read as names", anna["roles"] == ["Senior"]
          and anna["positions"] == ["Head"], anna)
    got = client.get("/v1/organisation?format=csv&kind=rates").body
    check("an amount is exact", "1234567.654321" in str(got), got)
    only = client.get("/v1/organisation?kind=roles").json()
    check("an export of one kind", list(only) == ["roles"], only)
    done = client.post("/v1/organisation?kind=roles", only["roles"])
    check("is imported as it is", done.json()["skipped"] == 2, done)
    for query, body, why in (
            ("?kind=roles", {"people": []}, "expected roles only"),
            ("?kind=roles", "<orgdata/>", "has records of all kinds"),
            ("", "user\nanna\n", "kind: expected people")):
        refused = client.call("POST", "/v1/organisation" + query, body,
                              type="text/csv" if isinstance(body, str)
                              else "application/json")
        check("refused: %s %r" % (query, body), refused.status == 400
              and why in detail(refused), refused)
    for place, users in (("roles/Clerk", ["anna", "ben"]),
                         ("roles/Senior", ["anna"]), ("groups/Dept", ["anna"]),
                         ("positions/Head", ["anna"]),
                         ("capabilities/Drive", ["anna"])):
        got = client.get("/v1/%s/members" % place).json()
        check("members of " + place,
              sorted(row["user"] for row in got["people"]) == users, got)
    got = client.get("/v1/roles/Clerk/members?limit=1").json()
    rest = client.get("/v1/roles/Clerk/members?limit=1&after="
                      + got["next"]).json()
    check("in pages", len(got["people"]) == len(rest["people"]) == 1
          and "next" not in rest, rest)
    check("of a role that is not there",
          client.get("/v1/roles/Nobody/members").status == 404)
    ben = Client(server.port, server.add_account("ben", "participant", 1))
    client.call("PATCH", "/v1/people/ben", {"email": "ben@example.org"})
    seen = ben.get("/v1/people/anna").json()
    check("of others the name is seen, not the address",
          seen["lastName"] == "Ash" and "email" not in seen
          and "mailOnOffer" not in seen, seen)
    check("nor in lists", not any("email" in row for row in ben.get(
        "/v1/roles/Senior/members").json()["people"]))
    check("it cannot be guessed by words",
          ben.get("/v1/people?q=anna@").json()["people"] == []
          and len(client.get("/v1/people?q=anna@").json()["people"]) == 1)
    own = ben.get("/v1/people/ben").json()
    check("one's own is seen", own.get("email") == "ben@example.org", own)
    check("who only takes part sees no rates",
          ben.get("/v1/rates").status == 403
          and ben.get("/v1/rates/hour").status == 403)
    server.close()


def backups():
    """Backup files of a corpus, there and back."""
    folder = os.path.join(CORPUS, "resources")
    names = [os.path.join(at, name) for at, _, found in os.walk(folder)
             for name in found if name.endswith(".ybkp")]
    if not names:
        skip("backup files", "there is no corpus")
    for path in sorted(names):
        server = Server()
        client = server.client()
        with open(path, "rb") as file:
            done = client.call("POST", "/v1/organisation?format=ybkp",
                               file.read(), type="application/xml")
        check("%s is taken" % os.path.basename(path), done.status == 200
              and done.json()["added"] > 0, done)
        copy = client.get("/v1/organisation?format=ybkp").body
        again = client.call("POST", "/v1/organisation?format=ybkp&update=true",
                            copy, type="application/xml").json()
        check("%s comes back as it was" % os.path.basename(path),
              again["added"] == again["changed"] == 0, again)
        server.close()


if __name__ == "__main__":
    run(*on_each(records, "records"), *on_each(nodes, "nodes"), files, tables,
        user_ids, backups)
    end()
