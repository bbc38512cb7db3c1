# SPDX-License-Identifier: Apache-2.0
"""Services: registered, shown without secrets, replaced, removed, kept."""
import json
import os
import threading
import time

from checks import check, end, run
from receiver import Receiver, is_signed
from server import ROOT, Server
from smtp import Smtp

SECRET = "0123456789abcdef-secret"


def register():
    server = Server()
    client = server.client()
    push = {"kind": "push", "uri": "http://127.0.0.1:9/x", "secret": SECRET}
    check("there are none at first",
          client.get("/v1/services").json() == {"services": []})
    answer = client.call("PUT", "/v1/services/ship", push)
    check("a new one is made", answer.status == 201, answer)
    check("it has the default policy", answer.json() == {
        "name": "ship", "uri": push["uri"], "kind": "push",
        "has_secret": True, "called": True, "assignable": True,
        "attempts": 8,
        "delay": "PT1S", "backoff": 2, "cap": "PT300S", "timeout": "PT30S",
        "concurrency": 16}, answer)
    answer = client.call("PUT", "/v1/services/ship", {
        "kind": "push", "uri": push["uri"], "delay": "PT0.25S",
        "documentation": "Ships", "assignable": False, "attempts": 3})
    check("it is replaced, and keeps its secret",
          answer.status == 200 and answer.json()["has_secret"] and
          answer.json()["delay"] == "PT0.250S" and
          answer.json()["documentation"] == "Ships" and
          answer.json()["assignable"] is False, answer)
    client.call("PUT", "/v1/services/a%20b", {"kind": "pull", "uri": "u:1"})
    answers = [client.get("/v1/services"), client.get("/v1/services/ship")]
    check("all are listed by name", [
        s["name"] for s in answers[0].json()["services"]] == ["a b", "ship"])
    check("no answer has the secret",
          not any(SECRET.encode() in a.body for a in answers), answers)
    server.stop()
    server.start()
    client = server.client()
    check("they are there after a restart",
          client.get("/v1/services/ship").json() == answers[1].json())
    check("one is removed",
          client.call("DELETE", "/v1/services/ship").status == 204)
    check("and is gone", client.get("/v1/services/ship").status == 404)
    answer = client.call("DELETE", "/v1/services/ship")
    check("removing it again says so", answer.status == 404, answer)
    server.close()


def refuse():
    server = Server()
    client = server.client()
    good = {"kind": "push", "uri": "http://x/", "secret": SECRET}
    client.call("PUT", "/v1/services/one", good)
    answer = client.call("PUT", "/v1/services/two", good)
    check("a URI belongs to one service",
          answer.status == 409 and answer.json()["code"] == "conflict",
          answer)
    for what, change in (
            ("no kind", {"kind": None}), ("an unknown kind", {"kind": "x"}),
            ("no address", {"uri": "urn:x"}), ("no URI", {"uri": ""}),
            ("a space in it", {"uri": "http://a b/"}),
            ("a secret too short", {"secret": "short"}),
            ("a NUL", {"documentation": "a\0b"}),
            ("no attempts", {"attempts": 0}),
            ("half an attempt", {"attempts": 1.5}),
            ("no duration", {"delay": "soon"}),
            ("a negative one", {"delay": "-PT1S"}),
            ("no time", {"timeout": "PT0S"}),
            ("no concurrency", {"concurrency": 0}),
            ("what is unknown", {"colour": "red"}),
            ("an URI of ours", {"uri": "weft:echo"}),
            ("another's", {"kind": "built-in"})):
        body = {**good, "uri": "http://other/", **change}
        answer = client.call(
            "PUT", "/v1/services/bad",
            {k: v for k, v in body.items() if v is not None})
        check("%s is refused" % what,
              answer.status == 400 and answer.json()["code"] == "invalid",
              answer)
    check("a name too long is refused", client.call(
        "PUT", "/v1/services/" + "n" * 101,
        {**good, "uri": "http://n/"}).status == 400)
    check("none of them is there",
          len(client.get("/v1/services").json()["services"]) == 1)
    server.close()


