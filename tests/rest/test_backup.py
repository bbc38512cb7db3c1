# SPDX-License-Identifier: Apache-2.0
"""A store is backed up while clients work, and restored elsewhere: it is
whole, has all that was acknowledged before the backup, and goes on."""
import os
import subprocess
import time
import uuid

from checks import LIMIT, SANITIZED, check, end, run, skip
from load import Worker, answered, at_work, found
from server import ROOT, WEFT, Server
from stores import Schema, has_postgresql

CLIENTS = 4
DELAY = 6 if SANITIZED else 3


def weft(*words):
    done = subprocess.run([WEFT] + list(words), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode()


def timed():
    """The example, with a timer on its first task."""
    with open(os.path.join(ROOT, "examples", "sequence.yawl")) as file:
        return file.read().replace("UID_WeftSequence", "UID_Timed").replace(
            'uri="BusinessTrip"', 'uri="Timed"').replace(
            "</completedMappings>", "</completedMappings><timer><trigger>"
            "OnEnabled</trigger><duration>PT%dS</duration></timer>" % DELAY, 1)


def arm(client, keys):
    """Cases that begin later, and timers that run; returns their ids."""
    late, timers = [], []
    for i in range(20):
        late.append("late%d" % i)
        client.post("/v1/cases", {"specification": keys[0], "case": late[i],
                                  "delay": "PT%dS" % DELAY})
        timers.append("timer%d" % i)
        client.post("/v1/cases", {"specification": keys[1],
                                  "case": timers[i]})
    return late, timers


def go_on(name, client, before, late, timers):
    """The restored server has all cases, and does what is due."""
    now = found(client)
    order = [None, "Ask", "Book"]
    missing = {c: (t, now.get(c)) for c, t in before.items()
               if order.index(now.get(c)) < order.index(t)}
    check("%s: what was answered before is there" % name, not missing,
          missing)
    case = next(iter(before))
    answer = client.post("/v1/items/%s:%s/complete" % (case, now[case]), {})
    check("%s: a case goes on" % name, answer.status == 200, answer)
    answer = client.post("/v1/cases", {"specification": "BusinessTrip"})
    check("%s: a new case has a number of its own" % name,
          answer.status == 201, answer)
    # What an engine had claimed at that moment is free after a minute.
    limit = time.monotonic() + LIMIT
    while time.monotonic() < limit:
        now = found(client)
        if all(now.get(c) == "Ask" for c in late) and \
                not any(now.get(c) == "Ask" for c in timers):
            break
        time.sleep(0.2)
    check("%s: what was to begin later has begun" % name,
          all(now.get(c) == "Ask" for c in late),
          [c for c in late if now.get(c) != "Ask"])
    check("%s: timers have run out" % name,
          not any(now.get(c) == "Ask" for c in timers),
          [c for c in timers if now.get(c) == "Ask"])


def backed_up(name, db, copy):
    """copy(db, folder) makes a copy, and returns its URL."""
    server = Server(db=db)
    restored = None
    try:
        client = server.client()
        keys = [client.load("sequence.yawl"), client.load(timed())]
        workers = [Worker(server, keys[0], "w%d" % i)
                   for i in range(CLIENTS)]
        for worker in workers:
            worker.start()
        late, timers = arm(client, keys)
        at_work(workers, 10)
        before = answered(workers)
        url = copy(server.db, server.folder)
        at_work(workers, len(before))
        amid = len(answered(workers)) - len(before)
        for worker in workers:
            worker.stopped = True
            worker.join()
        check("%s: clients were at work meanwhile" % name,
              len(before) > 10 and amid > 0, len(before), amid)
        check("%s: and were not disturbed" % name,
              not sum((w.odd for w in workers), []) and
              not sum(w.timeouts + w.unanswered for w in workers))
        check("%s: the server ends" % name, server.stop() == 0)
        code, said = weft("db", "check", "--db", url)
        check("%s: the copy is whole" % name, code == 0, said)
        restored = Server(db=url, token=server.token)
        go_on(name, restored.client(), before, late, timers)
        check("%s: the restored server ends" % name, restored.stop() == 0)
        code, said = weft("db", "check", "--db", url)
        check("%s: and leaves a store that is whole" % name, code == 0, said)
    finally:
        server.close()
        if restored:
            restored.close()


def copy_file(db, folder):
    path = folder + "/copy.db"
    code, said = weft("db", "backup", path, "--db", db)
    check("SQLite: a file that is in use is copied", code == 0 and
          "is copied to" in said, said)
    check("SQLite: nothing else is left",
          not os.path.exists(path + "-partial"))
    again, said = weft("db", "backup", path, "--db", db)
    check("SQLite: a copy is not written over",
          again == 1 and "is there already" in said, said)
    return "sqlite:" + path


def on_sqlite():
    backed_up("SQLite", None, copy_file)


def on_postgresql():
    if not has_postgresql():
        skip("backup of PostgreSQL", "there is no server to test on")
        return
    schema = Schema()
    other = "restored_" + uuid.uuid4().hex[:12]

    def dump(db, folder):
        code, said = weft("db", "backup", folder + "/copy", "--db", db)
        check("PostgreSQL: weft db backup names the tool",
              code == 1 and "pg_dump" in said, said)
        subprocess.run(["pg_dump", "-n", schema.name, "-f", folder + "/dump",
                        schema.server], check=True)
        schema.sql("CREATE DATABASE " + other)
        target = schema.server.rsplit("/", 1)[0] + "/" + other
        subprocess.run(["psql", "-q", "-v", "ON_ERROR_STOP=1", "-f",
                        folder + "/dump", target], check=True,
                       stdout=subprocess.DEVNULL)
        return schema.url.replace(schema.server, target)

    try:
        backed_up("PostgreSQL", schema.url, dump)
    finally:
        schema.close()
        schema.sql("DROP DATABASE IF EXISTS %s WITH (FORCE)" % other)


run(on_sqlite, on_postgresql)
end()
