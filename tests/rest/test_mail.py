# SPDX-License-Identifier: Apache-2.0
"""Mail to people: who gets one and when, its bytes, and what happens when the
server of mail refuses or is away."""
import base64
import email
import email.header
import os
import socket
import subprocess
import tempfile
import threading

from checks import check, end, run
from people import add_people, process, resourcing
from server import WEFT, Server
from stores import on_each


class Smtp:
    """A small server of mail.  refuse: address -> answers, one each time."""

    def __init__(self, port=0):
        self.socket = socket.create_server(("127.0.0.1", port))
        self.port = self.socket.getsockname()[1]
        self.mails = []
        self.refuse = {}
        self.tries = []
        self.changed = threading.Condition()
        self.connections = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self.serve, args=(connection,),
                             daemon=True).start()

    def answer_to(self, address):
        self.tries.append(address)
        answers = self.refuse.get(address, [])
        return answers.pop(0) if answers else "250 ok"

    def serve(self, connection):
        lines = connection.makefile("rb")
        say = lambda text: connection.sendall(text.encode() + b"\r\n")
        say("220 test")
        to = None
        for line in lines:
            word = line.decode().strip()
            if word.upper().startswith("RCPT TO:"):
                to = word[8:].split(">")[0].lstrip("<")
                say(self.answer_to(to))
            elif word.upper() == "DATA":
                say("354 go on")
                text = b""
                for line in lines:
                    if line == b".\r\n":
                        break
                    text += line
                with self.changed:
                    self.mails.append((to, text))
                    self.changed.notify_all()
                say("250 ok")
            elif word.upper() == "QUIT":
                say("221 bye")
                break
            else:
                say("250 ok")
        connection.close()

    def wait_for(self, count):
        with self.changed:
            self.changed.wait_for(lambda: len(self.mails) >= count, 30)
            return list(self.mails)

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        for connection in self.connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def text_of(mail):
    return base64.b64decode(mail.get_payload()).decode()


def subject_of(mail):
    return "".join(
        part.decode(charset or "ascii") if isinstance(part, bytes) else part
        for part, charset in email.header.decode_header(mail["Subject"]))


