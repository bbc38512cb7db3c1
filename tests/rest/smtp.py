# SPDX-License-Identifier: Apache-2.0
"""A small server of mail."""
import base64
import email
import email.header
import os
import socket
import ssl
import subprocess
import threading
import time

from checks import LIMIT


def make_certificates(folder, address="127.0.0.1"):
    """ca.pem, and chain.pem and key.pem of a server of that address."""
    def openssl(*words):
        subprocess.run(["openssl", *words], check=True, cwd=folder,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
               "-nodes"]
    with open(os.path.join(folder, "names"), "w") as file:
        file.write("subjectAltName=IP:%s\n" % address)
    openssl("req", "-x509", *new_key, "-keyout", "ca.key", "-out", "ca.pem",
            "-subj", "/CN=CA of the test", "-days", "30")
    openssl("req", *new_key, "-keyout", "key.pem", "-out", "request",
            "-subj", "/CN=mail")
    openssl("x509", "-req", "-in", "request", "-CA", "ca.pem", "-CAkey",
            "ca.key", "-CAcreateserial", "-out", "chain.pem", "-days", "30",
            "-extfile", "names")


class Smtp:
    """refuse: address -> answers, one each time.  certificates: a folder of
    make_certificates(); offers STARTTLS then, or speaks TLS from the beginning
    (implicit).  user: (NAME, PASSWORD) that it wants.  pause: the seconds that
    each mail takes.  hold_at: so many recipients are answered, the next one
    waits until release()."""

    def __init__(self, port=0, certificates=None, implicit=False, user=None,
                 pause=0, hold_at=None):
        self.context = None
        if certificates:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(
                os.path.join(certificates, "chain.pem"),
                os.path.join(certificates, "key.pem"))
        self.implicit = implicit
        self.user = user
        self.pause = pause
        self.hold_at = hold_at
        self.socket = socket.create_server(("127.0.0.1", port))
        self.port = self.socket.getsockname()[1]
        self.mails = []
        self.secure = []    # for each mail, whether it came by TLS
        self.words = []     # commands: (word, whether by TLS)
        self.logins = []
        self.refuse = {}
        self.tries = []
        self.held = threading.Event()
        self.released = threading.Event()
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

    def release(self):
        self.hold_at = None
        self.released.set()

    def note(self, change):
        with self.changed:
            change()
            self.changed.notify_all()

    def wait(self, holds, seconds=LIMIT):
        """Until that holds; whether it does."""
        with self.changed:
            return self.changed.wait_for(holds, seconds)

    def wait_for(self, count):
        self.wait(lambda: len(self.mails) >= count)
        return list(self.mails)

    def answer_to(self, address):
        if self.hold_at is not None and len(self.tries) >= self.hold_at:
            self.held.set()
            self.released.wait()
        self.tries.append(address)
        answers = self.refuse.get(address, [])
        return answers.pop(0) if answers else "250 ok"

    def serve(self, connection):
        try:
            Conversation(self, connection).talk()
        except OSError:  # the client is gone
            pass
        finally:
            connection.close()

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self.released.set()
        for connection in self.connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Conversation:
    """With one client."""

    def __init__(self, server, connection):
        self.server = server
        self.to = None
        self.use(connection, False)

    def use(self, connection, is_secure):
        self.connection = connection
        self.is_secure = is_secure
        self.lines = connection.makefile("rb")

    def encrypt(self):
        """Fails when the client breaks the handshake off."""
        self.use(self.server.context.wrap_socket(
            self.connection, server_side=True), True)

    def say(self, *lines):
        self.connection.sendall(
            "".join(line + "\r\n" for line in lines).encode())

    def line(self):
        """The next line; "" at the end."""
        return self.lines.readline().decode().strip()

    def talk(self):
        if self.server.implicit:
            self.encrypt()
        self.say("220 test")
        while True:
            line = self.line()
            word = line.upper().split(" ")[0].split(":")[0]
            if not word:
                return
            self.server.note(lambda: self.server.words.append(
                (word, self.is_secure)))
            answer = getattr(self, "do_" + word.lower(), None)
            if answer is None:
                self.say("250 ok")
            elif answer(line) is False:
                return

    def do_ehlo(self, line):
        offers = ["test"]
        if self.server.context and not self.is_secure:
            offers.append("STARTTLS")
        if self.server.user:
            offers.append("AUTH PLAIN")
        self.say(*("250%s%s" % ("-" if i + 1 < len(offers) else " ", offer)
                   for i, offer in enumerate(offers)))

    def do_starttls(self, line):
        if not self.server.context:
            self.say("502 no")
            return
        self.say("220 go on")
        self.encrypt()

    def do_auth(self, line):
        words = line.split(" ")
        if len(words) == 2:
            self.say("334 ")
            words.append(self.line())
        given = tuple(base64.b64decode(words[2]).decode().split("\0")[1:])
        good = given == self.server.user
        self.server.note(lambda: self.server.logins.append((given, good)))
        self.say("235 welcome" if good else "535 wrong")

    def do_rcpt(self, line):
        self.to = line[8:].split(">")[0].lstrip("<")
        self.say(self.server.answer_to(self.to))

    def do_data(self, line):
        self.say("354 go on")
        text = b""
        for part in self.lines:
            if part == b".\r\n":
                break
            text += part
        time.sleep(self.server.pause)
        def add():
            self.server.mails.append((self.to, text))
            self.server.secure.append(self.is_secure)
        # Whoever sees the mail may end either side: the answer is before it.
        self.say("250 ok")
        self.server.note(add)

    def do_quit(self, line):
        self.say("221 bye")
        return False


def text_of(mail):
    return base64.b64decode(mail.get_payload()).decode()


def subject_of(mail):
    return "".join(
        part.decode(charset or "ascii") if isinstance(part, bytes) else part
        for part, charset in email.header.decode_header(mail["Subject"]))
