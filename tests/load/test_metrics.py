# SPDX-License-Identifier: Apache-2.0
"""/metrics: its format, and that it shows what is done; the page and the
description that are served without an account."""
import os
import re
import socket
import threading
import time

import prometheus
from checks import LIMIT, check, end, run, skip
from ports import free_port
from server import ROOT, Server
from stores import Schema, has_postgresql


class Metrics:
    """The content of /metrics."""

    def __init__(self, text):
        self.families = prometheus.parse(text)
        self.types = {one.name: one.kind for one in self.families.values()}
        # (name, value of its only label): number
        self.values = {
            (one.name + end, where[0][1] if where else None): value
            for one in self.families.values()
            for (end, where), value in one.samples.items()
            if len(where) <= 1}

    def __call__(self, name, value=None):
        return self.values.get((name, value), 0)


def read(client):
    """Not the figures of the store, which are cached for a second."""
    time.sleep(1.1)
    return Metrics(client.get("/metrics").body.decode())


def or_join():
    """An example whose AND-join is made an OR-join."""
    with open(os.path.join(ROOT, "examples", "parallel.yawl")) as file:
        text = file.read()
    return text.replace('<join code="and"/>', '<join code="or"/>')


def counts():
    server = Server()
    client = server.client()
    check("/metrics needs an account",
          server.client("nobody").get("/metrics").status == 401)
    answer = client.get("/metrics")
    check("/metrics says what it is", answer.status == 200 and
          answer.headers["content-type"].startswith(
              "text/plain; version=0.0.4"), answer.headers)
    before = read(client)
    key = client.load("sequence.yawl")
    or_key = client.load(or_join())
    for case in ("a", "b", "c"):
        client.post("/v1/cases", {"specification": key, "case": case})
    client.post("/v1/cases", {"specification": key, "case": "a"})
    client.post("/v1/cases", {"specification": key, "delay": "PT1H"})
    client.post("/v1/items/a:Ask/complete", {})
    client.post("/v1/items/a:Ask/complete", {})
    client.post("/v1/cases/b/cancel")
    client.get("/v1/cases/nobody")
    stream = client.stream()
    after = read(client)

    def grew(name, value=None):
        return after(name, value) - before(name, value)

    for name, value, count in (
            ("weft_commands_total", "launch", 4),
            ("weft_commands_total", "finish", 2),
            ("weft_commands_total", "cancel_case", 1),
            ("weft_commands_total", "schedule", 1),
            ("weft_commands_total", "suspend_case", 0),
            ("weft_refusals_total", "conflict", 1),
            ("weft_refusals_total", "not_found", 1),
            ("weft_steps_total", None, 5),
            ("weft_http_requests_total", "201", 5),
            ("weft_http_requests_total", "202", 1),
            ("weft_http_requests_total", "404", 2),
            ("weft_http_requests_total", "409", 1),
            ("weft_cases_open", None, 2),
            ("weft_due_commands", None, 1),
            ("weft_event_readers", None, 1)):
        check("%s %s grew by %d" % (name, value, count),
              grew(name, value) == count, grew(name, value))
    for name in ("weft_batch_commands", "weft_batch_seconds"):
        check("%s has the batches" % name, 6 <= grew(name + "_count") <= 8,
              grew(name + "_count"))
    check("the batches have the commands",
          grew("weft_batch_commands_sum") == 8,
          grew("weft_batch_commands_sum"))
    check("they took some time", 0 < grew("weft_batch_seconds_sum") < 6000,
          grew("weft_batch_seconds_sum"))
    check("the requests did",
          grew("weft_http_request_seconds_count") == 12 and
          0 < grew("weft_http_request_seconds_sum") < 6000,
          grew("weft_http_request_seconds_count"))
    check("there are connections", 2 <= after("weft_http_connections") <= 9,
          after("weft_http_connections"))
    check("the store is up", after("weft_store_up") == 1)
    check("nothing waits", all(after(name) == 0 for name in (
        "weft_commands_waiting", "weft_commands_waiting_bytes",
        "weft_due_lag_seconds", "weft_outbox_lag_seconds",
        "weft_http_body_bytes")))
    check("the queues have room",
          after("weft_commands_waiting_bytes_maximum") > 1e6)
    check("cases are cached", after("weft_cases_cached") >= 2)

    client.post("/v1/cases", {"specification": or_key, "case": "o"})
    for _ in range(3):
        for item in client.get("/v1/items?case=o").json()["items"]:
            client.post("/v1/items/%s/complete" % item["item"], {})
    stream.close()
    # The disconnection is noticed when something is sent.
    for i in range(100):
        client.post("/v1/cases", {"specification": key})
        last = read(client)
        if last("weft_event_readers") == 0:
            break
    check("the reader of the stream is gone",
          last("weft_event_readers") == 0, last("weft_event_readers"))
    check("steps went to it", last("weft_event_steps_total") > 0)
    name = "weft_or_join_decisions_total"
    check("OR-joins were decided", sum(
        last(name, s) for s in ("E0", "W0", "E1", "W1", "E2", "basis",
                                "search", "undecided")) > 0)
    server.close()


