# SPDX-License-Identifier: Apache-2.0
"""Built-in services: echo, delay, fail, http, mail."""
import base64
import email
import email.header
import socket
import sqlite3
import threading
import time

from fake import Fake, single
from checks import check, end, run
from server import Server

ALLOW = ("--allow-address", "127.0.0.0/8")
count = 0


def put(client, name, **more):
    answer = client.call("PUT", "/v1/services/" + name, {
        "kind": "built-in", "delay": "PT0.1S", "cap": "PT0.2S",
        "attempts": 2, **more})
    if answer.status not in (200, 201):
        raise RuntimeError(repr(answer))


def case(client, uri, inputs, outputs, seconds=300):
    """The outcome of one item: the case's data, or an incident's text."""
    global count
    count += 1
    name = "s%d" % count
    key = client.load(single(uri, inputs, outputs, name))
    client.post("/v1/cases", {"specification": key, "case": name})
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if client.get("/v1/cases/" + name).json()["status"] == "completed":
            data = client.get("/v1/cases/" + name + "/data").json()
            return {k[2:]: v for k, v in data.items() if k[:2] == "r_"}
        found = client.get("/v1/incidents?case=" + name).json()["incidents"]
        if found:
            return found[0]["text"]
        time.sleep(0.02)
    return None


def simple():
    server = Server()
    client = server.client()
    got = case(client, "weft:echo", {"a": "1", "b": "x"},
               {"a": "integer", "b": "string"})
    check("echo gives what it gets", got == {"a": "1", "b": "x"}, got)
    got = case(client, "weft:echo", {"a": "x"}, {"a": "integer"})
    check("echo of what does not fit is an incident", "integer" in str(got),
          got)
    began = time.monotonic()
    got = case(client, "weft:delay", {"delay": "PT0.8S"}, {"delay": "string"})
    took = time.monotonic() - began
    check("delay waits", got == {"delay": "PT0.8S"} and took > 0.7, got, took)
    got = case(client, "weft:delay", {"delay": "soon"}, {})
    check("for a time that is one", "delay: expected" in str(got), got)
    got = case(client, "weft:fail", {"reason": "no paper"}, {})
    check("fail fails", "no paper" in str(got), got)
    server.close()


def http():
    def behave(call):
        if call.path == "/x/json":
            return 200, {"name": "Ann", "age": 7}, {
                "Content-Type": "application/json"}
        if call.path == "/x/text":
            return 200, call.body + b"!", {"Content-Type": "text/plain"}
        if call.path == "/x/broken":
            return 200, b'{"name": "Ann"', {"Content-Type": "application/JSON"}
        if call.path == "/x/bad":
            return 404, {"error": "no such thing"}
        return 500, None
    fake = Fake(behave)
    server = Server(arguments=ALLOW)
    client = server.client()
    put(client, "http", uri="weft:http", address=fake.uri,
        secret="Bearer token")
    got = case(client, "weft:http", {"url": fake.uri + "/json"},
               {"name": "string", "age": "integer", "status": "integer"})
    check("an answer in JSON is taken apart",
          got == {"name": "Ann", "age": "7", "status": "200"}, got)
    check("it is asked with the secret",
          fake.calls[0].headers["Authorization"] == "Bearer token" and
          fake.calls[0].method == "GET", fake.calls[0].headers)
    got = case(client, "weft:http", {
        "url": fake.uri + "/text", "method": "PUT", "body": "hä",
        "content_type": "text/x", "headers": "X-One: 1\nHost: evil\n"},
        {"body": "string"})
    call = fake.calls[-1]
    check("method, headers and body are sent", got == {"body": "hä!"} and
          call.method == "PUT" and call.headers["X-One"] == "1" and
          call.headers["Content-Type"] == "text/x" and
          call.headers["Host"].startswith("127."), got, call.headers)
    got = case(client, "weft:http", {
        "url": fake.uri + "/text", "body": "a",
        "headers": "content-type: text/x"}, {"body": "string"})
    check("a type among the headers is the only one", got == {"body": "a!"} and
          fake.calls[-1].headers.get_all("Content-Type") == ["text/x"],
          fake.calls[-1].headers)
    got = case(client, "weft:http", {"url": fake.uri + "/broken",
                                     "name": "Bob"}, {"name": "string"})
    check("an answer that is no JSON is not taken for one without members",
          "no JSON" in str(got), got)
    got = case(client, "weft:http", {"url": fake.uri + "/broken"},
               {"body": "string"})
    check("it is a text all the same", got == {"body": '{"name": "Ann"'}, got)
    got = case(client, "weft:http", {"url": fake.uri + "/bad"},
               {"name": "string"})
    check("a refusal is an incident", "HTTP 404: no such thing" in str(got),
          got)
    got = case(client, "weft:http", {"url": fake.uri + "/bad"},
               {"status": "integer"})
    check("unless the status is asked for", got == {"status": "404"}, got)
    got = case(client, "weft:http", {"url": fake.uri + "/other"},
               {"status": "integer"})
    check("a failure is tried again", "HTTP 500" in str(got) and len(
        [c for c in fake.calls if c.path == "/x/other"]) == 2, got)
    called = len(fake.calls)
    for url in ("http://example.org/", fake.uri + "y",
                fake.uri + "/../secret", fake.uri + "/%2E%2e/secret",
                fake.uri + "@example.org/", "file:///etc/passwd"):
        got = case(client, "weft:http", {"url": url}, {})
        check("%s is not called" % url, "url: expected" in str(got), got)
    for inputs, what in (({"method": "GET /"}, "method"),
                         ({"headers": "no header"}, "headers"),
                         ({"headers": "Content-Length : 1"}, "headers"),
                         ({"headers": "X-One: 1\n X-Two: 2"}, "headers")):
        got = case(client, "weft:http", inputs, {})
        check("a bad %s is refused" % what, what + ": expected" in str(got),
              got)
    check("and no service is called", len(fake.calls) == called)
    got = case(client, "weft:http/none", {}, {}, 1)
    check("nothing is called that is not registered", got is None, got)
    server.close()
    fake.close()


