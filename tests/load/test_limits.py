# SPDX-License-Identifier: Apache-2.0
"""Limits: clients above a limit get an error or are cut off; others are
served."""
import base64
import json
import os
import re
import resource
import select
import signal
import socket
import subprocess
import threading
import time

from checks import LIMIT, SANITIZED, check, end, run, skip, until
from server import WEFT, Server


def connect(server, data=b""):
    s = socket.create_connection(("127.0.0.1", server.port), timeout=LIMIT)
    s.sendall(data)
    return s


def request(server, method, path, body=b"", more=b""):
    return (b"%s %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"
            b"Content-Length: %d\r\n%s\r\n" % (
                method.encode(), path.encode(), server.token.encode(),
                len(body), more)) + body


def answers(s, count, seconds=LIMIT):
    """That many answers of a connection, as (status, head, body)."""
    data = b""
    found = []
    s.settimeout(seconds)
    while len(found) < count:
        head, end_of_head, rest = data.partition(b"\r\n\r\n")
        size = int((re.search(rb"Content-Length: (\d+)", head) or
                    [0, 0])[1])
        if end_of_head and len(rest) >= size:
            found.append((int(head.split()[1]), head, rest[:size]))
            data = rest[size:]
            continue
        try:
            part = s.recv(65536)
        except OSError:
            break
        if not part:
            break
        data += part
    return found


def statuses(s, count, seconds=LIMIT):
    return [status for status, _, _ in answers(s, count, seconds)]


def is_closed(s):
    """Waits until the other end closes it; False: it does not."""
    limit = time.monotonic() + LIMIT
    s.settimeout(0.1)
    while time.monotonic() < limit:
        try:
            if not s.recv(65536):
                return True
        except socket.timeout:
            pass
        except OSError:
            return True
    return False


