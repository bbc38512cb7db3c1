# SPDX-License-Identifier: Apache-2.0
"""The Python client against a server: requests that are sent again, streams,
and the worker."""
import contextlib
import decimal
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

from parts import OFFER, ORDER, PYTHON
from checks import check, end, run, skip, until
from proxy import Proxy
import weft
from weft.testing import Server

logging.getLogger("weft").setLevel(logging.CRITICAL + 1)
DATA = {"item": "tea", "amount": 4}


# What a proxy may answer instead of the server.
PAGE = {"do": "answer", "status": 200, "text": "<html>",
        "headers": {"Content-Type": "application/json"}}


def work(item):
    if item.task == "Price":
        return {"total": 3 * item.data["amount"]}
    return {"parcel": "parcel with " + item.data["item"]}


@contextlib.contextmanager
def behind_proxy(*specifications, options=()):
    """A server, the proxy before it, and a client that uses the proxy."""
    with Server(*specifications, options=options) as server:
        proxy = Proxy(server.url)
        try:
            with weft.Client(proxy.url, server.token) as client:
                yield server, proxy, client
        finally:
            proxy.close()


@contextlib.contextmanager
def running(worker):
    thread = worker.start()
    try:
        yield worker
    finally:
        worker.stop()
        thread.join()


def orders(client):
    client.put_service("orders", kind="pull", uri="urn:example:orders",
                       delay="PT2M")


def refusal(call, *arguments, **options):
    try:
        return "not refused: %r" % (call(*arguments, **options),)
    except weft.Error as error:
        return error


def answers_lost():
    """Commands are executed once, however often they are sent."""
    with behind_proxy(ORDER) as (server, proxy, client):
        proxy.add({"on": "POST /v1/cases", "do": "cut"},
                  {"on": "POST /v1/cases", "do": "cut"})
        started = client.start_case("Order", DATA)
        sent = proxy.seen("POST /v1/cases")
        check("it was sent three times, with one key", len(sent) == 3 and len(
            {r["headers"]["idempotency-key"] for r in sent}) == 1, sent)
        check("one case was started", started["repeated"]
              and len(list(client.list_cases())) == 1, started)
        client.start_case("Order", DATA, key="mine")
        again = client.start_case("Order", DATA, key="mine")
        check("the caller may say the key", again["repeated"]
              and len(list(client.list_cases())) == 2, again)
        proxy.add({"on": "POST /v1/items:claim", "do": "cut"})
        check("a claim is not sent again", isinstance(refusal(
            client.claim_items, "urn:example:orders"), weft.ConnectionFailed)
            and len(proxy.seen("POST /v1/items:claim")) == 1, proxy.requests)
        orders(client)
        proxy.add({"on": "DELETE", "do": "cut"})
        client.remove_service("orders")
        check("what was removed is removed",
              len(proxy.seen("DELETE")) == 2, proxy.requests)
        gone = refusal(client.remove_service, "orders")
        check("and not there any more", gone.code == "not_found", gone)


def refused():
    """503, 502 and 429, with and without Retry-After."""
    unavailable = {"status": 503, "code": "unavailable", "title": "t"}
    with behind_proxy(ORDER) as (server, proxy, client):
        for action in (
                {"status": 503, "body": unavailable,
                 "headers": {"Content-Type": "application/problem+json",
                             "Retry-After": "1"}},
                {"status": 429}, {"status": 502}, {"status": 504},
                {"status": 503}):
            proxy.add(dict(action, on="POST /v1/cases", do="answer"))
        client.start_case("Order", DATA)
        check("a command is repeated", len(proxy.seen("POST /v1/cases")) == 6
              and len(list(client.list_cases())) == 1, proxy.requests)
        problem = {"on": "POST /v1/items:claim", "do": "answer"}
        proxy.add(dict(problem, status=503, body=unavailable, headers={
            "Content-Type": "application/problem+json"}))
        proxy.add(dict(problem, status=502))
        failed = refusal(client.claim_items, "urn:example:orders")
        check("a claim is repeated only if it was not executed",
              isinstance(failed, weft.Problem) and failed.status == 502
              and len(proxy.seen("POST /v1/items:claim")) == 2, failed)
        soon = weft.Client(proxy.url, server.token, retry_for=0.5)
        proxy.add(*[{"on": "GET /v1/cases", "do": "answer", "status": 503,
                     "headers": {"Retry-After": "1"}}] * 2)
        failed = refusal(soon.show_case, "1")
        check("not longer than it may", failed.status == 503, failed)
        failed = refusal(client.show_case, "7")
        check("a refusal says why", failed.status == 404
              and failed.code == "not_found" and failed.detail, failed)
        failed = refusal(client.load_specifications, "<specificationSet/>")
        check("with all of the answer", failed.problem["diagnostics"]
              and "\nerror, line " in str(failed), failed)
    failed = refusal(weft.Client(server.url, "x", retry_for=0.1).show_case, "1")
    check("nobody is there", isinstance(failed, weft.ConnectionFailed), failed)


