# SPDX-License-Identifier: Apache-2.0
"""Worklists: what is offered to whom, what each may do, and why not."""
import json
import os
import re
import subprocess
import threading

from checks import LIMIT, check, end, run, until
from people import add_people, process, resourcing
from server import WEFT, Server
from stores import on_each

CLERKS = resourcing(roles=["RO-clerk"])
PRIVILEGED = resourcing(roles=["RO-clerk"], more="<privileges>%s</privileges>" % "".join(
    "<privilege><name>%s</name><allowall>true</allowall></privilege>" % name
    for name in ("canSuspend", "canDelegate", "canDeallocate", "canSkip",
                 "canReallocateStateless", "canReallocateStateful", "canPile")))


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
          and shown["actions"] == ["start", "suspend", "skip", "reoffer",
                                   "restart"], shown)
    row = anna.get("/v1/items/c:A").json()
    refused = row["refused"]
    check("%s: a participant cannot complete it, and sees why" % name,
          "Offered, not Started" in refused["complete"]["reason"]
          and "lacks" not in refused["complete"], row)
    check("%s: a missing privilege is said before the state" % name,
          "canSuspend" in refused["suspend"]["reason"], row)
    answer = anna.get("/v1/items/c:A/actions").json()
    check("%s: a right is missing whatever the state is" % name,
          [answer[a].get("lacks") for a in ("complete", "force", "restart")]
          == [None, "right", "privilege"], answer)
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
    refused = ben.post("/v1/items/c:A/accept")
    check("%s: nor accept it, and learns who has taken it" % name,
          refused.status == 409 and detail(refused)
          == "'anna' has taken work item c:A", refused)
    refused = cara.post("/v1/items/c:A/accept")
    check("%s: who was not offered it does not" % name,
          refused.status == 409 and "anna" not in detail(refused), refused)
    client.post("/v1/cases", {"specification": key, "case": "given"})
    anna.post("/v1/items/given:A/accept")
    given = client.post(
        "/v1/items/given:A/allocate?override=true", {"to": "cara"})
    check("%s: an administrator gives it to another" % name,
          given.status == 200, given)
    refused = ben.post("/v1/items/given:A/accept")
    check("%s: nobody has taken what was given" % name,
          refused.status == 409 and "taken" not in detail(refused), refused)
    client.call("DELETE", "/v1/cases/given")
    refused = client.post("/v1/items/c:A/start")
    check("%s: nor an operator, by accident" % name, refused.status == 403
          and "override" in detail(refused), refused)
    started = anna.post("/v1/items/c:A/start")
    check("%s: she starts it" % name, started.status == 200, started)
    item = started.json()["item"]
    for action in ("start", "accept", "chain"):
        refused = ben.post("/v1/items/c:A/" + action)
        check("%s: the other learns who has it: %s" % (name, action),
              refused.status == 409 and detail(refused)
              == "'anna' has taken work item c:A", refused)
        for who in (cara, anna):
            refused = who.post("/v1/items/c:A/" + action)
            check("%s: for others it is not there: %s" % (name, action),
                  refused.status == 404 and "taken" not in detail(refused),
                  refused)
    refused = ben.post("/v1/items/%s/complete" % item, {})
    check("%s: the other cannot complete it" % name, refused.status == 403
          and detail(refused) == "'anna' has the item", refused)
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


def privileges(server, client, people):
    """What each task privilege and each user privilege allows."""
    anna, ben = people["anna"], people["ben"]
    bare = client.load(process("bare", [("A", CLERKS)]))
    client.post("/v1/cases", {"specification": bare, "case": "b"})
    client.post("/v1/cases", {"specification": bare, "case": "b2"})
    anna.post("/v1/items/b:A/accept")
    for action, body, word in (
            ("deallocate", {}, "canDeallocate"), ("skip", {}, "canSkip"),
            ("delegate", {"to": "ben"}, "canDelegate"), ("pile", {}, "canPile")):
        refused = anna.post("/v1/items/b:A/" + action, body)
        check("%s needs %s" % (action, word), refused.status == 403
              and word in detail(refused), refused)
        shown = anna.get("/v1/items/b:A").json()
        refusal = shown["refused"][action]
        check("the item says so: " + action, word in refusal["reason"]
              and refusal["lacks"] == "privilege"
              and action not in shown["actions"], shown)
        answer = anna.get("/v1/items/b:A/actions").json()[action]
        check("%s is known to lack a privilege" % action, answer ==
              dict(refusal, allowed=False), answer)
    item = anna.post("/v1/items/b:A/start").json()["item"]
    for action, body, word in (
            ("suspend", {}, "canSuspend"),
            ("reallocate", {"to": "ben"}, "canReallocateStateful"),
            ("reallocate", {"to": "ben", "without_data": True},
             "canReallocateStateless")):
        refused = anna.post("/v1/items/%s/%s" % (item, action), body)
        check("%s needs %s" % (action, word), refused.status == 403
              and word in detail(refused), refused)

    def set_privileges(*words):
        client.call("PATCH", "/v1/people/ben", {"privileges": list(words)})

    for case in "xyz":
        client.post("/v1/cases", {"specification": bare, "case": case})
    set_privileges()
    refused = ben.post("/v1/items/x:A/chain")
    check("chaining needs canChainExecution", refused.status == 403
          and "canChainExecution" in detail(refused), refused)
    first = ben.post("/v1/items/x:A/start")
    check("one item can be started", first.status == 200, first)
    refused = ben.post("/v1/items/y:A/start")
    check("two need canStartConcurrent", refused.status == 403
          and "canStartConcurrent" in detail(refused)
          and first.json()["item"] in detail(refused), refused)
    refused = ben.post("/v1/items/y:A/complete", {})
    check("also to complete the other at once", refused.status == 403, refused)
    row = [row for row in ben.get("/v1/worklist").json()["items"]
           if row["item"] == "y:A"][0]
    check("the list knows", "start" not in row["actions"]
          and "accept" in row["actions"], row)
    set_privileges("canStartConcurrent")
    second = ben.post("/v1/items/y:A/start")
    check("with it two are started", second.status == 200, second)
    for started in (first, second):
        ben.post("/v1/items/%s/complete" % started.json()["item"], {})
    client.post("/v1/cases", {"specification": bare, "case": "v"})
    ben.post("/v1/items/z:A/accept")
    ben.post("/v1/items/v:A/accept")
    set_privileges("canStartConcurrent")
    refused = ben.post("/v1/items/v:A/start")
    check("the oldest comes first", refused.status == 403
          and "z:A" in detail(refused)
          and "canChooseItemToStart" in detail(refused), refused)
    check("an operator may", client.post(
        "/v1/items/v:A/start?for=ben&override=true").status == 200)
    client.post("/v1/cases", {"specification": bare, "case": "u"})
    ben.post("/v1/items/u:A/accept")
    set_privileges("canStartConcurrent", "canReorder")
    check("canReorder: any", ben.post("/v1/items/u:A/start").status == 200)
    check("and the oldest", ben.post("/v1/items/z:A/start").status == 200)
    set_privileges("carteblanche")
    client.post("/v1/cases", {"specification": bare, "case": "w"})
    check("carteblanche: all of it",
          ben.post("/v1/items/w:A/chain").status == 200)


