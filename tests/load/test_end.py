# SPDX-License-Identifier: Apache-2.0
"""SIGTERM under load: what was acknowledged is done, nothing else is, and
waiting clients get an answer."""
import subprocess
import threading
import time

from checks import SOAK, check, run, end
from load import Worker, answered, at_work, found
from server import WEFT, Server
from stores import on_each

CLIENTS = 16


def ends(name, db):
    server = Server(db=db, arguments=["--shards", "2"] if db else [])
    key = server.client().load("sequence.yawl")
    for round in range(12 if SOAK else 3):
        stream = server.client().stream()
        workers = [Worker(server, key, "%d-%d" % (round, i))
                   for i in range(CLIENTS)]
        for worker in workers:
            worker.start()
        at_work(workers, CLIENTS)
        first = stream.take(1)
        time.sleep(0.2 * round)
        code = server.stop()
        for worker in workers:
            worker.join()
        check("%s: it ends well" % name, code == 0, code,
              server.read_log())
        steps = first + stream.take(1000000)
        check("%s: the stream is ended, not torn off" % name,
              stream.ended and len(steps) > 0, len(steps))
        check("%s: no request is left without an answer" % name,
              sum(w.timeouts for w in workers) == 0)
        check("%s: every answer is success or 503" % name,
              not sum((w.odd for w in workers), []),
              *sum((w.odd for w in workers), []))
        server.start()
        wanted = answered(workers)
        all = {c: t for c, t in found(server.client()).items()
               if c.startswith("%d-" % round)}
        check("%s: work was going on" % name, len(wanted) > CLIENTS,
              len(wanted))
        check("%s: what was answered is done, and nothing else" % name,
              all == wanted, {c: (all.get(c), wanted.get(c))
                              for c in set(all) | set(wanted)
                              if all.get(c) != wanted.get(c)})
    check("%s: the last end" % name, server.stop() == 0)
    whole = subprocess.run([WEFT, "db", "check", "--quiet", "--db", server.db],
                           stdout=subprocess.PIPE)
    check("%s: the store is whole" % name, whole.returncode == 0, whole.stdout)
    server.close()


def waiting():
    """Requests that are under way when the server ends are answered."""
    server = Server()
    client = server.client()
    key = client.load("sequence.yawl")
    body = b'{"specification": "%s", "case": "late"}' % key.encode()
    head = ("POST /v1/cases HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s"
            "\r\nContent-Length: %d\r\n\r\n" % (server.token, len(body)))
    answers = []

    def send():
        answers.append(server.raw(head.encode() + body))

    senders = [threading.Thread(target=send) for _ in range(20)]
    for sender in senders:
        sender.start()
    while not answers:
        time.sleep(0.001)
    code = server.stop()
    for sender in senders:
        sender.join()
    check("the server ends", code == 0)
    check("each connection that was accepted got an answer, or a clean end",
          all(a == b"" or a.startswith(b"HTTP/1.1 ") for a in answers) and
          any(answers), answers)
    check("the case was started once", sum(
        a.startswith(b"HTTP/1.1 201") for a in answers) <= 1, answers)
    server.close()


run(*on_each(ends, "the end"), waiting)
end()
