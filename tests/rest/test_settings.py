# SPDX-License-Identifier: Apache-2.0
"""Effects of settings in a server: the log that it writes, the days off."""
import base64
import datetime
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time

from checks import LIMIT, check, end, run, skip, until
from server import ROOT, WEFT, Server

SECRET = "s3cr3t-of-the-case"


def lines(server):
    """All lines of the log; None for a line that is not a JSON object."""
    parsed = []
    for line in server.read_log().split("\n"):
        if not line:
            continue
        try:
            object = json.loads(line)
        except ValueError:
            object = None
        parsed.append(object if isinstance(object, dict) else None)
    return parsed


def wait_for(server, wanted):
    """The first line for which wanted() holds; None: there is none."""
    def find():
        for line in lines(server):
            if line and wanted(line):
                return line
        return None

    return until(find)


def hostile(server):
    """Requests with texts that must not, or may, break a line of the log."""
    client = server.client()
    for path in ("/v1/cases/%22%0a%7b", "/v1/items/x%00:y", "/%ff%fe",
                 "/v1/cases?token=" + SECRET, "/" + "a" * 5000, "/%e2%82%ac",
                 "/\\\"", "/v1/items/%22:%22/start"):
        client.get(path)
        client.close()
    server.raw(b"GET /\xff\x80\"\\ HTTP/1.1\r\nHost: x\r\n"
               b"Connection: close\r\n\r\n")
    server.raw(b"GET /v1/cases HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
               b"Authorization: Bearer " + SECRET.encode() + b"\r\n\r\n")
    server.raw(b"GET /v1/cases HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
               b"Authorization: Basic " +
               base64.b64encode(b"admin:" + SECRET.encode()) + b"\r\n\r\n")
    server.raw(b"no request at all\r\n\r\n")


