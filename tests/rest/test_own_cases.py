# SPDX-License-Identifier: Apache-2.0
"""The cases that somebody has started or worked on, and comments on cases: what
is listed, who sees and writes what, paging, retiring, the command line."""
import os
import subprocess

from checks import LIMIT, check, end, run
from people import add_people, process, resourcing
from server import Client, Server, WEFT


def mine(client, more=""):
    answer = client.get("/v1/cases?mine=true" + more)
    return [case["case"] for case in answer.json().get("cases", [])]


def start(client, key, case):
    answer = client.post("/v1/cases", {"specification": key, "case": case})
    check("%s is started" % case, answer.status == 201, answer)


def do(client, case, task):
    for verb in ("accept", "start"):
        answer = client.post("/v1/items/%s:%s/%s" % (case, task, verb))
        check("%s of %s:%s" % (verb, case, task), answer.status == 200, answer)
    items = [i["item"] for i in client.get("/v1/worklist").json()["items"]
             if i["item"].startswith(case + ".") and
             i["item"].endswith(":" + task)]
    answer = client.post("/v1/items/%s/complete" % items[0], {})
    check("%s:%s is completed" % (case, task), answer.status == 200, answer)


def work(client, people, key):
    """anna starts b and c; bert works on a and b; carl is offered items."""
    anna, bert, carl = people["anna"], people["bert"], people["carl"]
    start(client, key, "a")
    start(anna, key, "b")
    start(anna, key, "c")
    check("nobody else has a case of hers", mine(bert) == [] and
          mine(carl) == [])
    check("her cases are those that she started", mine(anna) == ["c", "b"])
    do(bert, "a", "One")
    check("bert has accepted an item", bert.post(
        "/v1/items/b:One/accept").status == 200)
    check("his are those that he worked on", mine(bert) == ["b", "a"])
    back = bert.post("/v1/items/b:One/deallocate")
    check("he has it no more", back.status == 200, back)
    check("but has worked on the case", mine(bert) == ["b", "a"])
    check("who is only offered items has no case", mine(carl) == [])
    do(bert, "a", "Two")
    check("a case that has ended is kept", mine(bert) == ["b", "a"] and
          mine(bert, "&status=completed") == ["a"] and
          mine(bert, "&status=running") == ["b"])


def pages(client, people, key, other):
    anna, bert = people["anna"], people["bert"]
    check("the oldest first", mine(bert, "&order=oldest") == ["a", "b"])
    seen, after = [], ""
    while True:
        page = anna.get("/v1/cases?mine=true&limit=1" + after).json()
        seen += [case["case"] for case in page["cases"]]
        if "next" not in page:
            break
        after = "&after=" + page["next"]
    check("page by page", seen == ["c", "b"], seen)
    check("by process", mine(anna, "&specification=" + key) == ["c", "b"] and
          mine(anna, "&specification=" + other) == [])
    known = {one["key"]: one.get("title", one["uri"]) for one in client.get(
        "/v1/specifications").json()["specifications"]}
    rows = anna.get("/v1/cases?mine=true").json()["cases"]
    check("each says its process", [one["process"] for one in rows] ==
          [known[one["specification"]] for one in rows] and
          anna.get("/v1/cases/b").json()["process"] == known[key], rows)
    for wrong in ("mine=x", "mine=true&limit=0", "mine=true&status=x",
                  "mine=true&after=x"):
        check("400 for " + wrong, anna.get("/v1/cases?" + wrong).status == 400)
    check("a deadlocked one is not among them",
          mine(anna, "&status=deadlocked") == [])


