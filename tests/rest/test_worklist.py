# SPDX-License-Identifier: Apache-2.0
"""Worklists: what is offered to whom, what each may do, and why not."""
import json
import os
import subprocess
import threading

from checks import check, end, run, until
from people import add_people, process, resourcing
from server import WEFT, Server
from stores import on_each

CLERKS = resourcing(roles=["RO-clerk"])
PRIVILEGED = resourcing(roles=["RO-clerk"], more="<privileges>%s</privileges>" % "".join(
    "<privilege><name>%s</name><allowall>true</allowall></privilege>" % name
    for name in ("canSuspend", "canDelegate", "canDeallocate", "canSkip",
                 "canReallocateStateless", "canReallocateStateful")))


def office(db, name):
    """A server with anna and ben, who are clerks, and cara, who is not."""
    server = Server(db=db, arguments=["--people"])
    client = server.client()
    check("%s: a role is made" % name, client.call(
        "PUT", "/v1/roles/RO-clerk", {"name": "Clerk"}).status == 201)
    people = add_people(server, {
        "anna": {"roles": ["Clerk"]}, "ben": {"roles": ["Clerk"]}, "cara": {}})
    return server, client, people


def items(client, query=""):
    answer = client.get("/v1/worklist" + query)
    return [row["item"] for row in answer.json().get("items", [answer])]


def detail(answer):
    return answer.json().get("detail", "")


def offers(name, db):
    server, client, people = office(db, name)
    anna, ben, cara = people["anna"], people["ben"], people["cara"]
    key = client.load(process("plain", [("A", CLERKS), ("B", CLERKS)]))
    wrong = client.post("/v1/specifications", process("wrong", [(
        "A", resourcing(roles=["RO-clerk", "RO-none"]).replace(
            "</initialSet>", "</initialSet><filters><filter><name>Fair</name>"
            "</filter></filters>"))]).encode(), type="application/xml")
    warnings = [(row["severity"], row["line"], row["element"], row["text"])
                for row in wrong.json().get("diagnostics", [])]
    check("%s: mistakes in rules are reported" % name, wrong.status == 201
          and [row[2] for row in warnings] == ["task A, <filter>",
                                               "task A, <role>"]
          and all(row[0] == "warning" and row[1] > 1 for row in warnings)
          and "Fair" in warnings[0][3] and "RO-none" in warnings[1][3], wrong)
    check("%s: also in the log" % name, until(
        lambda: "specification_rule_wrong" in server.read_log()))
    client.post("/v1/cases", {"specification": key, "case": "c"})
    check("%s: clerks see it" % name,
          items(anna) == items(ben) == ["c:A"], items(anna), items(ben))
    check("%s: others do not" % name, items(cara) == [])
    row = anna.get("/v1/worklist").json()["items"][0]
    check("%s: it is offered, and can be accepted" % name,
          row["assignment"] == "offered" and "accept" in row["actions"]
          and "delegate" not in row["actions"], row)
    shown = client.get("/v1/items/c:A").json()
    check("%s: an operator sees who it is offered to" % name,
          sorted(shown["offered_to"]["people"]) == ["anna", "ben"]
          and shown["actions"] == ["start"], shown)
    check("%s: and why nobody can suspend it" % name,
          "Offered, not Started" in shown["refused"]["suspend"], shown)
    refused = cara.post("/v1/items/c:A/accept")
    check("%s: others cannot accept it" % name, refused.status == 403
          and "not offered to" in detail(refused), refused)
    check("%s: nor see it" % name, cara.get("/v1/items/c:A").status == 404)
    check("%s: nor its form" % name, cara.get("/v1/items/c:A/form").status == 404)
    check("%s: nor its data" % name, cara.get("/v1/items/c:A/data").status == 404)
    check("%s: nor the cases" % name, cara.get("/v1/cases/c").status == 403)
    done = anna.post("/v1/items/c:A/accept")
    check("%s: one accepts it" % name, done.status == 200, done)
    check("%s: so the other loses it" % name, items(ben) == [], items(ben))
    row = anna.get("/v1/worklist?view=allocated").json()["items"]
    check("%s: it is hers" % name, len(row) == 1 and row[0]["holder"] == "anna",
          row)
    check("%s: and in no other view" % name,
          items(anna, "?view=offered") == items(anna, "?view=started") == [])
    refused = ben.post("/v1/items/c:A/start")
    check("%s: the other cannot start it" % name, refused.status == 403,
          refused)
    refused = client.post("/v1/items/c:A/start")
    check("%s: nor an operator, by accident" % name, refused.status == 403
          and "override" in detail(refused), refused)
    started = anna.post("/v1/items/c:A/start")
    check("%s: she starts it" % name, started.status == 200, started)
    item = started.json()["item"]
    refused = ben.post("/v1/items/%s/complete" % item, {})
    check("%s: the other cannot complete it" % name, refused.status == 403
          and "has the item" in detail(refused), refused)
    refused = ben.post("/v1/items/%s/complete?override=true" % item, {})
    check("%s: nor override that" % name, refused.status == 403, refused)
    done = client.post("/v1/items/%s/complete?override=true" % item, {})
    check("%s: an operator can, and says so" % name, done.status == 200, done)
    check("%s: the next item is offered" % name, items(ben) == ["c:B"])
    refused = anna.get("/v1/worklist?view=unoffered")
    check("%s: what is unoffered is for administrators" % name,
          refused.status == 403, refused)
    refused = anna.get("/v1/worklist?view=team")
    check("%s: the team is a privilege" % name, refused.status == 403
          and "canViewTeamItems" in detail(refused), refused)
    refused = anna.get("/v1/worklist?for=ben")
    check("%s: nobody acts for others" % name, refused.status == 403, refused)
    check("%s: but who has the right" % name,
          items(client, "?for=ben") == ["c:B"])
    done = client.post("/v1/items/c:B/accept?for=ben")
    check("%s: also accepts for one" % name, done.status == 200, done)
    check("%s: who has it then" % name, items(ben, "?view=allocated") == ["c:B"])
    history = client.get("/v1/cases/c/history").json()["steps"]
    ben_id = client.get("/v1/people/ben").json()["id"]
    both = [step for step in history if step.get("actor") == "admin"
            and any(event.get("participant") == ben_id
                    for event in step["events"])]
    check("%s: the history names both" % name, both, history[-4:])
    refused = client.get("/v1/worklist?for=nobody")
    check("%s: an unknown user is named" % name, refused.status == 404
          and '"nobody"' in detail(refused), refused)
    server.close()