def piles(server, client, people):
    anna, ben = people["anna"], people["ben"]
    key = client.load(process("piled", [("A", PRIVILEGED)]))
    client.post("/v1/cases", {"specification": key, "case": "p1"})
    refused = anna.post("/v1/items/p1:A/pile")
    check("only an allocated item is piled", refused.status == 409
          and "not Allocated" in detail(refused), refused)
    anna.post("/v1/items/p1:A/accept")
    refused = ben.post("/v1/items/p1:A/pile")
    check("only by whoever has it", refused.status == 403, refused)
    done = anna.post("/v1/items/p1:A/pile")
    check("a task is piled, its item started", done.status == 200
          and items(anna, "?case=p1&view=started") == [done.json()["item"]],
          done)
    client.post("/v1/cases", {"specification": key, "case": "p2"})
    check("the next is started for the same",
          len(items(anna, "?case=p2&view=started")) == 1
          and items(ben, "?case=p2") == [])
    shown = anna.get("/v1/items/" + items(anna, "?case=p2")[0]).json()
    check("and says to whom", shown["piled_to"] == "anna"
          and "unpile" in shown["actions"], shown)
    listed = anna.get("/v1/worklist/piles").json()["piles"]
    check("one's piles are listed", len(listed) == 1
          and listed[0]["task"] == "A" and listed[0]["participant"] == "anna"
          and ben.get("/v1/worklist/piles").json()["piles"] == [], listed)
    task = {name: listed[0][name]
            for name in ("specification", "version", "task")}
    refused = ben.post("/v1/worklist/unpile", task)
    check("others do not end it", refused.status == 409
          and "another participant" in detail(refused), refused)
    client.load(process("elsewhere", [("A", PRIVILEGED)]))
    made = anna.post("/v1/people/anna/deputies", {
        "deputy": "cara", "to": "PT1H", "processes": ["UID_elsewhere"]})
    cara = people["cara"]
    refused = cara.post("/v1/worklist/unpile?for=anna", task)
    check("nor a deputy for another process", refused.status == 403
          and "not for this process" in detail(refused), refused)
    check("who does not see it", cara.get(
        "/v1/worklist/piles?for=anna").json()["piles"] == [])
    anna.call("DELETE", "/v1/people/anna/deputies/%d" % made.json()["entry"])
    refused = anna.post("/v1/worklist/unpile", {"task": "A"})
    check("a task has a specification", refused.status == 400
          and "specification" in detail(refused), refused)
    done = anna.post("/v1/worklist/unpile", task)
    check("its participant does", done.status == 200, done)
    client.post("/v1/cases", {"specification": key, "case": "p3"})
    check("then the next is offered", items(ben, "?case=p3") == ["p3:A"])
    anna.post("/v1/items/p3:A/accept")
    anna.post("/v1/items/p3:A/pile")
    done = anna.post("/v1/items/%s/unpile" % items(anna, "?case=p3")[0])
    check("by an item of it", done.status == 200, done)
    check("once", client.post("/v1/worklist/unpile", task).status == 404)
    anna.post("/v1/items/%s/complete" % items(anna, "?case=p3")[0], {})
    two = client.load(process("chained", [("A", PRIVILEGED), ("B", PRIVILEGED)]))
    client.post("/v1/cases", {"specification": two, "case": "ch"})
    anna.post("/v1/items/ch:A/chain")
    item = items(anna, "?case=ch")[0]
    shown = client.get("/v1/items/" + item).json()
    check("a chained case says to whom", shown["chained_to"] == "anna", shown)
    refused = ben.post("/v1/items/%s/unchain" % item)
    check("others do not unchain it", refused.status == 403, refused)
    # The act of piling is in the history.
    client.post("/v1/cases", {"specification": key, "case": "p4"})
    anna.post("/v1/items/p4:A/accept")
    anna.post("/v1/items/p4:A/pile")
    taken = [event
             for step in client.get("/v1/cases/p4/history").json()["steps"]
             for event in step["events"] if event["event"] == "ITEM_TAKEN"]
    check("piling is in the history", len(taken) == 1
          and taken[0]["number"] == 6, taken)
    client.post("/v1/worklist/unpile", task)
    # A second started item needs the privilege for that.
    gus = add_people(server, {"gus": {
        "roles": ["RO-clerk"], "privileges": ["canChooseItemToStart"]}})["gus"]
    for case in ("p5", "p6"):
        client.post("/v1/cases", {"specification": key, "case": case})
        gus.post("/v1/items/%s:A/accept" % case)
    check("one is started", gus.post("/v1/items/p5:A/start").status == 200)
    shown = gus.get("/v1/items/p6:A").json()
    check("piling a second one is not shown as possible",
          "pile" not in shown["actions"]
          and "canStartConcurrent" in shown["refused"]["pile"]["reason"], shown)
    refused = gus.post("/v1/items/p6:A/pile")
    check("piling starts no second one", refused.status == 403
          and "canStartConcurrent" in detail(refused), refused)
    check("and piles nothing", gus.get("/v1/worklist/piles").json()["piles"]
          == [])
    # One whose start the engine refuses: its case is suspended.
    for case in ("p7", "p8"):
        client.post("/v1/cases", {"specification": key, "case": case})
        anna.post("/v1/items/%s:A/accept" % case)
    client.post("/v1/cases/p7/suspend")
    check("its items say that the case is suspended", {
        row["case"] for row in anna.get("/v1/worklist").json()["items"]
        if row.get("suspended_case")} == {"p7"} and [
            anna.get("/v1/items/%s:A" % case).json().get("suspended_case")
            for case in ("p7", "p8")] == [True, None])
    refused = anna.post("/v1/items/p7:A/pile")
    check("a pile whose item is not started is refused", refused.status == 409
          and "suspended" in detail(refused), refused)
    check("and does not stay",
          anna.get("/v1/worklist/piles").json()["piles"] == [])
    done = anna.post("/v1/items/p8:A/pile")
    check("another item piles it", done.status == 200, done)
    refused = anna.post("/v1/items/p7:A/pile")
    check("a pile that was there stays", refused.status == 409
          and len(anna.get("/v1/worklist/piles").json()["piles"]) == 1, refused)
    client.post("/v1/worklist/unpile", task)
    for case in ("p7", "p8"):
        client.post("/v1/cases/%s/cancel" % case)
    check("one who is gone does not stay", client.call(
        "DELETE", "/v1/people/gus").status in (200, 204))
    done = anna.post("/v1/items/%s/unchain" % item)
    check("its participant does", done.status == 200, done)
    refused = anna.post("/v1/items/%s/unchain" % item)
    check("once", refused.status == 409, refused)
    anna.post("/v1/items/%s/complete" % item, {})
    check("then the next is offered", items(ben, "?case=ch") == ["ch:B"])


def redirects(server, client, people):
    """What administrators do with items in any state."""
    anna, ben, cara = people["anna"], people["ben"], people["cara"]
    key = client.load(process("redirected", [("A", PRIVILEGED)]))
    for case in ("r1", "r2"):
        client.post("/v1/cases", {"specification": key, "case": case})
    refused = anna.post("/v1/items/r1:A/reoffer", {"to": ["cara"]})
    check("only administrators reoffer", refused.status == 403
          and "administrator" in detail(refused), refused)
    check("or restart", anna.post(
        "/v1/items/r1:A/restart", {"to": "anna"}).status == 403)
    item = anna.post("/v1/items/r1:A/start").json()["item"]
    done = client.post("/v1/items/%s/reoffer" % item, {"to": ["cara"]})
    check("a started item is offered again", done.status == 200
          and items(cara, "?view=offered") == [item]
          and items(anna, "?case=r1") == [], done)
    check("its owner is cleared", "holder" not in
          client.get("/v1/items/" + item).json())
    done = client.post("/v1/items/%s/restart" % item, {"to": "ben"})
    check("or started for another", done.status == 200
          and items(ben, "?case=r1&view=started") == [item]
          and items(cara) == [], done)
    check("the list says who has it", client.get(
        "/v1/items/" + item).json()["holder"] == "ben")
    done = client.post("/v1/items/%s/reoffer" % item, {})
    check("by the rule only before its start", done.status == 409, done)
    anna.post("/v1/items/r2:A/accept")
    done = client.post("/v1/items/r2:A/reoffer", {})
    check("then whoever has it loses it", done.status == 200
          and items(ben, "?case=r2") == ["r2:A"], done)
    client.call("PATCH", "/v1/people/cara", {"administrator": True})
    done = cara.post("/v1/items/%s/restart" % item, {"to": "cara"})
    check("a participant who is administrator may", done.status == 200
          and items(cara, "?case=r1&view=started") == [item], done)
    refused = cara.post("/v1/items/r2:A/restart", {"to": "nobody"})
    check("to somebody", refused.status == 404, refused)
    client.call("PATCH", "/v1/people/cara", {"administrator": False})
    cara.post("/v1/items/%s/complete" % item, {})


def overriding(server, client, people):
    """A participant who is administrator does what another has, if said."""
    anna, cara = people["anna"], people["cara"]
    key = client.load(process("overridden", [("A", PRIVILEGED)]))
    for case in ("o1", "o2"):
        client.post("/v1/cases", {"specification": key, "case": case})
    anna.post("/v1/items/o1:A/accept")
    item = anna.post("/v1/items/o2:A/start").json()["item"]
    refused = cara.post("/v1/items/o1:A/start?override=true")
    check("only administrators override", refused.status == 403, refused)
    client.call("PATCH", "/v1/people/cara", {"administrator": True})
    for path, body in (("o1:A/start", None), ("o1:A/skip", None),
                       ("o1:A/deallocate", None),
                       ("o1:A/delegate", {"to": "ben"}),
                       (item + "/suspend", None), (item + "/complete", {})):
        refused = cara.post("/v1/items/" + path, body)
        check("not by accident: " + path, refused.status == 403
              and "override" in detail(refused), refused)
    shown = cara.get("/v1/items/o1:A").json()
    check("nor is it shown", "start" not in shown["actions"]
          and "override" in shown["refused"]["start"]["reason"]
          and "reoffer" in shown["actions"], shown)
    done = cara.post("/v1/items/%s/complete?override=true" % item, {})
    check("but if it is said", done.status == 200, done)
    step = client.get("/v1/cases/o2/history").json()["steps"][-1]
    check("the history names who did", step["actor"] == "cara", step)
    done = cara.post("/v1/items/o1:A/start?override=true")
    check("what is allocated, too", done.status == 200 and items(
        cara, "?case=o1&view=started") == [done.json()["item"]], done)
    done = cara.post("/v1/items/%s/complete" % done.json()["item"], {})
    check("then it is one's own", done.status == 200, done)
    key = client.load(process("leased", [("A", PRIVILEGED)]))
    client.post("/v1/cases", {"specification": key, "case": "o3"})
    client.call("PUT", "/v1/services/lorries", {
        "kind": "pull", "uri": "urn:lorries"})
    client.post("/v1/items/o3:A/redirect", {"service": "lorries"})
    claimed = client.post("/v1/items:claim", {"service": "lorries"})
    item = claimed.json()["items"][0]["item"]
    for action in ("complete", "rollback", "start"):
        refused = cara.post("/v1/items/%s/%s?override=true" % (item, action),
                            {} if action == "complete" else None)
        check("no lease of a worker: " + action, refused.status in (
            403, 409), refused)
    check("who has it still", client.post("/v1/items/%s/complete?fence=%d" % (
        item, claimed.json()["items"][0]["fence"]), {}).status == 200)
    client.call("PATCH", "/v1/people/cara", {"administrator": False})


