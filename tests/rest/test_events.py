# SPDX-License-Identifier: Apache-2.0
"""Live events: in order, without gaps, over restarts and nodes."""
import subprocess
import threading
import time

from checks import LIMIT, SANITIZED, check, run, skip, end
from server import WEFT, Server
from stores import Schema, has_postgresql


def steps_of(steps):
    return [(s["case"], s["sequence"]) for s in steps]


def in_order(steps):
    """Each case's steps in order, each once."""
    last = {}
    for case, sequence in steps_of(steps):
        if last.get(case, 0) + 1 != sequence:
            return False
        last[case] = sequence
    return True


# Its start, and the completion of each of its three items.
STEPS_OF_A_CASE = 4


def work(server, key, prefix, cases, commands=4):
    """Starts cases, and starts and completes work in them."""
    client = server.client()
    for i in range(cases):
        case = "%s%d" % (prefix, i)
        client.post("/v1/cases", {"specification": key, "case": case})
        for _ in range(commands - 1):
            items = client.get("/v1/items?case=" + case).json()["items"]
            if items:
                client.post("/v1/items/%s/complete" % items[0]["item"], {})
    client.close()


def places():
    server = Server()
    client = server.client()
    key = client.load("sequence.yawl")
    other = client.load("parallel.yawl")
    before = client.stream()
    check("a stream is one of events",
          before.headers["content-type"] == "text/event-stream",
          before.headers)
    client.post("/v1/cases", {"specification": key, "case": "a"})
    step = before.next()
    check("what is started is streamed", steps_of([step]) == [("a", 1)], step)
    check("a step names its specification", step["specification"] == key)
    check("a step names its actor",
          (step["actor"], step["origin"]) == ("admin", "rest"), step)
    check("a step says what happened",
          [e["event"] for e in step["events"]] ==
          ["CASE_LAUNCHED", "NET_STARTED", "TASK_ENABLED"], step)
    check("an item has its id", step["events"][2]["item"] == "a:Ask", step)
    check("the id of the event is that of the step", before.id == step["id"])
    mark = before.id
    client.post("/v1/cases", {"specification": other, "case": "b"})
    client.post("/v1/cases", {"specification": key, "case": "c"})
    check("0 is the first step",
          steps_of(client.stream("/v1/events?after=0").take(3)) ==
          [("a", 1), ("b", 1), ("c", 1)])
    check("a stream goes on behind an id",
          steps_of(client.stream("/v1/events?after=" + mark).take(2)) ==
          [("b", 1), ("c", 1)])
    check("also one in the header, which counts more", steps_of(
        client.stream("/v1/events?after=0",
                      headers={"Last-Event-ID": mark}).take(2)) ==
          [("b", 1), ("c", 1)])
    of_case = client.stream("/v1/events?after=0&case=c")
    check("a stream can be of one case",
          steps_of(of_case.take(1)) == [("c", 1)])
    of_kind = client.stream("/v1/events?after=0&specification=" + key)
    check("or of one specification",
          steps_of(of_kind.take(2)) == [("a", 1), ("c", 1)])
    nothing = client.stream("/v1/events?case=b")
    client.post("/v1/items/c:Ask/complete", {})
    check("which then goes on",
          steps_of(of_kind.take(1)) == [("c", 2)])
    check("as does that of the case",
          steps_of(of_case.take(1)) == [("c", 2)])
    check("and no other reader gets it",
          nothing.next(0.5) is None and not nothing.ended)
    check("all hear of all", steps_of(before.take(3)) ==
          [("b", 1), ("c", 1), ("c", 2)])
    late = client.stream()
    check("without a place it begins now",
          late.next(0.5) is None and not late.ended)
    for place, status in (("x", 400), ("", 400), ("1-2-3", 400),
                          ("-1-0-0-0", 400), ("1-1-1-1-1", 400),
                          ("99999999999999999999-0-0-0", 400),
                          ("9999-0-0-0", 410)):
        check("%r is no place" % place,
              client.stream("/v1/events?after=" + place).status == status)
    check("a case that is not there has no stream",
          client.stream("/v1/events?case=nobody").status == 404)
    check("nor has a caller without an account",
          server.client("x").stream().status == 401)
    before.close()
    client.post("/v1/items/a:Ask/complete", {})
    check("a reader that is gone has no effect",
          steps_of(of_kind.take(1)) == [("a", 2)])
    check("others hear of it", steps_of(late.take(1)) == [("a", 2)])
    code = server.stop()
    check("a server with streams ends", code == 0, code, server.read_log())
    check("its streams end well",
          late.take(9) == [] and late.ended, late.ended)
    mark = of_kind.id
    server.start()
    client = server.client()
    client.post("/v1/cases", {"specification": key, "case": "d"})
    check("a stream goes on where it was when the server ended", steps_of(
        client.stream("/v1/events?after=" + mark).take(1)) == [("d", 1)])
    server.close()


