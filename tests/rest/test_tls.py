# SPDX-License-Identifier: Apache-2.0
"""TLS by the server: versions, certificates that change, handshakes that do not
end, plain HTTP at the same port, workers that go away; and who may be served
plain HTTP."""
import http.client
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import tempfile

from checks import LIMIT, check, run, end, until
from server import WEFT, Server

SERVER = "127.0.0.1"


def make_certificate(folder, name, key="ec", chain=False):
    """NAME.crt and NAME.key in the folder; valid for 127.0.0.1."""
    kind = ["-newkey", "rsa:2048"] if key == "rsa" else [
        "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    subprocess.run(
        ["openssl", "req", "-x509", "-nodes", "-days", "30",
         "-subj", "/CN=" + name, "-addext", "subjectAltName=IP:127.0.0.1",
         "-keyout", "%s/%s.key" % (folder, name),
         "-out", "%s/%s.crt" % (folder, name)] + kind,
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class World:
    def __init__(self, *arguments, key="ec"):
        self.folder = tempfile.mkdtemp(prefix="weft-tls-")
        make_certificate(self.folder, "one", key)
        self.use("one")
        self.server = Server(arguments=(
            "--tls-certificate", self.path("c.pem"),
            "--tls-key", self.path("k.pem")) + arguments)

    def path(self, name):
        return os.path.join(self.folder, name)

    def use(self, name, files="ck"):
        """Replaces the files, each at once."""
        for letter, suffix in (("c", "crt"), ("k", "key")):
            if letter in files:
                shutil.copy(self.path("%s.%s" % (name, suffix)),
                            self.path("new"))
                os.rename(self.path("new"), self.path(letter + ".pem"))

    def context(self, least=None, most=None, trusted="one"):
        context = ssl.create_default_context(
            cafile=trusted and self.path(trusted + ".crt"))
        if least:
            context.minimum_version = least
        if most:
            context.maximum_version = most
        return context

    def connect(self, context=None):
        raw = socket.create_connection((SERVER, self.server.port))
        raw.settimeout(LIMIT)
        return (context or self.context()).wrap_socket(
            raw, server_hostname=SERVER)

    def call(self, method, path, body=None, context=None):
        connection = http.client.HTTPSConnection(
            SERVER, self.server.port, timeout=LIMIT,
            context=context or self.context())
        connection.request(
            method, path, None if body is None else json.dumps(body), {
                "Authorization": "Bearer " + self.server.token,
                "Content-Type": "application/json"})
        answer = connection.getresponse()
        result = answer.status, answer.read()
        connection.close()
        return result

    def subject(self):
        """Of the certificate that a new connection gets."""
        context = self.context(trusted=None)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        with self.connect(context) as s:
            found = subprocess.run(
                ["openssl", "x509", "-inform", "DER", "-noout", "-subject"],
                input=s.getpeercert(binary_form=True),
                stdout=subprocess.PIPE).stdout.decode()
        return found.split("=")[-1].strip()

    def close(self):
        check("the server ends well", self.server.close() == 0)
        shutil.rmtree(self.folder)


def request(world, path="/healthz", more=b""):
    return (b"GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s\r\n"
            % (path.encode(), world.server.token.encode(), more))


def receive(s, count):
    """The bytes of so many answers, or those before the end."""
    data = b""
    while data.count(b"HTTP/1.1 ") < count or not data.endswith(b"}\n"):
        part = s.recv(65536)
        if not part:
            break
        data += part
    return data


def versions():
    for key in ("ec", "rsa"):
        world = World(key=key)
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context = world.context(version, version)
            context.set_alpn_protocols(["h2", "http/1.1"])
            with world.connect(context) as s:
                s.sendall(request(world) * 3)
                answers = receive(s, 3)
                check("%s %s: three requests in one record" % (key, version),
                      answers.count(b"HTTP/1.1 200 ") == 3, answers)
                check("HTTP/1.1 is agreed on",
                      s.selected_alpn_protocol() == "http/1.1")
                for byte in request(world):
                    s.send(bytes([byte]))
                check("a request of a byte in each record",
                      receive(s, 1).startswith(b"HTTP/1.1 200 "))
        old = world.context(ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1)
        old.set_ciphers("ALL:@SECLEVEL=0")
        weak = world.context(None, ssl.TLSVersion.TLSv1_2)
        weak.set_ciphers("AES128-SHA:AES128-GCM-SHA256:ECDHE-RSA-AES128-SHA:"
                         "ECDHE-ECDSA-AES128-SHA:DHE-RSA-AES128-GCM-SHA256")
        for what, context in (("TLS 1.1", old), ("a weak cipher", weak)):
            try:
                world.connect(context).close()
                check("%s is refused" % what, False)
            except (ssl.SSLError, OSError):
                check("%s is refused" % what, True)
        body = {"uri": "x" * 100000}
        status, answer = world.call("PUT", "/v1/services/s", body)
        check("a body of many records", status in (400, 413, 422), status)
        status, answer = world.call("GET", "/openapi.yaml")
        check("an answer of many records", status == 200 and
              len(answer) > 40000, len(answer))
        check("it says https", b"https://127.0.0.1:" in
              world.call("GET", "/about")[1])
        world.close()


def connections(world):
    return int(re.search(rb"^weft_http_connections (\d+)$",
                         world.call("GET", "/metrics")[1], re.M).group(1))


def others():
    """What is no handshake is closed; the others are served."""
    world = World("--idle", "1s")
    answer = world.server.raw(request(world), half=True)
    check("plain HTTP is not answered", b"HTTP/1.1 200" not in answer, answer)
    waiting = [socket.create_connection((SERVER, world.server.port))
               for _ in range(50)]
    for i, s in enumerate(waiting):
        s.settimeout(LIMIT)
        s.sendall(b"\x16\x03\x01\x02\x00\x01\x00"[:i % 8])
    check("others are served meanwhile",
          world.call("GET", "/healthz")[0] == 200)
    ended = 0
    for s in waiting:
        try:
            while s.recv(1000):
                pass
        except ConnectionError:
            pass
        ended += 1
        s.close()
    check("handshakes that do not end are ended", ended == len(waiting))
    check("no connection is left", until(lambda: connections(world) == 1),
          connections(world))
    world.close()


def reload():
    world = World("--log-level", "info")
    make_certificate(world.folder, "two", "rsa")
    with world.connect() as old:
        old.sendall(request(world))
        receive(old, 1)
        world.use("two")
        check("a new certificate is used", until(
            lambda: world.subject() == "two"), world.server.read_log())
        old.sendall(request(world))
        check("a connection goes on",
              receive(old, 1).startswith(b"HTTP/1.1 200 "))
    log = world.server.read_log()
    check("the log says it", '"certificate_loaded"' in log, log)
    for what, text, reason in (
            ("text", b"no certificate", "expected a certificate in PEM"),
            ("a certificate without its key", open(world.path("one.crt"),
             "rb").read(), "is not the key of the first certificate")):
        with open(world.path("new"), "wb") as file:
            file.write(text)
        os.rename(world.path("new"), world.path("c.pem"))
        check("%s is not" % what, until(
            lambda: reason in world.server.read_log()))
        check("the one before stays", world.subject() == "two")
    os.remove(world.path("k.pem"))
    check("a file that is missing is reported", until(
        lambda: world.server.read_log().count(
            '"certificate_not_loaded"') >= 3))
    world.use("one", "k")
    check("the files fit again", until(lambda: world.subject() == "one"))
    check("each change is reported once", world.server.read_log().count(
        '"certificate_not_loaded"') == 3, world.server.read_log())
    world.close()


def workers():
    """A worker that ends its session while it waits gets no lease."""
    world = World()
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "examples",
                           "sequence.yawl")) as file:
        connection = http.client.HTTPSConnection(
            SERVER, world.server.port, context=world.context())
        connection.request("POST", "/v1/specifications", file.read(), {
            "Authorization": "Bearer " + world.server.token,
            "Content-Type": "application/xml"})
        answer = json.loads(connection.getresponse().read())
        connection.close()
    key = answer["specifications"][0]["key"]
    claim = b'{"wait":"PT30S"}'
    head = (b"POST /v1/items:claim HTTP/1.1\r\nHost: x\r\nAuthorization: "
            b"Bearer %s\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n" % (
                world.server.token.encode(), len(claim)))
    gone = []
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        for how in ("notify", "close", "both"):
            s = world.connect(world.context(version, version))
            s.sendall(head + claim)
            gone.append((how, s))
    check("all are there", until(
        lambda: connections(world) == len(gone) + 1), connections(world))
    for how, s in gone:
        if how != "close":
            s.settimeout(0.2)
            try:
                s.unwrap()  # sends close_notify
            except (ssl.SSLError, OSError):
                pass
        if how != "notify":
            s.close()
    world.call("POST", "/v1/cases", {"specification": key, "case": "a"})
    alive = world.connect()
    alive.sendall(head + claim)
    answer = receive(alive, 1)
    check("who is there gets the item, with the first fence",
          b'"item":"a.1:Ask"' in answer and b'"attempt":1' in answer, answer)
    for _, s in gone:
        s.close()
    alive.close()
    world.close()


