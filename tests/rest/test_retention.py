# SPDX-License-Identifier: Apache-2.0
"""Ended cases are dropped when they are too old, exported before."""
import glob
import os
import re
import signal
import sqlite3
import xml.etree.ElementTree

from checks import check, end, run, until
from server import Server
from stores import on_each

# More than are read at once.
DAMAGED = 60
KILLED = 200


def start(client, key, case):
    answer = client.post("/v1/cases", {"specification": key, "case": case})
    if answer.status != 201:
        raise RuntimeError(repr(answer))


def finish(client, case):
    for task in ("Ask", "Book", "Travel"):
        client.post("/v1/items/%s:%s/complete" % (case, task), {})
    client.post("/v1/cases/%s/cancel" % case)


def keep(client, key, text):
    return client.call("PUT", "/v1/specifications/%s/retention" % key,
                       {"keep": text})


def counted(client, result):
    found = re.search(r'weft_ended_cases_total\{result="%s"\} (\d+)' % result,
                      client.get("/metrics").body.decode())
    return int(found.group(1))


def is_gone(client, case):
    return client.get("/v1/cases/" + case).status == 404


def by_setting(name, db):
    server = Server(db=db)
    folder = server.folder + "/export"
    server.stop()
    server.arguments += ["--keep-ended", "1s", "--export-ended", folder]
    server.start()
    client = server.client()
    first = client.load("sequence.yawl")
    second = client.load("choice.yawl")
    check("%s: a process is kept for ever" % name,
          keep(client, second, "never").status == 200 and client.get(
              "/v1/specifications/" + second).json()["keep"] == "never")
    for i in range(3):
        start(client, first, "a%d" % i)
        finish(client, "a%d" % i)
    start(client, first, "live")
    start(client, second, "kept")
    client.post("/v1/cases/kept/cancel")
    check("%s: the folder is made" % name, os.path.isdir(folder))
    os.rmdir(folder)
    check("%s: without the folder nothing can be exported" % name,
          until(lambda: counted(client, "failed") >= 1))
    check("%s: so nothing is dropped" % name, not any(
        is_gone(client, "a%d" % i) for i in range(3)) and
        counted(client, "dropped") == 0)
    check("%s: the log says so" % name,
          '"event": "export_failed"' in server.read_log() and
          "No such file" in server.read_log())
    os.mkdir(folder)
    check("%s: with it they are dropped" % name, until(lambda: all(
        is_gone(client, "a%d" % i) for i in range(3))))
    gone = client.get("/v1/cases/a1").json()
    check("%s: the answer names the case that was asked for" % name,
          gone["detail"] == "there is no case 'a1'", gone)
    check("%s: and counted" % name, until(
        lambda: counted(client, "dropped") == 3) and
        counted(client, "exported") == 3)
    files = sorted(os.path.basename(path)
                   for path in glob.glob(folder + "/*/*"))
    check("%s: each has a file" % name,
          files == ["1-a0.xes", "2-a1.xes", "3-a2.xes"], files)
    days = os.listdir(folder)
    check("%s: by the day of its end" % name, all(
        re.fullmatch(r"\d{4}-\d\d-\d\d", day) for day in days), days)
    log = xml.etree.ElementTree.parse(glob.glob(folder + "/*/1-a0.xes")[0])
    texts = [e.get("value") for e in log.iter() if e.get("value")]
    check("%s: with its whole log" % name, "a0" in texts and
          {"schedule", "complete"} <= set(texts), texts)
    check("%s: what runs stays" % name,
          client.get("/v1/cases/live").json()["status"] == "running")
    check("%s: so does what is kept for ever" % name,
          client.get("/v1/cases/kept").json()["status"] == "cancelled")
    again = client.post("/v1/cases", {"specification": first, "case": "a0"})
    check("%s: names stay in use" % name, again.status == 409, again)
    server.close()


def reloaded():
    """Both settings of a reload count together; else cases would be lost."""
    server = Server()
    path = server.folder + "/conf"
    open(path, "w").close()
    server.stop()
    server.arguments += ["--config", path]
    server.start()
    client = server.client()
    key = client.load("sequence.yawl")
    for i in range(3):
        start(client, key, "r%d" % i)
        finish(client, "r%d" % i)
    folder = server.folder + "/export"
    with open(path, "w") as file:
        file.write("keep-ended = 1s\nexport-ended = %s\n" % folder)
    server.process.send_signal(signal.SIGHUP)
    check("after a reload, ended cases are dropped",
          until(lambda: counted(client, "dropped") == 3))
    check("each is exported before", counted(client, "exported") == 3 and
          len(glob.glob(folder + "/*/*.xes")) == 3)
    check("the log says what is used",
          '"changed": "keep-ended export-ended"' in server.read_log())
    server.stop()
    server.arguments += ["--export-ended", path + "/below"]
    try:
        server.start()
        check("a folder that cannot be made is refused", False)
    except RuntimeError as error:
        check("a folder that cannot be made is refused",
              server.process.returncode == 2, server.process.returncode)
        check("it is named", "export-ended: %s/below: Not a directory" % path
              in str(error), error)
    server.process = None
    server.close()