def to_service(server, client, people):
    """An administrator gives an item to a service."""
    anna = people["anna"]
    key = client.load(process("served", [("A", PRIVILEGED)]))
    client.call("PUT", "/v1/services/parcels", {
        "kind": "pull", "uri": "urn:parcels"})
    client.post("/v1/cases", {"specification": key, "case": "gs1"})
    anna.post("/v1/items/gs1:A/accept")
    path = "/v1/items/gs1:A/redirect"
    refused = anna.post(path, {"service": "parcels"})
    check("only administrators give it to a service", refused.status == 403
          and "administrator" in detail(refused), refused)
    refused = client.post(path, {"service": "nosuch"})
    check("the service is registered", refused.status == 404
          and "'nosuch'" in detail(refused), refused)
    refused = client.post(path, {"to": "parcels"})
    check("and named", refused.status == 400, refused)
    refused = client.post("/v1/items/gs2:A/redirect", {"service": "parcels"})
    check("the item is there", refused.status == 404, refused)
    done = client.post(path, {"service": "parcels", "reason": "too heavy"})
    shown = client.get("/v1/items/gs1:A").json()
    check("then the service has it", done.status == 200
          and shown["service"] == "urn:parcels" and "holder" not in shown
          and items(anna, "?case=gs1") == [], done, shown)
    refused = anna.post("/v1/items/gs1:A/start")
    check("and nobody else starts it", refused.status in (403, 409), refused)
    got = client.post("/v1/items:claim", {"service": "parcels"}).json()
    check("it is claimed as others", [i["item"] for i in got["items"]]
          == ["gs1.1:A"], got)
    refused = client.post("/v1/items/gs1.1:A/redirect?override=true",
                          {"service": "parcels"})
    check("not a started one", refused.status in (400, 409), refused)
    refused = client.post("/v1/items/gs1.1:A/reoffer", {"to": ["anna"]})
    check("nor do people get one that is leased", refused.status == 409
          and "is leased to" in detail(refused), refused)
    fence = got["items"][0]["fence"]
    done = client.post("/v1/items/gs1.1:A/release", {"fence": fence})
    check("which is given back", done.status == 200, done)
    check("and is still the service's",
          client.get("/v1/items/gs1.1:A").json()["service"] == "urn:parcels")
    done = client.post("/v1/items/gs1.1:A/reoffer", {})
    check("until an administrator brings it back", done.status == 200
          and items(anna, "?case=gs1") == ["gs1.1:A"], done)
    client.post("/v1/items/gs1.1:A/redirect", {"service": "parcels"})
    got = client.post("/v1/items:claim", {"service": "parcels"}).json()
    done = client.post("/v1/items/gs1.1:A/complete?fence=%d"
                       % got["items"][0]["fence"], {})
    check("the service completes it", done.status == 200
          and client.get("/v1/cases/gs1").json()["status"] == "completed", done)
    steps = client.get("/v1/cases/gs1/history").json()["steps"]
    given = [(event["event"], event["service"], step.get("reason"))
             for step in steps for event in step["events"]
             if "service" in event]
    check("the history says so", given == [
        ("ITEM_REDIRECTED", "urn:parcels", "too heavy"),
        ("ITEM_REDIRECTED", "urn:parcels", None)], given)
    log = client.get("/v1/specifications/%s/log" % key).body.decode()
    check("and the log", "urn:parcels" in log, log)


def absences(server, client, people):
    """Who is absent is offered nothing new; what is offered stays."""
    anna, ben = people["anna"], people["ben"]
    key = client.load(process("away", [("A", CLERKS)]))
    client.post("/v1/cases", {"specification": key, "case": "a1"})
    later = anna.post("/v1/people/anna/absences", {
        "from": "P10D", "to": "P11D", "workload": 50, "comment": "course"})
    check("an absence of one's own", later.status == 201, later)
    client.post("/v1/cases", {"specification": key, "case": "a2"})
    check("later: she is still offered items", "a2:A" in items(anna))
    now = anna.post("/v1/people/anna/absences", {"to": "PT1H"})
    check("from now on", now.status == 201
          and now.json()["workload"] == 100 and now.json()["by"] == "anna", now)
    client.post("/v1/cases", {"specification": key, "case": "a3"})
    check("then nothing new is offered", "a3:A" not in items(anna)
          and "a3:A" in items(ben), items(anna))
    check("what was offered stays", {"a1:A", "a2:A"} <= set(items(anna)))
    check("and can be done",
          anna.post("/v1/items/a1:A/accept").status == 200)
    for body, why in (({}, "to: expected the end"),
                      ({"to": "x"}, "to: expected a time"),
                      ({"from": "P2D", "to": "P1D"}, "after its beginning"),
                      ({"to": "P1D", "workload": 101}, "1 to 100 percent"),
                      ({"to": "P1D", "comment": 7}, "comment"),
                      ({"to": "P1D", "when": 7}, "when")):
        refused = anna.post("/v1/people/anna/absences", body)
        check("refused: %s" % body, refused.status == 400
              and why in detail(refused), refused)
    refused = anna.post("/v1/people/anna/absences", {"to": "PT2H"})
    check("more than all of the time", refused.status == 409, refused)
    for how in (lambda: ben.get("/v1/people/anna/absences"),
                lambda: ben.post("/v1/people/anna/absences", {"to": "P1D"}),
                lambda: ben.call("DELETE", "/v1/people/anna/absences/%d"
                                 % now.json()["absence"])):
        refused = how()
        check("not those of others", refused.status == 403
              and "for anna" in detail(refused), refused)
    check("of nobody", ben.get("/v1/people/nobody/absences").status == 404)
    rows = client.get("/v1/people/anna/absences").json()["absences"]
    check("an administrator sees them", sorted(
        row["workload"] for row in rows) == [50, 100], rows)
    check("each belongs to its person", ben.call(
        "DELETE", "/v1/people/ben/absences/%d"
        % now.json()["absence"]).status == 404)
    for entry in (now, later):
        done = client.call("DELETE", "/v1/people/anna/absences/%d"
                           % entry.json()["absence"])
        check("and removes them", done.status == 200, done)
    client.post("/v1/cases", {"specification": key, "case": "a4"})
    check("then she is offered items again", "a4:A" in items(anna))


FOUR = resourcing(roles=["RO-clerk"]).replace(
    "</initialSet>", "</initialSet><constraints><constraint>"
    "<name>SeparationOfDuties</name><params><param><key>familiarTask</key>"
    "<value>A</value></param></params></constraint></constraints>")