def last_event():
    """What was committed before a server ends is in its streams."""
    server = Server()
    client = server.client()
    key = client.load("sequence.yawl")
    streams = [client.stream() for _ in range(30)]
    for stream in streams:
        stream.block(60)  # it is live
    for i in range(10):
        client.post("/v1/cases", {"specification": key, "case": "c%d" % i})
    code = server.stop()
    check("a server with busy streams ends", code == 0, code)
    got = [steps_of(stream.take(99)) for stream in streams]
    check("each stream has the last events, then ends",
          all(steps == [("c%d" % i, 1) for i in range(10)] for steps in got)
          and all(stream.ended for stream in streams),
          [len(steps) for steps in got])
    server.close()


def behind():
    """A reader that is behind when the server ends gets the steps, too."""
    server = Server()
    client = server.client()
    key = client.load("sequence.yawl")
    for i in range(600):
        client.post("/v1/cases", {"specification": key, "case": "c%d" % i})
    stream = client.stream("/v1/events?after=0-0-0-0", receive=4096)
    stopper = threading.Thread(target=server.stop)
    stopper.start()
    got = steps_of(stream.take(999))
    check("the reader has all steps, then its stream ends",
          got == [("c%d" % i, 1) for i in range(600)] and stream.ended,
          len(got), stream.ended)
    stopper.join()
    server.start()
    silent = server.client().stream("/v1/events?after=0-0-0-0", receive=4096)
    check("who does not read does not keep it from ending",
          server.stop() == 0)
    silent.close()
    server.close()


def retired():
    """Positions whose steps are gone answer 410."""
    server = Server()
    client = server.client()
    key = client.load("sequence.yawl")
    client.post("/v1/cases", {"specification": key, "case": "a"})
    stream = client.stream("/v1/events?after=0")
    stream.take(1)
    early = stream.id
    client.post("/v1/cases/a/cancel")
    client.post("/v1/cases", {"specification": key, "case": "b"})
    stream.take(2)
    late = stream.id
    server.stop()
    subprocess.run([WEFT, "db", "retire", "--quiet", "--older-than", "0h",
                    "--db", server.db], check=True)
    server.start()
    client = server.client()
    answer = client.stream("/v1/events?after=" + early)
    check("a place whose steps were retired is gone", answer.status == 410,
          answer.status)
    check("what is kept can be read from 0",
          steps_of(client.stream("/v1/events?after=0").take(1)) == [("b", 1)])
    client.post("/v1/cases", {"specification": key, "case": "c"})
    check("a place behind the retired goes on",
          steps_of(client.stream("/v1/events?after=" + late).take(1)) ==
          [("c", 1)])
    server.close()


def signs():
    server = Server(arguments=["--keep-alive", "1s"])
    client = server.client()
    key = client.load("sequence.yawl")
    client.post("/v1/cases", {"specification": key, "case": "a"})
    stream = client.stream("/v1/events?case=a")
    first = stream.block(60)
    check("a stream says at once where it is",
          first is not None and "\nid: " in first and "retry:" in first, first)
    client.post("/v1/cases", {"specification": key, "case": "b"})
    sign = stream.block(60)
    check("it is kept alive", sign is not None and "\nid: " in sign, sign)

    def is_behind():
        after = client.stream("/v1/events?after=" + sign.split("id: ")[1])
        return after.take(1, 1) == [] and not after.ended

    for _ in range(60):  # the first may have been sent before the step
        moved = is_behind()
        if moved:
            break
        sign = stream.block(60)
    check("a sign moves the place on", moved, sign)
    server.close()


