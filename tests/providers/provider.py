# SPDX-License-Identifier: Apache-2.0
"""A small provider: OpenID Connect, tokens of machines, OAuth 2 client
credentials.  Keys are made by openssl; signatures by arithmetic."""
import base64
import hashlib
import http.server
import json
import subprocess
import threading
import time
import urllib.parse

SHA256 = bytes.fromhex("3031300d060960864801650304020105000420")
CLIENT = "weft client"
SECRET = "se cret:%/"


def encode(data):
    if isinstance(data, dict):
        data = json.dumps(data).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value):
    return encode(value.to_bytes((value.bit_length() + 7) // 8, "big"))


def read_der(data):
    """The integers of a SEQUENCE, one level deep."""
    def element(at):
        length = data[at + 1]
        begin = at + 2
        if length & 0x80:
            count = length & 0x7f
            length = int.from_bytes(data[begin:begin + count], "big")
            begin += count
        return begin, begin + length

    at, end = element(0)
    numbers = []
    while at < end:
        begin, after = element(at)
        numbers.append(int.from_bytes(data[begin:after], "big"))
        at = after
    return numbers


class Key:
    def __init__(self, id):
        der = subprocess.run(
            ["openssl", "genrsa", "-traditional", "2048"], check=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        body = b"".join(line for line in der.splitlines()
                        if not line.startswith(b"-"))
        _, self.n, self.e, self.d = read_der(base64.b64decode(body))[:4]
        self.id = id

    def public(self):
        return {"kty": "RSA", "kid": self.id, "use": "sig", "alg": "RS256",
                "n": number(self.n), "e": number(self.e)}

    def sign(self, claims, header=None):
        head = {"alg": "RS256", "typ": "JWT", "kid": self.id}
        head.update(header or {})
        text = encode(head) + "." + encode(claims)
        digest = SHA256 + hashlib.sha256(text.encode()).digest()
        padded = b"\0\1" + b"\xff" * (256 - 3 - len(digest)) + b"\0" + digest
        value = pow(int.from_bytes(padded, "big"), self.d, self.n)
        return text + "." + encode(value.to_bytes(256, "big"))


class Provider:
    def __init__(self):
        self.keys = [Key("one")]
        self.requests = []  # (method, path)
        self.issued = 0
        self.codes = {}
        self.user = {"sub": "u1", "preferred_username": "olga"}
        self.alter = lambda claims: claims  # of the ID token
        self.token_key = None  # signs ID tokens instead
        self.token_header = None
        self.oauth = {"status": 200, "expires_in": 3600}
        self.hold = None  # an event that the answers of /token wait for
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                provider.handle(self, "")

            def do_POST(self):
                length = int(self.headers.get("Content-Length", 0))
                provider.handle(self, self.rfile.read(length).decode())

        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.issuer = "http://127.0.0.1:%d/realm" % self.port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    # --- tokens ---------------------------------------------------------------

    def token(self, key=None, header=None, **claims):
        """A token of a machine; a claim None is left out."""
        now = int(time.time())
        all = {"iss": self.issuer, "aud": "weft", "sub": "robot",
               "iat": now, "exp": now + 600}
        all.update(claims)
        return (key or self.keys[0]).sign(
            {name: value for name, value in all.items() if value is not None},
            header)

    # --- requests -------------------------------------------------------------

    def answer(self, handler, status, json_body=None, location=None):
        body = b"" if json_body is None else json.dumps(json_body).encode()
        handler.send_response(status)
        if location:
            handler.send_header("Location", location)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def handle(self, handler, body):
        url = urllib.parse.urlsplit(handler.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        form = dict(urllib.parse.parse_qsl(body))
        self.requests.append((handler.command, url.path))
        path = url.path.replace("/realm", "")
        if path == "/.well-known/openid-configuration":
            self.answer(handler, 200, {
                "issuer": self.issuer,
                "authorization_endpoint": self.issuer + "/authorize",
                "token_endpoint": self.issuer + "/token",
                "userinfo_endpoint": self.issuer + "/userinfo",
                "jwks_uri": self.issuer + "/keys"})
        elif path == "/keys":
            self.answer(handler, 200,
                        {"keys": [key.public() for key in self.keys]})
        elif path == "/authorize":
            self.authorize(handler, query)
        elif path == "/token":
            self.give_token(handler, form)
        elif path == "/api":
            self.api(handler)
        else:
            self.answer(handler, 404, {})

    def authorize(self, handler, query):
        """The user is known already, and agrees."""
        code = "code%d" % len(self.codes)
        self.codes[code] = dict(query, used=False)
        self.answer(handler, 302, location=query["redirect_uri"] + "?" +
                    urllib.parse.urlencode(
                        {"code": code, "state": query["state"]}))

    def has_secret(self, handler, form):
        text = handler.headers.get("Authorization", "")
        if not text.startswith("Basic "):
            return (form.get("client_id"), form.get("client_secret")) == (
                CLIENT, SECRET)
        pair = base64.b64decode(text[6:]).decode().split(":")
        return [urllib.parse.unquote_plus(part) for part in pair] == [
            CLIENT, SECRET]

    def give_token(self, handler, form):
        if self.hold:
            self.hold.wait(60)
        if not self.has_secret(handler, form):
            self.answer(handler, 401, {"error": "invalid_client"})
        elif form.get("grant_type") == "client_credentials":
            self.give_client(handler, form)
        else:
            self.give_code(handler, form)

    def give_client(self, handler, form):
        self.issued += 1
        self.scope = form.get("scope")
        self.answer(handler, self.oauth["status"], dict(
            {"access_token": "access-%d" % self.issued,
             "token_type": "Bearer"},
            **({"expires_in": self.oauth["expires_in"]}
               if self.oauth["expires_in"] else {})))

    def give_code(self, handler, form):
        code = self.codes.get(form.get("code"))
        challenge = encode(hashlib.sha256(
            form.get("code_verifier", "").encode()).digest())
        if not code or code["used"] or challenge != code["code_challenge"] \
                or form["redirect_uri"] != code["redirect_uri"]:
            self.answer(handler, 400, {"error": "invalid_grant"})
            return
        code["used"] = True
        now = int(time.time())
        claims = dict({"iss": self.issuer, "aud": CLIENT, "iat": now,
                       "exp": now + 300, "nonce": code["nonce"]}, **self.user)
        key = self.token_key or self.keys[0]
        self.answer(handler, 200, {
            "access_token": "of a person", "token_type": "Bearer",
            "id_token": key.sign(self.alter(claims), self.token_header)})

    def api(self, handler):
        """A service that takes the last token only."""
        given = handler.headers.get("Authorization", "")
        if given == "Bearer access-%d" % self.issued:
            self.answer(handler, 200, {"answer": 42})
        else:
            self.answer(handler, 401, {"error": "invalid_token"})
