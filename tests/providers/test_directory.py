# SPDX-License-Identifier: Apache-2.0
"""Signing in with a directory: a real slapd, and one that does not answer."""
import base64
import http.client
import re
import socket
import threading
import urllib.parse

import slapd
from built import has
from checks import check, end, run, skip, until
from server import Client, Server
from slapd import BASE, group, person

PEOPLE = person("anna", "Anna", "Arendt", "correct horse") \
    + person("bert", "Bert", "Brecht", "battery staple") \
    + person("admin", "No", "Admin", "pretender") \
    + group("Clerks", ["anna", "bert"]) + group("IT (all)", ["anna"])


def basic(name, password):
    return {"Authorization": "Basic " + base64.b64encode(
        ("%s:%s" % (name, password)).encode()).decode()}


def sign_in(server, name, password, path="/v1/worklist"):
    client = Client(server.port, "")
    answer = client.get(path, headers=basic(name, password))
    client.close()
    return answer.status


def user_login(server, name, password, encrypt="true"):
    """What YAWL's gateway answers."""
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=300)
    client.request("POST", "/yawl/resourceService/workqueuegateway",
                   urllib.parse.urlencode({
                       "action": "userlogin", "userid": name,
                       "password": password, "encrypt": encrypt}))
    body = client.getresponse().read().decode()
    client.close()
    return body


def gateways(directory, server):
    for name in ("bert", "bert@example.org"):
        handle = user_login(server, name, "battery staple")
        check("a person of the directory signs in at the gateways: " + name,
              re.fullmatch("[0-9a-f-]{36}", handle), handle)
    for name, password, encrypt in (
            ("bert", "wrong", "true"), ("nobody", "x", "true"),
            ("bert", "", "true"), ("bert", "battery staple", "false"),
            ("admin", "pretender", "true")):
        asked = directory.operations().count('BIND dn="uid=bert')
        refused = user_login(server, name, password, encrypt)
        check("others do not: %s %s" % (name, encrypt), refused
              == "<failure>Invalid logon credentials</failure>", refused)
        check("the directory is not asked about a hash",
              encrypt == "true" or asked == directory.operations().count(
                  'BIND dn="uid=bert'))


def settings(directory, *more):
    return ["--people", "--ldap-url", "ldap://127.0.0.1:%d" % directory.port,
            "--ldap-ca", directory.folder + "/ca.pem",
            "--ldap-bind", "cn=weft," + BASE,
            "--ldap-password-file", directory.folder + "/secret",
            "--ldap-base", "ou=people," + BASE,
            "--ldap-filter", "(|(uid=%u)(mail=%u))",
            "--ldap-group-base", "ou=groups," + BASE,
            "--ldap-roles", "Clerks=Clerk", "--ldap-grants",
            "IT (all)=operator"] + list(more)


def participant(client, user):
    answer = client.get("/v1/people/" + user)
    return answer.json() if answer.status == 200 else None


def people(directory):
    """Everything about people who sign in; the directory is read each 200 ms."""
    server = Server(arguments=settings(
        directory, "--ldap-refresh", "200ms", "--ldap-cache", "1h", "--yawl"))
    admin = server.client()
    check("a role", admin.call("PUT", "/v1/roles/clerk",
                               {"name": "Clerk"}).status == 201)
    check("another one", admin.call("PUT", "/v1/roles/boss",
                                    {"name": "Boss"}).status == 201)
    found = until(lambda: (participant(admin, "bert") or {}).get("roles"))
    bert = participant(admin, "bert")
    check("people are there before they sign in", found == ["clerk"], bert)
    check("with their names", bert["firstName"] == "Bert"
          and bert["lastName"] == "Brecht"
          and bert["email"] == "bert@example.org", bert)
    check("the password counts",
          sign_in(server, "anna", "correct horse") == 200)
    check("a group gives a right", sign_in(
        server, "anna", "correct horse", "/v1/incidents") == 200)
    check("whoever is not in it has only the worklist",
          (sign_in(server, "bert", "battery staple"),
           sign_in(server, "bert", "battery staple", "/v1/incidents"))
          == (200, 403))
    check("a wrong password is refused",
          sign_in(server, "anna", "battery staple") == 401)
    check("an unknown name is refused", sign_in(server, "nobody", "x") == 401)
    binds = directory.operations().count('BIND dn="uid=anna')
    for _ in range(20):
        sign_in(server, "anna", "correct horse")
    check("not each request asks the directory",
          directory.operations().count('BIND dn="uid=anna') == binds)
    check("another name of the same person",
          sign_in(server, "bert@example.org", "battery staple") == 200)
    check("it is the same account",
          participant(admin, "bert@example.org") is None)
    check("an account of Weft is none of the directory",
          sign_in(server, "admin", "pretender") == 401)

    gateways(directory, server)
    hostile(directory, server)

    # A role that is given here stays; one of a group goes with it.
    check("a role of Weft's own", admin.call(
        "PATCH", "/v1/people/bert",
        {"roles": ["boss", "clerk"]}).status == 200)
    directory.modify("dn: cn=Clerks,ou=groups," + BASE + "\nchangetype: modify"
                     "\ndelete: member\nmember: uid=bert,ou=people," + BASE
                     + "\n")
    check("a group that is left takes its role", until(
        lambda: participant(admin, "bert")["roles"] == ["boss"]),
        participant(admin, "bert"))
    leave(directory, server, admin)
    down(directory, server)
    text = admin.get("/metrics").body.decode()
    check("sign-ins are counted", re.search(
        'weft_directory_sign_ins_total{result="passed"} [1-9]', text)
        and 'weft_directory_up 0' in text)
    check("no password is in the log", "correct horse" not in
          server.read_log() and slapd.SECRET not in server.read_log())
    check("the log says that it does not answer",
          '"directory_fails"' in server.read_log(), server.read_log())
    server.close()


