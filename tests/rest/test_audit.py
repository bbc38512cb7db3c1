# SPDX-License-Identifier: Apache-2.0
"""Accounts over REST: who may change whom; the audit of that and of sign-ins."""
import json
import os
import pwd
import subprocess
import urllib.parse

from checks import check, end, run, until
from server import WEFT, Server
from stores import on_each

WORD = "correct horse battery"


def call(client, method, path, body=None, **headers):
    return client.call(method, path, body, headers={
        name.replace("_", "-"): value for name, value in headers.items()})


def token_of(server, client, name, token="t", **more):
    made = client.post("/v1/accounts/%s/tokens" % name, dict(
        {"name": token}, **more))
    check("%s gets a token" % name, made.status == 201, made)
    return server.client(token=made.json()["token"])


def accounts(server):
    client = server.client()
    made = client.post("/v1/accounts", {"name": "anna", "role": "operator",
                                        "password": WORD})
    check("an account is added", made.status == 201
          and made.json()["grants"] == ["operator"] and made.json()["password"]
          and not made.json()["tokens"] and "argon" not in made.body.decode(),
          made)
    check("not twice", client.post("/v1/accounts", {
        "name": "anna", "role": "reader"}).status == 409)
    for body in ({}, {"name": "x"}, {"role": "reader"},
                 {"name": "x", "role": "king"}, {"name": "a b", "role": "reader"},
                 {"name": "x", "grants": ["fly"]}, {"name": "x", "grants": "reader"},
                 {"name": "x", "role": "reader", "grants": ["reader"]},
                 {"name": "x", "role": "reader", "password": "short"},
                 {"name": "x", "role": "reader", "namespace": 0},
                 {"name": "x", "grants": ["reader"] * 65}):
        check("bad input", client.post("/v1/accounts", body).status == 400, body)
    place = "/v1/accounts/anna"
    first = client.get(place)
    tag = first.headers["etag"]
    changed = call(client, "PATCH", place, {"grants": [
        "participant", "start process:P"]}, If_Match=tag)
    check("its grants are replaced", changed.status == 200 and changed.json()[
        "grants"] == ["participant", "start process:P"], changed)
    check("not again with that version", call(
        client, "PATCH", place, {"role": "reader"}, If_Match=tag).status == 409)
    check("nor removed", call(
        client, "DELETE", place, If_Match=tag).status == 409)
    for body, after in (
            ({"add_grants": ["start process:Q", "participant"]},
             ["participant", "start process:P", "start process:Q"]),
            ({"remove_grants": ["start process:P"], "add_grants": ["reader"]},
             ["participant", "start process:Q", "reader"]),
            ({"remove_grants": []},
             ["participant", "start process:Q", "reader"])):
        changed = call(client, "PATCH", place, body)
        check("single grants come and go: %s" % body, changed.status == 200
              and changed.json()["grants"] == after, changed)
    for body, status in (({"remove_grants": ["operator"]}, 409),
                         ({"add_grants": ["fly"]}, 400),
                         ({"add_grants": "reader"}, 400),
                         ({"grants": ["reader"], "add_grants": []}, 400),
                         ({"role": "reader", "remove_grants": []}, 400)):
        refused = call(client, "PATCH", place, body)
        check("refused: %s" % body, refused.status == status, refused)
    check("a version is a number", call(
        client, "PATCH", place, {"role": "reader"}, If_Match="x").status == 400)
    pages, after = [], ""
    for _ in range(4):
        page = client.get("/v1/accounts?limit=1" + after).json()
        pages += [a["name"] for a in page["accounts"]]
        if "next" not in page:
            break
        after = "&after=" + page["next"]
    check("pages have all", pages == ["admin", "anna"], pages)
    made = client.post("/v1/accounts", {
        "name": "zed", "role": "reader",
        "token": {"name": "one", "scope": ["reader"], "expires": "P1D"}})
    token = made.json()["tokens"][0]
    check("an account is added with a token", made.status == 201
          and token["name"] == "one" and token["scope"] == ["reader"]
          and "expires" in token and made.headers["cache-control"]
          == "no-store" and server.client(token=token["token"]).get(
              "/v1/session").status == 200, made)
    check("whose secret is not shown again", "token" not in client.get(
        "/v1/accounts/zed").json()["tokens"][0])
    for token in ("one", {}, {"name": "a b"}, {"name": "x", "expires": "soon"},
                  {"name": "x", "scope": ["fly"]},
                  {"name": "x", "scopes": ["reader"]}):
        refused = client.post("/v1/accounts", {
            "name": "yan", "role": "reader", "token": token})
        check("nothing is added with a wrong token: %s" % token, refused.status
              == 400 and client.get("/v1/accounts/yan").status == 404, refused)
    short = token_of(server, client, "admin", "short", expires="PT1H")
    refused = short.post("/v1/accounts", {
        "name": "yan", "role": "reader", "token": {"name": "x"}})
    check("nor by a proof that ends before the token", refused.status == 403
          and client.get("/v1/accounts/yan").status == 404, refused)
    client.call("DELETE", "/v1/accounts/zed")
    anna = token_of(server, client, "anna")
    check("a token is good at once", anna.get("/v1/session").status == 200)
    call(client, "PATCH", place, {"disabled": True})
    check("a disabled account is none", anna.get("/v1/session").status == 401)
    call(client, "PATCH", place, {"disabled": False})
    check("enabled, it is one", anna.get("/v1/session").status == 200)
    check("its token is revoked", client.call(
        "DELETE", place + "/tokens/t").status == 204
        and anna.get("/v1/session").status == 401)
    check("once", client.call("DELETE", place + "/tokens/t").status == 404)
    for body in ({}, {"name": "a b"}, {"name": "x", "scope": ["fly"]},
                 {"name": "x", "expires": "2001-01-01T00:00:00Z"},
                 {"name": "x", "expires": "soon"}):
        check("bad input for a token", client.post(
            place + "/tokens", body).status == 400, body)
    for unknown in ("/v1/accounts/zoe", "/v1/accounts/zoe/tokens"):
        check("an unknown account", client.get(unknown).status == 404)
    lost = call(client, "PATCH", "/v1/accounts/admin", {"role": "reader"})
    check("the last administrator stays", lost.status == 409
          and client.call("DELETE", "/v1/accounts/admin").status == 409
          and call(client, "PATCH", "/v1/accounts/admin",
                   {"disabled": True}).status == 409, lost)


