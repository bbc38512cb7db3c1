# SPDX-License-Identifier: Apache-2.0
"""weft account beside a server that runs, and without one; on both stores."""
import base64
import json
import os
import pty
import sqlite3
import subprocess
import tempfile

from checks import check, end, run, until
from server import WEFT, Server
from stores import on_each

PASSWORD = "correct horse"


class Result:
    def __init__(self, done):
        self.code = done.returncode
        self.out = done.stdout.decode()
        self.err = done.stderr.decode()

    def __repr__(self):
        return "%d %r %r" % (self.code, self.out, self.err)


def account(db, *words, input=""):
    return Result(subprocess.run(
        [WEFT, "account"] + list(words) + ["--db", db], timeout=600,
        input=input.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE))


def status(server, token=None, basic=None):
    """The status of a request that any account may send."""
    headers = {}
    if basic:
        headers["Authorization"] = "Basic " + base64.b64encode(
            basic.encode()).decode()
    client = server.client(token=token or "")
    answer = client.call("GET", "/v1/cases", headers=headers)
    client.close()
    return answer.status


def becomes(wanted, ask):
    return until(lambda: ask() == wanted)


def beside(name, db):
    """A running server knows at once what the command line changes."""
    server = Server(db=db)
    db = server.db
    added = account(db, "add", "anna", "--role", "worker")
    token = added.out.strip()
    check("%s: an account is added" % name, added.code == 0, added)
    check("%s: the token stands alone on standard output" % name,
          added.out == token + "\n" and token.startswith("weft_"), added)
    known = becomes(200, lambda: status(server, token))
    check("%s: the server knows it soon" % name,
          known)
    check("%s: it is what it was made" % name,
          server.client(token).post("/v1/specifications", "<x/>",
                                    type="application/xml").status == 403)
    again = account(db, "add", "anna", "--role", "admin")
    check("%s: it is added once" % name,
          again.code == 1 and "already" in again.err, again)

    stream = server.client(token).stream()
    check("%s: it reads a stream" % name, stream.status == 200)
    other = server.client().stream()
    reset = account(db, "reset", "anna", "--password", "--json",
                    input=PASSWORD + "\n")
    fresh = json.loads(reset.out)
    check("%s: a reset gives a token" % name,
          fresh["name"] == "anna" and fresh["token"] != token, reset)
    known = becomes(401, lambda: status(server, token))
    check("%s: the old token is good no more" % name,
          known)
    check("%s: the new one is" % name,
          status(server, fresh["token"]) == 200)
    check("%s: so is the password" % name,
          status(server, basic="anna:" + PASSWORD) == 200)
    check("%s: another is not" % name,
          status(server, basic="anna:wrong horse") == 401)
    check("%s: a stream that was opened with the old token ends" % name,
          stream.next() is None and stream.ended)

    longest = "p" * 1023
    account(db, "reset", "anna", "--password", input=longest + "\n")
    check("%s: the longest password is good" % name, becomes(
        200, lambda: status(server, basic="anna:" + longest)))
    fresh["token"] = account(db, "reset", "anna").out.strip()

    gone = account(db, "remove", "anna")
    check("%s: it is removed" % name, gone.code == 0, gone)
    known = becomes(401, lambda: status(server, fresh["token"]))
    check("%s: a removed account has no access" % name,
          known)
    check("%s: its password neither" % name,
          status(server, basic="anna:" + PASSWORD) == 401)
    check("%s: others have their streams still" % name,
          other.next(0.1) is None and not other.ended)
    for words in (["remove", "anna"], ["reset", "anna"]):
        got = account(db, *words)
        check("%s: %s of an unknown account" % (name, words[0]),
              got.code == 1 and "there is no account anna" in got.err, got)
    check("%s: the server ends well" % name, server.close() == 0)


