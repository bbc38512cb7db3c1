# SPDX-License-Identifier: Apache-2.0
"""Machines that sign in with a token (JWT) of their provider."""
import base64
import json
import re
import time

from built import has
from checks import check, end, run, until
from provider import Key, Provider, encode
from server import Client, Server


def status(server, token, path="/v1/cases"):
    client = Client(server.port, token)
    answer = client.get(path)
    client.close()
    return answer.status


def refused(server, provider):
    """Tokens that are not what they seem."""
    now = int(time.time())
    stranger = Key("one")  # with the id of a good key
    good = provider.token(roles=["batch"])
    head, body, signature = good.split(".")
    hmac = encode({"alg": "HS256", "typ": "JWT", "kid": "one"})
    none = encode({"alg": "none", "typ": "JWT"})
    changed = json.loads(base64.urlsafe_b64decode(body + "=="))
    changed["roles"] = ["ops"]
    tokens = {
        "of another issuer": provider.token(iss="https://other.example"),
        "for another audience": provider.token(aud="other"),
        "for nobody": provider.token(aud=None),
        "that has expired": provider.token(exp=now - 61),
        "without an end": provider.token(exp=None),
        "that is not valid yet": provider.token(nbf=now + 300),
        "of the future": provider.token(iat=now + 300),
        "signed by somebody else": provider.token(key=stranger),
        "without a signature": head + "." + body + ".",
        "that was changed": head + "." + encode(changed) + "." + signature,
        "that says it needs no signature": none + "." + body + ".",
        "that says it is signed with a secret":
            hmac + "." + body + "." + signature,
        "with a critical header": provider.token(header={"crit": ["x"]}),
        "without a name": provider.token(sub=None),
        "with a name of two words": provider.token(
            sub=provider.issuer + " builder"),
        "without rights": provider.token(roles=["unknown"]),
        "with no roles": provider.token(),
        "with roles of a wrong kind": provider.token(roles={"batch": 1}),
        "whose account does not exist": provider.token(sub="lost"),
        "named like an account": provider.token(sub="admin"),
        "that is not whole": good[:-20],
        "that is long": "eyJ" + "a" * 4000 + ".a.a",
    }
    for what, token in tokens.items():
        check("refused: a token " + what, status(server, token) == 401, token)


def test_machines():
    provider = Provider()
    server = Server(arguments=[
        "--allow-address", "127.0.0.1", "--jwt-issuers",
        provider.issuer + " https://never.asked.example",
        "--jwt-audience", "weft", "--jwt-roles", "roles",
        "--jwt-grants", "batch=reader; ops=operator; https://never.asked"
        ".example batch=admin", "--jwt-accounts",
        "builder=mary; %s tester=mary; lost=nobody" % provider.issuer])
    server.add_account("mary", "reader", 1)
    good = provider.token(roles=["batch"], sub="batch-7")
    check("a token is enough", status(server, good) == 200)
    fetched = len(provider.requests)
    for _ in range(10):
        status(server, good)
    check("keys are fetched once", len(provider.requests) == fetched == 2,
          provider.requests)
    check("it gives the rights of its roles, no others",
          status(server, good, "/v1/audit") in (403, 404)
          and Client(server.port, good).post(
              "/v1/cases", {"specification": "x"}).status == 403)
    check("roles as words", status(
        server, provider.token(roles="x ops y")) == 200)
    for name in ("builder", "tester"):
        check("%s has an account" % name,
              status(server, provider.token(sub=name)) == 200)
    refused(server, provider)

    # A stream ends with its token; clocks may differ by a minute.
    events = Client(server.port, provider.token(
        roles=["batch"], exp=int(time.time()) - 58)).stream()
    check("a token that ends soon is still taken", events.status == 200)
    check("its stream ends with it", until(
        lambda: not events.more(1) and events.ended))

    provider.keys = [Key("two")]
    check("a new key is found", until(lambda: status(
        server, provider.token(roles=["batch"])) == 200))
    check("an old token is still remembered", status(server, good) == 200)
    text = server.client().get("/metrics").body.decode()
    check("tokens are counted", re.search(
        'weft_machine_tokens_total{result="refused"} [1-9]', text))
    check("no token is in the log", good.split(".")[2] not in
          server.read_log())
    server.close()
    provider.close()


if __name__ == "__main__":
    if has("GnuTLS"):
        run(test_machines)
    end()