def own(server):
    """What an account may do with itself."""
    client = server.client()
    client.post("/v1/accounts", {"name": "bert", "role": "worker",
                                 "password": WORD})
    bert = token_of(server, client, "bert")
    narrow = token_of(server, bert, "bert", "narrow", scope=["reader"])
    check("a token makes none that may more",
          narrow.post("/v1/accounts/bert/tokens", {"name": "x"}).status == 403
          and narrow.post("/v1/accounts/bert/tokens", {
              "name": "x", "scope": ["worker"]}).status == 403)
    token_of(server, narrow, "bert", "less", scope=["reader"])
    for path in ("/v1/accounts", "/v1/accounts/bert", "/v1/audit"):
        check("nothing else of accounts", bert.get(path).status == 403, path)
    check("others are unknown",
          bert.get("/v1/accounts/admin/tokens").status == 404
          and bert.call("DELETE", "/v1/accounts/admin/sessions").status == 404
          and bert.post("/v1/accounts/admin/tokens",
                        {"name": "x"}).status == 404
          and bert.call("DELETE",
                        "/v1/accounts/admin/tokens/first").status == 404)
    check("nor can he make himself more", call(
        bert, "PATCH", "/v1/accounts/bert", {"role": "admin"}).status == 403)
    anonymous = server.client(token="")

    def change(**body):
        return anonymous.post("/v1/session/password", body).status
    new = WORD + " staple"
    secret = bert.post("/v1/accounts/bert/tokens", {"name": "y"}).json()["token"]
    check("a wrong password changes none",
          change(name="bert", password="wrong", new_password=new) == 401)
    check("a token is no password",
          change(name="bert", password=secret, new_password=new) == 400)
    check("a short one is refused",
          change(name="bert", password=WORD, new_password="short") == 400)
    check("nor is none taken", change(name="bert", password=WORD) == 400)
    session = anonymous.post("/v1/session", {"name": "bert", "password": WORD})
    cookie = {"Cookie": session.headers["set-cookie"].split(";")[0]}
    check("the session is good",
          anonymous.get("/v1/session", headers=cookie).status == 200)
    check("he changes it",
          change(name="bert", password=WORD, new_password=new) == 204)
    check("that ends his sessions",
          anonymous.get("/v1/session", headers=cookie).status == 401)
    check("the old one is void", anonymous.post("/v1/session", {
        "name": "bert", "password": WORD}).status == 401)
    session = anonymous.post("/v1/session", {"name": "bert", "password": new})
    check("the new one is good", session.status == 201)
    cookie = {"Cookie": session.headers["set-cookie"].split(";")[0]}
    ended = client.call("DELETE", "/v1/accounts/bert/sessions")
    check("an administrator ends his sessions", ended.json()["ended"] == 1
          and anonymous.get("/v1/session", headers=cookie).status == 401, ended)