def outbox():
    """A service that is unreachable: its message waits."""
    server = Server(arguments=["--allow-address", "127.0.0.1"])
    client = server.client()
    uri = "http://127.0.0.1:9/nobody"
    with open(os.path.join(ROOT, "examples", "sequence.yawl")) as file:
        key = client.load(file.read().replace("</outputParam>\n</decom", (
            "</outputParam>\n<yawlService id='%s'/></decom" % uri), 1))
    client.call("PUT", "/v1/services/nobody", {
        "kind": "push", "uri": uri, "secret": "0123456789abcdef"})
    before = read(client)
    client.post("/v1/cases", {"specification": key})
    for _ in range(200):
        after = read(client)
        if after("weft_deliveries_total", "failed") >= 1:
            break
    check("there was no message", before("weft_outbox_messages") == 0 and
          before("weft_outbox_lag_seconds") == 0)
    check("a message waits", after("weft_outbox_messages") == 1)
    check("for some time", 0.5 < after("weft_outbox_lag_seconds") < 6000,
          after("weft_outbox_lag_seconds"))
    check("it was sent in vain",
          after("weft_deliveries_total", "failed") >= 1 and
          after("weft_deliveries_total", "arrived") == 0)
    server.close()


def away():
    """A store that is unavailable is reported; the server's own metrics
    remain."""
    if not has_postgresql():
        skip("metrics without a store", "there is no PostgreSQL")
        return
    schema = Schema()
    server = Server(db=schema.url)
    client = server.client()
    check("the store is up", read(client)("weft_store_up") == 1)
    schema.close()
    metrics = read(client)
    check("the store is gone", metrics("weft_store_up") == 0)
    check("its metrics are missing", not any(
        name == "weft_cases_open" for name, _ in metrics.values))
    check("the rest is", metrics("weft_http_connections") > 0)
    check("the server is not ready",
          client.get("/readyz").status == 503)
    time.sleep(2.5)
    check("nor does it make a new one", read(client)("weft_store_up") == 0 and
          client.get("/readyz").status == 503)
    check("but it is there", client.get("/healthz").status == 200)
    server.close()


def described():
    """docs/OPERATION.md has a table of the metrics."""
    server = Server()
    metrics = read(server.client())
    with open(os.path.join(ROOT, "docs", "OPERATION.md")) as file:
        rows = re.findall(r"^\| `(weft_\w+)` \| (\w+) \|", file.read(), re.M)
    check("the table of metrics in docs/OPERATION.md has all, in order",
          rows == list(metrics.types.items()),
          set(rows) ^ set(metrics.types.items()))
    server.close()


def welcome():
    server = Server()
    client = server.client(token="")
    page = client.get("/about")
    text = page.body.decode()
    check("the page needs no account", page.status == 200 and
          page.type == "text/html", page)
    check("it says where the server is",
          "http://127.0.0.1:%d/v1/cases" % server.port in text, text)
    for link in re.findall(r'href="([^"]*)"', text):
        status = client.get(link).status
        check("its link to %s leads somewhere" % link,
              status == (401 if link == "/metrics" else 200), status)
    check("it has links", text.count("href=") == 4, text)
    for host in ("x" * 300, "%s%n", ""):
        answer = client.get("/about", headers={"Host": host})
        check("the host %.20s is not shown" % host,
              b"http://SERVER/v1/cases" in answer.body, answer)
    answer = client.get("/about", headers={"Host": '"><script>alert(1)</script>'})
    check("what is no host is refused", answer.status == 400 and
          b"script" not in answer.body, answer)
    answer = client.get("/openapi.yaml")
    with open(os.path.join(ROOT, "schemas", "openapi.yaml"), "rb") as file:
        check("the description is given as it is",
              answer.body == file.read() and
              answer.type == "application/yaml", answer.headers)
    server.close()


class Early(threading.Thread):
    """Asks for the metrics as soon as the server listens."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.port = server.port
        self.request = ("GET /metrics HTTP/1.1\r\nHost: x\r\n"
                        "Authorization: Bearer %s\r\n\r\n" % server.token)
        self.answer = b""
        self.start()

    def run(self):
        limit = time.monotonic() + LIMIT
        while not self.answer and time.monotonic() < limit:
            try:
                with socket.create_connection(
                        ("127.0.0.1", self.port), timeout=LIMIT) as s:
                    s.sendall(self.request.encode())
                    self.answer = s.recv(1000)
            except ConnectionRefusedError:
                time.sleep(0.0005)
            except OSError as e:
                self.answer = str(e).encode()


def early_requests():
    """Connections made while a server starts are served when it has
    started."""
    server = Server(arguments=["--listen", "127.0.0.1:%d" % free_port(),
                               "--http-threads", "64"])
    for _ in range(5):
        server.stop()
        early = [Early(server) for _ in range(4)]
        server.start()
        for one in early:
            one.join()
            check("an early one is answered",
                  one.answer.startswith(b"HTTP/1.1 200 "), one.answer)
    server.close()


if __name__ == "__main__":
    run(counts, outbox, away, described, welcome, early_requests)
    end()