def passing_on(name, db):
    server, client, people = office(db, name)
    anna, ben, cara = people["anna"], people["ben"], people["cara"]
    key = client.load(process("passed", [("A", PRIVILEGED)]))
    for case in "abcdefg":
        client.post("/v1/cases", {"specification": key, "case": case})
    anna.post("/v1/items/a:A/accept")
    done = anna.post("/v1/items/a:A/delegate", {"to": "cara"})
    check("%s: an item is delegated" % name, done.status == 200, done)
    check("%s: to whom was named" % name, items(cara) == ["a:A"], items(cara))
    refused = anna.post("/v1/items/a:A/delegate", {"to": "ben"})
    check("%s: not by others" % name, refused.status == 403, refused)
    for body, why in (({}, "to: expected the user id"),
                      ({"to": 1}, "to: expected the user id"),
                      ({"to": "nobody"}, 'no participant "nobody"')):
        refused = cara.post("/v1/items/a:A/delegate", body)
        check("%s: refused: %s" % (name, body), refused.status in (400, 404)
              and why in detail(refused), refused)
    done = cara.post("/v1/items/a:A/deallocate", {"reason": "no time"})
    check("%s: it is given back" % name, done.status == 200, done)
    check("%s: and offered again" % name, "a:A" in items(ben), items(ben))
    check("%s: not to whom gave it back" % name, items(cara) == [])
    item = anna.post("/v1/items/b:A/start").json()["item"]
    done = anna.post("/v1/items/%s/suspend" % item, {})
    check("%s: work is suspended" % name, done.status == 200, done)
    check("%s: and seen so" % name,
          items(anna, "?view=suspended") == [item])
    check("%s: and resumed" % name,
          anna.post("/v1/items/%s/resume" % item, {}).status == 200)
    done = anna.post("/v1/items/%s/reallocate" % item,
                     {"to": "ben", "without_data": True})
    check("%s: and handed over" % name, done.status == 200, done)
    check("%s: started" % name, items(ben, "?view=started") == [item])
    anna.post("/v1/items/c:A/accept")
    done = anna.post("/v1/items/c:A/skip", {})
    check("%s: one is skipped" % name, done.status == 200, done)
    refused = anna.post(
        "/v1/items/d:A/offer?override=true", {"to": ["cara"]})
    check("%s: offering is for administrators" % name, refused.status == 403,
          refused)
    refused = client.post("/v1/items/d:A/offer", {"to": ["cara"]})
    check("%s: what is offered is offered already" % name,
          refused.status == 409, refused)
    done = client.post("/v1/items/d:A/offer?override=true", {"to": ["cara"]})
    check("%s: unless it is overridden" % name, done.status == 200, done)
    check("%s: then to these only" % name,
          "d:A" in items(cara) and "d:A" not in items(anna))
    done = client.post("/v1/items/d:A/offer?override=true", {})
    check("%s: the rule decides again" % name, done.status == 200
          and "d:A" in items(anna), done, items(anna))
    done = client.post("/v1/items/e:A/allocate?override=true", {"to": "ben"})
    check("%s: it is given to one" % name, done.status == 200
          and "e:A" in items(ben, "?view=allocated"), done)
    done = anna.post("/v1/items/f:A/chain")
    check("%s: a case is chained" % name, done.status == 200, done)
    check("%s: its item is started" % name,
          any(i.startswith("f.") for i in items(anna, "?view=started")),
          items(anna, "?view=started"))
    server.close()


