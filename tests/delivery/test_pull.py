# SPDX-License-Identifier: Apache-2.0
"""Pull: claims, leases, heartbeats, fences, attempts, many workers."""
import threading
import time

from fake import process
from checks import check, end, run, until
from server import Server

URI = "urn:pulled"


def begin(**policy):
    server = Server()
    client = server.client()
    client.call("PUT", "/v1/services/pulled", {
        "kind": "pull", "uri": URI, "delay": "PT0.2S", "timeout": "PT1H",
        **policy})
    return server, client, client.load(process(URI, name="One"))


def start(client, key, case):
    answer = client.post("/v1/cases", {"specification": key, "case": case})
    if answer.status != 201:
        raise RuntimeError(repr(answer))


def claim(client, **more):
    answer = client.post("/v1/items:claim", {"service": "pulled", **more})
    if answer.status != 200:
        raise RuntimeError(repr(answer))
    return answer.json()["items"]


def status(client, case):
    return client.get("/v1/cases/" + case).json()["status"]


def work():
    server, client, key = begin()
    check("there is nothing to claim", claim(client) == [])
    start(client, key, "a")
    got = claim(client)
    check("an item comes with what it is about", len(got) == 1 and {
        k: got[0][k] for k in ("item", "case", "task", "service", "data",
                               "attempt", "specification")} == {
        "item": "a.1:T0", "case": "a", "task": "T0", "service": URI,
        "data": {"x": "7"}, "attempt": 1, "specification": key}, got)
    check("and executes",
          client.get("/v1/items?case=a").json()["items"][0]["status"] ==
          "executing")
    check("no other worker gets it", claim(client) == [])
    answer = client.post("/v1/items/a.1:T0/complete?fence=%d"
                         % (got[0]["fence"] + 1), {"y": 1})
    check("another fence does not complete it",
          answer.status == 409 and answer.json()["code"] == "lease", answer)
    answer = client.post("/v1/items/a.1:T0/complete?fence=%d"
                         % got[0]["fence"], {"y": 1})
    check("its own does", answer.status == 200 and
          status(client, "a") == "completed", answer)
    server.close()


