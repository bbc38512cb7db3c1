# SPDX-License-Identifier: Apache-2.0
"""What pages that a browser shows may do: stored passwords, forms, CORS."""
import base64
import subprocess

from checks import check, run, end, until
from contract import METHODS
from server import WEFT, Server

PASSWORD = "correct horse battery staple"
FORMS = ("text/plain", "Text/Plain;charset=UTF-8", "multipart/form-data; "
         "boundary=x", "application/x-www-form-urlencoded")
APP = "https://app.example"


class World:
    def __init__(self, *arguments):
        self.server = server = Server(arguments=arguments)
        subprocess.run([WEFT, "account", "add", "anna", "--role", "operator",
                        "--password", "--db", server.db], check=True,
                       input=PASSWORD.encode(), stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        self.client = server.client()
        self.anonymous = server.client(token="")
        # Types and methods that the description does not have.
        self.anonymous.hold = lambda *exchange: None
        self.key = self.client.load("sequence.yawl")
        self.password = "Basic " + base64.b64encode(
            ("anna:" + PASSWORD).encode()).decode()
        until(lambda: self.ask("GET", self.password).status == 200)
        self.host = "127.0.0.1:%d" % server.port

    def ask(self, method, authorization=None, body=None, type=None,
            path="/v1/cases", **headers):
        """Headers: Sec_Fetch_Site is Sec-Fetch-Site."""
        send = {name.replace("_", "-"): value
                for name, value in headers.items()}
        if authorization:
            send["Authorization"] = authorization
        return self.anonymous.call(method, path, body, type=type,
                                   headers=send)

    def start(self, authorization=None, type="application/json", **headers):
        return self.ask("POST", authorization,
                        b'{"specification":"%s"}' % self.key.encode(), type,
                        **headers)

    def cases(self):
        return len(self.client.get("/v1/cases?limit=1000").json()["cases"])


def passwords():
    world = World()
    own = "http://" + world.host
    check("a password is taken", world.start(world.password).status == 201)
    for origin in (own, own.upper().replace("HTTP", "http")):
        check("a page of the server may use it",
              world.start(world.password, Origin=origin).status == 201)
    count = world.cases()
    for origin in ("https://evil.example", "null", "", "http://127.0.0.1",
                   own + ".evil.example", "http://evil.example/" +
                   world.host, "evil:" + world.host):
        for site in (None, "same-origin", "none", "same-site", "cross-site"):
            headers = {"Origin": origin}
            if site:
                headers["Sec_Fetch_Site"] = site
            for method in ("GET", "POST"):
                answer = world.start(world.password, **headers) \
                    if method == "POST" else world.ask(
                        "GET", world.password, **headers)
                check("a page of another site may not", answer.status == 403 and
                      "access-control-allow-origin" not in answer.headers,
                      origin, site, method, answer)
    check("nor when only Sec-Fetch-Site says it", world.start(
        world.password, Sec_Fetch_Site="cross-site").status == 403)
    check("nothing was started", world.cases() == count)
    world.server.close()


def forms():
    world = World()
    token = "Bearer " + world.server.token
    for type in FORMS + (None, "application/json; charset=utf-8"):
        check("a program with a token needs no type",
              world.start(token, type).status == 201, type)
    count = world.cases()
    for type in FORMS:
        for authorization, headers in (
                (world.password, {}),
                (world.password, {"Origin": "http://" + world.host}),
                (token, {"Origin": "http://" + world.host}),
                (token, {"Sec_Fetch_Site": "same-origin"}),
                (token, {"Sec_Fetch_Mode": "no-cors"}),
                (token, {"Cookie": "a=b"})):
            answer = world.start(authorization, type, **headers)
            check("a form is no JSON", answer.status == 415 and
                  answer.json()["code"] == "media_type" and
                  "application/json" in answer.json()["detail"],
                  type, authorization, headers, answer)
    check("no case was started", world.cases() == count)
    # A page of the server sends files of any type, with the header of its
    # session, which no form can send.
    signed = world.ask("POST", None, b'{"token":"%s"}' %
                       world.server.token.encode(), "application/json",
                       path="/v1/session")
    session = {"Cookie": signed.headers["set-cookie"].split(";")[0]}
    case = world.start(token).json()["case"]
    documents = "/v1/cases/%s/documents?name=a.txt" % case
    check("a file of text is added by a page", world.ask(
        "POST", None, b"text", "text/plain", documents, Sec_Fetch_Site=
        "same-origin", X_CSRF_Token=signed.json()["csrf_token"],
        **session).status == 201)
    check("not without the header", world.ask(
        "POST", None, b"text", "text/plain", documents, **session).status ==
        415)
    check("nor with a wrong one", world.ask(
        "POST", None, b"text", "text/plain", documents, X_CSRF_Token="x",
        **session).status == 403)
    check("what has no body is no form", world.ask(
        "GET", world.password, type="text/plain").status == 200)
    world.server.close()


def preflight(world, origin, **headers):
    return world.ask("OPTIONS", Origin=origin,
                     Access_Control_Request_Method="POST",
                     Access_Control_Request_Headers="authorization", **headers)


def allowed(answer):
    return answer.headers.get("access-control-allow-origin")


def cors():
    world = World("--cors-origin", "%s http://localhost:3000" % APP)
    token = "Bearer " + world.server.token
    answer = preflight(world, APP, Sec_Fetch_Site="cross-site")
    check("a preflight is answered", answer.status == 204 and
          allowed(answer) == APP and answer.body == b"" and
          "authorization" in
          answer.headers["access-control-allow-headers"].lower() and
          set(answer.headers["access-control-allow-methods"].split(", "))
          == {method.upper() for method in METHODS} | {"HEAD"} and
          answer.headers["vary"] == "Origin", answer, answer.headers)
    answer = world.start(token, Origin="http://localhost:3000",
                         Sec_Fetch_Site="cross-site")
    check("and the request", answer.status == 201 and
          allowed(answer) == "http://localhost:3000", answer)
    answer = world.start(Origin=APP)
    check("a refusal can be read", answer.status == 401 and
          allowed(answer) == APP, answer)
    answer = world.start(world.password, Origin=APP)
    check("a stored password is not for it", answer.status == 403, answer)
    for origin in ("https://evil.example", APP + ":1", "http://app.example",
                   APP + " http://localhost:3000", "*", "null"):
        answer = preflight(world, origin)
        check("others are not", answer.status == 405 and
              allowed(answer) is None, origin, answer)
        answer = world.start(token, Origin=origin,
                             Sec_Fetch_Site="cross-site")
        check("nor their requests", answer.status == 403 and
              allowed(answer) is None, origin, answer)
    for answer in (preflight(world, APP), world.start(token, Origin=APP)):
        check("no credentials of the browser are allowed",
              "access-control-allow-credentials" not in answer.headers)
    world.server.close()

    world = World("--cors-origin", "*")
    token = "Bearer " + world.server.token
    answer = preflight(world, "https://any.example")
    check("any origin", answer.status == 204 and allowed(answer) == "*")
    check("a password is never for it", world.start(
        world.password, Origin="https://any.example").status == 403)
    check("a token is", world.start(
        token, Origin="https://any.example").status == 201)
    world.server.close()

    world = World()
    answer = preflight(world, APP)
    check("none without the setting", answer.status == 405 and
          allowed(answer) is None and "vary" not in answer.headers, answer)
    world.server.close()
    for wrong in ("app.example", "https://", "https://app.example/", "://x",
                  "https://App.example", "* https://app.example",
                  "https://app.example *", "https://*.example"):
        done = subprocess.run([WEFT, "serve", "--cors-origin", wrong,
                               "--show-config"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        check("no origin", done.returncode == 2 and
              b"expected origins such as" in done.stderr, wrong, done)


if __name__ == "__main__":
    run(passwords, forms, cors)
    end()