def hostile(directory, server):
    """What a name may contain changes no filter."""
    before = directory.operations()
    for name in ("*", "an*", "anna)(uid=*", "*)(objectClass=*", "anna\\2a",
                 "(", "\u00e4"):
        check("a name is only a name: %r" % name,
              sign_in(server, name, "correct horse") == 401)
    new = directory.operations()[len(before):]
    filters = [line for line in new.splitlines() if "filter=" in line]
    check("it was asked", len([line for line in filters
                               if "(uid=" in line]) >= 7, filters)
    check("a star is escaped", "(uid=\\2A)" in new.replace("\\2a", "\\2A"),
          filters)
    check("a parenthesis, too",
          "(uid=anna\\29\\28uid=\\2A)" in new.replace("\\2a", "\\2A"), filters)
    bound = 'BIND dn="uid=' in new
    before = directory.operations()
    for name in ("anna", "bert"):
        check("no password is no sign-in", sign_in(server, name, "") == 401)
    new = directory.operations()[len(before):]
    check("it does not reach the directory", "uid=anna" not in new.replace(
        "member=uid=anna", ""), new)
    check("names were searched, none was bound as", not bound)


def leave(directory, server, admin):
    reader = http.client.HTTPConnection("127.0.0.1", server.port, timeout=300)
    reader.request("GET", "/v1/events",
                   headers=basic("anna", "correct horse"))
    events = reader.getresponse()
    check("events are read", events.status == 200, events.status)
    directory.modify("dn: uid=anna,ou=people," + BASE
                     + "\nchangetype: delete\n")
    check("who has left is disabled", until(
        lambda: sign_in(server, "anna", "correct horse") == 401))
    try:
        while events.read1():
            pass
        ended = True
    except http.client.IncompleteRead:
        ended = True
    except OSError as error:
        ended = not isinstance(error, TimeoutError)
    check("reads no events any more", ended)
    reader.close()
    anna = participant(admin, "anna")
    check("is still there, without roles",
          anna is not None and not anna.get("roles"), anna)
    directory.modify(person("anna", "Anna", "Arendt", "new password").strip()
                     .replace("\nobjectClass", "\nchangetype: add\nobjectClass",
                              1) + "\n")
    check("who comes back signs in again", until(
        lambda: sign_in(server, "anna", "new password") == 200))
    check("the old password is forgotten",
          sign_in(server, "anna", "correct horse") == 401)


def down(directory, server):
    directory.stop()
    check("without the directory nobody new signs in",
          sign_in(server, "bert", "other") == 503)
    check("who has signed in is still known",
          sign_in(server, "bert", "battery staple") == 200)


def distrust(directory):
    """The certificate of the directory is checked."""
    words = settings(directory, "--ldap-refresh", "0s")
    words[words.index("--ldap-ca") + 1] = directory.folder + "/ext"
    server = Server(arguments=words)
    check("a certificate of somebody else is not believed",
          sign_in(server, "anna", "correct horse") == 503)
    check("no name and no password is sent to it",
          "StartTLS" in server.read_log() or
          "certificates" in server.read_log(), server.read_log())
    server.close()


def test_directory():
    if slapd.SLAPD is None:
        skip("the directory", "slapd is not installed")
        return
    # A bind without encryption is refused: only StartTLS passes.
    directory = slapd.Slapd(PEOPLE, strength=128)
    try:
        distrust(directory)
        people(directory)
    finally:
        directory.close()


def test_dead():
    """A directory that takes connections and never answers."""
    dead = socket.create_server(("127.0.0.1", 0))
    server = Server(arguments=[
        "--ldap-url", "ldap://127.0.0.1:%d" % dead.getsockname()[1],
        "--ldap-base", BASE, "--ldap-plain", "--ldap-refresh", "0s",
        "--ldap-timeout", "1m"])
    results = []

    def ask(name):
        results.append(sign_in(server, name, "secret"))

    threads = [threading.Thread(target=ask, args=("name%d" % i,))
               for i in range(12)]
    for thread in threads:
        thread.start()
    connection, _ = dead.accept()
    client = server.client()
    for _ in range(50):
        check("others are served", client.get("/v1/cases").status == 200)
    check("nobody has been let in meanwhile", results == [], results)
    check("a password of Weft's own is checked meanwhile", sign_in(
        server, "admin", "wrong") == 401)
    check("those who wait are counted", until(
        lambda: re.search(r"^weft_sign_ins_waiting [1-9]",
                          client.get("/metrics").body.decode(), re.M)))
    dead.close()
    connection.close()
    for thread in threads:
        thread.join()
    check("those who waited get 503", set(results) == {503}, results)
    server.close()


if __name__ == "__main__":
    if has("LDAP"):
        run(test_directory, test_dead)
    end()