def sight(server, client, people):
    """Who may see what of a case."""
    anna, bert, carl = people["anna"], people["bert"], people["carl"]
    for who, case in ((anna, "b"), (bert, "b"), (bert, "a")):
        shown = who.get("/v1/cases/" + case)
        check("the own case", shown.status == 200 and shown.json()["nets"]
              is not None and "data" not in shown.json(), shown)
        picture = who.get("/v1/cases/%s/diagram" % case)
        check("its picture", picture.status == 200 and
              picture.type == "image/svg+xml", picture.status)
        steps = who.get("/v1/cases/%s/history" % case)
        check("its history", steps.status == 200 and steps.json()["steps"],
              steps)
        check("without data", b"so much" not in steps.body, steps)
        check("not its data", who.get(
            "/v1/cases/%s/data" % case).status == 403)
        check("nor why a task waits", who.get(
            "/v1/cases/%s/why?task=One" % case).status == 403)
        check("and it is not changed", [who.post("/v1/cases/%s/%s" % (
            case, verb)).status for verb in ("suspend", "cancel")] ==
            [403, 403])
    check("whoever reads all sees the data", "data" in client.get(
        "/v1/cases/b").json() and b"so much" in client.get(
            "/v1/cases/b/history").body)
    for who, case in ((anna, "a"), (bert, "c"), (carl, "b")):
        for path in ("", "/diagram", "/history", "/comments"):
            check("not the cases of others: %s%s" % (case, path),
                  who.get("/v1/cases/" + case + path).status == 403)
        check("nor comments on them", who.post(
            "/v1/cases/%s/comments" % case, {"text": "x"}).status == 403)
    check("all cases need the right to read",
          anna.get("/v1/cases").status == 403 and
          anna.get("/v1/cases?mine=false").status == 403)
    check("a case that is not there", anna.get("/v1/cases/z").status == 404)
    reader = server.client(server.add_account("reader", "reader", 1))
    check("who is no participant has no own cases",
          reader.get("/v1/cases?mine=true").status == 403 and
          reader.get("/v1/cases").status == 200)
    other = server.client(server.add_account("limited", None, 1, [
        "read process:UID_other"]))
    check("a right to another process is none to this one",
          other.get("/v1/cases/b").status == 403 and
          other.get("/v1/cases/b/comments").status == 403 and
          other.get("/v1/cases").status == 403)
    far = server.client(server.add_account("far", "admin", 7))
    check("a case of another namespace", far.get(
        "/v1/cases/b/comments").status == 404)
    return reader


def comments(client, people, reader):
    anna, bert = people["anna"], people["bert"]
    place = "/v1/cases/b/comments"
    check("there are none", anna.get(place).json() == {"comments": []})
    first = anna.post(place, {"text": "where is it?"})
    check("she comments", first.status == 201 and (
        first.json()["author"], first.json()["text"], first.json()["case"]) ==
        ("anna", "where is it?", "b"), first)
    second = bert.post(place, {"text": "on my desk \u00e4"})
    third = reader.post(place, {"text": "three"})
    check("so do others", (second.status, third.status) == (201, 201))
    check("in their order", [c["text"] for c in anna.get(
        place).json()["comments"]] == [
            "where is it?", "on my desk \u00e4", "three"])
    page = anna.get(place + "?limit=2").json()
    rest = anna.get(place + "?limit=2&after=" + page["next"]).json()
    check("page by page", len(page["comments"]) == 2 and
          [c["text"] for c in rest["comments"]] == ["three"] and
          "next" not in rest, rest)
    for body in ({}, {"text": ""}, {"text": 1}, {"text": "x" * 4001},
                 {"text": "x", "more": 1}, []):
        check("refused: %.40r" % (body,), anna.post(
            place, body).status == 400)
    check("as long as it may be", anna.post(
        place, {"text": "x" * 4000}).status == 201)
    check("on a case that has ended", bert.post(
        "/v1/cases/a/comments", {"text": "done"}).status == 201)
    number = second.json()["comment"]
    for who in (anna, reader):
        check("only the author removes it", who.call(
            "DELETE", "%s/%d" % (place, number)).status == 403)
    check("not by the path of another case", bert.call(
        "DELETE", "/v1/cases/a/comments/%d" % number).status == 404)
    for wrong, status in (("0", 404), ("x", 400), ("999", 404)):
        check("no comment: " + wrong, bert.call(
            "DELETE", "%s/%s" % (place, wrong)).status == status)
    check("he does", bert.call(
        "DELETE", "%s/%d" % (place, number)).status == 200)
    check("or who operates", client.call(
        "DELETE", "%s/%d" % (place, third.json()["comment"])).status == 200)
    check("the others stay", [c["author"] for c in anna.get(
        place).json()["comments"]] == ["anna", "anna"])


