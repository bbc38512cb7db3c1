# SPDX-License-Identifier: Apache-2.0
"""Calls of weft:http with tokens of an authorization server (OAuth 2)."""
import threading

from checks import check, end, run, until
from fake import single
from provider import CLIENT, SECRET, Provider
from server import Server


def test_oauth():
    provider = Provider()
    server = Server(arguments=["--allow-address", "127.0.0.1"])
    client = server.client()

    def register(secret=SECRET, **more):
        return client.call("PUT", "/v1/services/api", dict({
            "kind": "built-in", "uri": "weft:http/api",
            "address": provider.issuer + "/api",
            "token_url": provider.issuer + "/token", "client": CLIENT,
            "secret": secret, "scope": "read write",
            "attempts": 1}, **more))

    def tokens():
        return provider.requests.count(("POST", "/realm/token"))

    def start(*names):
        for name in names:
            answer = client.post("/v1/cases", {
                "specification": key, "case": name})
            check("a case starts", answer.status == 201, answer)
        return names

    def done(cases):
        return until(lambda: all(
            client.get("/v1/cases/" + case).json()["status"] == "completed"
            for case in cases))

    answer = register()
    check("it is registered", answer.status == 201, answer)
    check("its secret is not shown", SECRET not in answer.body.decode()
          and answer.json()["client"] == CLIENT
          and answer.json()["has_secret"], answer)
    for what, more in (("a token over http", {
            "token_url": "http://idp.example.org/token"}),
            ("no client", {"client": ""}), ("no secret", {"secret": ""}),
            ("no URL", {"token_url": ""})):
        answer = register(**more)
        check("refused: " + what, answer.status == 400, answer)
    key = client.load(single("weft:http/api", {}, {"answer": "integer"},
                             "call"))

    # While the first token is fetched, nobody fetches another one.
    provider.hold = threading.Event()
    cases = start("a", "b", "c", "d", "e")
    check("a token is fetched", until(lambda: tokens() > 0))
    check("others are served", client.get("/v1/cases").status == 200)
    provider.hold.set()
    provider.hold = None
    check("with it the calls are done", done(cases))
    check("one token is enough", tokens() == 1, provider.requests)
    check("it is for what was asked", provider.scope == "read write")

    # The service knows only newer tokens: 401.
    provider.issued += 1
    check("a token that is refused is replaced", done(start("f")))
    check("once", tokens() == 2, provider.requests)
    incidents = client.get("/v1/incidents").json()["incidents"]
    check("nothing has failed", incidents == [], incidents)

    # A test call has a token, too, and shows it to nobody.
    answer = client.call("POST", "/v1/services/api/test")
    check("a test call has a token", answer.json()["passed"]
          and provider.requests[-1] == ("GET", "/realm/api"), answer)
    check("nobody sees it", "access-" not in answer.body.decode()
          and SECRET not in answer.body.decode(), answer)

    # The secret is wrong: the attempt fails, and says why.
    check("another secret", register(secret="wrong").status == 200)
    start("g")
    incidents = until(
        lambda: client.get("/v1/incidents").json()["incidents"])
    text = str(incidents)
    check("the reason is clear", "access token" in text
          and "invalid_client" in text, text)
    check("without the secret", "wrong" not in text, text)
    answer = client.call("POST", "/v1/services/api/test")
    check("a test call says so, too", not answer.json()["passed"]
          and "invalid_client" in str(answer.json()), answer)
    check("nothing of it is in the log",
          SECRET not in server.read_log() and "access-" not in
          server.read_log(), server.read_log())
    server.close()
    provider.close()


if __name__ == "__main__":
    run(test_oauth)
    end()