def limited(server):
    """An administrator of less than everything grants no more than that."""
    client = server.client()
    client.post("/v1/accounts", {"name": "carl", "namespace": 1, "grants": [
        "administer", "reader", "start process:P"]})
    carl = token_of(server, client, "carl")
    for grants, status in ((["reader"], 201), (["start process:P"], 201),
                           (["start process:Q"], 403), (["start"], 403),
                           (["operator"], 403), (["admin"], 403),
                           (["reader everything"], 403),
                           (["reader namespace:2"], 403)):
        got = carl.post("/v1/accounts", {
            "name": "n%s" % "".join(c for c in grants[0] if c.isalnum()),
            "grants": grants})
        check("grants %s" % grants, got.status == status, got)
    check("not in another namespace", carl.post("/v1/accounts", {
        "name": "dora", "role": "reader", "namespace": 2}).status == 403)
    for method, path, body in (
            ("PATCH", "/v1/accounts/admin", {"password": WORD}),
            ("PATCH", "/v1/accounts/admin", {"disabled": True}),
            ("PATCH", "/v1/accounts/admin", {"role": "reader"}),
            ("DELETE", "/v1/accounts/admin", None),
            ("POST", "/v1/accounts/admin/tokens", {"name": "x"}),
            ("POST", "/v1/accounts/admin/tokens",
             {"name": "x", "scope": ["reader"]}),
            ("DELETE", "/v1/accounts/admin/tokens/first", None),
            ("PATCH", "/v1/accounts/carl", {"role": "admin"}),
            ("PATCH", "/v1/accounts/carl", {"add_grants": ["start"]})):
        got = carl.call(method, path, body)
        check("who has more is not changed", got.status == 403, method, path,
              body, got)
    scoped = token_of(server, client, "carl", "s", scope=["administer"])
    check("nor what the scope of the token has not", scoped.post(
        "/v1/accounts", {"name": "erna", "role": "reader"}).status == 403)