def at_once(name, db):
    """Of two who accept at once one has the item."""
    server, client, people = office(db, name)
    key = client.load(process("race", [("A", CLERKS)]))
    for case in range(20):
        client.post("/v1/cases", {"specification": key, "case": "r%d" % case})
    won = {"anna": [], "ben": []}
    barrier = threading.Barrier(2)

    def accept(user):
        for case in range(20):
            barrier.wait()
            answer = people[user].post("/v1/items/r%d:A/accept" % case)
            if answer.status == 200:
                won[user].append(case)
            elif answer.status != 409:
                won[user].append(answer)

    threads = [threading.Thread(target=accept, args=(user,)) for user in won]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check("%s: each item has one who accepted it" % name,
          sorted(won["anna"] + won["ben"]) == list(range(20)), won)
    for user in won:
        check("%s: the list of %s agrees" % (name, user),
              sorted(items(people[user], "?view=allocated")) == sorted(
                  "r%d:A" % case for case in won[user]))
    server.close()


def pages():
    server, client, people = office(None, "pages")
    anna = people["anna"]
    key = client.load(process("paged", [("A", CLERKS)]))
    for case in range(25):
        client.post("/v1/cases", {"specification": key, "case": "p%d" % case})
    for order in ("priority", "age", "due"):
        for more in ("", "&descending=true"):
            seen, after = [], ""
            while True:
                answer = anna.get("/v1/worklist?limit=10&order=%s%s%s" % (
                    order, more, after)).json()
                seen += [row["item"] for row in answer["items"]]
                if "next" not in answer:
                    break
                after = "&after=" + answer["next"]
            check("all items stand in the pages by %s%s" % (order, more),
                  sorted(seen) == sorted("p%d:A" % i for i in range(25)), seen)
    check("of one case", items(anna, "?case=p7") == ["p7:A"])
    check("of one task", len(items(anna, "?task=A&limit=100")) == 25
          and items(anna, "?task=B") == [])
    check("older than a day: none", items(anna, "?older=P1D") == [])
    check("older than nothing: all", len(items(anna, "?older=PT0S&limit=50")) == 25)
    check("due soon: none", items(anna, "?due=P1D") == [])
    check("of high priority: none", items(anna, "?priority=90") == [])
    check("of a process", len(items(anna, "?specification=paged&limit=50")) == 25)
    for query, why in (("view=all", "view: expected mine"),
                       ("order=name", "order: expected priority"),
                       ("after=x", "after: expected"),
                       ("older=x", "older: expected a time"),
                       ("priority=101", "priority: expected 0 to 100"),
                       ("data=x", "data: expected NAME=VALUE")):
        refused = anna.get("/v1/worklist?" + query)
        check("refused: " + query, refused.status == 400
              and why in detail(refused), refused)
    server.close()