def damaged():
    """Cases that cannot be exported do not keep others from being dropped."""
    server = Server()
    folder = server.folder + "/export"
    os.mkdir(folder)
    client = server.client()
    key = client.load("sequence.yawl")
    for i in range(DAMAGED + 5):
        start(client, key, "d%03d" % i)
        client.post("/v1/cases/d%03d/cancel" % i)
    server.stop()
    store = sqlite3.connect(server.folder + "/weft.db")
    store.execute("UPDATE history SET events = x'ffffffffff' "
                  "WHERE number <= ?", (DAMAGED,))
    store.commit()
    store.close()
    server.arguments += ["--keep-ended", "1s", "--export-ended", folder]
    server.start()
    client = server.client()
    check("behind those that are damaged, others are dropped",
          until(lambda: counted(client, "dropped") == 5))
    check("those that are not exported are kept", until(
        lambda: counted(client, "failed") >= DAMAGED) and
        "d000" in [case["case"] for case in
                   client.get("/v1/cases?limit=100").json()["cases"]])
    check("the log names one of a round", 1 <= server.read_log().count(
        '"event": "export_failed"') <= counted(client, "failed") / DAMAGED + 1)
    server.close()


def killed():
    """A server that dies between the export of a case and its removal."""
    server = Server()
    folder = server.folder + "/export"
    client = server.client()
    key = client.load("sequence.yawl")
    for i in range(KILLED):
        start(client, key, "k%03d" % i)
        finish(client, "k%03d" % i)
    server.stop()
    server.arguments += ["--keep-ended", "1s", "--export-ended", folder]

    def files():
        return glob.glob(folder + "/*/*.xes")

    def whole():
        """The cases whose files have all of the log."""
        found = set()
        for path in files():
            log = xml.etree.ElementTree.parse(path)
            texts = [e.get("value") for e in log.iter()]
            if texts.count("complete") >= 3:
                found.add(re.search(r"-(k\d+)\.xes$", path).group(1))
        return found

    def stored():
        with sqlite3.connect(server.folder + "/weft.db") as store:
            return {row[0] for row in store.execute("SELECT name FROM ended")}

    every = stored()
    check("all cases have ended", len(every) == KILLED, every)
    for more in (1, 25, 50, 80):
        seen = len(files())
        server.start()
        until(lambda: len(files()) >= min(seen + more, KILLED))
        server.stop(signal.SIGKILL)
        lost = every - stored() - whole()
        check("killed behind %d files: no case is lost" % more, lost == set(),
              lost)
    server.start()
    client = server.client()
    check("the rest is exported and dropped", until(
        lambda: client.get("/v1/cases").json()["cases"] == []) and
        whole() == every, every - whole())
    server.close()


def by_process():
    """One process drops, the setting keeps; versions share what is said."""
    server = Server()
    client = server.client()
    first = client.load("sequence.yawl")
    second = client.load("choice.yawl")
    for bad in ("soon", "P1M", "PT0S", "-P1D", "P400000D"):
        check("%s is refused" % bad, keep(client, first, bad).status == 400)
    check("nothing is said", "keep" not in client.get(
        "/v1/specifications/" + first).json())
    answer = keep(client, first, "PT1S")
    check("a process is kept for a second", answer.status == 200 and
          answer.json()["keep"] == "PT1S", answer)
    start(client, first, "a")
    finish(client, "a")
    start(client, second, "b")
    client.post("/v1/cases/b/cancel")
    check("its case is dropped", until(lambda: is_gone(client, "a")))
    check("others are not", client.get("/v1/cases/b").status == 200)
    check("by default it is as before", "keep" not in keep(
        client, first, "default").json())
    operator = server.client(server.add_account("olga", "operator", 1))
    check("an operator may not say it",
          keep(operator, first, "PT1S").status == 403)
    server.close()


run(*on_each(by_setting, "retention"), reloaded, damaged, killed, by_process)
end()