def idle():
    """The ring moves on past a reader that it has nothing for."""
    server = Server(arguments=["--keep-alive", "1s",
                               "--stream-memory", "16384"])
    client = server.client()
    key = client.load("sequence.yawl")
    client.post("/v1/cases", {"specification": key, "case": "a"})
    stream = client.stream("/v1/events?case=a")
    stream.block(60)
    other = client.stream("/v1/events")
    steps = []
    for i in range(60):
        # The ring has room for the steps of a few cases: with all of one read
        # before the next, it does not outrun this reader.
        work(server, key, "b%d-" % i, 1)
        steps += other.take(STEPS_OF_A_CASE)
    check("another reader gets its steps",
          len(steps) == 60 * STEPS_OF_A_CASE, len(steps))
    sign = stream.block(60)
    check("an idle reader gets its sign", sign is not None, sign)
    client.post("/v1/items/a:Ask/complete", {})
    step = stream.next()
    check("and the next step of its case", step["case"] == "a", step)
    check("the server is well", client.get("/readyz").status == 200)
    server.close()


def gapless(db, nodes, what):
    """Readers that connect, disconnect and reconnect under load."""
    servers = []
    token = None
    for _ in range(nodes):
        servers.append(Server(db=db, token=token))
        token = servers[0].token
    key = servers[0].client().load("parallel.yawl")
    cases = 5 if SANITIZED else 25
    threads = [
        threading.Thread(target=work, args=(
            servers[i % nodes], key, "w%d-" % i, cases))
        for i in range(6)]
    total = set()
    limit = []  # there when total is
    seen = {}

    def is_over(steps):
        """Whether a silence means the end."""
        return limit and (len(steps) >= len(total) or
                          time.monotonic() > limit[0])

    def steady(name, server):
        stream = server.client().stream("/v1/events?after=0")
        seen[name] = take(stream)

    def take(stream):
        steps = []
        while True:
            step = stream.next(1.5)
            if step is not None:
                steps.append(step)
            elif stream.ended or is_over(steps):
                return steps

    def restless(name, index):
        steps = []
        place = "0"
        while True:
            stream = servers[index % nodes].client().stream(
                "/v1/events?after=" + place)
            index += 1
            got = stream.take(37, 1.5)
            steps += got
            place = stream.id or place
            stream.close()
            if not got and is_over(steps):
                break
        seen[name] = steps

    readers = [threading.Thread(target=steady, args=("steady%d" % i,
                                                     servers[i % nodes]))
               for i in range(2)]
    readers += [threading.Thread(target=restless, args=("restless%d" % i, i))
                for i in range(3)]
    for thread in threads + readers:
        thread.start()
    for thread in threads:
        thread.join()
    client = servers[0].client()
    page = "?limit=1000&order=oldest"
    after = ""
    while True:
        answer = client.get("/v1/cases" + page + after).json()
        for case in answer["cases"]:
            for n in range(case["sequence"]):
                total.add((case["case"], n + 1))
        if "next" not in answer:
            break
        after = "&after=" + answer["next"]
    limit.append(time.monotonic() + LIMIT)
    for thread in readers:
        thread.join()
    check("%s: there were steps" % what, len(total) > 6 * cases, len(total))
    for name, steps in sorted(seen.items()):
        got = steps_of(steps)
        check("%s: %s has all steps once" % (what, name),
              len(got) == len(set(got)) and set(got) == total,
              "%d, %d different, of %d" % (
                  len(got), len(set(got)), len(total)),
              sorted(total - set(got))[:10])
        check("%s: %s has them in order" % (what, name), in_order(steps))
    for server in servers:
        code = server.close()
        check("%s: a node ends" % what, code == 0, code)


def gapless_sqlite():
    gapless(None, 1, "SQLite")


def gapless_postgresql():
    if not has_postgresql():
        skip("streams of several nodes", "there is no PostgreSQL")
        return
    schema = Schema()
    gapless(schema.url, 2, "two nodes")
    schema.close()


if __name__ == "__main__":
    run(places, last_event, behind, retired, signs, idle, gapless_sqlite, gapless_postgresql)
    end()