def deputies(server, client, people):
    """Who acts for whom, and what the history says."""
    anna, ben, cara = people["anna"], people["ben"], people["cara"]
    deli = add_people(server, {"deli": {}})["deli"]
    key = client.load(process("vicar", [("A", PRIVILEGED)]))
    other = client.load(process("other", [("A", PRIVILEGED)]))
    for case, spec in (("v1", key), ("v2", key), ("v3", other)):
        client.post("/v1/cases", {"specification": spec, "case": case})

    def rows(who, query=""):
        return {row["item"]: row.get("for")
                for row in who.get("/v1/worklist" + query).json()["items"]}
    check("cara has nothing", rows(cara) == {})
    for body, why in (({"to": "P1D"}, "deputy: expected the user id"),
                      ({"deputy": "nobody", "to": "P1D"}, "no participant"),
                      ({"deputy": "anna", "to": "P1D"}, "nobody is the deputy"),
                      ({"deputy": "cara"}, "to: expected the end"),
                      ({"deputy": "cara", "to": "2020-01-01T00:00:00Z"},
                       "the end must be after"),
                      ({"deputy": "cara", "from": "2019-01-01T00:00:00Z",
                        "to": "2020-01-01T00:00:00Z"}, "this time is over"),
                      ({"deputy": "cara", "to": "P1D", "processes": []},
                       "processes: expected"),
                      ({"deputy": "cara", "to": "P1D",
                        "processes": ["UID_vicar", "UID_vicr"]},
                       'identifier or URI "UID_vicr"')):
        refused = anna.post("/v1/people/anna/deputies", body)
        check("refused: %s" % body, refused.status in (400, 404)
              and why in detail(refused), refused)
    refused = cara.post("/v1/people/anna/deputies",
                        {"deputy": "cara", "to": "P1D"})
    check("nobody makes oneself a deputy", refused.status == 403
          and "organise" in detail(refused), refused)
    later = anna.post("/v1/people/anna/deputies", {
        "deputy": "cara", "from": "P1D", "to": "P2D"})
    check("from tomorrow on", later.status == 201, later)
    check("not before", rows(cara) == {}
          and cara.post("/v1/items/v1:A/accept?for=anna").status == 403)
    made = anna.post("/v1/people/anna/deputies", {
        "deputy": "cara", "to": "PT1H", "processes": ["UID_vicar"],
        "comment": "holidays"})
    check("a deputy for a process", made.status == 201
          and made.json()["processes"] == ["UID_vicar"], made)
    check("sees the items of it, marked", rows(cara) == {
        "v1:A": "anna", "v2:A": "anna"}, rows(cara))
    check("also alone", rows(cara, "?for=anna") == {
        "v1:A": "anna", "v2:A": "anna"}, rows(cara, "?for=anna"))
    check("and the item and its form",
          cara.get("/v1/items/v1:A").status
          == cara.get("/v1/items/v1:A/form").status == 200)
    check("of no other process", cara.get("/v1/items/v3:A").status == 404)
    refused = cara.post("/v1/items/v3:A/accept?for=anna")
    check("nor does them", refused.status == 403
          and "not for this process" in detail(refused), refused)
    refused = cara.post("/v1/items/v1:A/accept")
    check("not as herself", refused.status == 403, refused)
    refused = cara.post("/v1/items/v1:A/accept?for=ben")
    check("for nobody else", refused.status == 403
          and "no deputy of ben" in detail(refused), refused)
    done = cara.post("/v1/items/v1:A/accept?for=anna")
    check("she accepts for the other", done.status == 200, done)
    check("who has it then", rows(anna, "?view=allocated&case=v1")
          == {"v1:A": None})
    row = cara.get("/v1/worklist?view=allocated").json()["items"][0]
    check("with the privileges of the other", "delegate" in row["actions"]
          and row["for"] == "anna", row)
    item = cara.post("/v1/items/v1:A/start?for=anna").json()["item"]
    saved = cara.call("PUT", "/v1/items/%s/draft" % item, {})
    check("she saves a draft", saved.status == 200, saved)
    done = cara.post("/v1/items/%s/complete?for=anna" % item, {})
    check("and completes it", done.status == 200, done)
    ids = {name: client.get("/v1/people/" + name).json()["id"]
           for name in ("anna", "ben", "cara")}
    step = [step for step in client.get("/v1/cases/v1/history").json()["steps"]
            if any(event["event"] == "ITEM_DONE_BY"
                   for event in step["events"])][0]
    check("the history has both names", step["actor"] == "cara"
          and {("ITEM_DONE_BY", ids["anna"]), ("ITEM_DONE_FOR", ids["cara"])}
          <= {(event["event"], event.get("participant"))
              for event in step["events"]}, step)
    shown = cara.get("/v1/people/cara/deputies").json()
    check("a deputy sees for whom", len(shown["acts_for"]) == 2
          and shown["deputies"] == [], shown)
    check("others do not", ben.get("/v1/people/cara/deputies").status == 403)
    # No chains: deli acts for cara, not for anna.
    cara.post("/v1/people/cara/deputies", {"deputy": "deli", "to": "PT1H"})
    check("it is not passed on", rows(deli) == {}
          and deli.post("/v1/items/v2:A/accept?for=anna").status == 403)
    back = client.post("/v1/people/cara/deputies",
                       {"deputy": "anna", "to": "PT1H"})
    check("two may act for each other", back.status == 201
          and rows(anna, "?case=v2") == {"v2:A": None}, rows(anna))
    # Four eyes, both ways.
    four = client.load(process("eyes", [("A", CLERKS), ("B", FOUR)]))
    for case in ("e1", "e2"):
        client.post("/v1/cases", {"specification": four, "case": case})
    ben.post("/v1/people/ben/deputies", {"deputy": "anna", "to": "PT1H"})
    anna.post("/v1/items/e1:A/complete", {})
    check("the second task is for the other", rows(ben, "?case=e1") == {
        "e1:B": None} and rows(anna, "?case=e1") == {"e1:B": "ben"},
        rows(ben, "?case=e1"), rows(anna, "?case=e1"))
    refused = anna.post("/v1/items/e1:B/accept?for=ben")
    check("who did the first does not do it for the other",
          refused.status == 403 and "has completed A" in detail(refused),
          refused)
    check("nor at once", anna.post(
        "/v1/items/e1:B/complete?for=ben", {}).status == 403)
    check("the other does", ben.post("/v1/items/e1:B/complete", {}).status
          == 200)
    anna.post("/v1/items/e2:A/complete?for=ben", {})
    check("who did the first for the other does not do the second",
          rows(anna, "?case=e2") == rows(ben, "?case=e2") == {}
          and "e2:B" in items(client, "?view=unoffered"), rows(anna))
    # The end.
    check("an entry belongs to its person", anna.call(
        "DELETE", "/v1/people/ben/deputies/%d"
        % made.json()["entry"]).status == 403)
    done = anna.call("DELETE", "/v1/people/anna/deputies/%d"
                     % made.json()["entry"])
    check("the person ends it", done.status == 200, done)
    check("then nothing is seen", rows(cara) == {}
          and cara.get("/v1/items/v2:A").status == 404, rows(cara))
    check("or done", cara.post(
        "/v1/items/v2:A/accept?for=anna").status == 403)


def standing_in(server, client, people):
    """Who is absent is offered what a deputy does meanwhile."""
    both = add_people(server, {"edda": {}, "finn": {}})
    check("a role of one", client.call(
        "PUT", "/v1/roles/RO-edda", {"name": "Edda's"}).status == 201
        and client.call("PATCH", "/v1/people/edda", {
            "roles": ["RO-edda"]}).status == 200)
    keys = [client.load(process(name, [("A", resourcing(roles=["RO-edda"]))]))
            for name in ("covered", "uncovered")]
    away = both["edda"].post("/v1/people/edda/absences", {"to": "PT1H"})
    check("she is absent", away.status == 201, away)
    client.post("/v1/cases", {"specification": keys[0], "case": "si1"})
    check("nobody is offered the work",
          "si1:A" in items(client, "?view=unoffered"))
    made = both["edda"].post("/v1/people/edda/deputies", {
        "deputy": "finn", "to": "PT1H", "processes": ["UID_covered"]})
    check("with a deputy", made.status == 201, made)
    for case, key in (("si2", keys[0]), ("si3", keys[1])):
        client.post("/v1/cases", {"specification": key, "case": case})
    check("she is offered the work, and the deputy does it",
          items(both["finn"]) == ["si2:A"]
          and both["finn"].post(
              "/v1/items/si2:A/accept?for=edda").status == 200)
    check("of that process", "si3:A" in items(client, "?view=unoffered"))
    away = both["finn"].post("/v1/people/finn/absences", {"to": "PT1H"})
    check("unless the deputy is absent, too", away.status == 201, away)
    client.post("/v1/cases", {"specification": keys[0], "case": "si4"})
    check("then nobody is offered the work",
          "si4:A" in items(client, "?view=unoffered"))


