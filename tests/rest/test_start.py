# SPDX-License-Identifier: Apache-2.0
"""What a server writes when it starts, and who can read it."""
import json
import os
import stat
import subprocess
import tempfile

from checks import LIMIT, check, end, run
from server import WEFT, Server


def serve(folder, *arguments):
    """A server that does not start: its exit code and what it says."""
    done = subprocess.run(
        [WEFT, "serve"] + list(arguments), cwd=folder, timeout=LIMIT,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stderr.decode()


def content(path):
    with open(path) as file:
        return file.read()


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def address_taken():
    """Nothing is written before the address is bound."""
    server = Server()
    taken = ["--listen", "127.0.0.1:%d" % server.port]
    with tempfile.TemporaryDirectory(prefix="weft-start-") as folder:
        code, said = serve(folder, *taken)
        check("an address that is taken is refused",
              code == 1 and "cannot listen" in said, code, said)
        check("nothing was written", os.listdir(folder) == [],
              os.listdir(folder))
    code, said = serve(server.folder, "--db", "sqlite:other.db", *taken)
    check("nor beside another store", code == 1 and not os.path.exists(
        server.folder + "/other.db"), code, said)
    check("whose token is what it was",
          content(server.folder + "/weft.token") == server.token + "\n")
    server.close()


def another_store():
    """The file of a token is not overwritten by another store."""
    server = Server()
    token = server.folder + "/weft.token"
    free = ["--db", "sqlite:other.db", "--listen", "127.0.0.1:0"]
    identity = json.loads(subprocess.run(
        [WEFT, "db", "show", "--json", "--db", "sqlite:" + copied(server)],
        check=True, stdout=subprocess.PIPE).stdout)["identity"]
    check("a token names its store",
          server.token.startswith("weft_%s_" % identity[:8]),
          server.token, identity)
    for _ in range(2):
        code, said = serve(server.folder, *free)
        check("another store leaves it alone", code == 1 and
              "token of this store" in said and "--token-file" in said,
              code, said)
        check("the token is still good",
              content(token) == server.token + "\n" and
              server.client().get("/v1/cases").status == 200)
    victim = server.folder + "/victim"
    with open(victim, "w") as file:
        file.write("precious\n")
    link = server.folder + "/link"
    os.symlink(victim, link)
    code, said = serve(server.folder, "--token-file", link, *free)
    check("a symbolic link is not followed",
          code == 1 and "symbolic link" in said, code, said)
    os.symlink(server.folder + "/nowhere", server.folder + "/dangling")
    code, said = serve(
        server.folder, "--token-file", server.folder + "/dangling", *free)
    check("not even to nothing", code == 1 and "symbolic link" in said and
          not os.path.exists(server.folder + "/nowhere"), code, said)
    code, said = serve(server.folder, "--token-file", victim, *free)
    check("a file of somebody's is not overwritten", code == 1 and
          content(victim) == "precious\n", code, said)
    other = Server(db="sqlite:%s/other.db" % server.folder,
                   arguments=["--token-file", server.folder + "/other.token"])
    check("with a file of its own it starts",
          content(server.folder + "/other.token").startswith("weft_"))
    other.close()
    server.close()


def copied(server):
    path = server.folder + "/copy.db"
    subprocess.run([WEFT, "db", "backup", path, "--db", server.db],
                   check=True, stdout=subprocess.DEVNULL)
    return path


def private():
    """Files of a store belong to its owner alone."""
    before = os.umask(0)
    try:
        server = Server()
        server.client().load("sequence.yawl")
        names = {name: mode(server.folder + "/" + name)
                 for name in os.listdir(server.folder)
                 if name.startswith("weft.")}
        check("a store consists of these files", set(names) == {
            "weft.db", "weft.db-wal", "weft.db-shm", "weft.db-lock",
            "weft.token"}, names)
        check("only its owner can read them",
              set(names.values()) == {0o600}, names)
        check("nor a backup", mode(copied(server)) == 0o600)
        check("the log has no warning", "store_exposed" not in
              server.read_log(), server.read_log())
        made = server.folder + "/made.db"
        subprocess.run([WEFT, "db", "init", "--db", "sqlite:" + made],
                       check=True, stdout=subprocess.DEVNULL)
        check("nor one that weft db makes", mode(made) == 0o600)
        server.stop()
        os.chmod(server.folder + "/weft.db", 0o640)
        server.start()
        lines = [json.loads(line) for line in server.read_log().splitlines()]
        warned = [line for line in lines if line["event"] == "store_exposed"]
        check("a store that others can read is warned about",
              len(warned) == 1 and warned[0]["level"] == "warning" and
              warned[0]["file"].endswith("/weft.db"), lines)
        server.close()
    finally:
        os.umask(before)


if __name__ == "__main__":
    run(address_taken, another_store, private)
    end()