def audit(server):
    client = server.client()
    anonymous = server.client(token="")
    secret = "a password in the wrong place"
    client.post("/v1/accounts", {"name": "frida", "role": "participant",
                                 "password": WORD})
    # A name is known once; the rest is counted.
    for _ in range(20):
        anonymous.post("/v1/session", {"name": "frida", "password": secret})
    anonymous.post("/v1/session", {"name": secret[:60], "password": "x"})

    def rows(more=""):
        answer = client.get("/v1/audit?limit=1000" + more)
        check("the audit is answered", answer.status == 200, answer)
        return answer.json()["audit"]

    def of(account, kind):
        return until(lambda: rows("&account=%s&kind=%s" % (account, kind)))
    failed = of("frida", "sign-in")
    check("a failure has name, method and address",
          failed[-1]["result"] == "refused" and failed[-1]["detail"]
          == "password" and failed[-1]["address"] == "127.0.0.1", failed)
    check("equal ones are written once",
          sorted(r["result"] for r in failed) in (["refused"],
                                                  ["refused", "throttled"]),
          failed)
    check("an account with its token", [r["result"] for r in of(
        "admin", "addAccount") if r["subject"] == "zed one"] == ["done"])
    added = [r for r in of("admin", "addAccount") if r["subject"] == "frida"]
    check("who added the account, from where", len(added) == 1
          and added[0]["result"] == "done" and added[0]["address"]
          == "127.0.0.1", added)
    check("what was refused, too", {r["result"] for r in of(
        "carl", "changeAccount")} == {"forbidden"})
    check("tokens with their names", {r["subject"] for r in of(
        "bert", "addToken")} >= {"bert narrow", "bert less"})
    check("the change of a password", of("bert", "changePassword"))
    text = client.get("/v1/audit?limit=1000").body.decode()
    check("nothing secret is in it", "horse" not in text and secret[:20]
          not in text and "weft_" not in text)
    client.post("/v1/people", {"user": "frida", "firstName": "Frida"})
    check("the organisation", of("admin", "addPerson"))
    key = client.load("sequence.yawl")
    check("specifications", of("admin", "loadSpecifications"))
    spec = client.get("/v1/specifications/" + key).json()
    uri = "/v1/specifications/" + urllib.parse.quote(spec["uri"], safe="")
    client.post(uri + "/suspend", {"reason": "a wrong form"})
    client.post(uri + "/resume", {})
    acts = [(r["subject"], r["result"], r["detail"])
            for kind in ("suspend", "resume")
            for r in of("admin", kind + "Specification")]
    check("which version was suspended and resumed", acts == [
            ("%s %s %s" % (spec["uri"], spec["version"], key), "done", why)
            for why in ("a wrong form", "")], acts, key, spec)
    case = client.post("/v1/cases", {"specification": key}).json()["case"]
    item = "/v1/items/%s:Ask/start" % case
    client.post(item + "?override=true")
    forced = until(lambda: [r for r in rows("&kind=startItem")
                            if r["detail"] == "override"])
    check("whoever overrides", forced and forced[0]["subject"]
          == "%s:Ask" % case, forced)
    check("not who does not", not rows("&kind=startCase"))
    client.call("PUT", "/v1/services/s", {"uri": "http://localhost/s"})
    check("services", of("admin", "putService"))
    all_ids = [int(r["id"]) for r in rows()]
    check("the latest come first", all_ids == sorted(all_ids, reverse=True))
    first = client.get("/v1/audit?limit=2").json()
    more = client.get("/v1/audit?limit=2&after=%s" % first["next"]).json()
    check("pages follow each other", int(first["audit"][1]["id"])
          > int(more["audit"][0]["id"]), first, more)
    check("by time", rows("&from=PT1H") and not rows("&to=PT1H")
          and not rows("&from=2100-01-01T00:00:00Z"))
    for wrong in ("from=soon", "to=x", "after=x", "limit=0"):
        check("bad input", client.get("/v1/audit?" + wrong).status == 400, wrong)


def all_of_them():
    server = Server(arguments=["--people"])
    for part in (accounts, own, limited, audit):
        part(server)
    server.stop()
    server.start()
    names = {r["kind"] for r in server.client().get("/v1/audit").json()["audit"]}
    check("it outlives the server", "putService" in names, names)
    server.close()


def weft(server, *words, text=None, token=None, url=True):
    """weft account: at the server, or at its store."""
    place = ["--server", "http://127.0.0.1:%d" % server.port] if url else [
        "--db", server.db]
    return subprocess.run(
        [WEFT, "account", *words, *place], input=text, text=True,
        cwd=server.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=dict(os.environ, WEFT_TOKEN=token or server.token))