def offline():
    """Without a server: output and refusals."""
    with tempfile.TemporaryDirectory(prefix="weft-account-") as folder:
        db = "sqlite:%s/a.db" % folder
        none = account(db, "list")
        check("without a store the sentence says what to do",
              none.code == 1 and "weft db init" in none.err, none)
        subprocess.run([WEFT, "db", "init", "--db", db], check=True,
                       stdout=subprocess.DEVNULL)
        check("none is listed", account(db, "list", "--json").out == "[]\n")
        account(db, "add", "bert", "--role", "operator", "--namespace", "7")
        account(db, "add", "a.very-long_name@example", "--role", "reader")
        listed = account(db, "list")
        check("accounts are listed in columns", listed.out.split("\n") == [
            "NAME                      ROLE         NAMESPACE",
            "a.very-long_name@example  reader       1",
            "bert                      operator     7", ""], listed)
        listed = account(db, "list", "--json")
        check("or as JSON", json.loads(listed.out)[1] == {
            "name": "bert", "role": "operator", "namespace": 7,
            "grants": ["operator"], "password": False}, listed)
        for wrong, sentence in (
                (["add", "x"], "expected --role participant"),
                (["add", "x", "--role", "king"], "not \"king\""),
                (["add", "--role", "reader"], "expected weft account add NAME"),
                (["add", "x", "y", "--role", "reader"], "unexpected \"y\""),
                (["add", "x" * 65, "--role", "reader"], "64 characters"),
                (["add", "x", "--role", "reader", "--namespace", "0"],
                 "from 1 to"),
                (["list", "x"], "unexpected \"x\""),
                (["list", "--role", "reader"], "takes no --role"),
                (["remove", "bert", "--password"], "takes no --password"),
                (["frobnicate"], "there is no"),
                (["reset", "bert", "--frobnicate"], "unknown option")):
            got = account(db, *wrong)
            check("wrong usage: %s" % " ".join(wrong)[:40],
                  got.code == 2 and sentence in got.err and not got.out,
                  got)
        for words, input, sentence in (
                (["add", "a b", "--role", "reader"], "", "no name"),
                (["reset", "bert", "--password"], "short\n", "8 bytes"),
                (["reset", "bert", "--password"], "", "no line"),
                (["reset", "bert", "--password"], "x" * 5000, "no line")):
            got = account(db, *words, input=input)
            check("refused: %s %s" % (" ".join(words), input[:5]),
                  got.code == 1 and sentence in got.err and not got.out,
                  got)
        check("what was refused did nothing",
              len(json.loads(account(db, "list", "--json").out)) == 2)


