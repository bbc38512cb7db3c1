# SPDX-License-Identifier: Apache-2.0
"""Memory that clients make a server hold is bounded, and comes back."""
import json
import re
import socket
import threading

from checks import LIMIT, SANITIZED, SOAK, check, end, run, until
from server import Server

CONNECTIONS = 1500 if SOAK else 300
CASES = 1000
BUDGET = 16 << 20
# For all that is no answer: the allocator's, a sanitizer's, of connections.
SLACK = (64 << 20) + CONNECTIONS * (64 << 10)
PAGE = b"GET /v1/cases?limit=1000 HTTP/1.1\r\nHost: x\r\n" \
    b"Authorization: Bearer %s\r\n\r\n"


def resident(server):
    with open("/proc/%d/status" % server.process.pid) as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) * 1024


def metric(client, name):
    for line in client.get("/metrics").body.decode().split("\n"):
        if line.startswith(name + " "):
            return float(line.split(" ")[1])
    return None


def start_cases(server, key, count):
    body = json.dumps({"specification": key, "title": "t" * 200}).encode()
    head = b"POST /v1/cases HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " \
        b"%s\r\nContent-Length: %d\r\n\r\n" % (
            server.token.encode(), len(body))
    with socket.create_connection(("127.0.0.1", server.port)) as s:
        s.settimeout(LIMIT)
        for _ in range(count // 10):
            s.sendall((head + body) * 10)
            got = b""
            while got.count(b"HTTP/1.1 201") < 10:
                part = s.recv(65536)
                if not part:
                    raise RuntimeError(got)
                got += part


def ask(server, token, times):
    """A connection that asks for pages and reads nothing."""
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.connect(("127.0.0.1", server.port))
    try:
        s.sendall(PAGE % token.encode() * times)
    except OSError:
        pass
    return s


def answers_not_read():
    server = Server(arguments=["--answers", str(BUDGET), "--idle", "20s",
                               "--connections", str(CONNECTIONS + 100)],
                    files=CONNECTIONS + 700)
    client = server.client()
    start_cases(server, client.load("sequence.yawl"), CASES)
    token = server.add_account("thief", "reader", 1)
    path = "/v1/cases?limit=1000"
    page = len(client.get(path).body)
    before = most = resident(server)
    held = [ask(server, token, 3) for _ in range(20)]
    check("answers that nobody reads wait", until(
        lambda: metric(client, "weft_http_answer_bytes") > 0))
    waiting = 0
    served = 0
    for i in range(CONNECTIONS):
        held.append(ask(server, token, 3))
        if i % 50 == 0:
            served += client.get(path).status == 200
            most = max(most, resident(server))
            waiting = max(waiting, metric(client, "weft_http_answer_bytes"))
    check("another account is served meanwhile",
          served == len(range(0, CONNECTIONS, 50)), served)
    until(lambda: metric(client, "weft_reads_waiting") == 0)
    waiting = max(waiting, metric(client, "weft_http_answer_bytes"))
    most = max(most, resident(server))
    check("they keep to the share of their account",
          waiting <= BUDGET / 4 + page, waiting)
    check("so does the memory of the server",
          SANITIZED or most <= before + BUDGET + SLACK, before, most)
    # Their clients are still there, and never read.
    check("who does not read is cut off", until(
        lambda: metric(client, "weft_http_connections") < 10))
    check("and nothing of the answers is kept",
          metric(client, "weft_http_answer_bytes") == 0)
    until(lambda: resident(server) <= before + BUDGET, 10)
    after = resident(server)
    check("the memory comes back",
          SANITIZED or after <= before + SLACK, before, most, after)
    print("%d connections that ask for pages of %d KB and do not read: "
          "%.0f MB before, %.0f MB at most, %.0f MB after" % (
              CONNECTIONS, page >> 10, before / 1e6, most / 1e6, after / 1e6))
    for s in held:
        s.close()
    check("the server ends", server.close() == 0)


def slow_reader():
    """A byte now and then is not enough."""
    server = Server(arguments=["--idle", "1s"])
    client = server.client()
    start_cases(server, client.load("sequence.yawl"), 100)
    s = ask(server, server.token, 20)
    done = threading.Event()

    def sip():
        while not done.wait(0.2):
            try:
                s.recv(1)
            except OSError:
                return

    thread = threading.Thread(target=sip)
    thread.start()
    check("who reads a byte now and then is cut off, too", until(
        lambda: metric(client, "weft_http_connections") == 1))
    done.set()
    thread.join()
    s.close()
    server.close()


def no_room():
    """An answer without room is a small 503; small answers need no room."""
    server = Server(arguments=["--answers", "64K", "--share", "50"])
    client = server.client()
    start_cases(server, client.load("sequence.yawl"), CASES)
    answer = client.get("/v1/cases?limit=1000")
    check("an answer that is larger than the budget is refused",
          answer.status == 503 and len(answer.body) < 1000 and
          answer.json()["code"] == "unavailable" and
          answer.headers["retry-after"] == "1", answer)
    check("a smaller one is given",
          client.get("/v1/cases?limit=10").status == 200)
    check("a command is done", client.post(
        "/v1/items/1:Ask/complete", {}).status == 200)
    server.close()


def bodies_of_one():
    """One account cannot take the room for bodies from others."""
    server = Server(arguments=["--body", "16K", "--bodies", "64K"])
    client = server.client()
    key = client.load("sequence.yawl")
    token = server.add_account("thief", "operator", 1)
    held = []
    for _ in range(20):
        s = socket.create_connection(("127.0.0.1", server.port))
        s.sendall(b"POST /v1/cases HTTP/1.1\r\nHost: x\r\nAuthorization: "
                  b"Bearer %s\r\nContent-Length: 9000\r\n\r\n%s" % (
                      token.encode(), b"{" * 8000))
        held.append(s)
    until(lambda: metric(client, "weft_http_body_bytes") > 0)
    check("others are served", client.post("/v1/cases", {
        "specification": key, "title": "t" * 900}).status == 201)
    check("within the share of the account",
          metric(client, "weft_http_body_bytes") <= 16 << 10)
    for s in held:
        s.close()
    server.close()


def bodies_of_strangers():
    """Nor can those whose password is not checked yet, at any addresses."""
    server = Server(arguments=["--body", "16K", "--bodies", "64K"])
    client = server.client()
    key = client.load("sequence.yawl")
    held = []
    for i in range(40):
        s = socket.socket()
        s.bind(("127.0.1.%d" % (i % 10 + 1), 0))
        s.connect(("127.0.0.1", server.port))
        s.sendall(b"POST /v1/cases HTTP/1.1\r\nHost: x\r\nAuthorization: "
                  b"Basic dGhpZWY6d3Jvbmc=\r\nContent-Length: 9000\r\n\r\n"
                  + b"{" * 8000)
        held.append(s)
    until(lambda: metric(client, "weft_http_body_bytes") > 16 << 10)
    most = []
    until(lambda: most.append(metric(client, "weft_http_body_bytes")), 1)
    served = [client.post("/v1/cases", {
        "specification": key, "title": "t" * 900}).status for _ in range(20)]
    check("known accounts are served", served == [201] * 20, served)
    check("strangers keep to their part", max(most) <= 32 << 10, max(most))
    for s in held:
        s.close()
    server.close()


if __name__ == "__main__":
    run(answers_not_read, slow_reader, no_room, bodies_of_one,
        bodies_of_strangers)
    end()