def lists_and_streams():
    """All pages of a list; a stream that breaks goes on without gaps."""
    with behind_proxy(OFFER) as (server, proxy, client):
        names = ["c%d" % i for i in range(5)]
        for name in names:
            client.start_case("Offer", case=name)
        check("all pages are read", [case["case"] for case in client.list_cases(
            order="oldest", limit=2)] == names
            and len(proxy.seen(r"GET /v1/cases\?")) == 3, proxy.requests)
        proxy.add({"on": "GET /v1/events", "do": "end", "steps": 2},
                  {"on": "GET /v1/events", "do": "answer", "status": 503},
                  {"on": "GET /v1/events", "do": "end", "steps": 1})
        stream = client.stream_events(after="0")
        steps = [next(stream) for _ in names]
        check("there is no gap", [s["case"] for s in steps] == names, steps)
        sent = [r["headers"].get("last-event-id")
                for r in proxy.seen("GET /v1/events")]
        check("it goes on behind the last step", sent == [
            "0", steps[1]["id"], steps[1]["id"], steps[2]["id"]], sent)
        stream.close()
        failed = refusal(next, client.stream_events(after="nonsense"))
        check("a wrong place is refused", failed.status == 400, failed)
        threading.Thread(target=client.cancel_case, args=("c0",)).start()
        found = client.wait_case("c0")
        check("the end of a case is waited for",
              found["status"] == "cancelled", found)
        try:
            found = client.wait_case("c1", timeout=0.1)
        except TimeoutError as error:
            found = error
        check("for some time", isinstance(found, TimeoutError), found)


def worker():
    """What becomes of items: done, failed, released, refused."""
    with behind_proxy(ORDER) as (server, proxy, client):
        orders(client)
        proxy.add({"on": "POST /v1/items:claim", "do": "answer",
                   "status": 503}, dict(PAGE, on="POST /v1/items:claim"))
        proxy.add({"on": "POST /v1/items/.*/complete", "do": "cut"})
        with running(client.worker("orders", work, concurrency=3, wait=1)):
            cases = [client.start_case("Order", DATA)["case"]
                     for _ in range(5)]
            check("orders are done", [client.wait_case(case)["status"]
                  for case in cases] == ["completed"] * 5)
        done = proxy.seen("POST /v1/items/.*/complete")
        check("under their leases, each once but for the lost answer",
              all("fence=" in r["path"] for r in done) and len(done) == 11
              and len({r["headers"]["idempotency-key"] for r in done}) == 10,
              done)
        outcomes = {
            "x": RuntimeError("no paper"), "y": weft.Release("later", "PT5M"),
            "z": weft.Release(), "f": weft.Fail("never"), "r": {"total": 0},
            "d": {"total": decimal.Decimal(1)},
            "e": weft.Release("later", {}), "q": SystemExit("enough")}
        attempts = {name: [] for name in outcomes}

        def fails(item):
            if item.task != "Price":
                return work(item)
            attempts[item.case].append(item.attempt)
            if len(attempts[item.case]) > 1:
                return work(item)
            outcome = outcomes[item.case]
            if isinstance(outcome, BaseException):
                raise outcome
            return outcome

        with running(client.worker("orders", fails, wait=1)):
            for case in outcomes:
                client.start_case("Order", DATA, case=case)
            for case in "zf":
                client.wait_case(case)
            items = {}

            def are_released():
                items.update({case: client.list_items(case=case)
                              for case in "xyrdeq"})
                items.update({case: next(found)
                              for case, found in items.items()})
                return all("last_answer" in row for row in items.values())

            check("a handler that fails has failed an attempt",
                  until(are_released)
                  and "RuntimeError: no paper" in items["x"]["last_answer"]
                  and items["y"]["last_answer"] == "later"
                  and all(row["attempt"] == 1 for row in items.values()),
                  items)
            check("what cannot be written as JSON, too",
                  "Decimal" in items["d"]["last_answer"]
                  and "TypeError" in items["e"]["last_answer"]
                  and items["q"]["last_answer"] == "SystemExit: enough",
                  items)
            server.clock.advance("PT10M")
            for case in "xyrdeq":
                client.wait_case(case)
        check("released without a reason, it has not failed", attempts == {
            "x": [1, 2], "y": [1, 2], "z": [1, 1], "f": [1], "r": [1, 2],
            "d": [1, 2], "e": [1, 2], "q": [1, 2]}, attempts)
        steps = list(client.show_history("f"))
        check("a failed item ends, and says why", [
            step["reason"] for step in steps if "reason" in step] == ["never"],
            steps)