def command_line():
    """weft account with --server."""
    server = Server()
    client = server.client()
    made = weft(server, "add", "anna", "--role", "operator", "--password",
                text=WORD + "\n")
    check("add: standard output has the token alone", made.returncode == 0
          and server.client(made.stdout.strip()).get(
              "/v1/session").json()["account"] == "anna", made)
    check("add: the password counts", client.call(
        "POST", "/v1/session", {"name": "anna", "password": WORD}).status
        in (200, 201))
    again = weft(server, "add", "anna", "--role", "reader")
    check("add: not twice", again.returncode == 1 and "anna" in again.stderr,
          again)
    other = weft(server, "add", "otto", "--grant", "start process:P",
                 "--namespace", "7", "--json")
    check("add --json, with grants and a namespace", json.loads(
        other.stdout)["name"] == "otto" and client.get(
            "/v1/accounts/otto").json()["namespace"] == 7, other)
    listed = weft(server, "list")
    check("list", listed.returncode == 0 and [
        line.split()[0] for line in listed.stdout.split("\n")[1:] if line] == [
            "admin", "anna", "otto"], listed)
    check("list --json", [row["name"] for row in json.loads(weft(
        server, "list", "--json").stdout)] == ["admin", "anna", "otto"])
    made = weft(server, "token", "anna", "night", "--role", "reader",
                "--expires", "12h")
    token = client.get("/v1/accounts/anna").json()["tokens"][-1]
    check("token: with scope and end", made.returncode == 0
          and token["name"] == "night" and token["scope"] == ["reader"]
          and "expires" in token, made, token)
    check("show names it", "night" in weft(server, "show", "anna").stdout)
    done = weft(server, "revoke", "anna", "night")
    check("revoke", done.returncode == 0 and server.client(
        made.stdout.strip()).get("/v1/session").status == 401, done)
    for words, after in (
            (["--grant", "start process:P"], ["operator", "start process:P"]),
            (["--remove", "operator", "--role", "worker"],
             ["start process:P", "worker"]),
            (["--role", "reader", "--replace"], ["reader"])):
        done = weft(server, "grant", "anna", *words)
        check("grant %s says what she may do" % " ".join(words), done.returncode
              == 0 and done.stdout == "anna may do: %s\n" % ", ".join(after)
              and client.get("/v1/accounts/anna").json()["grants"] == after,
              done)
    done = weft(server, "grant", "anna", "--remove", "worker")
    check("grant: what she may not do is not taken", done.returncode == 1
          and "anna has no grant 'worker'" in done.stderr, done)
    # A proof that ends soon gives no token that does not.
    short = client.post("/v1/accounts/admin/tokens", {
        "name": "short", "expires": "PT1H"}).json()["token"]
    done = weft(server, "add", "half", "--role", "reader", token=short)
    check("add: all of it or nothing", done.returncode == 1 and client.get(
        "/v1/accounts/half").status == 404, done)
    done = weft(server, "password", "anna", text="another battery\n")
    check("password", done.returncode == 0 and client.call(
        "POST", "/v1/session", {"name": "anna",
                                "password": "another battery"}).status
        in (200, 201), done)
    own = weft(server, "token", "anna", "own", token=made.stdout.strip())
    check("a token that is revoked does nothing", own.returncode == 1
          and "WEFT_TOKEN" in own.stderr, own)
    for words, said in ((("reset", "anna"), "weft account reset takes no"),
                        (("add", "x"), "--role"),
                        (("grant", "x"), "or --remove"),
                        (("grant", "x", "--replace"), "--role"),
                        (("grant", "x", "--replace", "--remove", "y"),
                         "--replace takes all"),
                        (("list", "--db", "memory:"), "--db"),
                        (("grant", "anna", "--role", "king"), "king")):
        wrong = weft(server, *words)
        check("%s: wrong usage" % " ".join(words), wrong.returncode == 2
              and said in wrong.stderr, wrong)
    done = weft(server, "remove", "anna")
    check("remove", done.returncode == 0
          and client.get("/v1/accounts/anna").status == 404, done)
    gone = weft(server, "show", "anna")
    check("what is not there", gone.returncode == 1 and "anna" in gone.stderr,
          gone)
    rows = client.get("/v1/audit").json()["audit"]
    check("it is in the audit as done by the account", any(
        row["account"] == "admin" and row["kind"] == "removeAccount"
        and row["subject"] == "anna" for row in rows), rows)
    server.close()