class Post(threading.Thread):
    """A mail server."""

    def __init__(self):
        super().__init__(daemon=True)
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.mails = []
        self.start()

    def run(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,),
                             daemon=True).start()

    def serve(self, connection):
        file = connection.makefile("rwb")

        def say(line):
            file.write(line + b"\r\n")
            file.flush()

        say(b"220 here")
        to = []
        for line in iter(file.readline, b""):
            word = line.split(b" ")[0].strip().upper()
            if word == b"RCPT" and b"nobody" in line:
                say(b"550 there is no such mailbox")
            elif word == b"RCPT":
                to.append(line.split(b"<")[1].split(b">")[0].decode())
                say(b"250 yes")
            elif word == b"DATA":
                say(b"354 go on")
                text = b""
                for part in iter(file.readline, b".\r\n"):
                    text += part
                self.mails.append((to, email.message_from_bytes(text)))
                say(b"250 taken")
            elif word == b"QUIT":
                say(b"221 bye")
                return
            else:
                say(b"250 here")


def mail():
    post = Post()
    server = Server(arguments=ALLOW)
    client = server.client()
    put(client, "mail", uri="weft:mail",
        address="smtp://127.0.0.1:%d" % post.port)
    text = "Dear Ann,\n.\n" + "äöü " * 100
    got = case(client, "weft:mail", {
        "from": "weft@example.org", "to": "ann@example.org, bob@example.org",
        "subject": "Grüße " * 20, "text": text}, {"to": "string"})
    check("a mail is sent", got is not None and len(post.mails) == 1, got)
    to, message = post.mails[0]
    check("to all", to == ["ann@example.org", "bob@example.org"], to)
    check("with its text", base64.b64decode(
        message.get_payload()).decode() == text, message)
    subject = "".join(
        part.decode(code or "ascii") if isinstance(part, bytes) else part
        for part, code in email.header.decode_header(message["Subject"]))
    check("and subject", subject == "Grüße " * 20, subject)
    for inputs, what in (
            ({"from": "weft", "to": "a@b"}, "from: expected"),
            ({"from": "a@b", "to": ""}, "to: expected"),
            ({"from": "a@b", "to": "a@b\r\nBcc: c@d"}, "to: expected"),
            ({"from": "a@b", "to": "nobody@b"}, "SMTP 550")):
        got = case(client, "weft:mail", inputs, {})
        check("%r is refused" % inputs, what in str(got), got)
    check("one mail was sent", len(post.mails) == 1)
    server.close()
    post.socket.close()


def refused():
    server = Server()
    client = server.client()
    for more in ({"uri": "weft:other"}, {"uri": "weft:http"},
                 {"uri": "weft:http", "address": "ftp://x/"},
                 {"uri": "weft:mail", "address": "http://x/"}):
        answer = client.call("PUT", "/v1/services/x",
                             {"kind": "built-in", **more})
        check("%r is no service" % more, answer.status == 400, answer)
    server.close()


def unknown():
    """A store written by a newer version has a built-in service unknown
    here."""
    server = Server()
    put(server.client(), "new", uri="weft:echo/new")
    server.stop()
    store = sqlite3.connect(server.folder + "/weft.db", isolation_level=None)
    (value,), = store.execute("SELECT value FROM record WHERE name = 'new'")
    store.execute("UPDATE record SET value = ? WHERE name = 'new'",
                  (value.replace(b"weft:echo/new", b"weft:post/new"),))
    store.close()
    server.start()
    got = case(server.client(), "weft:post/new", {}, {})
    check("what is not known yet is an incident",
          "nothing of that name" in str(got), got)
    server.close()


run(simple, http, mail, refused, unknown)
end()
