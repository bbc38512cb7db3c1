# SPDX-License-Identifier: Apache-2.0
"""An ended case is erased with all that belongs to it; its name stays."""
from checks import check, end, run, until
from server import Server
from stores import on_each

SECRET = "Erika-Mustermann"


def start(client, key, case):
    answer = client.post("/v1/cases", {
        "specification": key, "case": case, "title": SECRET})
    if answer.status != 201:
        raise RuntimeError(repr(answer))


def cancel(client, case):
    return client.post("/v1/cases/%s/cancel" % case, {"reason": SECRET})


def erase(client, case, reason="asked to"):
    query = "?reason=" + reason.replace(" ", "%20") if reason else ""
    return client.call("DELETE", "/v1/cases/" + case + query)


def erased(name, db):
    server = Server(db=db)
    client = server.client()
    key = client.load("sequence.yawl")
    stream = client.stream("/v1/events?after=0")
    for case in ("a", "b", "c"):
        start(client, key, case)
    client.post("/v1/items/b:Ask/complete", {"destination": SECRET})
    document = client.call(
        "POST", "/v1/cases/b/documents?name=" + SECRET, b"hello",
        type="text/plain").json()["document"]
    client.post("/v1/cases/b/comments", {"text": SECRET})
    middle = stream.take(1)[0]["id"]  # of the first step of a
    check("%s: a case that runs is not erased" % name,
          erase(client, "b").status == 409)
    cancel(client, "b")
    check("%s: without a reason it is not" % name,
          erase(client, "b", "").status == 400)
    operator = server.client(server.add_account("olga", "operator", 1))
    check("%s: nor by an operator" % name,
          erase(operator, "b").status == 403)
    check("%s: an ended one is" % name, erase(client, "b").status == 204)
    answer = client.get("/v1/cases/b")
    left = answer.json().get("erased", {})
    check("%s: what is left says who did it, and why" % name,
          answer.status == 410 and answer.json()["code"] == "gone" and
          left["case"] == "b" and left["by"] == "admin" and
          left["reason"] == "asked to" and left["specification"] == key and
          left["at"].endswith("Z") and
          answer.json()["detail"].endswith("by 'admin': asked to"), answer)
    pia = server.client(server.add_account("paul", "participant", 1))
    answer = pia.get("/v1/cases/b")
    check("%s: it is shown to those only who may read the process" % name,
          answer.status == 403 and "erased" not in answer.json(), answer)
    for path in ("history", "data", "documents", "comments"):
        answer = client.get("/v1/cases/b/" + path)
        check("%s: its %s is gone" % (name, path), answer.status == 410 and
              answer.json()["erased"]["case"] == "b", answer)
    for path in ("/v1/cases/b/suspend", "/v1/items/b:Ask/complete"):
        answer = client.post(path)
        check("%s: commands say so, too" % name, answer.status == 410, answer)
    check("%s: and its document" % name, client.get(
        "/v1/documents/%d/content" % document).status == 404)
    check("%s: it is in no list" % name, "b" not in [
        c["case"] for c in client.get("/v1/cases").json()["cases"]])
    check("%s: it is erased once" % name, erase(client, "b").status == 410)
    check("%s: what never was is not found" % name,
          erase(client, "none").status == 404)
    again = client.post("/v1/cases", {"specification": key, "case": "b"})
    check("%s: its name stays in use" % name, again.status == 409, again)
    resumed = client.stream("/v1/events", headers={"Last-Event-ID": middle})
    start(client, key, "d")
    seen = []
    until(lambda: seen.append(resumed.next()["case"]) or seen[-1] == "d")
    check("%s: readers of the stream go on without it" % name,
          "b" not in seen and "c" in seen, seen)
    act = [a for a in client.get("/v1/audit").json()["audit"]
           if a["kind"] == "eraseCase" and a["result"] == "done"]
    check("%s: the audit has it" % name, len(act) == 1 and
          act[0]["subject"] == "b" and act[0]["detail"] == "asked to", act)
    stream.close()
    resumed.close()
    server.stop()
    server.start()
    client = server.client()
    check("%s: it is gone after a restart" % name,
          client.get("/v1/cases/b").status == 410)
    if db is None:
        cancel(client, "a")
        check("the others are there", client.get(
            "/v1/cases/a").json()["status"] == "cancelled")
        erase(client, "a")
        server.stop()
        server.start()
        client = server.client()
        start(client, key, "e")
        events = client.stream("/v1/events?after=0").take(1)
        check("the stream begins with what is left",
              events[0]["case"] == "c", events)
    server.close()


run(*on_each(erased, "erasing"))
end()