def over():
    """A worker whose item is over learns that, not that its output is wrong."""
    server = Server()
    client = server.client()
    with open(os.path.join(ROOT, "examples", "services", "order.yawl")) as file:
        client.load(file.read())
    for case in ("ended", "skipped"):
        client.post("/v1/cases", {"specification": "Order", "case": case,
                                  "data": {"item": "tea", "amount": 4}})

    def complete(case, total, **more):
        return client.call("POST", "/v1/items/%s:Price/complete" % case,
                           {"total": total}, **more)
    refused = complete("ended", 0)
    check("a postcondition does not hold", refused.status == 422 and
          "its postcondition does not hold" in refused.json()["detail"],
          refused)
    client.post("/v1/items/skipped:Price/skip", {})
    check("the item is over", complete("skipped", 0).status == 404 and
          complete("skipped", 1).status == 404, complete("skipped", 0))
    client.post("/v1/cases/ended/cancel", {})
    refused = complete("ended", 0)
    check("the case has ended", refused.status == 404 and
          refused.json()["detail"] == "case 'ended' has ended", refused)
    check("likewise with an output that fits", complete("ended", 1).json() ==
          refused.json(), complete("ended", 1))
    xml = client.call("POST", "/v1/items/ended:Price/complete",
                      b"<Price><total>0</total></Price>",
                      type="application/xml")
    check("and in XML", xml.json() == refused.json(), xml)
    server.close()


def try_them():
    """A test call shows what was asked and answered, and starts no work."""
    server = Server(arguments=("--allow-address", "127.0.0.1/32"))
    client = server.client()
    receiver = Receiver()
    mail = Smtp(user=("weft", "secret of mail"))
    put = lambda name, **body: client.call("PUT", "/v1/services/" + name, body)
    test = lambda name: client.call("POST", "/v1/services/%s/test" % name)
    put("ship", kind="push", uri=receiver.url + "/ship?key=hidden",
        secret=SECRET)
    receiver.answers["/ship?key=hidden"] = [200, 500]
    receiver.bodies["/ship?key=hidden"] = b"<b>of mine</b>"
    answer = test("ship")
    body = receiver.requests[0][2]
    call = answer.json()["call"]
    check("a service that answers passes", answer.status == 200 and
          answer.json()["passed"] and call["status"] == 200 and
          call["reason"] == "" and
          call["answer"]["body"] == "<b>of mine</b>", answer)
    check("it got the event test, signed",
          json.loads(body)["event"] == "test" and
          is_signed(receiver.requests[0], SECRET) and
          json.loads(body) == json.loads(call["request"]["body"]), answer)
    check("what may be secret is not shown", "hidden" not in str(answer.json())
          and SECRET not in str(answer.json()), answer)
    answer = test("ship").json()
    check("one that answers with an error does not, and says so",
          not answer["passed"] and answer["call"]["status"] == 500 and
          answer["call"]["reason"] == "HTTP 500: <b>of mine</b>", answer)
    state = client.get("/v1/services/ship/state").json()
    check("it counts as no call", "node" not in state["state"] or
          state["state"]["node"]["hour"] == {"done": 0, "failed": 0}, state)

    put("page", kind="built-in", uri="weft:http/page",
        address=receiver.url + "/page", secret="ann:password of page")
    answer = test("page").json()
    path, headers, _, _ = receiver.requests[-1]
    check("weft:http asks its address with GET", answer["passed"] and
          answer["call"]["request"]["method"] == "GET" and path == "/page" and
          headers["Authorization"].startswith("Basic "), (answer, headers))
    put("post", kind="built-in", uri="weft:mail/post",
        secret="weft:secret of mail", address="smtp://127.0.0.1:%d" % mail.port)
    answer = test("post").json()
    check("weft:mail signs in and sends nothing", answer["passed"] and
          mail.logins == [(("weft", "secret of mail"), True)] and
          mail.mails == [], (answer, mail.logins))
    put("post", kind="built-in", uri="weft:mail/post", secret="weft:wrong",
        address="smtp://127.0.0.1:%d" % mail.port)
    answer = test("post").json()
    check("who may not sign in does not pass",
          not answer["passed"] and answer["call"]["reason"] != "", answer)
    mail.close()

    put("echo", kind="built-in", uri="weft:echo")
    put("desk", kind="pull", uri="urn:desk")
    for name, why in (("echo", "the server does its work itself"),
                      ("desk", "workers claim its items")):
        answer = test(name)
        check("nobody calls %s" % name, answer.status == 409 and
              answer.json()["detail"] == "%s is not called: %s" % (name, why),
              answer)
    check("an unknown one is not there", test("nobody").status == 404)
    reader = server.client(server.add_account("reads", "reader", 1))
    check("who may only read may not",
          reader.call("POST", "/v1/services/ship/test").status == 403)

    put("slow", kind="push", uri=receiver.url + "/slow", secret=SECRET)
    receiver.answers["/slow"] = ["hang"]
    answers = []
    waiting = threading.Thread(
        target=lambda: answers.append(server.client().call(
            "POST", "/v1/services/slow/test")))
    waiting.start()
    receiver.wait(lambda them: them.requests[-1][0] == "/slow")
    answer = test("ship")
    check("there is one test call at a time", answer.status == 503 and
          "another test call" in answer.json()["detail"], answer)
    check("others are served meanwhile",
          client.get("/v1/services/slow/state").status == 200)
    receiver.released.set()
    waiting.join()
    check("it ends with its answer", answers[0].json()["passed"], answers)
    receiver.close()
    answer = test("slow").json()
    check("a service that is gone gives no answer", not answer["passed"] and
          "status" not in answer["call"] and
          answer["call"]["reason"] != "", answer)
    put("away", kind="push", uri="http://[::1]:9/", secret=SECRET)
    answer = test("away").json()
    check("an address that is not allowed is not called",
          not answer["passed"] and
          "its address may not be called" in answer["call"]["reason"], answer)
    server.close()