def weft(server, client, *arguments):
    return subprocess.run(
        [WEFT] + list(arguments), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, timeout=LIMIT, env=dict(
            os.environ, WEFT_SERVER="http://127.0.0.1:%d" % server.port,
            WEFT_TOKEN=client.token))


def command_line(server, people):
    anna = people["anna"]
    listed = weft(server, anna, "case", "list", "--mine")
    lines = listed.stdout.decode().split("\n")
    check("weft case list --mine", listed.returncode == 0 and
          [line.split()[0] for line in lines[-3:-1]] == ["c", "b"], listed)
    added = weft(server, anna, "case", "comment", "c", "by the line")
    check("weft case comment CASE TEXT", added.returncode == 0, added)
    shown = weft(server, anna, "case", "comment", "c")
    check("weft case comment CASE", shown.returncode == 0 and
          b"anna" in shown.stdout and b"by the line" in shown.stdout, shown)
    number = [line.split()[0] for line in shown.stdout.decode().split("\n")
              if "by the line" in line][0]
    for who, code in (("bert", 1), ("anna", 0), ("anna", 1)):
        done = weft(server, people[who], "case", "comment", "c", "--remove",
                    number)
        check("weft case comment CASE --remove, of %s: %d" % (who, code),
              done.returncode == code, done)
    check("it is gone", b"by the line" not in weft(
        server, anna, "case", "comment", "c").stdout)
    wrong = weft(server, anna, "case", "comment", "c", "x", "--remove", "1")
    check("a text is no comment to remove", wrong.returncode == 2, wrong)
    wrong = weft(server, anna, "case", "comment", "c", "--remove", "1/../x")
    check("nor is a path", wrong.returncode == 1 and
          b"comment" in wrong.stderr, wrong)
    refused = weft(server, anna, "case", "comment", "a", "x")
    check("not on a case of others", refused.returncode == 1 and
          b"right to read" in refused.stderr, refused)


def retired(server):
    """Rows of a case go with it; nothing is left that belongs to nothing."""
    server.stop()
    for verb, more in (("check", []), ("retire", ["--older-than", "0h"]),
                       ("check", [])):
        done = subprocess.run(
            [WEFT, "db", verb, "--db", server.db] + more,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT)
        check("weft db " + verb, done.returncode == 0, done.stdout)
    server.start()


def everything():
    server = Server(arguments=["--people"])
    client = server.client()
    people = add_people(server, {"anna": {}, "bert": {}, "carl": {}})
    ids = [p["id"] for p in client.get("/v1/people").json()["people"]
           if p["user"] != "anna"]
    rules = resourcing(
        people=ids, more="<privileges><privilege><name>canDeallocate</name>"
        "<allowall>true</allowall></privilege></privileges>")
    key = client.load(process("own", [
        ("One", rules, 'p:priority="{\'so much\'}"'), ("Two", rules)]))
    other = client.load(process("other", [("One", rules)]))
    for name in people:
        changed = client.call("PATCH", "/v1/accounts/" + name, {
            "grants": ["participant", "start process:UID_own"]})
        check("%s may start it" % name, changed.status == 200, changed)
    work(client, people, key)
    pages(client, people, key, other)
    reader = sight(server, client, people)
    comments(client, people, reader)
    command_line(server, people)
    retired(server)
    people = {name: Client(server.port, who.token)
              for name, who in people.items()}
    check("what was retired is in no list", mine(people["bert"]) == ["b"])
    check("what runs is as before", mine(people["anna"]) == ["c", "b"] and
          len(people["anna"].get("/v1/cases/b/comments").json()[
              "comments"]) == 2)
    server.close()


run(everything)
end()
