# SPDX-License-Identifier: Apache-2.0
"""Signing in at a provider with a browser (OpenID Connect)."""
import http.client
import re
import tempfile
import time
import urllib.parse

import slapd
from built import has
from checks import check, end, run, skip, until
from ports import free_port
from provider import CLIENT, SECRET, Key, Provider
from server import Client, Server
from test_directory import PEOPLE, participant, settings, sign_in

PATH = "/v1/session/oidc"


class Browser:
    """Keeps cookies of Weft; follows nothing by itself."""

    def __init__(self, port):
        self.port = port
        self.cookies = {}

    def get(self, target, port=None):
        connection = http.client.HTTPConnection(
            "127.0.0.1", port or self.port, timeout=60)
        headers = {}
        if port is None and self.cookies:
            headers["Cookie"] = "; ".join(
                "%s=%s" % pair for pair in self.cookies.items())
        connection.request("GET", target, headers=headers)
        answer = connection.getresponse()
        answer.text = answer.read().decode()
        self.set = answer.headers.get_all("Set-Cookie") or []
        for line in self.set if port is None else []:
            name, value = line.split(";")[0].split("=", 1)
            if value:
                self.cookies[name] = value
            else:
                self.cookies.pop(name, None)
        connection.close()
        return answer

    def begin(self, to="/"):
        """The address at the provider to which Weft sends the browser."""
        answer = self.get(PATH + "?to=" + urllib.parse.quote(to))
        return answer.status, answer.headers.get("Location")

    def visit(self, provider, url):
        """The target at Weft to which the provider sends it."""
        parts = urllib.parse.urlsplit(url)
        answer = self.get(parts.path + "?" + parts.query, provider.port)
        parts = urllib.parse.urlsplit(answer.headers["Location"])
        return parts.path + "?" + parts.query

    def sign_in(self, provider, to="/"):
        return self.get(self.visit(provider, self.begin(to)[1]))


def good(server, provider):
    browser = Browser(server.port)
    status, url = browser.begin("/v1/worklist?view=offered")
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
    check("the browser is sent to the provider", status == 303
          and url.startswith(provider.issuer + "/authorize?"), url)
    check("with state, nonce and the hash of a verifier",
          len(query["state"]) == 43 and len(query["nonce"]) == 43
          and query["code_challenge_method"] == "S256"
          and query["client_id"] == CLIENT, query)
    cookie = browser.set[0]
    check("the cookie is for this and no scripts", "HttpOnly" in cookie
          and "SameSite=Lax" in cookie and "Path=" + PATH in cookie
          and "Max-Age=600" in cookie, cookie)
    check("nothing of it can be read in the cookie", query["state"] not in
          cookie and query["nonce"] not in cookie)
    back = browser.visit(provider, url)
    answer = browser.get(back + "&session_state=x")
    check("the callback answers a page", answer.status == 200
          and answer.headers["Content-Type"].startswith("text/html"),
          answer.text)
    check("which leads on", 'url=/v1/worklist?view=offered"' in answer.text,
          answer.text)
    check("the session is for this site only", any(
        "SameSite=Strict" in line and "HttpOnly" in line
        for line in browser.set), browser.set)
    session = browser.get("/v1/session")
    check("there is a session", session.status == 200
          and '"account":"olga"' in session.text.replace(" ", ""),
          session.text)
    check("its worklist can be read",
          browser.get("/v1/worklist").status == 200)
    check("a group gives a right", browser.get("/v1/incidents").status == 200)
    olga = server.client().get("/v1/people/olga").json()
    check("she is a participant, with a role",
          olga["firstName"] == "Olga" and olga["roles"] == ["clerk"], olga)
    check("the code is good once", browser.get(back).status == 403)


def refused(server, provider):
    now = int(time.time())

    def attempt(what, wanted=403, **claims):
        def alter(made):
            made.update(claims)
            return {name: value for name, value in made.items()
                    if value is not None}
        provider.alter = alter
        browser = Browser(server.port)
        answer = browser.sign_in(provider)
        check("refused: " + what, answer.status == wanted, answer.status,
              answer.text)
        check("without a session: " + what,
              not any("session" in name for name in browser.cookies),
              browser.cookies)
        provider.alter = lambda made: made

    attempt("another nonce", nonce="x" * 43)
    attempt("no nonce", nonce=None)
    attempt("another audience", aud="other")
    attempt("several, and nobody whom it was issued to",
            aud=[CLIENT, "other"])
    attempt("issued to another client", azp="other")
    attempt("another issuer", iss="http://127.0.0.1:1/realm")
    attempt("expired", exp=now - 61)
    attempt("of the future", iat=now + 120)
    attempt("without a subject", sub=None)
    attempt("without a name", preferred_username=None)
    attempt("another person of that name", sub="u2")
    attempt("an account of Weft's own", preferred_username="admin")
    attempt("a name that no account has", preferred_username="a b")
    provider.token_key = Key("one")
    attempt("signed by somebody else")
    provider.token_key = None
    for algorithm in ("none", "HS256"):
        provider.token_header = {"alg": algorithm}
        attempt("the algorithm " + algorithm)
    provider.token_header = None

    # What is sent to the callback is not what was begun.
    one, other = Browser(server.port), Browser(server.port)
    back = one.visit(provider, one.begin()[1])
    other.begin()
    check("refused: the state of another browser",
          other.get(back).status == 403)
    check("refused: no cookie", Browser(server.port).get(back).status == 403)
    check("refused: another state", one.get(
        back.replace("state=", "state=x")).status == 403)
    check("refused: nothing", one.get(PATH + "/callback").status == 400)
    cookie = dict(one.cookies)
    one.begin()
    one.cookies = {name: value[:-4] + "AAAA"
                   for name, value in cookie.items()}
    check("refused: a cookie that was changed", one.get(back).status == 403)
    browser = Browser(server.port)
    back = browser.visit(provider, browser.begin()[1])
    answer = browser.get(re.sub("code=[^&]*", "error=access_denied", back))
    check("the provider's refusal is said", answer.status == 403
          and "access_denied" in answer.text, answer.text)
    for path in ("//evil.example", "https://evil.example", "/\\evil", "x",
                 "/a\"b", "/" + "a" * 600):
        check("refused: to " + path[:20],
              Browser(server.port).begin(path)[0] == 400)