def many_pictures():
    """The layout of a drawing serves one thread at a time."""
    server = Server()
    keys = [server.client().load(name)
            for name in ("sequence.yawl", "choice.yawl")]
    pictures = []

    def read_picture(number):
        client = server.client()
        for turn in range(10):
            answer = client.get("/v1/specifications/%s/diagram"
                                % keys[(number + turn) % 2])
            pictures.append(answer.body if answer.status == 200 else None)

    threads = [threading.Thread(target=read_picture, args=(n,))
               for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check("many are drawn at once, and always the same",
          len(pictures) == 80 and len(set(pictures)) == 2 and
          None not in pictures, len(pictures), len(set(pictures)))
    check("by a server that lives on", server.close() == 0)


def full_queue():
    """Commands that exceed the queue get 503, and were not done."""
    server = Server(arguments=["--queue", "64K"])
    client = server.client()
    key = client.load("sequence.yawl")
    connections = [connect(server) for _ in range(100)]
    done = set()
    refused = 0
    for attempt in range(200):  # we may be slow ourselves
        for i, s in enumerate(connections):
            s.sendall(request(server, "POST", "/v1/cases", json.dumps({
                "specification": key, "case": "c%d-%d" % (attempt, i),
                "title": "t" * 1000}).encode()))
        for i, s in enumerate(connections):
            status, head, body = answers(s, 1)[0]
            if status == 201:
                done.add("c%d-%d" % (attempt, i))
                continue
            refused += 1
            check("a full queue is reported with Retry-After",
                  status == 503 and b"\r\nRetry-After: 1\r\n" in head and
                  json.loads(body)["code"] == "unavailable", head, body)
        if refused and len(done) > 100:
            break
    check("a queue can be full", refused > 0, len(done))
    cases = set()
    after = ""
    while after is not None:
        page = client.get("/v1/cases?limit=1000" + after).json()
        cases |= {c["case"] for c in page["cases"]}
        after = "&after=" + page["next"] if "next" in page else None
    check("what was answered well is there, and nothing else",
          cases == done, len(cases), len(done))
    check("later there is room", client.post("/v1/cases", {
        "specification": key}).status == 201)
    server.close()


def full_readers():
    """Readers that exceed the limit get 503; commands do not wait for them."""
    server = Server(arguments=["--readers", "1", "--readers-queue", "1"])
    key = server.client().load("sequence.yawl")
    connections = [connect(server) for _ in range(40)]
    get = request(server, "GET", "/v1/specifications/%s/diagram" % key)
    seen = set()
    for attempt in range(200):  # we may be slow ourselves
        for s in connections:
            s.sendall(get)
        for s in connections:
            status, head, _ = answers(s, 1)[0]
            seen.add(status)
            if status != 200:
                check("too many readers get Retry-After",
                      b"\r\nRetry-After: 1\r\n" in head, head)
        if seen == {200, 503}:
            break
    check("readers that wait are few", seen == {200, 503}, seen)
    check("others are served",
          server.client().get("/healthz").status == 200)
    server.close()


def full_metrics():
    """The series of processes, which may be many, are made by readers only."""
    server = Server(arguments=["--readers", "1"])
    client = server.client()
    key = client.load("sequence.yawl")
    client.post("/v1/cases", {"specification": key})
    series = "weft_case_events_total{"
    check("readers make them", until(
        lambda: series in client.get("/metrics").body.decode()))
    connections = [connect(server) for _ in range(40)]
    get = request(server, "GET", "/v1/specifications/%s/diagram" % key)
    text = series
    for attempt in range(200):  # we may be slow ourselves
        for s in connections:
            s.sendall(get)
        text = client.get("/metrics").body.decode()
        for s in connections:
            answers(s, 1)
        if series not in text:
            break
    check("while many wait for one, they are left out",
          series not in text and "weft_http_requests_total{" in text, text)
    check("later they are made again",
          series in client.get("/metrics").body.decode())
    server.close()


def sign_in(name, password, address="127.0.0.1"):
    """A connection from that address that has asked with a password."""
    def ask(server):
        s = socket.create_connection(("127.0.0.1", server.port),
                                     timeout=LIMIT,
                                     source_address=(address, 0))
        s.sendall(b"GET /v1/cases HTTP/1.1\r\nHost: x\r\n"
                  b"Authorization: Basic %s\r\n\r\n" % base64.b64encode(
                      ("%s:%s" % (name, password)).encode()))
        return s
    return ask


def many_passwords():
    """Password guesses delay no other request, and lock nobody out."""
    server = Server()
    client = server.client()
    token = subprocess.run(
        [WEFT, "account", "add", "anna", "--role", "reader", "--password",
         "--db", server.db], check=True, input=b"right horse\n",
        stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout.decode().strip()
    until(lambda: server.client(token).get("/v1/cases").status == 200)
    for _ in range(50):  # we may be slow ourselves
        guesses = [sign_in("admin%d" % (i % 60), "wrong")(server)
                   for i in range(120)]
        served = client.get("/v1/cases").status
        answered = select.select(guesses, [], [], 0)[0]
        if len(answered) < len(guesses):
            break
    check("a token need not wait", served == 200)
    check("it was served before them", len(answered) < len(guesses),
          len(answered))
    guesses += [sign_in("anna", "wrong")(server) for _ in range(120)]
    check("a right password from elsewhere is taken meanwhile", statuses(
        sign_in("anna", "right horse", "127.0.0.2")(server), 1) == [200])
    found = [answers(s, 1)[0] for s in guesses]
    check("too many guesses get Retry-After", all(
        status == 401 or status in (429, 503) and
        re.search(rb"\r\nRetry-After: [1-9]", head)
        for status, head, _ in found))
    check("some were refused, some were tried", {401, 503} <= {
        status for status, _, _ in found},
        {status for status, _, _ in found})
    for _ in range(6):  # five are free; some of these were above
        last = answers(sign_in("anna", "wrong")(server), 1)[0]
    check("who guesses on has to wait", last[0] == 429 and
          json.loads(last[2])["code"] == "throttled", last)
    check("also with the right password", statuses(
        sign_in("anna", "right house")(server), 1) == [429])
    check("the same name from elsewhere does not", statuses(
        sign_in("anna", "right horse", "127.0.0.2")(server), 1) == [200])
    check("one that was taken is remembered for all addresses", statuses(
        sign_in("anna", "right horse")(server), 1) == [200])

    def passes():
        return statuses(sign_in("anna", "right horse", "127.0.0.3")(
            server), 1) == [200]

    check("and from others too", passes())
    server.close()


def large_bodies():
    server = Server(arguments=["--body", "4K", "--bodies", "8K",
                               "--share", "100"])
    client = server.client()
    start = {"specification": "x", "title": "y" * 5000}
    answer = client.post("/v1/cases", start)
    check("a body that is too large is refused",
          answer.status == 413 and answer.json()["code"] == "too_large",
          answer)
    chunks = b"".join(b"400\r\n" + b"x" * 1024 + b"\r\n" for _ in range(6))
    answer = server.raw(
        b"POST /v1/cases HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " +
        server.token.encode() + b"\r\nTransfer-Encoding: chunked\r\n\r\n" +
        chunks + b"0\r\n\r\n")
    check("also one that does not say how large it is",
          b" 413 " in answer.split(b"\r\n")[0] and b"too_large" in answer,
          answer[:300])
    with connect(server, request(server, "POST", "/v1/cases", more=(
            b"Content-Length: 99999\r\nExpect: 100-continue\r\n")).replace(
                b"Content-Length: 0\r\n", b"")) as unsent:
        check("it is refused before it is sent",
              statuses(unsent, 1) == [413])
    held = [connect(server, request(server, "POST", "/v1/cases", b"{" * 3000)
                    [:-1]) for _ in range(2)]
    wait_for(client, "weft_http_body_bytes", lambda n: n == 2 * 2999)
    answer = client.post("/v1/cases", {"title": "y" * 3000})
    check("so are too many of them at a time", answer.status == 503 and
          answer.headers.get("retry-after") == "1", answer)
    for s in held:
        s.close()
    wait_for(client, "weft_http_body_bytes", lambda n: n == 0)
    answer = client.post("/v1/cases", {"title": "y" * 3000})
    check("then there is room again", answer.status == 400, answer)
    server.close()


def metric(client, name):
    for line in client.get("/metrics").body.decode().split("\n"):
        if line.startswith(name + " "):
            return float(line.split(" ")[1])
    return None


def wait_for(client, name, holds):
    until(lambda: holds(metric(client, name)))
    value = metric(client, name)
    check("%s comes to what it should" % name, holds(value), value)


def many_streams():
    server = Server(arguments=["--streams", "2"])
    client = server.client()
    streams = [client.stream() for _ in range(3)]
    check("one stream too many is refused",
          [s.status for s in streams] == [200, 200, 503],
          [s.status for s in streams])
    check("with when to come again",
          streams[2].headers.get("retry-after") == "1", streams[2].headers)
    for s in streams:
        s.close()
    server.close()


def slow_readers():
    """A client that does not read is cut off, and goes on later without a
    gap."""
    server = Server(arguments=["--stream-memory", "64K"])
    client = server.client()
    key = client.load("sequence.yawl")
    client.post("/v1/cases", {"specification": key, "case": "first"})
    slow = client.stream(receive=4096)
    good = client.stream()
    writer = connect(server)
    patch = request(server, "PATCH", "/v1/cases/first/data", json.dumps({
        "destination": "x" * 1900}).encode())
    count = read = 0
    while count < 4000:  # more than all buffers between them hold
        writer.sendall(patch * 20)
        check("the case goes on", statuses(writer, 20) == [200] * 20)
        read += len(good.take(20))
        count += 20
    check("a reader that reads is served", read == count, read, count)
    steps = slow.take(count)
    check("the stream of the slow one has ended",
          slow.ended and len(steps) < count, len(steps), count)
    check("it was cut off", metric(
        client, "weft_event_readers_cut_off_total") == 1)
    again = client.stream("/v1/events?after=" + (slow.id or "0"))
    steps += again.take(count - len(steps))
    numbers = [step["sequence"] for step in steps]
    check("it goes on without a gap",
          numbers == list(range(2, count + 2)), len(numbers), count)
    check("of all that time there was but little memory", metric(
        client, "weft_event_buffer_bytes") <= 65536)
    server.close()


def full_house():
    server = Server(arguments=["--connections", "8"])
    before = server.sockets()
    idle = [connect(server) for _ in range(8)]
    until(lambda: server.sockets() >= before + 8)
    late = connect(server, request(server, "GET", "/healthz"))
    late.settimeout(0.5)
    try:
        early = late.recv(100)
    except socket.timeout:
        early = None
    check("one connection too many waits", early is None, early)
    for s in idle[:4]:
        s.close()
    check("until there is room", statuses(late, 1) == [200])
    server.close()


def slow_senders():
    """Connections that are silent, or send a byte now and then, are closed."""
    server = Server(arguments=["--idle", "2s"])
    head = request(server, "GET", "/healthz")
    silent = {
        "a connection that says nothing": b"",
        "one with half a head": head[:30],
        "one between requests": head,
        "one with half a body":
            request(server, "POST", "/v1/cases", b"{" * 3000)[:-10]}
    connections = {what: connect(server, data)
                   for what, data in silent.items()}
    for what, s in connections.items():
        check("%s is closed" % what, is_closed(s))
    head += b"X: " + b"x" * 1000
    body = request(server, "POST", "/v1/cases", b" " * 3000)
    slow = {"head": (connect(server), head), "body": (connect(
        server, body[:-2900]), body[-2900:])}
    ended = set()
    for i in range(1000):
        for what, (s, data) in slow.items():
            try:
                s.sendall(data[i:i + 1])
                if what not in ended and select.select([s], [], [], 0)[0] \
                        and not s.recv(1000):
                    ended.add(what)
            except OSError:
                ended.add(what)
        if len(ended) == 2:
            break
        time.sleep(0.25)
    for what in slow:
        check("a slow %s is closed" % what, what in ended, ended)

    def is_answered():
        with connect(server) as quick:
            try:
                for part in (body[:50], body[50:1000], body[1000:]):
                    time.sleep(0.4)
                    quick.sendall(part)
            except OSError:  # this client was held up, and is tried again
                return False
            return statuses(quick, 1) == [400]

    check("one that takes its time is answered", until(is_answered))
    server.close()


def resident(server):
    with open("/proc/%d/status" % server.process.pid) as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) * 1024


def few_files():
    """Connections cannot take the file descriptors that the rest needs."""
    server = Server(files=100)
    client = server.client()
    key = client.load("sequence.yawl")
    idle = [connect(server) for _ in range(150)]
    wait_for(client, "weft_http_connections", lambda n: n >= 50)
    open_files = len(os.listdir("/proc/%d/fd" % server.process.pid))
    check("half of few files are for connections", 50 < open_files < 90,
          open_files)
    check("work goes on", client.post(
        "/v1/cases", {"specification": key}).status == 201)
    for s in idle:
        s.close()
    wait_for(client, "weft_http_connections", lambda n: n < 10)
    check("later ones are served",
          server.client().get("/v1/cases").status == 200)
    check("the server ends", server.close() == 0)


def many_at_once():
    """All requests that arrive at one instant are answered, however many: also
    as many events as one system call returns (128, and twice that)."""
    server = Server(arguments=["--http-threads", "1"])
    get = request(server, "GET", "/healthz")
    for count in (127, 128, 129, 256):
        client = server.client()
        connections = [connect(server) for _ in range(count)]
        wait_for(client, "weft_http_connections", lambda n: n == count + 1)
        before = server.sockets()
        client.close()  # its end would be one more event
        until(lambda: server.sockets() < before)
        server.process.send_signal(signal.SIGSTOP)
        os.waitpid(server.process.pid, os.WUNTRACED)
        for s in connections:
            s.sendall(get)
        server.process.send_signal(signal.SIGCONT)
        late = 0
        for s in connections:
            s.settimeout(LIMIT if late == 0 else 0.1)
            try:
                late += not s.recv(1000).startswith(b"HTTP/1.1 200 ")
            except socket.timeout:
                late += 1
        check("%d requests at one instant are answered" % count,
              late == 0, late)
        for s in connections:
            s.close()
    server.close()


def idle_connections():
    """10,000 connections do nothing; other clients are served meanwhile."""
    count = 2000 if SANITIZED else 10000
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    need = count + 700
    if hard != resource.RLIM_INFINITY and hard < need:
        skip("more than %d idle connections" % (hard - 700),
             "so few files may be open")
        count, need = hard - 700, hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, need), hard))
    server = Server(arguments=["--idle", "10m"])
    client = server.client()
    key = client.load("sequence.yawl")
    client.post("/v1/cases", {"specification": key})
    before = resident(server)
    idle = [connect(server) for _ in range(count)]
    wait_for(client, "weft_http_connections", lambda n: n > count)
    silent = resident(server)
    get = request(server, "GET", "/healthz")
    for s in idle:
        s.sendall(get)
    for s in idle:
        s.recv(1000)
    used = resident(server)
    times = []
    for _ in range(200):
        began = time.monotonic()
        client.post("/v1/cases", {"specification": key})
        times.append(time.monotonic() - began)
    times.sort()
    print("%d idle connections: %d bytes each, %d after a request; "
          "meanwhile a case is started in %.1f ms (median)" % (
              count, (silent - before) / count, (used - before) / count,
              times[100] * 1000))
    check("all are there", metric(client, "weft_http_connections") > count)
    if not SANITIZED:
        check("they take little memory",
              (used - before) / count < 24000, (used - before) / count)
    for s in idle:
        s.close()
    wait_for(client, "weft_http_connections", lambda n: n < 10)
    server.close()


if __name__ == "__main__":
    run(many_pictures, full_queue, full_readers, full_metrics,
        many_passwords, large_bodies, many_streams, slow_readers, full_house, slow_senders,
        few_files, many_at_once, idle_connections)
    end()