def needs(server, client, people):
    """What items need beside who does them."""
    anna, ben, cara = people["anna"], people["ben"], people["cara"]
    ids = {row["user"]: row["id"]
           for row in client.get("/v1/people").json()["people"]}
    for kind, id, record in (
            ("roles", "RO-driver", {"name": "Driver"}),
            ("categories", "NC-car", {"name": "Car", "subcategories": ["Big"]}),
            ("things", "NH-van", {"name": "Van", "category": "Car",
                                  "subcategory": "Big"}),
            ("things", "NH-mini", {"name": "Mini", "category": "Car"})):
        check("made: " + id, client.call(
            "PUT", "/v1/%s/%s" % (kind, id), record).status == 201)
    client.call("PATCH", "/v1/people/ben", {"roles": ["Clerk", "Driver"]})
    key = client.load(process("needy", [("A", resourcing(
        roles=["RO-clerk"], more="<secondary><role>RO-driver</role>"
        "<nonHumanResource>NH-van</nonHumanResource><nonHumanCategory>NC-car"
        "</nonHumanCategory></secondary>"))]))
    for case in ("n1", "n2"):
        client.post("/v1/cases", {"specification": key, "case": case})

    def shown(item, who=anna):
        answer = who.get("/v1/items/%s/needs" % item)
        members = ("id", "name", "busy", "missing", "needed")
        return [[row[name] for name in members if row.get(name) is not None]
                for row in answer.json().get("needs", [[answer.status]])]
    free = [["RO-driver", "Driver"], ["NH-van", "Van"], ["NC-car", "Car"]]
    check("what it needs, all free", shown("n1:A") == free, shown("n1:A"))
    check("not for strangers", cara.get("/v1/items/n1:A/needs").status == 404)
    started = anna.post("/v1/items/n1:A/start").json()["item"]
    check("what is busy with it", shown(started) == [
        ["RO-driver", "Driver", "ben"], ["NH-van", "Van", "Van"],
        ["NC-car", "Car", "Mini"]], shown(started))
    check("and missing for another", [row[-1] for row in shown("n2:A")] == [
        "nobody with the role 'Driver' is available",
        "'Van' is not available",
        "nothing of the category 'Car' is available"], shown("n2:A"))
    other = anna.post("/v1/items/n2:A/start").json()["item"]
    check("which is started without it", [row[2] for row in shown(other)]
          == ["the item was started without it"] * 3, shown(other))
    wanted = [{"kind": "thing", "id": "Mini"},
              {"kind": "participant", "id": "cara"},
              {"kind": "category", "id": "Car", "part": "Big"}]
    refused = anna.call(
        "PUT", "/v1/items/%s/needs" % started, {"needs": wanted})
    check("only an administrator changes it", refused.status == 403, refused)
    done = client.call("PUT", "/v1/items/%s/needs" % started, {"needs": wanted})
    check("by ids or names", done.status == 200 and shown(started, client) == [
        ["NH-mini", "Mini", "Mini"],
        [ids["cara"], "cara", "the item was started without it"],
        ["NC-car", "Car", "Van"], [ids["ben"], "ben", "ben", False]],
        shown(started, client))
    for body, why in (
            ({}, "needs: expected an array"),
            ({"needs": [{"kind": "van", "id": "x"}]}, "kinds are participant"),
            ({"needs": [{"kind": "thing"}]}, "needs: expected"),
            ({"needs": [{"kind": "thing", "id": "Van", "part": "Big"}]},
             "needs: expected"),
            ({"needs": [wanted[0]] * 101}, "at most 100"),
            ({"wants": []}, "wants"),
            ({"needs": [{"kind": "thing", "id": "NH-no"}]}, "NH-no")):
        refused = client.call("PUT", "/v1/items/%s/needs" % started, body)
        check("refused: %s" % str(body)[:60], refused.status in (400, 404)
              and why in detail(refused), refused)
    anna.post("/v1/items/%s/complete" % started, {})
    check("then it is gone, and all is free", anna.get(
        "/v1/items/%s/needs" % started).status == 404)
    code, text = weft(server, "work", "require", other,
                      '{"needs": [{"kind": "thing", "id": "Van"}]}')
    check("weft work require", code == 0, text)
    code, text = weft(server, "work", "needs", other)
    check("weft work needs", code == 0 and re.search(
        "thing +NH-van +Van +the item was started without it", text), text)
    client.post("/v1/cases/n2/cancel", {})
    # What the logs say of it, and of a deputy.
    made = anna.post("/v1/people/anna/deputies", {"deputy": "cara",
                                                  "to": "PT1H"})
    client.post("/v1/cases", {"specification": key, "case": "n3"})
    started = cara.post("/v1/items/n3:A/start?for=anna").json()["item"]
    done = cara.post("/v1/items/%s/complete?for=anna" % started, {})
    check("a deputy completes it", done.status == 200, done)
    anna.call("DELETE", "/v1/people/anna/deputies/%d" % made.json()["entry"])
    log = {more: client.get("/v1/specifications/%s/log%s" % (
        key, more)).body.decode().split("<trace>")[-1]
        for more in ("", "?all=true")}
    check("XES names the deputy of the one who has done it", re.search(
        'value="complete"/>\\s*<string key="concept:instance" value="[^"]*"/>'
        '\\s*<string key="org:resource" value="%s"/>'
        '\\s*<string key="weft:deputy" value="%s"/>' % (
            ids["anna"], ids["cara"]), log[""]), log[""])
    check("XES has what was busy, if all is wanted", [
        [value in text for value in ("NH-van", "NH-mini", ids["ben"])]
        for text in (log[""], log["?all=true"])]
        == [[False] * 3, [True] * 3], log["?all=true"])
    check("once when it is taken, and once when it is free",
          log["?all=true"].count("NH-van") == 2, log["?all=true"])


def starting(server, client, people):
    """What one may start, and withdrawing what one has started."""
    plain = process("granted", [("A", CLERKS)])
    client.load(plain)
    client.load(process("withdrawable", [("A", CLERKS)]).replace(
        '<decomposition id="Net"',
        '<decomposition id="Net" xmlns:p="urn:weft:people" p:withdraw="starter"'))
    hugo = server.client(server.add_account("hugo", None, 1, [
        "participate", "start process:UID_granted",
        "start process:UID_withdrawable"]))
    client.post("/v1/people", {"user": "hugo"})
    shown = hugo.get("/v1/startable").json()["specifications"]
    check("one sees what one may start", [row["uri"] for row in shown]
          == ["granted", "withdrawable"], shown)
    check("others see nothing", people["cara"].get(
        "/v1/startable").json()["specifications"] == [])
    form = hugo.get("/v1/specifications/%s/form" % shown[0]["key"])
    check("its form can be read", form.status == 200, form)
    for case, row in (("s1", shown[0]), ("s2", shown[1])):
        done = hugo.post("/v1/cases", {
            "specification": row["key"], "case": case})
        check("and started", done.status == 201, done)
    refused = hugo.post("/v1/cases/s1/withdraw", {})
    check("withdrawn only where the process says so", refused.status == 403
          and 'withdraw="starter"' in detail(refused), refused)
    refused = people["anna"].post("/v1/cases/s2/withdraw", {})
    check("only by who started it", refused.status == 404, refused)
    done = hugo.post("/v1/cases/s2/withdraw", {"reason": "mistake"})
    check("it is cancelled", done.status == 200
          and done.json()["status"] == "cancelled", done)
    hugo.post("/v1/cases", {"specification": shown[1]["key"], "case": "7"})
    code, text = weft(server, "work", "withdraw", "7", "--reason", "mistake",
                      token=hugo.token)
    check("also on the command line", code == 0 and client.get(
        "/v1/cases/7").json()["status"] == "cancelled"
        and "mistake" in str(client.get("/v1/cases/7/history").json()), text)
    code, text = weft(server, "case", "withdraw", "s1", token=hugo.token)
    check("a delayed start is not a case", code == 2
          and "weft work withdraw CASE" in text, text)
    refused = people["cara"].get("/v1/cases")
    check("cases are not for everybody", refused.status == 403, refused)
    client.call("PATCH", "/v1/people/cara", {"privileges": ["canManageCases"]})
    check("but for canManageCases", people["cara"].get("/v1/cases").status
          == 200 and people["cara"].post(
              "/v1/cases/s1/cancel", {}).status == 200)
    check("who loads no process", people["cara"].post(
        "/v1/specifications", plain).status == 403)
    client.call("PATCH", "/v1/people/cara", {"privileges": []})


def live(server, client, people):
    """Events of one's own list, and nothing of those of others."""
    anna, ben = people["anna"], people["ben"]
    people = add_people(server, {
        "emil": {"roles": ["Clerk"]}, "fred": {}, "gina": {"roles": ["Clerk"]}})
    emil, fred, gina = people["emil"], people["fred"], people["gina"]
    key = client.load(process("lively", [("A", PRIVILEGED), ("B", PRIVILEGED)]))
    client.post("/v1/cases", {"specification": key, "case": "l0"})
    watch = emil.stream("/v1/worklist/events")
    check("a stream of events", watch.headers.get("content-type")
          == "text/event-stream", watch.headers)
    first = watch.news()
    check("it begins with the list", first[0] == "list"
          and first[1].get("l0:A") == "offered"
          and sorted(first[1]) == sorted(items(emil, "?limit=500")), first)
    other = gina.stream("/v1/worklist/events")
    stranger = fred.stream("/v1/worklist/events")
    check("each with one's own", other.news()[0] == "list"
          and stranger.news() == ("list", {}))
    client.post("/v1/cases", {"specification": key, "case": "l1"})
    for stream in (watch, other):
        check("what is offered appears", stream.news()
              == ("appeared", {"l1:A": "offered"}))
    emil.post("/v1/items/l1:A/accept")
    check("what one accepts changes", watch.news()
          == ("changed", {"l1:A": "allocated"}))
    check("and leaves the lists of others", other.news()
          == ("left", {"l1:A": None}))
    emil.post("/v1/items/l1:A/delegate", {"to": "gina"})
    check("what is delegated leaves", watch.news()
          == ("left", {"l1:A": None}))
    check("and appears", other.news() == ("appeared", {"l1:A": "allocated"}))
    started = gina.post("/v1/items/l1:A/start").json()["item"]
    seen = dict([other.news(), other.news()])
    check("a started item has its own id", seen == {
        "appeared": {started: "started"}, "left": {"l1:A": None}}, seen)
    gina.post("/v1/items/%s/complete" % started, {})
    seen = dict([other.news(), other.news()])
    check("a completed one leaves, the next appears", seen == {
        "left": {started: None}, "appeared": {"l1:B": "offered"}}, seen)
    check("for others, too", watch.news() == ("appeared", {"l1:B": "offered"}))
    client.post("/v1/cases/l1/cancel", {})
    check("what is cancelled leaves", watch.news() == other.news()
          == ("left", {"l1:B": None}))
    # Events of a deputy.
    gina.post("/v1/people/gina/deputies", {"deputy": "fred", "to": "PT1H",
                                           "processes": ["lively"]})
    news = stranger.news()
    check("a deputy gets the list of the other", news
          == ("list", {"l0:A": "gina"}), news)
    client.post("/v1/cases", {"specification": key, "case": "l2"})
    check("and what appears on it", stranger.news()
          == ("appeared", {"l2:A": "gina"}))
    watch.news()
    mark = watch.id
    watch.close()
    emil.post("/v1/items/l2:A/accept")
    check("a reader that is gone holds up nobody",
          stranger.news() == ("left", {"l2:A": None}))
    again = emil.stream("/v1/worklist/events", headers={
        "Last-Event-ID": mark or "0"})
    news = again.news()
    check("who comes back gets the list as it is", news[0] == "list"
          and news[1]["l2:A"] == "allocated"
          and sorted(news[1]) == sorted(items(emil, "?limit=500")), news)
    # Coming back when nothing has changed.
    mark = again.id
    again.close()
    again = emil.stream("/v1/worklist/events", headers={"Last-Event-ID": mark})
    check("who has missed nothing resumes", again.news()[0] == "resumed"
          and again.id.split(".")[1] == mark.split(".")[1], (again.id, mark))
    emil.post("/v1/items/l2:A/deallocate")
    check("and gets what changes", again.news() == ("left", {"l2:A": None}))
    again.close()
    again = emil.stream("/v1/worklist/events?after=" + again.id)
    check("also after a change", again.news()[0] == "resumed")
    client.post("/v1/items/l2:A/reoffer", {"to": "emil"})
    check("and goes on", again.news() == ("appeared", {"l2:A": "offered"}))
    check("as the others do", [stranger.news(), stranger.news()] == [
        ("appeared", {"l2:A": "gina"}), ("left", {"l2:A": None})])
    for wrong in ("0", "x", mark[:-1], mark + "0", mark.replace(".", "-"),
                  mark[:-16] + "G" * 16, mark[:-16] + "0" * 16, "." * 5000):
        stream = emil.stream("/v1/worklist/events", headers={
            "Last-Event-ID": wrong})
        check("any other id gives the list: " + wrong[:40],
              stream.news()[0] == "list")
        stream.close()
    # The organisation changes.
    client.call("PATCH", "/v1/people/fred", {"roles": ["Clerk"]})
    check("a change of the organisation gives the list anew",
          again.news()[0] == stranger.news()[0] == "list")
    # Many streams.
    many = [anna.stream("/v1/worklist/events") for _ in range(30)]
    check("many streams begin", all(
        stream.news()[0] == "list" for stream in many))
    client.post("/v1/cases", {"specification": key, "case": "l3"})
    check("and each gets what happens", all(
        stream.news() == ("appeared", {"l3:A": "offered"}) for stream in many))
    for stream in many:
        stream.close()
    refused = client.get("/v1/worklist/events")
    check("who is no participant has no list", refused.status == 403
          and "no participant" in detail(refused), refused)
    # The end of the account ends the stream.
    subprocess.run([WEFT, "account", "remove", "gina", "--db", server.db],
                   stdout=subprocess.PIPE, check=True)
    left = other.news()
    while left is not None:
        left = other.news()
    check("a stream ends with its account", other.ended)