def with_provider(provider, folder):
    """The arguments of a server; --people is among those of a directory."""
    port = free_port()
    with open(folder.name + "/secret", "w") as file:
        file.write(SECRET + "\n")
    return [
        "--listen", "127.0.0.1:%d" % port, "--allow-address",
        "127.0.0.1", "--oidc-issuer", provider.issuer, "--oidc-client",
        CLIENT, "--oidc-secret-file", folder.name + "/secret", "--oidc-callback",
        "http://127.0.0.1:%d%s/callback" % (port, PATH), "--oidc-groups",
        "groups", "--oidc-roles", "Staff=Clerk", "--oidc-grants",
        "IT=operator"]


def test_sign_in():
    provider = Provider()
    provider.user.update(given_name="Olga", groups=["Staff", "IT"])
    folder = tempfile.TemporaryDirectory()
    server = Server(arguments=["--people"] + with_provider(provider, folder))
    server.client().call("PUT", "/v1/roles/clerk", {"name": "Clerk"})
    good(server, provider)
    refused(server, provider)
    # A new key is found, and an old one is none any more.
    old = provider.keys[0]
    provider.keys = [Key("two")]
    browser = Browser(server.port)
    check("a new key is fetched", until(
        lambda: browser.sign_in(provider).status == 200))
    provider.token_key = old
    check("an old key is refused",
          Browser(server.port).sign_in(provider).status == 403)
    check("no secret is in the log", SECRET not in server.read_log()
          and "code0" not in server.read_log())
    answer = Client(server.port, "").call(
        "GET", "/v1/worklist",
        headers={"Authorization": "Basic b2xnYTo="})
    check("her password is not Weft's", answer.status == 401)
    server.close()
    provider.close()
    folder.cleanup()


def test_with_directory():
    """Both at once: the directory has people of the names of others."""
    if slapd.SLAPD is None:
        skip("a provider and a directory", "slapd is not installed")
        return
    directory = slapd.Slapd(PEOPLE, strength=128)
    provider = Provider()
    provider.user.update(given_name="Olga", groups=["Staff"])
    folder = tempfile.TemporaryDirectory()
    server = Server(arguments=settings(directory, "--ldap-refresh", "200ms")
                    + with_provider(provider, folder))
    admin = server.client()
    admin.call("PUT", "/v1/roles/clerk", {"name": "Clerk"})
    check("a participant of an account of Weft's own", admin.call(
        "PUT", "/v1/people/PA-1", {"user": "admin", "firstName": "Ada",
                                   "roles": ["clerk"]}).status == 201)
    check("olga signs in at the provider",
          Browser(server.port).sign_in(provider).status == 200)
    directory.modify(slapd.person("olga", "Other", "Olga", "password").strip()
                     .replace("\nobjectClass", "\nchangetype: add\nobjectClass",
                              1) + "\n")
    before = directory.operations().count("(uid=*)")
    # The one before the last has been taken, whenever it began.
    check("the directory is read", until(
        lambda: directory.operations().count("(uid=*)") >= before + 3))
    olga = participant(admin, "olga")
    check("olga has the names and roles of the provider",
          olga["firstName"] == "Olga" and olga["roles"] == ["clerk"], olga)
    ada = participant(admin, "admin")
    check("the account of Weft's own has its participant",
          ada["id"] == "PA-1" and ada["firstName"] == "Ada"
          and ada["roles"] == ["clerk"], ada)
    check("others come from the directory", until(
        lambda: (participant(admin, "bert") or {}).get("roles")
        == ["clerk"]), participant(admin, "bert"))
    check("who comes from the provider is none of the directory",
          sign_in(server, "olga", "password") == 401)
    server.close()
    provider.close()
    directory.close()
    folder.cleanup()


if __name__ == "__main__":
    if has("GnuTLS"):
        run(test_sign_in)
    if has("GnuTLS", "LDAP"):
        run(test_with_directory)
    end()