def waiting():
    server, client, key = begin()
    found = []

    def pull():
        mine = server.client()
        began = time.monotonic()
        found.append((claim(mine, wait="PT60S"), time.monotonic() - began))

    threads = [threading.Thread(target=pull) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    for case in "abc":
        start(client, key, case)
    for thread in threads:
        thread.join()
    check("a waiting worker gets new items", sorted(
        i["case"] for items, _ in found for i in items) == ["a", "b", "c"],
        found)
    times = [1]
    for i in range(60):
        if times[-1] < 0.2:
            break
        before = time.monotonic()
        start(client, key, "f%d" % i)
        claim(client)
        usual = time.monotonic() - before  # for an item that is there
        thread = threading.Thread(target=pull)
        thread.start()
        time.sleep(0.1)
        before = time.monotonic()
        start(client, key, "e%d" % i)
        thread.join()
        times.append(time.monotonic() - before - usual)
    # A worker that is not notified would see the item half a second late.
    check("at once", min(times) < 0.2, times)
    gone = server.client()
    gone.seconds = 0.3
    try:
        claim(gone, wait="PT20S")
    except TimeoutError:
        gone.close()
    start(client, key, "d")
    check("a worker that has disconnected gets nothing",
          [i["case"] for i in claim(client, wait="PT50S")] == ["d"])
    began = time.monotonic()
    check("a wait without items is empty", claim(client, wait="PT0.6S") == []
          and time.monotonic() - began > 0.5)
    server.close()


def leases():
    server, client, key = begin(attempts=3)
    start(client, key, "a")
    first = claim(client, lease="PT15S")[0]
    for _ in range(3):
        answer = client.post("/v1/items/a.1:T0/heartbeat",
                             {"fence": first["fence"], "lease": "PT300S"})
        check("a heartbeat keeps it", answer.status == 200 and
              answer.json()["until"] > first["until"], answer)
    time.sleep(16)
    check("so no other worker gets it", claim(client) == [])
    answer = client.post("/v1/items/a.1:T0/heartbeat",
                         {"fence": first["fence"], "lease": "PT1S"})
    check("the last is the one that counts", answer.status == 200, answer)
    second = claim(client, wait="PT50S")
    check("without it any worker can claim it again", [
        (i["item"], i["attempt"]) for i in second] == [("a.1:T0", 2)], second)
    for call, body in (("complete?fence=%d", {"y": 1}),
                       ("fail?fence=%d", {}), ("rollback?fence=%d", {})):
        answer = client.post(
            "/v1/items/a.1:T0/" + call % first["fence"], body)
        check("the first is too late with " + call, answer.status == 409 and
              answer.json()["code"] == "lease", answer)
    for call in "heartbeat", "release":
        answer = client.post("/v1/items/a.1:T0/" + call,
                             {"fence": first["fence"]})
        check("and with " + call, answer.status == 409 and
              answer.json()["code"] == "lease", answer)
    answer = client.post("/v1/items/a.1:T0/release",
                         {"fence": second[0]["fence"]})
    check("it is given back", answer.status == 200, answer)
    third = claim(client)
    check("and comes at once, which was no attempt", third and
          third[0]["attempt"] == 2 and
          third[0]["fence"] > second[0]["fence"], third)
    client.post("/v1/items/a.1:T0/release", {
        "fence": third[0]["fence"], "reason": "no ink"})
    third = claim(client, wait="PT50S")
    check("one that failed was", third and third[0]["attempt"] == 3, third)
    answer = client.post("/v1/items/a.1:T0/release", {
        "fence": third[0]["fence"], "reason": "out of paper"})
    check("a failed attempt is reported", answer.status == 200, answer)
    check("the last is an incident", until(lambda: [
        (i["code"], i["text"], i["item"], i["attempts"])
        for i in client.get("/v1/incidents").json()["incidents"]] ==
        [("attempts", "out of paper", "a.1:T0", 3)]),
        client.get("/v1/incidents"))
    check("and the item waits", claim(client, wait="PT1S") == [])
    client.post("/v1/incidents:retry", {"all": True})
    last = claim(client, wait="PT50S")
    check("until it is retried", last and last[0]["attempt"] == 1 and
          last[0]["fence"] > third[0]["fence"], last)
    answer = client.post("/v1/items/a.1:T0/complete?fence=%d"
                         % third[0]["fence"], {"y": 1})
    check("old fences stay old", answer.status == 409, answer)
    client.post("/v1/items/a.1:T0/complete?fence=%d" % last[0]["fence"],
                {"y": 1})
    check("and it ends well", status(client, "a") == "completed")
    server.close()


def history(client, case):
    return client.get("/v1/cases/%s/history" % case).json()["steps"]


def held():
    """A leased item is its holder's, but for an operator who says so."""
    server, client, key = begin()
    other = server.client(server.add_account("other", "worker", 1))
    start(client, key, "a")
    got = claim(client, lease="PT300S")[0]
    path = "/v1/items/a.1:T0/"
    calls = [("complete", {"y": 1}), ("fail", None), ("skip", None),
             ("suspend", None), ("resume", None), ("rollback", None)]
    for who in other, client:  # without a fence the holder is nobody, too
        for call, body in calls:
            answer = who.post(path + call, body)
            check("%s needs the lease" % call, answer.status == 409 and
                  answer.json()["code"] == "lease" and
                  "leased to 'admin' until" in answer.json()["detail"],
                  answer)
        answer = who.call("PATCH", path + "data", {"x": "8"})
        check("and so does an update", answer.status == 409 and
              answer.json()["code"] == "lease", answer)
    for call in "force", "cancel":
        answer = client.post(path + call)
        check("%s needs the lease" % call, answer.status == 409 and
              answer.json()["code"] == "lease", answer)
    answer = other.post(path + "complete?fence=%d" % got["fence"], {"y": 1})
    check("the fence alone is not the lease", answer.status == 409, answer)
    answer = other.post(path + "rollback?override=true")
    check("a worker does not override it", answer.status == 403 and
          answer.json()["code"] == "forbidden", answer)
    answer = client.call("PATCH", path + "data?fence=%d" % got["fence"],
                         {"x": "8"})
    check("its holder may change it", answer.status == 200, answer)
    answer = client.post(path + "suspend?override=true")
    check("so may an operator", answer.status == 200, answer)
    steps = history(client, "a")
    check("the history shows the difference", (steps[-1]["actor"],
          steps[-1]["origin"], steps[-1].get("override")) ==
          ("admin", "rest", True) and "override" not in steps[-2], steps)
    answer = client.post(path + "resume?fence=%d" % got["fence"])
    check("the lease has outlived that", answer.status == 200, answer)
    answer = client.post(path + "rollback?override=true")
    check("taken away, the item", answer.status == 200, answer)
    answer = client.post(path + "heartbeat", {"fence": got["fence"]})
    check("is no longer held", answer.status == 409 and
          answer.json()["code"] == "lease", answer)
    again = claim(other, lease="PT300S")
    check("goes to the next, with the next fence", len(again) == 1 and
          (got["fence"], again[0]["fence"]) == (1, 2), got, again)
    answer = client.post("/v1/cases/a/cancel")
    check("the case is not the worker's", answer.status == 200, answer)
    answer = other.post(path + "heartbeat", {"fence": 2})
    check("who learns it then", answer.status in (404, 409), answer)
    server.close()


def usual():
    """A heartbeat without a lease length does not shorten the lease."""
    server, client, key = begin(timeout="PT1H")
    start(client, key, "a")
    got = claim(client)[0]
    answer = client.post("/v1/items/a.1:T0/heartbeat",
                         {"fence": got["fence"]})
    check("a heartbeat keeps it as long as the service says",
          answer.status == 200 and answer.json()["until"] >= got["until"],
          answer, got)
    server.close()


def killed():
    """The server dies while workers hold items."""
    server, client, key = begin()
    for case in "abcd":
        start(client, key, case)
    kept = claim(client, count=1, lease="PT300S")[0]
    got = claim(client, count=2, lease="PT1S")
    check("items are claimed together", len(got) == 2, got)
    server.stop(9)
    server.start()
    client = server.client()
    answer = client.post("/v1/items/%s/complete?fence=%d"
                         % (kept["item"], kept["fence"]), {"y": 1})
    check("a lease outlives the server", answer.status == 200, answer)
    again = []
    until(lambda: again.extend(claim(client, count=5, wait="PT1S")) or
          len(again) == 3)
    check("any worker can claim those that have ended", sorted(
        i["case"] for i in again) == sorted(
        [i["case"] for i in got] +
        list(set("abcd") - {i["case"] for i in got + [kept]})), again)
    for item in again:
        client.post("/v1/items/%s/complete?fence=%d"
                    % (item["item"], item["fence"]), {"y": 1})
    check("and all are done",
          all(status(client, case) == "completed" for case in "abcd"))
    server.close()


def many():
    """Workers that are slow, fail, or disappear: each item is done once."""
    server, client, key = begin(attempts=1000, delay="PT0.05S")
    cases = ["c%d" % i for i in range(60)]
    for case in cases:
        start(client, key, case)
    done = []
    stop = threading.Event()

    def worker(number):
        mine = server.client()
        turn = number
        while not stop.is_set():
            # Longer from turn to turn, for one too short on this machine.
            lease = "PT%.2fS" % (0.6 + turn / 20)
            for item in claim(mine, count=3, wait="PT1S", lease=lease):
                turn += 1
                if turn % 5 == 0:
                    continue  # vanished
                if turn % 7 == 0:
                    mine.post("/v1/items/%s/release" % item["item"], {
                        "fence": item["fence"], "reason": "no luck"})
                    continue
                if turn % 11 == 0:
                    time.sleep(1.5)  # too slow
                answer = mine.post("/v1/items/%s/complete?fence=%d" % (
                    item["item"], item["fence"]), {"y": number})
                if answer.status == 200:
                    done.append(item["case"])

    threads = [threading.Thread(target=worker, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    until(lambda: len(done) >= len(cases))
    stop.set()
    for thread in threads:
        thread.join()
    check("each item is completed once", sorted(done) == sorted(cases),
          len(done), sorted(done))
    check("and all cases are",
          all(status(client, case) == "completed" for case in cases))
    server.close()


def suspended():
    """Leases of suspended items do not hide leases that have ended."""
    server, client, key = begin()
    for number in range(257):
        start(client, key, "c%d" % number)
    got = []
    for count in 64, 64, 64, 64:
        batch = claim(client, count=count, lease="PT1H")
        for item in batch:
            answer = client.post("/v1/items/%s/suspend?fence=%d"
                                 % (item["item"], item["fence"]))
            if answer.status != 200:
                check("%s is suspended" % item["item"], False, answer)
        got += batch
    for item in got:  # all are over before that of the last
        answer = client.post("/v1/items/%s/heartbeat" % item["item"], {
            "fence": item["fence"], "lease": "PT0.5S"})
        if answer.status != 200:
            check("%s is kept" % item["item"], False, answer)
    last = claim(client, lease="PT1S")
    check("all are claimed", len(got) == 256 and len(last) == 1, len(got))
    again = []
    until(lambda: again.extend(claim(client, wait="PT1S")) or again)
    check("a lease that is over is found behind them",
          [i["item"] for i in again] == [i["item"] for i in last], again)
    server.close()


def refused():
    server, client, _ = begin()
    for body in ({"count": 0}, {"count": 101}, {"wait": "PT61S"},
                 {"wait": "soon"}, {"wait": "-PT1S"}, {"lease": "-PT1S"},
                 {"lease": "PT0S"}, {"lease": 5}, {"what": 1}):
        answer = client.post("/v1/items:claim", body)
        check("%r makes no sense" % body, answer.status == 400, answer)
    answer = client.post("/v1/items/a:T0/heartbeat", {"fence": 1})
    check("what is not there cannot be kept", answer.status == 404, answer)
    server.close()


def judged():
    server, client, _ = begin()
    key = client.load(process(
        URI, name="Judged", more=" xmlns:w='urn:weft:hand-over' "
        "w:postcondition='/D0/y &gt; 3'"))
    start(client, key, "a")
    path = "/v1/items/a.1:T0/complete?fence=%d" % claim(client)[0]["fence"]
    for body, more in (({"y": 1}, {}), (b"<D0><y>1</y></D0>", {
            "type": "application/xml"})):
        answer = client.post(path, body, **more)
        check("an output that does not do is refused",
              answer.status == 422 and "postcondition does not hold"
              in answer.json()["detail"], answer)
    check("and the item goes on", client.get(
        "/v1/items?case=a").json()["items"][0]["status"] == "executing")
    answer = client.post(path, {"y": 5})
    check("until it comes with another one", answer.status == 200 and
          status(client, "a") == "completed", answer)
    server.close()


run(work, waiting, leases, held, usual, killed, many, suspended, refused, judged)
end()
