# SPDX-License-Identifier: Apache-2.0
"""Tickets: they sign in once, within an hour, on the machine of the server; and
whoever tries passwords of many names is slowed down."""
import json
import socket
import sqlite3
import subprocess
import threading

from checks import check, end, run, until
from server import WEFT, Client, Server
from stores import on_each

NAME = "weft-session"
PASSWORD = "correct horse battery"


def weft(server, *words, input="", fails=False):
    return subprocess.run([WEFT, "account", *words, "--db", server.db],
                          input=input.encode(), check=not fails,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def ticket(server, name="anna"):
    """What follows "#ticket=" in the address that is printed."""
    address = weft(server, "ticket", name).stdout.decode().strip()
    return address.partition("#ticket=")[2]


def sign_in(server, text, host="127.0.0.1", **headers):
    client = Client(server.port, "")
    client.hold = lambda *exchange: None  # cookies are not described
    answer = client.call("POST", "/v1/session", {"ticket": text}, headers={
        k.replace("_", "-"): v for k, v in headers.items()})
    client.close()
    return answer


def status(server, **headers):
    client = Client(server.port, "")
    client.hold = lambda *exchange: None
    answer = client.call("GET", "/v1/session", headers=headers)
    client.close()
    return answer.status


def cookie(answer):
    return answer.headers["set-cookie"].split(";")[0]


def address(server):
    """What the command prints."""
    said = weft(server, "ticket", "anna", "--address",
                "https://weft.example/").stdout.decode()
    check("it prints an address", said.startswith(
        "https://weft.example/sign-in#ticket=") and said.count("\n") == 1
        and len(said.strip().partition("=")[2]) == 43, said)
    said = subprocess.run(
        [WEFT, "account", "ticket", "anna", "--db", server.db], check=True,
        stdout=subprocess.PIPE, env=dict(
            server.environment, WEFT_SERVER="http://a:1")).stdout.decode()
    check("of the server that is named",
          said.startswith("http://a:1/sign-in#ticket="), said)
    for words, code in ((("nobody",), 1), ((), 2), (("a", "b"), 2),
                        (("anna", "--role", "admin"), 2)):
        found = weft(server, "ticket", *words, fails=True)
        check("what makes no sense is refused: %s" % (words,),
              found.returncode == code and found.stdout == b"", found)


def once(server):
    text = ticket(server)
    check("it is no token", status(
        server, Authorization="Bearer " + text) == 401)
    check("nor the id of a session", status(
        server, Cookie="%s=%s" % (NAME, text)) == 401)
    answer = sign_in(server, text)
    check("a ticket signs in", answer.status == 201
          and answer.json()["account"] == "anna"
          and answer.json()["method"] == "ticket", answer)
    check("with a session", status(server, Cookie=cookie(answer)) == 200)
    again = sign_in(server, text)
    check("it does so once", again.status == 401
          and "weft account ticket" in again.json()["detail"]
          and "set-cookie" not in again.headers, again)
    check("the session goes on", status(server, Cookie=cookie(answer)) == 200)
    for wrong in ("", "x", "A" * 43, "A" * 44, "\u00e9" * 20):
        check("what is no ticket signs nobody in",
              sign_in(server, wrong).status == 401, wrong)
    check("nor what is too long", sign_in(server, "A" * 45).status == 400)
    for body in ({"ticket": 1}, {"ticket": "x", "token": "x"},
                 {"ticket": "x", "name": "anna", "password": PASSWORD},
                 {"ticket": "x", "password": PASSWORD}):
        found = Client(server.port, "").post("/v1/session", body)
        check("a body that makes no sense", found.status == 400, body, found)


def at_once(servers):
    """Of several that use it at the same time, one succeeds."""
    for _ in range(5):
        text = ticket(servers[0])
        found = []
        threads = [threading.Thread(target=lambda i=i: found.append(
            sign_in(servers[i % len(servers)], text).status))
            for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        check("one of them signs in", sorted(found) == [201] + [401] * 7,
              found)


def here(server):
    """From this machine, and not through a proxy."""
    text = ticket(server)
    for headers in ({"X_Forwarded_For": "127.0.0.1"},
                    {"X_Forwarded_For": "10.0.0.1"},
                    {"Forwarded": "for=127.0.0.1"}):
        found = sign_in(server, text, **headers)
        check("a ticket is not for who comes through a proxy",
              found.status == 403 and found.json()["code"] == "forbidden",
              headers, found)
    found = sign_in(server, text, Origin="https://evil.example")
    check("nor for another site's page", found.status in (201, 403) and (
        found.status == 403 or "access-control-allow-origin"
        not in found.headers), found)
    check("it was not used by that", found.status == 201
          or sign_in(server, text).status == 201)


def elsewhere():
    """A connection to another address of this machine is not local."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            host = probe.getsockname()[0]
        except OSError:
            host = "127.0.0.1"
    if host.startswith("127."):
        return  # the machine has no network
    server = Server(arguments=["--listen", "0.0.0.0:0", "--insecure"])
    text = ticket(server, "admin")
    with socket.create_connection((host, server.port)) as connection:
        body = json.dumps({"ticket": text}).encode()
        connection.sendall(
            b"POST /v1/session HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
            % (len(body), body))
        answer = connection.makefile("rb").read()
    check("a ticket is not for another address",
          answer.startswith(b"HTTP/1.1 403 "), answer)
    check("it still signs in here", sign_in(server, text).status == 201)
    server.close()


def ending(server):
    """What ends a ticket before it is used."""
    text = ticket(server)
    with sqlite3.connect(server.folder + "/weft.db") as store:
        changed = store.execute(
            "UPDATE session SET ends_at = ends_at - 3600000 "
            "WHERE method = 'ticket' AND account = 'anna'").rowcount
    check("it becomes an hour older", changed >= 1, changed)
    check("then it is void", sign_in(server, text).status == 401)
    text = ticket(server)
    check("the sessions of the account end", server.client().call(
        "DELETE", "/v1/accounts/anna/sessions").status == 200)
    check("with its tickets", sign_in(server, text).status == 401)
    text = ticket(server)
    weft(server, "password", "anna", input=PASSWORD + "\n")
    check("a ticket does not outlive a new password", until(
        lambda: Client(server.port, "").post("/v1/session", {
            "name": "anna", "password": PASSWORD}).status == 201)
        and sign_in(server, text).status == 401)
    text = ticket(server)
    disabled = server.client().call("PATCH", "/v1/accounts/anna",
                                    {"disabled": True})
    check("the account is disabled", disabled.status == 200, disabled)
    check("so its ticket signs nobody in",
          sign_in(server, text).status == 401)
    found = weft(server, "ticket", "anna", fails=True)
    check("and it gets no other", found.returncode == 1
          and b"disabled" in found.stderr, found)


def audited(server):
    rows = server.client().get("/v1/audit?limit=1000").json()["audit"]
    signed = [(row["account"], row["result"]) for row in rows
              if row["kind"] == "sign-in" and row.get("detail") == "ticket"]
    made = [row["subject"] for row in rows if row["kind"] == "addTicket"
            and row["account"].startswith("os:")]
    check("who has used a ticket is in the audit",
          ("anna", "done") in signed and ("", "refused") in signed, signed)
    check("so is who has made one", "anna" in made, made)


def many_names(server):
    """One password each of many names: no name is refused, but the address
    is."""
    client = Client(server.port, "")

    def tries(name, password="wrong"):
        return client.post("/v1/session", {
            "name": name, "password": password}, headers={
                "X-Forwarded-For": "203.0.113.7"})
    found = [tries("name%d" % i) for i in range(60)]
    refused = [answer for answer in found if answer.status == 429]
    check("after fifty the address is refused, and not before",
          [answer.status for answer in found[:50]] == [401] * 50
          and refused, found)
    check("for a time that it says", all(
        1 <= int(answer.headers["retry-after"]) <= 16 for answer in refused)
        and "address" in refused[0].json()["detail"], refused)
    check("not another address", client.post("/v1/session", {
        "name": "bert", "password": "wrong"}, headers={
            "X-Forwarded-For": "203.0.113.8"}).status == 401)
    check("nor a token", client.call(
        "GET", "/v1/session", headers={
            "Authorization": "Bearer " + server.token,
            "X-Forwarded-For": "203.0.113.7"}).status == 200)


def on_one(name, url):
    server = Server(db=url, arguments=["--proxy", "127.0.0.1"])
    server.add_account("anna", "participant", 1)
    servers = [server]
    if url:
        servers.append(Server(db=url, token=server.token))
    for part in (address, once, here, many_names):
        part(server)
    at_once(servers)
    if not url:
        ending(server)
    audited(server)
    for one in reversed(servers):
        one.close()


run(*on_each(on_one, "tickets"), elsewhere)
end()
