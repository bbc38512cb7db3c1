# SPDX-License-Identifier: Apache-2.0
"""Signing in with a cookie: what it proves, from where, and until when."""
import subprocess

from checks import check, end, run, until
from people import add_people
from server import WEFT, Client, Server, Stream

PASSWORD = "correct horse battery"
NAME = "weft-session"


class Browser:
    """A client with a cookie; it sends the value against forged requests,
    or another one."""

    def __init__(self, server):
        self.client = Client(server.port, "")
        self.client.hold = lambda *exchange: None  # cookies are not described
        self.cookie = None
        self.value = None

    def call(self, method, path, body=None, value=True, cookie=None, **headers):
        send = {k.replace("_", "-"): v for k, v in headers.items()}
        if cookie or self.cookie:
            send["Cookie"] = cookie or "%s=%s" % self.cookie
        if value is True:
            value = self.value
        if value:
            send["X-CSRF-Token"] = value
        return self.client.call(method, path, body, headers=send)

    def sign_in(self, body=None, **headers):
        if body is None:
            body = {"name": "anna", "password": PASSWORD}
        answer = self.call("POST", "/v1/session", body, **headers)
        if answer.status == 201:
            line = answer.headers["set-cookie"]
            name, _, rest = line.partition("=")
            self.cookie = (name, rest.split(";")[0])
            self.value = answer.json()["csrf_token"]
        return answer

    def status(self, path="/v1/session", **more):
        return self.call("GET", path, **more).status