def log():
    server = Server(arguments=["--log-level", "debug", "--yawl"])
    client = server.client()
    token = server.token
    key = client.load("sequence.yawl")
    client.post("/v1/cases", {"specification": key, "case": "one",
                              "title": SECRET})
    client.post("/v1/items/one:Ask/complete", {"destination": SECRET})
    client.post("/v1/items/one:Book/complete", "{\"ticket\": %s" % SECRET,
                type="application/json")
    client.call("PATCH", "/v1/cases/one/data", {"ticket": {SECRET: SECRET}})
    client.get("/v1/cases/two")
    stream = client.stream("/v1/events?after=0")
    stream.take(1)
    threads = [threading.Thread(target=lambda: [
        server.client().get("/healthz") for _ in range(20)])
        for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    hostile(server)
    form = b"action=connect&userID=admin&password=" + SECRET.encode()
    head = b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
    server.raw(b"GET /yawl/ia?" + form + head + b"\r\n")
    server.raw(b"POST /yawl/ib" + head + b"Content-Length: %d\r\n"
               b"Content-Type: application/x-www-form-urlencoded\r\n\r\n%s"
               % (len(form), form))
    client.close()

    done = wait_for(server, lambda l: l.get("operation") == "completeItem")
    check("calls are logged", done is not None and done["event"] == "request"
          and done["level"] == "info", done)
    check("with what it is about", done is not None and (
        done["case"], done["item"], done["account"], done["method"],
        done["path"], done["status"], done["peer"]) == (
            "one", "one:Ask", "admin", "POST", "/v1/items/one:Ask/complete",
            200, "127.0.0.1"), done)
    check("and what it took", done is not None and done["request"] > 0 and
          0 < done["microseconds"] < 6e9 and done["bytes"] > 10, done)
    check("its time is one", done is not None and re.match(
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$", done["time"]), done)
    check("a case that is started is named", wait_for(
        server, lambda l: l.get("operation") == "startCase")["case"] == "one")
    check("so is one of YAWL's", wait_for(
        server, lambda l: l.get("path") == "/yawl/ib" and
        l.get("operation") == "connect") is not None)
    refused = wait_for(server, lambda l: l.get("status") == 404)
    check("a refusal has its code",
          refused is not None and refused["code"] == "not_found", refused)
    check("the server ends", server.stop() == 0)
    events = wait_for(server, lambda l: l.get("operation") == "streamEvents")
    check("a stream is logged at its end",
          events is not None and events["bytes"] > 100, events)
    all = lines(server)
    check("each line is an object of JSON", None not in all,
          [l for l in server.read_log().split("\n")][:3])
    check("each has time, level and event", all and not [
        l for l in all if l is None or not {"time", "level", "event"} <= set(l)])
    names = [l["event"] for l in all if l]
    check("it begins with the start", names[0] == "started" and
          all[0]["store"].startswith("sqlite:") and
          all[0]["port"] == server.port, all[0])
    check("it ends with the end", names[-1] == "stopped" and
          "stopping" in names, names[-5:])
    check("requests have numbers of their own", len(
        {l["request"] for l in all if l and l["event"] == "request"}) ==
          names.count("request") > 170)
    check("no secret is logged", SECRET not in server.read_log() and
          base64.b64encode(b"admin:" + SECRET.encode()).decode() not in
          server.read_log(),
          [l for l in server.read_log().split("\n") if SECRET in l])
    check("no token is logged", token not in server.read_log())
    server.close()


def troubles():
    """Problems of an engine are logged at once, and not repeated."""
    server = Server(arguments=["--slow-batch", "100ms"])
    client = server.client()
    key = client.load("sequence.yawl")
    for case in "abc":
        client.post("/v1/cases", {"specification": key, "case": case,
                                  "title": SECRET})
    store = sqlite3.connect(server.folder + "/weft.db", timeout=LIMIT,
                            isolation_level=None)
    for seconds in (1, 2, 4):  # whoever starts late is not held up for long
        store.execute("BEGIN IMMEDIATE")
        held = threading.Thread(target=lambda: server.client().call(
            "PATCH", "/v1/cases/a/data", {"destination": SECRET}))
        held.start()
        time.sleep(seconds)
        store.execute("ROLLBACK")
        held.join()
        slow = wait_for(server, lambda l: l["event"] == "slow_batch")
        if slow:
            break
    check("a slow transaction is logged", slow is not None and
          slow["requests"] == 1 and slow["microseconds"] >= 1e5 and
          slow["level"] == "warning", slow)

    store.execute("ALTER TABLE history RENAME TO elsewhere")
    answer = client.post("/v1/items/b:Ask/complete", {"destination": SECRET})
    check("a store that fails is a failure", answer.status >= 500, answer)
    # If it was locked for long above, that is another failure.
    fails = wait_for(server, lambda l: l["event"] == "store_fails" and
                     "history" in l["text"])
    check("which is logged", fails is not None and
          fails["level"] == "error", fails)
    check("the request is, too", wait_for(
        server, lambda l: l.get("status", 0) >= 500) is not None)
    store.execute("ALTER TABLE elsewhere RENAME TO history")
    check("it works again", client.post(
        "/v1/items/b:Ask/complete", {"destination": SECRET}).status == 200)
    events = [l for l in lines(server) if l["event"] == "store_fails" and
              "history" in l["text"]]
    check("it was logged once", len(events) == 1, events)
    check("so is the end of it", wait_for(
        server, lambda l: l["event"] == "store_works") is not None)

    server.stop()
    store.execute("UPDATE snapshot SET bytes = x'00' WHERE number = 3")
    server.start()
    answer = server.client().post("/v1/items/c:Ask/complete", {})
    check("a damaged case is refused", answer.status >= 400, answer)
    found = wait_for(server, lambda l: l["event"] == "case_set_aside")
    check("its quarantine is logged",
          found is not None and found["case"] == "c", found)
    incident = wait_for(server, lambda l: l["event"] == "incident")
    check("so is its incident", incident is not None and
          incident["case"] == "c" and incident["incident"] > 0 and
          incident["code"] == "CORRUPT", incident)
    check("no line but JSON", None not in lines(server))
    check("no secret is logged", SECRET not in server.read_log())
    store.close()
    server.close()


def version_six():
    """An IPv6 address in the settings means IPv6 only."""
    refused = False
    for _ in range(3):  # another process may have the port with IPv4
        try:
            server = Server(arguments=["--listen", "[::]:0", "--insecure"])
        except RuntimeError as error:
            skip("IPv6", error)
            return
        with socket.create_connection(("::1", server.port)):
            pass
        try:
            socket.create_connection(("127.0.0.1", server.port)).close()
        except ConnectionRefusedError:
            refused = True
        server.close()
        if refused:
            break
    check("IPv4 is not served", refused)


def moved_file():
    """Commands are refused while the store's file is away: they would be
    lost."""
    server = Server()
    client = server.client()
    body = {"specification": client.load("sequence.yawl")}
    os.rename(server.folder + "/weft.db", server.folder + "/away")
    answer = client.post("/v1/cases", body)
    check("a command is refused while the file is away",
          answer.status == 503 and "moved" in answer.json()["detail"], answer)
    check("which is logged", wait_for(
        server, lambda l: l["event"] == "store_fails") is not None)
    check("the server says that it is not ready", until(
        lambda: client.get("/readyz").status == 503))
    check("and that its store does not work", until(
        lambda: "\nweft_store_up 0\n" in
        client.get("/metrics").body.decode()))
    os.rename(server.folder + "/away", server.folder + "/weft.db")
    check("it works again", client.post("/v1/cases", body).status == 201)
    check("and is ready", until(
        lambda: client.get("/readyz").status == 200))
    server.close()


def reload():
    """SIGHUP reads the settings again, and ends nothing."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as under nohup
    folder = tempfile.mkdtemp()
    path = folder + "/conf"

    def write(text):
        with open(path, "w") as file:
            file.write(text)

    write("log-level = info\nbatch = 7\n")
    server = Server(arguments=["--config", path, "--queue", "32M"])
    signal.signal(signal.SIGHUP, before)
    client = server.client()
    key = client.load("sequence.yawl")
    body = {"specification": key, "title": "a" * 20}
    check("a case is started", client.post("/v1/cases", dict(
        body, case="before")).status == 201)
    stream = client.stream("/v1/events?after=0")
    stream.take(1)

    def hang_up(text):
        count = len(lines(server))
        write(text)
        server.process.send_signal(signal.SIGHUP)
        return until(lambda: [
            line for line in lines(server)[count:]
            if line and line["event"] in ("reloaded", "reload_refused")])[0]

    said = hang_up("log-level = warning\n\nbatch = 0\nlimit-event_bytes = 1\n")
    check("a bad file is refused whole, with the place",
          said["event"] == "reload_refused" and said["level"] == "error" and
          said["file"] == path and said["line"] == 3 and
          "batch: expected a number from 1 to 1024" in said["text"], said)
    check("nothing of it is used", client.post("/v1/cases", dict(
        body, case="still")).status == 201 and wait_for(
        server, lambda l: l.get("case") == "still") is not None)
    said = hang_up("log-level = info\nbatch = 7\n")
    check("the same again changes nothing", said["event"] == "reloaded" and
          said["level"] == "warning" and "changed" not in said and
          "needs_restart" not in said, said)
    said = hang_up("log-level = warning\nbatch = 8\nqueue = 1M\n"
                   "limit-event_bytes = 1\nlimit-depth = 7\nunserved = 0s\n")
    check("what was changed is named",
          said["changed"] == "log-level unserved limit-event_bytes" and
          said["level"] == "warning", said)
    check("so is what needs a restart; an option counts more",
          said["needs_restart"] == "batch limit-depth", said)
    answer = client.post("/v1/cases", dict(body, case="after"))
    check("a limit has effect", answer.status == 429 or
          answer.json()["code"] == "limit", answer)
    answer = client.post("/v1/items/before:Ask/complete", {})
    check("also for a case that is in memory",
          answer.json()["code"] == "limit", answer)
    os.remove(path)
    os.mkfifo(path)
    count = len(lines(server))
    server.process.send_signal(signal.SIGHUP)
    said = until(lambda: lines(server)[count:])[0]
    check("a pipe is refused, and not waited for",
          said["event"] == "reload_refused" and
          "expected a file, not a pipe" in said["text"], said)
    os.remove(path)
    said = hang_up("log-level = error\nbatch = 8\nlimit-depth = 7\n")
    check("a default counts again",
          said["changed"] == "log-level unserved limit-event_bytes" and
          said["needs_restart"] == "batch limit-depth", said)
    check("the limit is gone", client.post(
        "/v1/items/before:Ask/complete", {}).status == 200)
    check("nothing has ended: not the stream",
          until(lambda: stream.take(1)) and client.get(
              "/v1/cases/before").json()["status"] == "running")
    check("what is less serious is not logged", all(
        line["event"] != "request" for line in lines(server)[-1:]))
    stream.close()
    check("and it ends", server.close() == 0)
    os.remove(path)
    os.rmdir(folder)


def levels():
    server = Server(arguments=["--slow-batch", "0s"])
    server.client().get("/v1/cases")
    check("by default nothing is logged while all is well",
          server.stop() == 0 and server.read_log() == "", server.read_log())
    server.close()


def full_disk():
    """A log that cannot be written must not stop the server."""
    with open("/dev/full", "wb") as full:
        server = Server(arguments=["--log-level", "info"], stderr=full)
        check("it answers", server.client().get("/v1/cases").status == 200)
        check("and ends", server.close() == 0)


def slow_reader():
    """A log that is not read must not stop the server, either."""
    reader, writer = os.pipe()
    with os.fdopen(writer, "wb") as stderr:
        server = Server(arguments=["--log-level", "info"], stderr=stderr)
    client = server.client()
    answers = [client.get("/healthz").status for _ in range(1000)]
    check("it answers while its log is full", answers == [200] * 1000)
    text = b""
    while text.count(b"\n") < 1000 and b"lines_lost" not in text:
        text += os.read(reader, 65536)
        client.get("/healthz")
    lost = [json.loads(line) for line in text.split(b"\n")[:-1]
            if b"lines_lost" in line]
    check("what it could not write is counted",
          len(lost) == 1 and lost[0]["lines"] > 10, lost)
    check("it ends", server.close() == 0)
    os.close(reader)


def workday_timer(key):
    with open(os.path.join(ROOT, "examples", "sequence.yawl")) as file:
        return file.read().replace("UID_WeftSequence", key).replace(
            "</completedMappings>", "</completedMappings><timer>"
            "<trigger>OnEnabled</trigger><duration>P1D</duration>"
            "<workdays>true</workdays></timer>", 1)


def days_off():
    today = datetime.datetime.now(datetime.timezone.utc)
    holidays = [(today + datetime.timedelta(days=i)).strftime("%Y-%m-%d")
                for i in range(0, 20)]
    file = tempfile.NamedTemporaryFile("w")
    file.write("# days off\n")
    for day in reversed(holidays):
        file.write("holidays = %s\n" % day)
    file.flush()
    ends = {}
    for name, arguments in (("without", []), ("with", [
            "--config", file.name])):
        server = Server(arguments=arguments)
        client = server.client()
        case = {"specification": client.load(workday_timer("UID_%s" % name)),
                "case": "c"}
        check("a case with a timer is started",
              client.post("/v1/cases", case).status == 201)
        expires = client.get("/v1/items/c:Ask").json().get("expires")
        ends[name] = datetime.datetime.strptime(
            expires, "%Y-%m-%dT%H:%M:%S.%f%z")
        check("the server ends", server.close() == 0)
    file.close()
    check("a working day is at most a weekend away",
          ends["without"] - today < datetime.timedelta(days=4), ends)
    check("and behind the holidays, when there are some",
          ends["with"] - today > datetime.timedelta(days=19), ends)


def limits():
    server = Server(arguments=["--limit-value_bytes", "1000"])
    client = server.client()
    with open(os.path.join(ROOT, "tests/scenarios/logging.yawl")) as file:
        key = client.load(file.read())
    for size, status in ((900, 201), (1000, 413)):
        answer = client.post("/v1/cases", {
            "specification": key, "data": {"who": "x" * size}})
        check("a value of %d characters" % size, answer.status == status,
              answer)
    check("what reached which limit", "1000 bytes" in answer.json()["detail"],
          answer)
    check("the server ends", server.close() == 0)


def fails_to_start(server, *arguments):
    """Starts a server on the same store, which ends with 1; returns its
    output."""
    done = subprocess.run(
        [WEFT, "serve", "--db", server.db, *arguments], cwd=server.folder,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT)
    return done.stderr.decode() if done.returncode == 1 else done


def first_starts():
    """A start that fails leaves no account whose token is lost, and reports
    the reason."""
    server = Server()
    server.stop()
    os.remove(server.folder + "/weft.token")
    for name in os.listdir(server.folder):
        if name.startswith("weft.db"):
            os.remove(os.path.join(server.folder, name))
    said = fails_to_start(server, "--listen", "127.0.0.1:0",
                          "--token-file", server.folder)
    check("a token that cannot be written", "Is a directory" in said, said)
    said = fails_to_start(server, "--listen", "198.51.100.1:0")
    check("an address of others", "Cannot assign" in said, said)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        said = fails_to_start(
            server, "--listen", "127.0.0.1:%d" % other.getsockname()[1])
    check("a port that is in use", "in use" in said, said)
    server.token = None
    server.start()
    check("the token that is there is good",
          server.client().get("/v1/cases").status == 200)
    server.close()


run(log, troubles, levels, full_disk, slow_reader, days_off, limits,
    first_starts, version_six, moved_file, reload)
end()