def last_administrator(name, db):
    """The last account with the role admin stays; also of two at once."""
    server = Server(db=db)
    db = server.db
    got = account(db, "remove", "admin")
    check("%s: the last administrator stays" % name,
          got.code == 1 and "last account with the role admin" in got.err,
          got)
    account(db, "add", "anna", "--role", "operator")
    check("%s: an operator is none" % name,
          account(db, "remove", "admin").code == 1)
    for _ in range(5):
        account(db, "add", "bert", "--role", "admin")
        both = [subprocess.Popen(
            [WEFT, "account", "remove", who, "--db", db],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for who in ("admin", "bert")]
        codes = sorted(p.wait() for p in both)
        check("%s: of two at once one stays" % name, codes == [0, 1], codes)
        left = [a["name"] for a in json.loads(
            account(db, "list", "--json").out) if a["role"] == "admin"]
        check("%s: one is left" % name, len(left) == 1, left)
        if left == ["bert"]:
            account(db, "add", "admin", "--role", "admin")
            account(db, "remove", "bert")
    check("%s: others can be removed" % name,
          account(db, "remove", "anna").code == 0)
    server.close()


def at_terminal(db, answers):
    """weft account at a terminal: its exit code and all of its output."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(WEFT, [WEFT, "account", "add", "carl", "--role", "worker",
                        "--password", "--db", db])
    shown = b""
    for prompt, answer in answers:
        while not shown.endswith(prompt):
            shown += os.read(terminal, 100)
        os.write(terminal, answer.encode() + b"\n")
    try:
        while True:
            part = os.read(terminal, 1000)
            if not part:
                break
            shown += part
    except OSError:
        pass
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown.decode()


def prompt():
    with tempfile.TemporaryDirectory(prefix="weft-account-") as folder:
        db = "sqlite:%s/a.db" % folder
        subprocess.run([WEFT, "db", "init", "--db", db], check=True,
                       stdout=subprocess.DEVNULL)
        code, shown = at_terminal(db, [(b"Password: ", PASSWORD),
                                       (b"again: ", "another horse")])
        check("a password that is not the same again is refused",
              code == 1 and "another password" in shown, code, shown)
        code, shown = at_terminal(db, [(b"Password: ", PASSWORD),
                                       (b"again: ", PASSWORD)])
        check("one that is, is taken", code == 0 and "weft_" in shown, shown)
        check("it is not shown", PASSWORD not in shown, shown)


# Of each kind: the namespace, a value, and where a name would show.
PERIOD = {"from": 1, "to": 4102444800000, "agent": "x", "comment": ""}
KINDS = {
    "absence": (0, dict(PERIOD, resource="PA-anna", workload=1),
                "/v1/people/anna/absences"),
    "deputy": (0, dict(PERIOD, person="PA-anna", deputy="PA-ben",
                       processes=[]), "/v1/people/anna/deputies"),
    "organisation": (0, {"name": ""}, "/v1/roles"),
    "pile": (0, {"specification": "S", "version": "1", "task": "",
                 "participant": "PA-anna"}, "/v1/worklist/piles?for=anna"),
    "service": (1, None, "/v1/services"),
}


class Records:
    """The records of a server's store, changed behind its back."""

    def __init__(self, server):
        self.db = sqlite3.connect(
            server.db[len("sqlite:"):], timeout=60, isolation_level=None)

    def spoil(self, kind):
        """Whoever reads records of that kind fails from now on."""
        self.db.executescript(
            "BEGIN IMMEDIATE; ALTER TABLE record RENAME TO kept;"
            " CREATE VIEW record AS SELECT namespace_id, kind, name, value,"
            " iif(kind = '%s', abs(-9223372036854775807 - 1), change) AS change"
            " FROM kept; COMMIT" % kind)

    def mend(self):
        self.db.executescript(
            "BEGIN IMMEDIATE; DROP VIEW record;"
            " ALTER TABLE kept RENAME TO record; COMMIT")

    def put(self, number):
        """A record of each kind, that differs by its number."""
        self.db.execute("BEGIN IMMEDIATE")
        change = self.db.execute("UPDATE counter SET last = last + 1 WHERE"
                                 " name = 'change' RETURNING last").fetchone()
        sample = self.db.execute("SELECT value FROM kept WHERE kind ="
                                 " 'service' AND name = 'first'").fetchone()[0]
        rows = [("organisation", 0, "", b"1")]
        for kind, (space, value, _) in KINDS.items():
            name = str(number)
            if kind == "organisation":
                value, name = {"name": "R%d" % number}, "role/R%d" % number
            if kind == "pile":
                value = dict(value, task="T%d" % number)
            rows.append((kind, space, name, sample if value is None
                         else json.dumps(value).encode()))
        self.db.executemany(
            "INSERT OR REPLACE INTO kept (kind, namespace_id, name, value,"
            " change) VALUES (?, ?, ?, ?, %d)" % change, rows)
        self.db.execute("COMMIT")


def one_kind_fails():
    """A kind of record that cannot be read keeps no other from being read."""
    server = Server(arguments=["--people"])
    client = server.client()
    for user in ("anna", "ben"):
        client.call("PUT", "/v1/people/PA-" + user,
                    {"user": user, "firstName": user, "lastName": user})
    done = client.call("PUT", "/v1/services/first",
                       {"uri": "urn:first", "kind": "pull"})
    check("a service", done.status in (200, 201), done)
    records = Records(server)

    def sees(kind, number):
        text = client.get(KINDS[kind][2]).body.decode()
        name = {"organisation": "R%d", "pile": "T%d"}.get(
            kind, "%d" if kind != "service" else '"%d"') % number
        return name in text
    for number, bad in enumerate(sorted(KINDS), 7000001):
        records.spoil(bad)
        records.put(number)
        for kind in KINDS:
            if kind != bad:
                check("%s cannot be read, but %s is" % (bad, kind),
                      until(lambda: sees(kind, number)),
                      client.get(KINDS[kind][2]))
        check("%s is not" % bad, not sees(bad, number))
        records.mend()
        check("%s is then" % bad, until(lambda: sees(bad, number)),
              client.get(KINDS[bad][2]))
    check("the log says so", "integer overflow" in server.read_log(),
          server.read_log())
    client.close()
    server.close()


def damaged_records():
    """Each is left out and named, and the server starts."""
    server = Server(arguments=["--people", "--yawl"])
    server.stop()
    names = {"account": (0, "bad"), "audience": (0, "A:bad"),
             "yawl-client": (1, "bad")}
    with sqlite3.connect(server.folder + "/weft.db") as store:
        change = store.execute("UPDATE counter SET last = last + 1 WHERE"
                               " name = 'change' RETURNING last").fetchone()
        store.executemany(
            "INSERT INTO record (kind, namespace_id, name, value, change)"
            " VALUES (?, ?, ?, x'7b', %d)" % change,
            [(kind, *where) for kind, where in names.items()])
    store.close()
    server.start()
    client = server.client()
    rows = client.get("/v1/accounts")
    check("the other accounts are listed", rows.status == 200
          and "bad" not in [row["name"] for row in rows.json()["accounts"]],
          rows)

    def named(kind):
        return '"event": "record_damaged", "kind": "%s", "name": "%s"' % (
            kind, names[kind][1]) in server.read_log()
    for kind in names:
        check("the log names the damaged %s" % kind,
              until(lambda: named(kind)), server.read_log())
    done = client.call("PUT", "/v1/services/first",
                       {"uri": "urn:first", "kind": "pull"})
    check("others are read", done.status in (200, 201), done)
    client.close()
    server.stop()
    listed = subprocess.run([WEFT, "account", "list", "--db", server.db],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check("the command line names it", listed.returncode == 0
          and b"account bad is damaged" in listed.stderr, listed)
    server.close()


run(*on_each(beside, "accounts"), *on_each(last_administrator, "admins"),
    offline, prompt, one_kind_fails, damaged_records)
end()