SEPARATED = PRIVILEGED.replace("</initialSet>", """</initialSet><constraints>
<constraint><name>SeparationOfDuties</name><params><param>
<key>familiarTask</key><value>A</value></param></params></constraint>
</constraints>""")


def duties(server, client, people):
    """Whom separation of duties leaves out gets the item from nobody."""
    anna, ben = people["anna"], people["ben"]
    key = client.load(process("duties", [("A", CLERKS), ("B", SEPARATED)]))
    client.post("/v1/cases", {"specification": key, "case": "d1"})
    item = anna.post("/v1/items/d1:A/start").json()["item"]
    anna.post("/v1/items/%s/complete" % item, {})
    ben.post("/v1/items/d1:B/accept")
    for who, way, to in ((ben, "delegate", "anna"),
                         (client, "allocate?override=true", "anna"),
                         (client, "reoffer", ["ben", "anna"])):
        refused = who.post("/v1/items/d1:B/" + way, {"to": to})
        check("who did the first task is not given the second: " + way,
              refused.status == 403 and "has completed A" in detail(refused),
              refused)
    check("nothing has changed", items(ben, "?case=d1&view=allocated")
          == ["d1:B"])
    item = client.post("/v1/items/d1:B/restart", {"to": "anna"}).json()["item"]
    refused = anna.post("/v1/items/%s/complete" % item, {})
    check("what an administrator has started for one who did the first task "
          "is not completed", refused.status == 403
          and "has completed A" in detail(refused), refused)
    done = client.post("/v1/items/%s/complete?for=anna&override=true" % item,
                       {})
    check("but by an administrator who says so", done.status == 200, done)


def seen_by_views(client, people):
    """What the team has and is offered is read by who sees it in a view."""
    anna, ben, cara = people["anna"], people["ben"], people["cara"]
    client.call("PATCH", "/v1/people/cara", {"positions": ["Seller"]})
    only = client.load(process("only", [("A", resourcing(
        people=[client.get("/v1/people/cara").json()["id"]]))]))
    client.post("/v1/cases", {"specification": only, "case": "g3"})
    for state in ("offered", "allocated", "started"):
        if state != "offered":
            done = cara.post("/v1/items/g3:A/" + (
                "accept" if state == "allocated" else "start"))
            check("it is " + state, done.status == 200, done)
        item = items(cara, "?case=g3")[0]
        for user, where in ((anna, "groups"), (ben, "team")):
            query = "?case=g3&view=" + where
            check("%s: listed in %s" % (state, where),
                  items(user, query) == [item], items(user, query))
            for path in ("", "/form", "/data", "/documents"):
                shown = user.get("/v1/items/%s%s" % (item, path))
                check("%s: and read: %s" % (state, path),
                      shown.status == 200, shown)
            shown = user.get("/v1/items/" + item).json()
            check("%s: but nothing is done with it" % state,
                  shown["actions"] == [], shown)
            check("%s: nor is the case seen" % state,
                  user.get("/v1/cases/g3").status == 403)
    client.call("PATCH", "/v1/people/cara", {"positions": []})
    for user in (anna, ben):
        check("who sees it in no view reads nothing", until(
            lambda: user.get("/v1/items/" + item).status == 404))


def left_out(client, people, change):
    """An item that leaves out all whom it is offered to is on nobody's list,
    so an administrator sees it; a view of others does not."""
    anna, ben = people["anna"], people["ben"]
    client.call("PUT", "/v1/roles/RO-few", {"name": "Few", "live": True})
    for user in ("ben", "cara"):
        change(user, roles=["Clerk", "Few"])
    change("cara", positions=["Seller"])
    eyes = SEPARATED.replace("RO-clerk", "RO-few")
    key = client.load(process("eyes", [("A", CLERKS), ("B", eyes),
                                       ("C", CLERKS)]))
    client.post("/v1/cases", {"specification": key, "case": "g4"})
    started = people["cara"].post("/v1/items/g4:A/start").json()["item"]
    people["cara"].post("/v1/items/%s/complete" % started, {})
    check("another has to do it", until(
        lambda: items(ben, "?case=g4") == ["g4:B"])
        and items(people["cara"], "?case=g4") == [])
    nobodys = "?view=unoffered&case=g4"
    check("while there is one it is offered", items(client, nobodys) == [])
    check("it is on no list of the group", items(
        anna, "?view=groups&case=g4") == []
        and anna.get("/v1/items/g4:B").status == 404)
    change("ben", roles=["Clerk"])
    check("then it is on nobody's list, and an administrator sees it", until(
        lambda: items(client, nobodys) == ["g4:B"])
        and items(client, "?view=unoffered&specification=eyes&limit=1")
        == ["g4:B"], items(client, nobodys))
    change("ben", roles=["Clerk", "Few"])
    check("until there is another", until(
        lambda: items(client, nobodys) == [] and
        items(ben, "?case=g4") == ["g4:B"]))
    for user, roles in (("ben", ["Clerk"]), ("cara", ["Clerk"])):
        change(user, roles=roles)
    client.post("/v1/cases/g4/cancel", {})