def weft(server, *words, input=""):
    return subprocess.run([WEFT, "account", *words, "--db", server.db],
                          input=input.encode(), check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def world():
    server = Server(arguments=["--people", "--proxy", "127.0.0.1"])
    add_people(server, {"anna": {}})
    weft(server, "password", "anna", input=PASSWORD + "\n")
    browser = Browser(server)
    check("the password is known", until(
        lambda: browser.sign_in().status == 201))
    return server


def signing_in(server):
    browser = Browser(server)
    answer = browser.sign_in()
    me = answer.json()
    check("one signs in", answer.status == 201 and me["account"] == "anna"
          and me["method"] == "password" and me["role"] == "participant"
          and me["verbs"] == ["participate"] and me["participant"], answer)
    line = answer.headers["set-cookie"]
    check("the cookie is for this server and no script",
          line.startswith(NAME + "=") and "; Path=/; HttpOnly; SameSite=Strict"
          in line and "Secure" not in line and "Domain" not in line
          and "Expires" not in line, line)
    check("the answer is not stored",
          answer.headers.get("cache-control") == "no-store")
    shown = browser.call("GET", "/v1/session").json()
    check("the session says the same later", shown == me, shown, me)
    check("the worklist is there", browser.status("/v1/worklist") == 200)
    check("other things are not", browser.status("/v1/cases") == 403)
    token = server.client().get("/v1/session")
    check("a token says who it is, too", token.json()["account"] == "admin"
          and token.json()["method"] == "token"
          and "csrf_token" not in token.json(), token)
    for body in ({}, {"name": "anna"}, {"password": PASSWORD},
                 {"name": "anna", "password": 1}, {"token": 1},
                 {"name": "anna", "password": PASSWORD, "token": "t"},
                 {"name": "anna", "password": PASSWORD, "more": 1},
                 {"name": "a" * 65, "password": PASSWORD}):
        check("a body that makes no sense", Browser(server).sign_in(
            body).status == 400, body)
    for body in ({"name": "anna", "password": "wrong horse"},
                 {"name": "nobody", "password": PASSWORD},
                 {"name": "", "password": ""}, {"token": "weft_x"},
                 {"token": ""}):
        refused = Browser(server).sign_in(body)
        check("a wrong password or token", refused.status == 401
              and "set-cookie" not in refused.headers, body, refused)


def cookies(server):
    browser = Browser(server)
    browser.sign_in()
    name, good = browser.cookie
    bad = "A" * 43
    for text, status in (
            ("%s=%s" % (NAME, good), 200),
            ("a=b; %s=%s; c=d" % (NAME, good), 200),
            ("a=b;%s=\"%s\"" % (NAME, good), 200),
            ("%s=%s; %s=%s" % (NAME, good, NAME, good), 200),
            ("%s=%s; %s=%s" % (NAME, good, NAME, bad), 401),
            ("%s=%s; %s=%s" % (NAME, bad, NAME, good), 401),
            ("%s=%s" % (NAME, bad), 401), ("%s=" % NAME, 401),
            ("%s=%s" % (NAME, good[:-1]), 401),
            ("%s=%sx" % (NAME, good), 401),
            ("%s=%s" % (NAME.upper(), good), 401),
            ("x%s=%s" % (NAME, good), 401),
            ("__Host-%s=%s" % (NAME, good), 401),
            (";;;=;\"", 401), ("x" * 4000, 401)):
        got = browser.status(cookie=text)
        check("a cookie", got == status, text[:100], got)
    check("a header says more than the cookie", browser.status(
        Authorization="Bearer weft_x") == 401)


def forgery(server):
    """Pages of other sites; requests without the value."""
    browser = Browser(server)
    other = Browser(server)
    browser.sign_in()
    other.sign_in()
    own = "http://127.0.0.1:%d" % server.port

    def ask(value=True, method="DELETE", **headers):
        return browser.call(method, "/v1/session", value=value,
                            **headers).status
    for value in (None, "", "x", other.value, browser.value[:-1],
                  browser.value + "x", browser.cookie[1]):
        check("a request that changes something needs the value",
              ask(value) == 403, value)
    check("one that reads does not", ask(None, "GET") == 200)
    for origin in ("https://evil.example", "null", own + ".evil.example",
                   "http://127.0.0.1:1"):
        check("the page of another origin may do nothing",
              ask(Origin=origin) == 403 and ask(None, "GET", Origin=origin)
              == 403, origin)
    check("nor one that says so", ask(Sec_Fetch_Site="cross-site") == 403
          and ask(Sec_Fetch_Site="same-site") == 403)
    check("nothing was done", browser.status() == 200)
    form = Browser(server)
    for type in ("text/plain", "application/x-www-form-urlencoded"):
        got = form.call("POST", "/v1/session",
                        "{\"name\":\"anna\",\"password\":\"%s\"}" % PASSWORD,
                        Content_Type=type, Origin=own)
        check("nobody is signed in with a form", got.status == 415, got)
    check("nor by another site", form.sign_in(
        Sec_Fetch_Site="cross-site").status == 403)
    check("a page of the server may", ask(Origin=own,
                                          Sec_Fetch_Site="same-origin") == 204)
    check("the other session is another one", other.status() == 200)


def proxied(server):
    """A proxy that is trusted says that the client speaks TLS."""
    browser = Browser(server)
    line = browser.sign_in(X_Forwarded_Proto="https").headers["set-cookie"]
    check("over TLS the cookie is for TLS only",
          line.startswith("__Host-%s=" % NAME) and "; Secure" in line
          and "; Path=/;" in line, line)
    check("it is good", browser.status(X_Forwarded_Proto="https") == 200)
    check("not in plain text", browser.status() == 401)


def ending(server):
    browser = Browser(server)
    browser.sign_in()
    first = browser.cookie
    browser.sign_in()
    check("a session that signs in is another one",
          browser.cookie != first and browser.status() == 200)
    check("and the one before has ended",
          browser.status(cookie="%s=%s" % first) == 401)
    out = browser.call("DELETE", "/v1/session")
    check("one signs out", out.status == 204
          and "Max-Age=0" in out.headers["set-cookie"], out)
    check("that is the end", browser.status() == 401)
    planted = "A" * 43  # by somebody who wants to know the id
    browser.cookie = (NAME, planted)
    browser.sign_in()
    check("an id that was not made here is not used",
          browser.cookie[1] != planted and browser.status() == 200)
    without = server.client().call("DELETE", "/v1/session")
    check("a token cannot be signed out", without.status == 409, without)

    weft(server, "password", "anna", input=PASSWORD + "\n")
    check("a new password ends the sessions",
          until(lambda: browser.status() == 401))
    browser.sign_in()
    check("one signs in again", browser.status() == 200)


def streams(server):
    """A stream ends with the session that opened it; with its token, too."""
    token = weft(server, "add", "rita", "--role", "reader").stdout
    token = token.decode().split()[-1]
    weft(server, "token", "rita", "second")
    browser = Browser(server)
    check("a token signs in", until(lambda: browser.sign_in(
        {"token": token}).status == 201))
    check("it says so", browser.call("GET", "/v1/session").json()["method"]
          == "token")
    plain = Stream(server.port, token, "/v1/events")
    streams = [Stream(server.port, "", "/v1/events", {
        "Cookie": "%s=%s" % browser.cookie}) for _ in range(2)]
    check("streams open", [s.status for s in streams] == [200, 200])
    browser.call("DELETE", "/v1/session")
    check("they end with the session",
          [s.next() for s in streams] == [None, None]
          and all(s.ended for s in streams))
    check("that of the token does not", plain.next(0.1) is None
          and not plain.ended)
    browser.sign_in({"token": token})
    weft(server, "revoke", "rita", "first")
    check("a session ends with its token",
          until(lambda: browser.status() == 401))
    plain.close()


def restart(server):
    browser = Browser(server)
    browser.sign_in()
    server.stop()
    server.start()
    browser.client.close()
    browser.client.port = server.port
    check("a session outlives the server", browser.status() == 200)


def all_of_them():
    server = world()
    for part in (signing_in, cookies, forgery, proxied, ending, streams,
                 restart):
        part(server)
    server.close()


run(all_of_them)
end()
