# SPDX-License-Identifier: Apache-2.0
"""A server to test, and clients of it; needs only the standard library."""
import ctypes
import http.client
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import checks
from contract import Contract

WEFT = os.environ.get("WEFT", "./weft")
ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))


libc = ctypes.CDLL(None)


def die_with_parent():
    """No server outlives a test that was killed."""
    libc.prctl(1, signal.SIGKILL, 0, 0, 0)


contract = Contract()


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def type(self):
        return self.headers.get("content-type", "").split(";")[0]

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return "%d %s %r" % (self.status, self.type, self.body[:300])


class Server:
    """One `weft serve`, on a store of its own unless db is given."""

    def __init__(self, db=None, arguments=(), token=None, environment=None,
                 stderr=None, files=None):
        self.folder = tempfile.mkdtemp(prefix="weft-rest-")
        self.db = db or "sqlite:%s/weft.db" % self.folder
        self.arguments = list(arguments)
        self.environment = dict(os.environ, **(environment or {}))
        self.token = token
        self.stderr = stderr
        self.files = files  # so many may be open
        self.process = None
        self.port = None
        self.start()

    def start(self):
        self.log = open(self.folder + "/log", "ab")
        self.process = subprocess.Popen(
            [WEFT, "serve", "--db", self.db]
            + ([] if "--listen" in self.arguments
               else ["--listen", "127.0.0.1:0"])
            + self.arguments,
            cwd=self.folder, env=self.environment,
            stdout=subprocess.PIPE, stderr=self.stderr or self.log,
            preexec_fn=self.prepare)
        line = self.process.stdout.readline().decode()
        found = re.search(r":(\d+)$", line.strip())
        if not found:
            self.process.wait()
            raise RuntimeError("the server did not start: " + self.read_log())
        self.port = int(found.group(1))
        path = self.folder + "/weft.token"
        if self.token is None and os.path.exists(path):
            with open(path) as file:
                self.token = file.read().strip()

    def prepare(self):
        die_with_parent()
        if self.files:
            resource.setrlimit(resource.RLIMIT_NOFILE, (self.files,) * 2)

    def read_log(self):
        with open(self.folder + "/log", "rb") as file:
            return file.read().decode(errors="replace")

    def sockets(self):
        """The number of sockets that the server has open."""
        folder = "/proc/%d/fd/" % self.process.pid
        count = 0
        for name in os.listdir(folder):
            try:
                count += os.readlink(folder + name).startswith("socket:")
            except FileNotFoundError:  # closed in the meantime
                pass
        return count

    def stop(self, number=signal.SIGTERM, seconds=checks.LIMIT):
        """The exit code; 0, or that of SIGKILL: any other is a failure."""
        if self.process is None:
            return 0
        self.process.send_signal(number)
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        if code != (-number if number == signal.SIGKILL else 0):
            checks.check("a server ends well", False, code, self.read_log())
        self.process.stdout.close()
        self.log.close()
        self.process = None
        return code

    def close(self):
        code = self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
        return code

    def add_account(self, name, role, namespace, grants=()):
        """The account's token; the server knows it when this returns.
        grants: instead of a role."""
        words = ["--role", role] if not grants else [
            word for grant in grants for word in ("--grant", grant)]
        token = subprocess.run(
            [WEFT, "account", "add", name, *words, "--namespace",
             str(namespace), "--db", self.db], check=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout.decode().split()[-1]
        while self.client(token).get("/v1/roles").status == 401:
            time.sleep(0.1)
        return token

    def client(self, token=None):
        return Client(self.port, self.token if token is None else token)

    def raw(self, data, seconds=checks.LIMIT, half=False):
        """Sends bytes on a connection of its own and returns all that is
        received. half: shuts down the sending side."""
        with socket.create_connection(("127.0.0.1", self.port)) as s:
            s.settimeout(seconds)
            parts = []
            try:
                s.sendall(data)
                if half:
                    s.shutdown(socket.SHUT_WR)
                while True:
                    part = s.recv(65536)
                    if not part:
                        break
                    parts.append(part)
            except OSError:
                pass
            return b"".join(parts)


class Client:
    """One connection, kept alive; opened again when the server closed it."""

    def __init__(self, port, token, seconds=checks.LIMIT):
        self.port = port
        self.token = token
        self.seconds = seconds
        self.connection = None

    def call(self, method, path, body=None, type=None, headers=None):
        send = {}
        if self.token:
            send["Authorization"] = "Bearer " + self.token
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
            send["Content-Type"] = "application/json"
        if type:
            send["Content-Type"] = type
        send.update(headers or {})
        for attempt in range(2):
            fresh = self.connection is None
            if fresh:
                self.connection = http.client.HTTPConnection(
                    "127.0.0.1", self.port, timeout=self.seconds)
            try:
                self.connection.request(method, path, body, send)
                answer = self.connection.getresponse()
                content = answer.read()
                break
            except (http.client.RemoteDisconnected, ConnectionError):
                self.close()
                if fresh or attempt == 1:
                    raise
        result = Answer(answer.status,
                        {k.lower(): v for k, v in answer.getheaders()},
                        content)
        if result.headers.get("connection") == "close":
            self.close()
        self.hold(method, path, body, send.get("Content-Type"), result)
        return result

    @staticmethod
    def hold(method, path, body, type, answer):
        """Every request and answer agrees with schemas/openapi.yaml."""
        wrong = contract.wrong_answer(method, path, answer)
        if answer.status < 300:
            wrong += contract.wrong_request(method, path, body, type)
            checks.seen.add(contract.find(method, path).id)
        if wrong:
            checks.check("%s %s is as it is described" % (method, path),
                         False, answer, *wrong)

    def get(self, path, **more):
        return self.call("GET", path, **more)

    def post(self, path, body=None, **more):
        return self.call("POST", path, body, **more)

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def load(self, name):
        """Loads a specification of examples/ or a text; returns its key."""
        if not name.lstrip().startswith("<"):
            with open(os.path.join(ROOT, "examples", name)) as file:
                name = file.read()
        answer = self.post("/v1/specifications", name.encode(), type="application/xml")
        if answer.status != 201:
            raise RuntimeError(repr(answer))
        return answer.json()["specifications"][0]["key"]

    def stream(self, path="/v1/events", headers=None, receive=None):
        return Stream(self.port, self.token, path, headers, receive)


class Stream:
    """A reader of server-sent events."""

    def __init__(self, port, token, path, headers=None, receive=None):
        self.socket = socket.socket()
        if receive:
            self.socket.setsockopt(
                socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        self.socket.connect(("127.0.0.1", port))
        head = "GET %s HTTP/1.1\r\nHost: x\r\n" % path
        if token:
            head += "Authorization: Bearer %s\r\n" % token
        for name, value in (headers or {}).items():
            head += "%s: %s\r\n" % (name, value)
        self.socket.sendall((head + "\r\n").encode())
        self.raw = b""
        self.buffer = b""
        self.id = None
        self.ended = False
        head = self.until(b"\r\n\r\n", checks.LIMIT).decode().split("\r\n")
        self.status = int(head[0].split()[1])
        self.headers = {}
        for line in head[1:]:
            name, _, value = line.partition(":")
            self.headers[name.lower()] = value.strip()
        if self.status != 200:
            length = int(self.headers.get("content-length", 0))
            while len(self.raw) < length and self.more(60):
                pass
            self.body = self.raw

    def more(self, seconds):
        """Receives; False at the end, or after a silence of that length."""
        self.socket.settimeout(max(seconds, 0.001))
        try:
            data = self.socket.recv(65536)
        except (socket.timeout, TimeoutError):
            return False
        except OSError:
            data = b""
        self.ended |= not data
        self.raw += data
        return bool(data)

    def until(self, end, seconds):
        """The data up to that delimiter; None when it did not come."""
        limit = time.monotonic() + seconds
        while end not in self.raw:
            if not self.more(limit - time.monotonic()):
                return None
            if time.monotonic() > limit and end not in self.raw:
                return None
        found, self.raw = self.raw.split(end, 1)
        return found

    def chunk(self, seconds):
        """Takes a chunk that is complete into the buffer."""
        limit = time.monotonic() + seconds
        while True:
            size, end, rest = self.raw.partition(b"\r\n")
            if end and len(rest) >= int(size, 16) + 2:
                length = int(size, 16)
                self.buffer += rest[:length]
                self.raw = rest[length + 2:]
                self.ended |= length == 0
                return length > 0
            if not self.more(limit - time.monotonic()):
                return False

    def block(self, seconds):
        """The next block of lines; None at the end, or after the time-out."""
        limit = time.monotonic() + seconds
        while b"\n\n" not in self.buffer:
            if self.ended or not self.chunk(limit - time.monotonic()):
                return None
        block, self.buffer = self.buffer.split(b"\n\n", 1)
        return block.decode()

    def next(self, seconds=checks.LIMIT):
        """The next step; None at the end, or after the time-out."""
        limit = time.monotonic() + seconds
        while True:
            block = self.block(limit - time.monotonic())
            if block is None:
                return None
            event = {}
            for line in block.split("\n"):
                name, _, value = line.partition(":")
                event[name] = value[1:] if value[:1] == " " else value
            if "id" in event:
                self.id = event["id"]
            if "data" in event:
                step = json.loads(event["data"])
                wrong = contract.wrong(
                    {"$ref": "#/components/schemas/Step"}, step)
                if wrong:
                    checks.check("a step is as it is described", False, step,
                                 *wrong)
                return step

    def news(self, seconds=checks.LIMIT):
        """The next event of a worklist: its name, and its item or items with
        what they are marked with."""
        limit = time.monotonic() + seconds
        while True:
            block = self.block(limit - time.monotonic())
            if block is None:
                return None
            event = dict(line.split(": ", 1) for line in block.split("\n")
                         if ": " in line)
            self.id = event.get("id", self.id)
            if "data" in event:
                data = json.loads(event["data"])
                return (event["event"], {
                    row["item"]: row.get("for", row.get("assignment"))
                    for row in data.get("items", [data]) if "item" in row})

    def take(self, count, seconds=checks.LIMIT):
        steps = []
        while len(steps) < count:
            step = self.next(seconds)
            if step is None:
                break
            steps.append(step)
        return steps

    def close(self):
        self.socket.close()