def groups(server, client, people):
    """Groups and roles change: what is offered, and lists, follow."""
    anna, ben, cara = people["anna"], people["ben"], people["cara"]
    for place, record in (
            ("groups/OG-sales", {"name": "Sales"}),
            ("positions/PO-head", {"title": "Head"}),
            ("positions/PO-sell", {"title": "Seller", "group": "Sales",
                                   "reportsTo": "Head"}),
            ("roles/RO-live", {"name": "Live", "live": True})):
        made = client.call("PUT", "/v1/" + place, record)
        check("made: " + place, made.status == 201, made)

    def change(user, **members):
        answer = client.call("PATCH", "/v1/people/" + user, members)
        check("changed: " + user, answer.status == 200, answer)

    change("cara", roles=["Clerk"], positions=["Seller"])
    change("anna", positions=["Seller"],
           privileges=["canViewOrgGroupItems", "canStartConcurrent"])
    change("ben", positions=["Head"], privileges=["canViewTeamItems"])
    for user, where in ((anna, "groups"), (ben, "team")):
        check("a view is empty before: " + where,
              items(user, "?view=" + where) == [])
    key = client.load(process("sales", [("A", CLERKS.replace(
        "</initialSet>", """</initialSet><filters><filter>
<name>OrgFilter</name><params><param><key>OrgGroup</key><value>Sales</value>
</param></params></filter></filters>"""))]))
    client.post("/v1/cases", {"specification": key, "case": "g1"})
    check("members of the group are offered the item",
          items(cara) == items(anna) == ["g1:A"] and items(ben) == [],
          items(cara))
    cara.post("/v1/items/g1:A/accept")
    for user, where in ((anna, "groups"), (ben, "team")):
        for query in ("", "&specification=sales&order=age&limit=1",
                      "&task=A&case=g1"):
            check("one call lists the items of the %s%s" % (where, query),
                  items(user, "?view=" + where + query) == ["g1:A"],
                  items(user, "?view=" + where + query))
        check("others are left out: " + where,
              items(user, "?view=%s&task=B" % where) == [])
        for states, found in (("allocated", 1), ("offered,allocated", 1),
                              ("offered", 0), ("started,suspended", 0)):
            check("by state: %s of the %s" % (states, where), items(
                user, "?view=%s&state=%s" % (where, states))
                == ["g1:A"] * found)
    item = cara.post("/v1/items/g1:A/start").json()["item"]
    for states, found in (("started", 1), ("suspended", 0),
                          ("allocated,suspended", 0)):
        check("what the team has started: " + states, items(
            ben, "?view=team&state=" + states) == [item] * found)
    client.post("/v1/items/%s/suspend?override=true" % item)
    for states in ("started", "suspended", "allocated,suspended"):
        check("what is suspended: " + states, items(
            ben, "?view=team&state=" + states) == [item])
        check("in the own list: " + states, items(
            cara, "?state=" + states) == [item])
    check("but not what is offered", items(cara, "?state=offered") == [])
    for query, words in (("state=bad", "expected unoffered, offered"),
                         ("view=offered&state=started", "the view offered")):
        refused = cara.get("/v1/worklist?" + query)
        check("no such state: " + query, refused.status == 400
              and words in detail(refused), refused)
    change("cara", positions=[])
    for user, where in ((anna, "groups"), (ben, "team")):
        check("who leaves the group is in it no more: " + where, until(
            lambda: items(user, "?view=" + where) == []))
    found = client.get("/v1/groups?q=ale").json()["groups"]
    check("a group is found by a part of its name",
          [row["name"] for row in found] == ["Sales"], found)
    key = client.load(process("lively", [("A", resourcing(
        roles=["RO-live"]))]))
    change("anna", roles=["Clerk", "Live"])
    client.post("/v1/cases", {"specification": key, "case": "g2"})
    check("who has not the role is not offered the item",
          items(anna, "?case=g2") == ["g2:A"] and items(ben, "?case=g2") == [])
    change("ben", roles=["Live", "Live"])
    check("a role that is given twice is there once", client.get(
        "/v1/people/ben").json()["roles"] == ["RO-live"])
    check("who has it sees the item", until(
        lambda: items(ben, "?case=g2") == ["g2:A"]))
    change("ben", roles=["Clerk"])
    check("and loses it with the role", until(
        lambda: items(ben, "?case=g2") == []))
    change("anna", roles=["Clerk"])
    nobodys = "?view=unoffered&case=g2"
    check("when nobody has it, an administrator sees it",
          until(lambda: items(client, nobodys) == ["g2:A"])
          and items(client, nobodys + "&state=offered") == ["g2:A"]
          and items(client, nobodys + "&state=unoffered") == [],
          items(client, nobodys))
    change("ben", roles=["Live"])
    check("until somebody has it", until(
        lambda: items(client, nobodys) == [])
        and items(ben, "?case=g2") == ["g2:A"])
    check("the role is removed", client.call(
        "DELETE", "/v1/roles/RO-live").status in (200, 204))
    check("then an administrator sees it, too",
          until(lambda: items(client, nobodys) == ["g2:A"]))
    row = client.get("/v1/worklist" + nobodys).json()["items"][0]
    done = client.post("/v1/items/g2:A/reoffer", {"to": ["anna"]})
    check("and offers it to somebody", "reoffer" in row["actions"]
          and done.status == 200 and items(anna, "?case=g2") == ["g2:A"]
          and items(client, nobodys) == [], row, done)
    change("ben", roles=["Clerk"])
    seen_by_views(client, people)
    left_out(client, people, change)
    members = client.get("/v1/roles/RO-clerk/members").json()["people"]
    check("the members of a role are all there, once",
          sorted(row["user"] for row in members) == ["anna", "ben", "cara"],
          members)


def stale(server, client, people):
    """What is done, chained or gone stands on no list."""
    anna, ben = people["anna"], people["ben"]
    for user in ("anna", "ben"):
        client.call("PATCH", "/v1/people/" + user,
                    {"privileges": ["carteblanche"], "roles": ["Clerk"]})
    key = client.load(process("stale", [("A", CLERKS), ("B", CLERKS)]))
    for case in ("t1", "t2"):
        client.post("/v1/cases", {"specification": key, "case": case})
    done = anna.post("/v1/items/t1:A/chain")
    item = items(anna, "?case=t1")
    check("a chained item is on one list, once", done.status == 200
          and len(item) == 1 and items(ben, "?case=t1") == [], item)
    done = client.post("/v1/items/%s/complete?override=true" % item[0], {})
    left = items(anna, "?case=t1")
    check("completed by another client it is on none", done.status == 200
          and len(left) == 1 and left[0].endswith(":B")
          and items(ben, "?case=t1") == [], left)
    anna.post("/v1/items/t2:A/accept")
    for case in ("t1", "t2"):
        client.post("/v1/cases/%s/cancel" % case, {})
        for user in (anna, ben):
            check("of a case that is gone nothing is left",
                  items(user, "?case=" + case) == [])


# S, then A and B at once, which different people do, then E.
TWO = process("two", [("S", CLERKS), ("A", PRIVILEGED), ("B", SEPARATED),
                      ("E", CLERKS)])
for before, after in (
        ("<task id=\"S\"><flowsInto>", "<task id=\"S\"><flowsInto>"
         "<nextElementRef id=\"B\"/></flowsInto><flowsInto>"),
        ("<task id=\"A\"><flowsInto><nextElementRef id=\"B\"/>",
         "<task id=\"A\"><flowsInto><nextElementRef id=\"E\"/>"),
        ("<nextElementRef id=\"o\"/></flowsInto><join code=\"xor\"/>",
         "<nextElementRef id=\"o\"/></flowsInto><join code=\"and\"/>")):
    assert before in TWO
    TWO = TWO.replace(before, after)
# A or B: who takes one takes the choice.
CHOICE = process("choice", [("A", PRIVILEGED), ("B", PRIVILEGED)])
for before, after in (
        ("<inputCondition id=\"i\"><flowsInto>", "<inputCondition id=\"i\">"
         "<flowsInto><nextElementRef id=\"B\"/></flowsInto><flowsInto>"),
        ("<task id=\"A\"><flowsInto><nextElementRef id=\"B\"/>",
         "<task id=\"A\"><flowsInto><nextElementRef id=\"o\"/>")):
    assert before in CHOICE
    CHOICE = CHOICE.replace(before, after)

# Actions, and what they need.
ACTIONS = {"delegate": {"to": "gus"}, "reallocate": {"to": "gus"},
           "offer": {"to": ["gus"]}, "allocate": {"to": "gus"},
           "reoffer": {"to": ["gus"]}, "restart": {"to": "gus"},
           "complete": {}, "accept": None, "start": None, "suspend": None,
           "resume": None, "deallocate": None, "skip": None, "chain": None,
           "pile": None, "unpile": None, "unchain": None}