def weft(server, *words):
    done = subprocess.run([WEFT] + list(words), env=dict(
        os.environ, WEFT_TOKEN=server.token,
        WEFT_SERVER="http://127.0.0.1:%d" % server.port),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, (done.stdout + done.stderr).decode()


def command_line():
    server, client, _ = office(None, "weft work")
    key = client.load(process("typed", [("A", PRIVILEGED)]))
    for case in "ab":
        client.post("/v1/cases", {"specification": key, "case": case})
    code, text = weft(server, "work", "list", "--for", "anna")
    check("weft work list", code == 0 and "a:A" in text
          and "accept start chain" in text, text)
    code, text = weft(server, "work", "accept", "a:A", "--for", "anna")
    check("weft work accept", code == 0, text)
    code, text = weft(server, "work", "show", "a:A", "--for", "anna")
    check("weft work show", code == 0 and "anna" in text
          and "not Started" in text, text)
    code, text = weft(server, "work", "delegate", "a:A", "ben", "--for", "anna")
    check("weft work delegate", code == 0, text)
    code, text = weft(server, "work", "delegate", "a:A", "anna", "--for", "anna")
    check("not twice", code == 1 and "has the item" in text, text)
    code, text = weft(server, "work", "offer", "b:A", "ben", "cara",
                      "--override")
    check("weft work offer", code == 0, text)
    code, text = weft(server, "work", "list", "--for", "ben", "--order", "age",
                      "--json")
    check("weft work list, as JSON", code == 0 and [
        row["item"] for row in json.loads(text)] == ["a:A", "b:A"], text)
    server.close()


# Each needs its right: to read, to work, to operate.
WAYS = [("GET", "", 0), ("GET", "/form", 0), ("GET", "/data", 0),
        ("GET", "/draft", 0), ("POST", "/form", 1), ("PUT", "/draft", 1),
        ("DELETE", "/draft", 1), ("PATCH", "/data", 1), ("POST", "/start", 1),
        ("POST", "/complete", 1), ("POST", "/skip", 1),
        ("POST", "/suspend", 1), ("POST", "/resume", 1), ("POST", "/add", 1),
        ("POST", "/accept", 2), ("POST", "/delegate", 2),
        ("POST", "/allocate", 2), ("POST", "/offer", 2)]


def others_work():
    """An item of a service is not for who only takes part, whatever else the
    account has; a right for its process or its service is enough."""
    server, client, people = office(None, "others' work")
    served = process("served", [("S", "")]).replace(
        "<externalInteraction>manual",
        "<yawlService id=\"urn:post\"/><externalInteraction>automated")
    key = client.load(served)
    client.load(process("plain", [("A", CLERKS)]))
    client.call("PUT", "/v1/services/post", {
        "kind": "pull", "uri": "urn:post"})
    client.post("/v1/cases", {"specification": key, "case": "s"})

    def strange(name, grants, level):
        """An account with these grants, that is refused above a level."""
        account = server.client(server.add_account(name, None, 1, grants))
        for method, what, need in WAYS:
            answer = account.call(method, "/v1/items/s:S" + what,
                                  None if method == "GET" else {})
            check("%s and %s %s" % (name, method, what or "/"),
                  (answer.status == 403) == (need > level)
                  and answer.status < 500, answer)
            check("it says why", need <= level
                  or "the right to" in detail(answer), answer)

    client.post("/v1/cases", {"specification": key, "case": "e"})
    started = client.post("/v1/items/e:S/start").json()["item"]

    def histories():
        return [client.get("/v1/cases/%s/history" % case).json()
                for case in "se"]
    before = histories()
    for item in ("s:S", started):
        for method, what, need in WAYS:
            answer = people["anna"].call(method, "/v1/items/" + item + what,
                                         None if method == "GET" else {})
            check("a participant and %s %s" % (method, what or "/"),
                  answer.status in ((404,) if method == "GET" or what in (
                      "/form", "/draft") else (409, 400)), item, answer)
    strange("stranger", ["participate"], -1)
    strange("reader", ["reader"], 0)
    strange("other-process", ["read", "participate", "work process:UID_plain"],
            0)
    strange("other-service", ["read", "participate", "work service:other"], 0)
    check("none of that has changed anything", histories() == before)
    strange("that-process", ["read", "participate", "work process:UID_served"],
            1)
    client.post("/v1/cases", {"specification": key, "case": "t"})
    worker = server.client(server.add_account("that-service", None, 1, [
        "read", "work service:post"]))
    done = worker.post("/v1/items/t:S/start")
    check("a worker of the service works", done.status == 200, done)
    server.close()


def without_people():
    server = Server()
    client = server.client()
    check("no worklist without people",
          client.get("/v1/worklist").status == 409)
    check("and nobody to act for",
          client.post("/v1/items/x:A/start?for=anna").status in (400, 404))
    server.close()


run(*on_each(offers, "offers"), *on_each(passing_on, "passing on"),
    *on_each(at_once, "two at once"), pages, command_line,
    without_people, others_work)
end()