def traced():
    """What is done for an item belongs to its trace."""
    trace, state = "4bf92f3577b34da6a3ce929d0e0e4736", "a=1"
    with behind_proxy(ORDER, options=(
            "--traces-endpoint", "http://127.0.0.1:9/v1/traces",
            "--allow-address", "127.0.0.1")) as (server, proxy, client):
        orders(client)

        def handler(item):
            item.client.show_case(item.case)
            return work(item)

        with running(client.worker("orders", handler, wait=1)):
            case = client.with_headers({
                "traceparent": "00-%s-00f067aa0ba902b7-01" % trace,
                "tracestate": state}).start_case("Order", DATA)["case"]
            client.wait_case(case)
        of_items = [r["headers"] for pattern in (
            "POST /v1/items/.*/complete", "GET /v1/cases/%s$" % case)
            for r in proxy.seen(pattern) if "traceparent" in r["headers"]]
        check("a worker sends the trace of its item", len(of_items) >= 4 and
              all(trace in headers["traceparent"] and
                  headers["tracestate"] == state for headers in of_items) and
              not any("traceparent" in r["headers"]
                      for r in proxy.seen("POST /v1/items:claim")), of_items)


def leases():
    """Heartbeats keep an item; who has lost it does not complete it."""
    with behind_proxy(ORDER) as (server, proxy, client):
        orders(client)
        attempts = []
        go = threading.Event()

        def slow(item):
            attempts.append(item)
            if len(attempts) == 1:
                proxy.add(dict(PAGE, on=".*heartbeat"))
                until(lambda: len(proxy.seen(".*heartbeat")) > 2)
                go.set()
                until(lambda: item.lost)
            return work(item)

        worker = client.worker("orders", slow, concurrency=2, wait=1)
        worker.interval = 0.1
        with running(worker):
            case = client.start_case("Order", DATA)["case"]
            go.wait()
            server.clock.advance("PT1H")
            check("its lease is lost", until(lambda: attempts[0].lost))
            found = client.wait_case(case)
        check("another attempt did it", found["status"] == "completed"
              and [item.attempt for item in attempts] == [1, 2, 1], attempts)
        done = proxy.seen("POST /v1/items/.*/complete")
        check("the first one completed nothing", [
            r["path"].rpartition("/")[2] for r in done] == [
                "complete?fence=2", "complete?fence=1"]
              and done[0]["path"] != done[1]["path"], done)
        late = refusal(client.complete_item, attempts[0].id, {"total": 1},
                       fence=attempts[0].fence)
        check("and could not", late.code in ("lease", "not_found"), late)


DRAIN = """
import sys
sys.path.insert(0, sys.argv[3])
import weft
def work(item):
    print("began", flush=True)
    sys.stdin.readline()
    return {"total": 1}
weft.Client(sys.argv[1], sys.argv[2]).worker(
    "orders", work, task="Price", wait=0.2).run()
print("ended", flush=True)
"""


def drain():
    """SIGTERM: the item that it has is finished, and no other is claimed."""
    with Server(ORDER) as server:
        orders(server.client)
        for _ in range(3):
            server.client.start_case("Order", DATA)
        process = subprocess.Popen(
            [sys.executable, "-c", DRAIN, server.url, server.token, PYTHON],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        process.stdin.write(b"\n")
        process.stdin.flush()
        rest, _ = process.communicate()
        check("it ends well", process.returncode == 0
              and rest == b"ended\n", process.returncode, rest)
        check("one item was done", len([
            item for item in server.client.list_items(task="Ship")]) == 1)
        check("no other was claimed", not [
            item for item in server.client.list_items(task="Price")
            if item["status"] != "enabled"])
        refused = weft.Client(server.url, "wrong").worker("orders", work)
        check("a worker with a wrong token ends",
              refusal(refused.run).code == "unauthorized")


KILLED = """
import os, sys
sys.path.insert(0, sys.argv[1])
from weft.testing import Server
server = Server().start()
print(server.url, flush=True)
os.kill(os.getpid(), 9)
"""


def killed():
    """No server outlives the test that it is for; one that ends is noticed."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, "-c", KILLED, PYTHON],
                              env=dict(os.environ, TMPDIR=folder),
                              stdout=subprocess.PIPE)
    client = weft.Client(done.stdout.decode().strip(), "t", retry_for=0)
    check("the server of a killed test ends", until(lambda: isinstance(
        refusal(client.show_case, "1"), weft.ConnectionFailed)), done)
    for options, said in (({"weft": "/no/weft"}, "/no/weft"),
                          ({"options": ["--bad"]}, "no setting bad")):
        failed = refusal(Server(**options).start)
        check("why it did not start: %s" % said, said in str(failed), failed)
    failed = refusal(Server(os.path.join(PYTHON, "pyproject.toml")).start)
    check("what is wrong with a specification", "line 1" in str(failed), failed)


def typed():
    """It can be compiled, and its types agree."""
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(os.path.join(PYTHON, "weft"), folder + "/weft")
        check("it is compiled", subprocess.run(
            [sys.executable, "-m", "compileall", "-q", copy]).returncode == 0)
        if shutil.which("mypy") is None:
            skip("types of the Python client", "mypy is not installed")
            return
        done = subprocess.run(
            ["mypy", "--strict", "--cache-dir", folder + "/cache", "weft"],
            cwd=folder, stdout=subprocess.PIPE)
        check("its types agree", done.returncode == 0, done.stdout.decode())


run(answers_lost, refused, lists_and_streams, worker, traced, leases, drain,
    killed, typed)
end()