def at_the_store(name, db):
    """What weft account does at the store is in the audit."""
    server = Server(db=db)
    client = server.client()
    me = "os:" + pwd.getpwuid(os.getuid()).pw_name
    for code, words in (
            (0, ("add", "anna", "--role", "reader")),
            (1, ("add", "anna", "--role", "reader")),
            (0, ("token", "anna", "night")), (0, ("revoke", "anna", "night")),
            (0, ("grant", "anna", "--role", "worker", "--remove", "reader")),
            (0, ("reset", "anna")), (0, ("list",)), (0, ("show", "anna")),
            (0, ("remove", "anna")), (1, ("remove", "anna"))):
        done = weft(server, *words, url=False)
        check("%s: weft account %s" % (name, " ".join(words)),
              done.returncode == code, done)
        check("%s: which says what she may do" % name, words[0] != "grant"
              or done.stdout == "anna may do: worker\n", done)
    rows = [row for row in client.get("/v1/audit").json()["audit"]
            if row["detail"] == "weft account"]
    check("%s: all changes are there, with who and how it ended" % name,
          [(row["account"], row["kind"], row["subject"], row["result"])
           for row in reversed(rows)] == [
              (me, kind, subject, result) for kind, subject, result in (
                  ("addAccount", "anna", "done"),
                  ("addAccount", "anna", "conflict"),
                  ("addToken", "anna night", "done"),
                  ("removeToken", "anna night", "done"),
                  ("changeAccount", "anna", "done"),
                  ("resetAccount", "anna", "done"),
                  ("removeAccount", "anna", "done"),
                  ("removeAccount", "anna", "not_found"))], rows)
    check("%s: they are found by their account" % name, len(client.get(
        "/v1/audit?account=" + me.replace(":", "%3A")).json()["audit"])
        == len(rows))
    server.close()


def on_cases():
    """Operations, repairs and migrations are there; what was only tried is
    not."""
    server = Server()
    client = server.client()
    key = client.load("sequence.yawl")
    client.post("/v1/cases", {"specification": key, "case": "a"})
    change = {"changes": [{"change": "skip_to", "task": "Book"}],
              "reason": "paid by hand"}
    client.post("/v1/cases/a/repair", dict(change, dry_run=True))
    done = client.post("/v1/cases/a/repair", change)
    client.post("/v1/cases/a/migrate", {"specification": "none"})
    start = {"kind": "suspend", "filter": {}, "reason": "for the night"}
    client.post("/v1/operations", dict(start, dry_run=True))
    number = str(client.post("/v1/operations", start).json()["operation"])
    place = "/v1/operations/" + number
    client.post(place + "/pause")
    until(lambda: client.call("DELETE", place).status == 204 or
          client.post(place + "/cancel") and None)
    rows = until(lambda: [
        row for row in reversed(client.get("/v1/audit").json()["audit"])
        if row["kind"] not in ("loadSpecification", "cancelOperation")]
        if any(row["kind"] == "removeOperation" and row["result"] == "done"
               for row in client.get("/v1/audit").json()["audit"]) else None)
    seen = [(row["kind"], row["subject"], row["detail"]) for row in rows]
    check("a repair is in the audit, with its reason", seen.count(
        ("repairCase", "a", "paid by hand")) == 1, done, rows)
    check("the start of an operation is", seen.count(
        ("startOperation", "suspend", "for the night")) == 1, rows)
    check("its pause and its removal are", ("pauseOperation", number, "") in
          seen and ("removeOperation", number, "") in seen, rows)
    server.close()


run(all_of_them, command_line, on_cases, *on_each(at_the_store, "weft account"))
end()