def agreement():
    """What is shown as possible is done, and nothing else."""
    server, client, people = office(None, "agreement")
    people.update(add_people(server, {
        "dora": {"roles": ["Clerk"]}, "gus": {},
        "fay": {"administrator": True}}))
    anna, ben, dora = people["anna"], people["ben"], people["dora"]
    anna.post("/v1/people/anna/deputies", {"deputy": "dora", "to": "P1D"})
    keys = {"two": client.load(TWO), "choice": client.load(CHOICE)}
    client.call("PUT", "/v1/roles/RO-empty", {"name": "Empty"})
    keys["none"] = client.load(process("none", [
        ("B", resourcing(roles=["RO-empty"]))]))
    cases = []

    def begin(name):
        case = "x%d" % len(cases)
        cases.append(case)
        client.post("/v1/cases", {"specification": keys[name], "case": case})
        return case

    def does(who, item, query=""):
        """Starts it, and answers its id then."""
        done = who.post("/v1/items/%s/start%s" % (item, query))
        assert done.status == 200, done
        return done.json()["item"]

    def completes(who, item):
        done = who.post("/v1/items/%s/complete" % does(who, item), {})
        assert done.status == 200, done

    def two(doer=None):
        case = begin("two")
        completes(people["anna"], case + ":S")
        if doer is not None:
            completes(doer, case + ":A")
        return case

    def offered(doer):
        return two(doer) + ":B"

    def allocated(doer):
        case = two()
        anna.post("/v1/items/%s:B/accept" % case)
        completes(doer, case + ":A")
        return case + ":B"

    def started(doer):
        return does(anna, two(doer) + ":B")

    def suspended(doer):
        item = started(doer)
        anna.post("/v1/items/%s/suspend" % item)
        return item

    def restarted(doer):
        return client.post("/v1/items/%s:B/restart" % two(doer), {
            "to": "ben"}).json()["item"]

    def unoffered(_):
        return begin("none") + ":B"

    def held(_):
        case = two()
        client.post("/v1/items/%s:B/offer?override=true" % case, {"to": ["gus"]})
        people["gus"].post("/v1/items/%s:B/accept" % case)
        return case + ":B"

    # An operator who is no participant suspends what is not started, too.
    def halted(_):
        item = two() + ":B"
        done = client.post("/v1/items/%s/suspend" % item)
        assert done.status == 200, done
        return item

    def halted_hers(_):
        item = two() + ":B"
        anna.post("/v1/items/%s/accept" % item)
        done = client.post("/v1/items/%s/suspend?override=true" % item)
        assert done.status == 200, done
        return item

    def halted_unoffered(_):
        item = unoffered(_)
        done = client.post("/v1/items/%s/suspend" % item)
        assert done.status == 200, done
        return item

    def passed_on(_):
        item = started(ben)
        done = client.post("/v1/items/%s/reoffer" % item, {"to": ["dora"]})
        assert done.status == 200, done
        return item

    def chosen(doer):
        case = begin("choice")
        doer.post("/v1/items/%s:A/accept" % case)
        return case + ":B"

    def chained(doer):
        case = two()
        doer.post("/v1/items/%s:A/chain" % case)
        return case + ":B"

    def paused(_):
        case = two(ben)
        anna.post("/v1/items/%s:B/accept" % case)
        client.post("/v1/cases/%s/suspend" % case)
        return case + ":B"

    def judge(what, name, state, doer, who, query):
        def make():
            return state(doer)
        item = make()
        shown = who.get("/v1/items/%s%s" % (item, query))
        may = shown.json().get("actions", [])
        check("%s: each action is answered for %s" % (what, name),
              shown.status == 404 or sorted(may + list(
                  shown.json()["refused"])) == sorted(ACTIONS), shown)
        case = item.split(".")[0].split(":")[0]
        listed = [row["actions"] for row in who.get(
            "/v1/worklist%s&case=%s" % (query or "?", case)).json().get(
                "items", []) if row["item"] == item
            and ("for" in row) == (query != "")]
        # Whether a case is suspended is said of one item only.
        if state is not paused and listed:
            check("%s: the list says the same to %s" % (what, name),
                  set(listed[0]) | {"unchain"} == set(may) | {"unchain"},
                  listed, may)
        # Whoever completes what can be started starts it, too.
        done_at_once = "start" in may and shown.json()["status"] in (
            "enabled", "executing")
        possible = set(may) | ({"complete"} if done_at_once else set())
        for action in sorted(ACTIONS, key=lambda word: word in possible):
            on = "" if action in ("reoffer", "restart") else query
            done = who.post("/v1/items/%s/%s%s" % (item, action, on),
                            ACTIONS[action])
            check("%s: %s by %s is %s" % (
                what, action, name,
                "possible" if action in possible else "refused"),
                done.status in ((200,) if action in possible
                                else (403, 404, 409)), done, shown)
            if action == "pile" and done.status == 200:
                client.post("/v1/items/%s/unpile" % done.json()["item"])
            if action in possible:
                item = make()

    for make, doers in ((offered, "ben dora"), (allocated, "ben dora"),
                        (started, "ben dora"), (suspended, "ben"),
                        (restarted, "ben dora"), (unoffered, "ben"), (held, "ben"),
                        (halted, "ben"), (halted_hers, "ben"),
                        (halted_unoffered, "ben"), (passed_on, "ben"),
                        (chosen, "ben dora"), (chained, "ben"),
                        (paused, "ben")):
        for doer in doers.split():
            for name, who, query in (
                    ("anna", anna, ""), ("ben", ben, ""), ("dora", dora, ""),
                    ("dora for anna", dora, "?for=anna"),
                    ("fay", people["fay"], ""), ("an operator", client, "")):
                judge("%s, %s" % (make.__name__, doer), name, make,
                      people[doer], who, query)
    # A task that is piled to another.
    case, other = two(dora), two(dora)
    client.post("/v1/items/%s:B/allocate?override=true" % other, {"to": "ben"})
    anna.post("/v1/items/%s:B/accept" % case)
    check("a pile", anna.post("/v1/items/%s:B/pile" % case).status == 200)
    shown = ben.get("/v1/items/%s:B" % other).json()
    refused = ben.post("/v1/items/%s:B/pile" % other)
    check("what is piled to another is not piled", refused.status == 409
          and "pile" not in shown["actions"]
          and "piled to" in shown["refused"]["pile"]["reason"], shown, refused)
    server.close()


def rules():
    """Another server, for what changes the organisation."""
    server, client, people = office(None, "rules")
    for part in (overriding, duties, groups, stale):
        part(server, client, people)
    server.close()


def desk():
    """One server for what needs no store of its own."""
    server, client, people = office(None, "desk")
    for part in (privileges, piles, redirects, to_service, absences, deputies,
                 standing_in, needs, starting, live):
        part(server, client, people)
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


def weft(server, *words, token=None):
    done = subprocess.run([WEFT] + list(words), env=dict(
        os.environ, WEFT_TOKEN=token or server.token,
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
    code, text = weft(server, "work", "list", "--for", "anna", "--state",
                      "allocated,started", "--json")
    check("weft work list --state", code == 0 and json.loads(text) == [], text)
    code, text = weft(server, "work", "list", "--for", "anna", "--state",
                      "offered", "--data", "x=1", "--json")
    check("weft work list --data", code == 0 and json.loads(text) == [], text)
    code, text = weft(server, "work", "list", "--for", "anna", "--data", "x")
    check("weft work list --data, without a value", code != 0
          and "NAME=VALUE" in text, text)
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
    code, text = weft(server, "work", "restart", "b:A", "cara")
    check("weft work restart", code == 0, text)
    code, text = weft(server, "work", "reoffer", "b.1:A", "ben", "cara")
    check("weft work reoffer", code == 0, text)
    client.call("PUT", "/v1/services/parcels", {
        "kind": "pull", "uri": "urn:parcels"})
    client.post("/v1/cases", {"specification": key, "case": "r"})
    code, text = weft(server, "work", "redirect", "r:A", "parcels")
    check("weft work redirect", code == 0, text)
    code, text = weft(server, "work", "redirect", "r:A", "nosuch")
    check("weft work redirect, no service", code == 1 and "nosuch" in text,
          text)
    code, text = weft(server, "work", "restart", "b.1:A", "ben")
    check("weft work restart, an executing item", code == 0, text)
    client.post("/v1/cases", {"specification": key, "case": "d"})
    weft(server, "work", "accept", "d:A", "--for", "anna")
    code, text = weft(server, "work", "pile", "d:A", "--for", "anna")
    check("weft work pile", code == 0, text)
    code, text = weft(server, "work", "piles", "--for", "anna")
    check("weft work piles", code == 0 and "anna" in text
          and "UID_typed" in text, text)
    code, text = weft(server, "work", "unpile", "d.1:A", "--for", "anna")
    check("weft work unpile", code == 0, text)
    code, text = weft(server, "work", "unchain", "d.1:A", "--for", "anna")
    check("weft work unchain", code == 1 and "not chained" in text, text)
    code, text = weft(server, "work", "absent", "anna", "--to", "P1D",
                      "--comment", "ill")
    check("weft work absent", code == 0, text)
    code, text = weft(server, "work", "absences", "anna", "--json")
    check("weft work absences", code == 0
          and json.loads(text)[0]["comment"] == "ill", text)
    code, text = weft(server, "work", "present", "anna",
                      str(json.loads(text)[0]["absence"]))
    check("weft work present", code == 0, text)
    code, text = weft(server, "work", "deputy", "anna", "cara", "--to", "P1D",
                      "--process", "UID_plain")
    check("weft work deputy, of an unknown process", code == 1
          and "UID_plain" in text, text)
    client.load(process("plain", [("A", CLERKS)]))
    code, text = weft(server, "work", "deputy", "anna", "cara", "--to", "P1D",
                      "--process", "UID_typed,UID_plain")
    check("weft work deputy", code == 0, text)
    code, text = weft(server, "work", "deputies", "anna", "--json")
    check("weft work deputies", code == 0 and json.loads(text)[0]["processes"]
          == ["UID_typed", "UID_plain"], text)
    code, text = weft(server, "work", "dismiss", "anna",
                      str(json.loads(text)[0]["entry"]))
    check("weft work dismiss", code == 0, text)
    code, text = weft(server, "work", "list", "--for", "ben", "--order", "age",
                      "--json")
    check("weft work list, as JSON", code == 0 and [
        row["item"] for row in json.loads(text)] == ["a:A", "b.1:A"], text)
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


def idle():
    """What keeps an idle stream alive does not take its place from it."""
    server = Server(arguments=("--people", "--keep-alive", "1s"))
    emil = add_people(server, {"emil": {}})["emil"]
    watch = emil.stream("/v1/worklist/events")
    check("an empty list", watch.news() == ("list", {}))
    kept = watch.block(LIMIT)
    check("it is kept alive, by nothing else", kept == ":", kept)
    watch.close()
    again = emil.stream("/v1/worklist/events", headers={
        "Last-Event-ID": watch.id})
    check("so it resumes", again.news()[0] == "resumed")
    again.close()
    server.close()


run(*on_each(offers, "offers"), *on_each(passing_on, "passing on"),
    *on_each(at_once, "two at once"), desk, rules, agreement, pages, command_line,
    without_people, others_work, idle)
end()