def mail(name, db):
    smtp = Smtp()
    folder = tempfile.mkdtemp()
    with open(os.path.join(folder, "reminder.txt"), "w") as file:
        file.write("Subject: Erinnerung \u2013 {task}\n\nan {user}: {item}\n")
    server = Server(db=db, arguments=[
        "--people", "--mail-server", "smtp://127.0.0.1:%d" % smtp.port,
        "--mail-from", "weft@example.org", "--mail-templates", folder,
        "--public-url", "https://weft.example.org/"])
    client = server.client()
    client.call("PUT", "/v1/roles/RO-clerk", {"name": "Clerk"})
    client.call("PUT", "/v1/roles/RO-boss", {"name": "Boss"})
    people = add_people(server, {
        "anna": {"roles": ["Clerk"], "email": "anna@example.org",
                 "mailOnOffer": True, "mailOnAllocation": True,
                 "lastName": "B\u00e4r"},
        "ben": {"roles": ["Clerk"], "email": "ben@example.org"},
        "cara": {"roles": ["Clerk"], "mailOnOffer": True,
                 "email": "cara@example.org\r\nBcc: all@example.org"},
        "dora": {"roles": ["Clerk"], "mailOnOffer": True,
                 "email": "dora@example.org"},
        "eve": {"roles": ["Boss"], "email": "eve@example.org"}})
    smtp.refuse["dora@example.org"] = ["550 nobody of that name"]
    clerks = resourcing(roles=["RO-clerk"], more="<privileges><privilege><name>"
                        "canDelegate</name><allowall>true</allowall>"
                        "</privilege></privileges>")
    key = client.load(process("plain", [("A", clerks)]))
    client.post("/v1/cases", {"specification": key, "case": "p"})
    mails = smtp.wait_for(1)
    check("%s: an offer goes to who wants it and has an address" % name,
          [to for to, _ in mails] == ["anna@example.org"], mails)
    message = email.message_from_bytes(mails[0][1])
    check("%s: its headers" % name, message["From"] == "<weft@example.org>"
          and message["To"] == "<anna@example.org>" and message["Date"]
          and subject_of(message) == "A is offered to you", mails[0][1])
    check("%s: its text names the person and the item" % name,
          "Anna B\u00e4r" in text_of(message) and "p:A" in text_of(message)
          and "https://weft.example.org/v1/items/p%3AA" in text_of(message),
          text_of(message))
    ben = people["ben"]
    ben.post("/v1/items/p:A/accept")
    ben.post("/v1/items/p:A/delegate", {"to": "anna"})
    mails = smtp.wait_for(2)
    message = email.message_from_bytes(mails[-1][1])
    check("%s: what is delegated is allocated" % name, len(mails) == 2
          and mails[-1][0] == "anna@example.org"
          and subject_of(message) == "A is allocated to you", mails)

    smtp.refuse["anna@example.org"] = ["451 not now"]
    key = client.load(process("late", [("Late", clerks, (
        'p:remind="enabled" p:escalate="enabled notify Boss"'))]))
    client.post("/v1/cases", {"specification": key, "case": "l"})
    mails = smtp.wait_for(7)
    found = sorted((to, subject_of(email.message_from_bytes(text)))
                   for to, text in mails[2:])
    check("%s: reminders and escalation; what is refused for now comes again"
          % name, found == [
              ("anna@example.org", "Erinnerung \u2013 Late"),
              ("anna@example.org", "Late is offered to you"),
              ("dora@example.org", "Erinnerung \u2013 Late"),
              ("dora@example.org", "Late is offered to you"),
              ("eve@example.org", "Late is late")], found)
    check("%s: a refused address is tried once for each mail" % name,
          smtp.tries.count("anna@example.org") == 5, smtp.tries)
    check("%s: nobody else, and no address with a line in it" % name,
          "ben@example.org"
          not in smtp.tries and not any("cara" in to for to in smtp.tries),
          smtp.tries)

    # The server of mail is away, and the server ends meanwhile.
    port = smtp.port
    smtp.close()
    key = client.load(process("more", [("M", clerks)]))
    client.post("/v1/cases", {"specification": key, "case": "m"})
    server.stop()
    later = Smtp(port)
    server.start()
    mails = later.wait_for(2)
    check("%s: what waits is sent when both are there again" % name,
          {to for to, _ in mails} == {"anna@example.org", "dora@example.org"}
          and all(b"m:M" in base64.b64decode(
              email.message_from_bytes(text).get_payload())
              for _, text in mails), mails)
    check("%s: and nothing again" % name, len(later.mails) == 2, later.mails)
    metrics = server.client().get("/metrics").body.decode()
    check("%s: mails are counted" % name,
          'weft_mails_total{result="sent"} 2' in metrics, metrics[-2000:])
    server.close()
    later.close()


def wrong_settings():
    folder = tempfile.mkdtemp()
    with open(os.path.join(folder, "offer.txt"), "w") as file:
        file.write("Subject: x\n\n{nothing}\n")
    for arguments, said in (
            (["--mail-server", "http://x"], "smtp://"),
            (["--mail-server", "smtp://x", "--mail-from", "a\nb@c"],
             "mail-from"),
            (["--mail-server", "smtp://x", "--mail-from", "a@b",
              "--mail-password-file", "/nonexistent"], "/nonexistent"),
            (["--mail-server", "smtp://x", "--mail-from", "a@b",
              "--mail-templates", folder], "{nothing}")):
        done = subprocess.run(
            [WEFT, "serve", "--db", "memory:", "--listen", "127.0.0.1:0",
             *arguments], cwd=folder, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=60)
        check("%s is refused" % " ".join(arguments), done.returncode != 0
              and said.encode() in done.stdout, done.stdout)


run(*on_each(mail, "mail"), wrong_settings)
end()