def try_yawl():
    """Services of YAWL are asked for a sign of life, paused ones, too."""
    server = Server(arguments=("--allow-address", "127.0.0.1/32"))
    client = server.client()
    receiver = Receiver()
    for name in ("yawl", "listener", "codelet"):
        answer = client.call("PUT", "/v1/services/" + name, {
            "kind": name, "uri": receiver.url + "/" + name})
        check("a %s is made" % name, answer.status == 201, answer)
        check("it says whether it is called",
              answer.json()["called"] == (name != "codelet"), answer)
    test = lambda name: client.call("POST", "/v1/services/%s/test" % name)
    for name in ("yawl", "listener"):
        answer = test(name)
        check("a %s gets HEAD" % name, answer.json()["passed"] and
              answer.json()["call"]["request"]["method"] == "HEAD" and
              receiver.methods[-1] == "HEAD" and
              receiver.requests[-1][0] == "/" + name, answer)
    receiver.answers["/yawl"] = [404]
    answer = test("yawl").json()
    check("one without that page does not pass", not answer["passed"] and
          answer["call"]["status"] == 404, answer)
    answer = test("codelet")
    check("a codelet is no call", answer.status == 409 and
          answer.json()["detail"] ==
          "codelet is not called: the server does its work itself", answer)
    client.post("/v1/services/yawl/pause", {})
    count = len(receiver.requests)
    check("a paused service can be asked", test("yawl").json()["passed"] and
          len(receiver.requests) == count + 1, receiver.requests)
    check("it stays paused",
          "paused" in client.get("/v1/services/yawl").json())

    # The server ends while it waits for an answer.
    receiver.answers["/listener"] = ["hang"]
    waiting = threading.Thread(target=lambda: attempt(server, "listener"))
    waiting.start()
    receiver.wait(lambda them: them.requests[-1][0] == "/listener" and
                  them.requests[-1][3] == "hang")
    began = time.monotonic()
    server.stop()
    took = time.monotonic() - began
    check("a test call does not hold up the end", took < 8, took)
    waiting.join()
    receiver.close()
    server.close()


def attempt(server, name):
    try:
        server.client().call("POST", "/v1/services/%s/test" % name)
    except OSError:  # the server has ended
        pass


run(register, refuse, over, try_them, try_yawl)
end()