def serve(*arguments):
    done = subprocess.run(
        [WEFT, "serve", "--db", "memory:"] + list(arguments), timeout=LIMIT,
        cwd=tempfile.gettempdir(), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    return done.returncode, done.stderr.decode()


def exposed():
    folder = tempfile.mkdtemp(prefix="weft-tls-")
    for address in ("0.0.0.0:0", "[::]:0"):
        code, text = serve("--listen", address)
        if "cannot listen" in text:
            continue
        check("plain HTTP for all is refused", code == 2 and all(
            word in text for word in ("tls-certificate", "proxy",
                                      "insecure")), code, text)
    for address in ("localhost:0", "127.0.0.7:0"):
        server = Server(arguments=("--listen", address))
        check("for this machine it is not", server.close() == 0)
    for more in (("--insecure",), ("--proxy", "10.0.0.0/8,192.168.0.0/16")):
        server = Server(arguments=("--listen", "0.0.0.0:0") + more)
        check("there are ways out",
              server.client().get("/v1/cases").status == 200)
        server.close()
    make_certificate(folder, "one")
    make_certificate(folder, "two")
    one, two = folder + "/one", folder + "/two"
    for arguments, reason in (
            (("--tls-certificate", one + ".crt"), "needs tls-key"),
            (("--tls-key", one + ".key"), "needs tls-certificate"),
            (("--tls-certificate", one + ".crt", "--tls-key", two + ".key"),
             "is not the key"),
            (("--tls-certificate", one + ".key", "--tls-key", one + ".key"),
             "expected a certificate in PEM"),
            (("--tls-certificate", one + ".crt", "--tls-key", one + ".crt"),
             "expected a key in PEM"),
            (("--tls-certificate", one + ".crt", "--tls-key", "/nowhere"),
             "/nowhere")):
        code, text = serve("--listen", "127.0.0.1:0", *arguments)
        check("the server does not start", code != 0 and reason in text,
              reason, text)
    shutil.rmtree(folder)


def forwarded():
    """The address of the client in the log, behind trusted proxies."""
    server = Server(arguments=("--proxy", "127.0.0.1,10.0.0.0/8",
                               "--log-level", "info"))
    number = 0
    for headers, client in (
            ({}, "127.0.0.1"),
            ({"X-Forwarded-For": "203.0.113.7"}, "203.0.113.7"),
            ({"X-Forwarded-For": "1.2.3.4, 203.0.113.7"}, "203.0.113.7"),
            ({"X-Forwarded-For": "203.0.113.7, 10.1.2.3"}, "203.0.113.7"),
            ({"X-Forwarded-For": "203.0.113.7,::ffff:10.1.2.3"},
             "203.0.113.7"),
            ({"X-Forwarded-For": "::ffff:203.0.113.7"}, "203.0.113.7"),
            ({"X-Forwarded-For": "[2001:db8::1]:80"}, "2001:db8::1"),
            ({"X-Forwarded-For": "203.0.113.7, unknown"}, "127.0.0.1"),
            ({"X-Forwarded-For": "unknown, 10.1.2.3"}, "10.1.2.3"),
            ({"X-Forwarded-For": ""}, "127.0.0.1"),
            ({"Forwarded": 'for=192.0.2.1, for="[2001:db8::2]:8";proto=https'},
             "2001:db8::2"),
            ({"Forwarded": "proto=https; For=192.0.2.9"}, "192.0.2.9"),
            ({"Forwarded": "for=_hidden"}, "127.0.0.1"),
            ({"Forwarded": "for=192.0.2.1",
              "X-Forwarded-For": "192.0.2.1"}, "192.0.2.1"),
            ({"Forwarded": "for=192.0.2.1",
              "X-Forwarded-For": "192.0.2.2"}, "127.0.0.1")):
        number += 1
        path = "/healthz?x=1" if number < 0 else "/nowhere/%d" % number
        server.client().get(path, headers=headers)
        check("the log has the client", until(
            lambda: '"peer":"%s","method":"GET","path":"%s"' % (
                client, path) in server.read_log().replace(
                    '": ', '":').replace(', "', ',"')), headers, client,
              server.read_log()[-300:])
    answer = server.raw(
        b"GET /nowhere/twice HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        b"X-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 203.0.113.8\r\n\r\n")
    check("the last of two headers counts", until(
        lambda: "203.0.113.8" in server.read_log()), answer)
    page = server.client().get("/about", headers={"X-Forwarded-Proto": "https"})
    check("the page says https", b"https://127.0.0.1" in page.body)
    server.close()
    server = Server(arguments=("--log-level", "info"))
    server.client().get("/nowhere", headers={
        "X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https"})
    check("without the setting nobody is believed", until(
        lambda: "/nowhere" in server.read_log()) and
          "203.0.113.7" not in server.read_log())
    server.close()


def clients():
    """The command line of Weft."""
    world = World()
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("WEFT_")}
    environment["WEFT_TOKEN"] = world.server.token
    url = "https://127.0.0.1:%d" % world.server.port

    def weft(*words, **more):
        done = subprocess.run([WEFT] + list(words), timeout=LIMIT,
                              env=dict(environment, **more),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    ca = world.path("one.crt")
    for found in (weft("case", "list", "--server", url, "--ca", ca),
                  weft("case", "list", WEFT_SERVER=url, WEFT_CA=ca)):
        check("a server whose certificate is known", found[0] == 0, found)
    found = weft("case", "list", "--server", url)
    check("an unknown one is refused, and what to do", found[0] != 0 and
          "--ca" in found[2] and "WEFT_CA" in found[2], found)
    found = weft("case", "list", "--server", url, "--ca", "/nowhere")
    check("a file that is missing", found[0] != 0 and "/nowhere" in found[2],
          found)
    found = weft("case", "list", "--server", url.replace("https", "http"))
    check("plain HTTP to it", found[0] != 0 and "https://" in found[2], found)
    found = weft("bench", "http", "--server", url, "--ca", ca, "--net", "seq",
                 "--size", "3", "--clients", "4", "--cases", "8")
    check("the benchmark", found[0] == 0 and "items" in found[1], found)
    world.close()


if __name__ == "__main__":
    run(versions, others, reload, workers, exposed, forwarded, clients)
    end()
