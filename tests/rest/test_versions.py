# SPDX-License-Identifier: Apache-2.0
"""
Versions of a process: lists have all of them, or the one that is named; other
content under an identifier and version that are loaded is refused.
"""
import os
import subprocess
import threading

from checks import check, end, run, until
from server import ROOT, WEFT, Server
from stores import on_each


def load(client, text, query=""):
    return client.post("/v1/specifications" + query, text.encode(),
                       type="application/xml")


def replacing(name, db):
    server = Server(db=db)
    client = server.client()
    with open(os.path.join(ROOT, "examples", "sequence.yawl")) as file:
        first = file.read()
    other = first.replace("Business trip", "Another trip")
    check("%s: the example has that title" % name, other != first)
    key = load(client, first).json()["specifications"][0]["key"]
    again = load(client, first)
    check("%s: the same again changes nothing" % name, again.status == 201 and
          again.json()["specifications"][0]["key"] == key, again)
    got = load(client, other)
    check("%s: other content is refused" % name, got.status == 409 and
          "BusinessTrip, version 0.1" in got.json()["detail"] and
          "another version" in got.json()["detail"], got)
    check("%s: and not loaded" % name, [one["key"] for one in client.get(
        "/v1/specifications").json()["specifications"]] == [key])
    path = server.folder + "/other.yawl"
    with open(path, "w") as file:
        file.write(other)
    done = subprocess.run(
        [WEFT, "spec", "load", "--replace", path, "--server",
         "http://127.0.0.1:%d" % server.port],
        env=dict(os.environ, WEFT_TOKEN=server.token), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    now = client.get("/v1/specifications").json()["specifications"]
    check("%s: with --replace it is there alone" % name,
          done.returncode == 0 and len(now) == 1 and
          now[0]["title"] == "Another trip", done.stdout, now)
    client.post("/v1/cases", {"specification": "BusinessTrip",
                              "delay": "PT1H"})
    got = load(client, first, "?replace=true")
    check("%s: not while a start is delayed" % name, got.status == 409 and
          "started" in got.json()["detail"], got)
    for start in client.get("/v1/starts").json()["starts"]:
        client.call("DELETE", "/v1/starts/%d" % start["start"])
    check("%s: but when it was withdrawn" % name,
          load(client, first, "?replace=true").status == 201)
    client.post("/v1/cases", {"specification": "BusinessTrip", "case": "c"})
    client.post("/v1/cases/c/cancel")
    got = load(client, other, "?replace=true")
    check("%s: nor when a case ran" % name, got.status == 409, got)
    server.stop()
    subprocess.run([WEFT, "db", "retire", "--quiet", "--older-than", "0h",
                    "--db", server.db], check=True)
    server.start()
    client = server.client()
    check("%s: all its cases are retired" % name,
          client.get("/v1/cases").json()["cases"] == [])
    load(client, first)
    got = load(client, other, "?replace=true")
    check("%s: nor when all cases that ran are retired" % name,
          got.status == 409, got)
    server.close()


def read_example():
    with open(os.path.join(ROOT, "examples", "sequence.yawl")) as file:
        return file.read()


def of_version(text, version):
    """The example with another version, and title, so another key."""
    return text.replace("<version>0.1</version>",
                        "<version>%s</version>" % version)


def pages(client, path, member):
    """All rows of a list, in pages of two."""
    rows = []
    after = ""
    while True:
        page = client.get(path + "&limit=2" + after).json()
        rows += page[member]
        if "next" not in page:
            return rows
        after = "&after=%s" % page["next"]


def listing(name, db):
    server = Server(db=db)
    client = server.client()
    first = read_example()
    keys = {}
    for version in ("0.1", "0.2", "0.10"):
        keys[version] = load(client, of_version(first, version)).json()[
            "specifications"][0]["key"]
    check("%s: three versions" % name, len(set(keys.values())) == 3, keys)
    for i, version in enumerate(("0.2", "0.1", "0.10", "0.2", "0.1")):
        client.post("/v1/cases", {"specification": "BusinessTrip",
                                  "version": version, "case": "c%d" % i})
    client.post("/v1/cases/c1/cancel")
    for kind, member in (("cases", "cases"), ("items", "items")):
        def cases(query):
            return [row["case"] for row in pages(
                client, "/v1/%s?%s" % (kind, query), member)]
        oldest = "order=oldest&" if kind == "cases" else ""
        ended = ["c1"] if kind == "cases" else []
        check("%s: %s of all versions, in order" % (name, kind),
              cases(oldest + "specification=BusinessTrip") ==
              sorted(ended + ["c0", "c2", "c3", "c4"]),
              cases(oldest + "specification=BusinessTrip"))
        check("%s: %s of one version" % (name, kind),
              cases(oldest + "specification=BusinessTrip&version=0.2") ==
              ["c0", "c3"])
        check("%s: %s of a key" % (name, kind), cases(
            oldest + "specification=" + keys["0.10"]) == ["c2"])
        got = client.get("/v1/%s?specification=BusinessTrip&version=3" % kind)
        check("%s: %s: an unknown version names those that exist" %
              (name, kind), got.status == 404 and
              got.json()["code"] == "not_found" and
              "0.10, 0.2, 0.1" in got.json()["detail"], got)
        check("%s: %s: an unknown name" % (name, kind), client.get(
            "/v1/%s?specification=None" % kind).status == 404)
        check("%s: %s: a version of what?" % (name, kind), client.get(
            "/v1/%s?version=0.1" % kind).status == 400)
    client.post("/v1/cases/c4/cancel")
    got = client.call("DELETE", "/v1/specifications/" + keys["0.1"])
    check("%s: a version is removed" % name, got.status == 204, got)
    check("%s: its cases are listed" % name, [row["case"] for row in pages(
        client, "/v1/cases?specification=BusinessTrip", "cases")] ==
        ["c4", "c3", "c2", "c1", "c0"])
    server.close()


def racing(name, db):
    """Of different contents that are loaded at the same moment, one is."""
    server = Server(db=db)
    first = read_example()
    for turn in range(5):
        version = "1.%d" % turn
        texts = [of_version(first, version).replace(
            "Business trip", "Trip %d" % i) for i in range(6)]
        start = threading.Barrier(len(texts))
        got = []

        def one(text):
            client = server.client()
            start.wait()
            got.append(load(client, text).status)

        threads = [threading.Thread(target=one, args=(text,))
                   for text in texts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        loaded = [row for row in server.client().get(
            "/v1/specifications?uri=BusinessTrip").json()["specifications"]
            if row["version"] == version]
        check("%s: one of six loads is taken" % name, len(loaded) == 1 and
              sorted(got) == [201] + [409] * 5, got, loaded)
    server.close()


def sharing():
    """Two processes with one URI, which differ in their identifiers."""
    server = Server()
    client = server.client()
    for identifier in ("UID_one", "UID_two"):
        for version in ("0.1", "0.2"):
            load(client, of_version(read_example(), version).replace(
                "UID_WeftSequence", identifier))
    rows = client.get("/v1/specifications").json()["specifications"]
    check("two processes with one URI", [one["identifier"] for one in rows] ==
          ["UID_one", "UID_two"] * 2 and
          {one["uri"] for one in rows} == {"BusinessTrip"}, rows)
    for i, row in enumerate(rows):
        client.post("/v1/cases", {"specification": row["key"],
                                  "case": "c%d" % i})

    def cases(query):
        return [one["case"] for one in client.get(
            "/v1/cases?order=oldest&specification=" + query).json()["cases"]]
    check("cases by the URI, and by the identifier", [
        cases(query) for query in ("BusinessTrip", "UID_one", "UID_two",
                                   "UID_two&version=0.1")] ==
        [["c0", "c1", "c2", "c3"], ["c0", "c2"], ["c1", "c3"], ["c1"]])
    got = client.get("/v1/cases?specification=UID_three")
    check("an identifier that does not exist", got.status == 404 and
          "identifier UID_three" in got.json()["detail"], got)
    counted = "/v1/statistics?specification=UID_two"
    check("statistics name the identifier",
          until(lambda: client.get(counted).json()["complete"]) and [
              (one["identifier"], one["started"])
              for one in client.get(counted).json()["statistics"]] ==
          [("UID_two", 1)] * 2)
    server.close()


run(*on_each(replacing, "replacing"), sharing, *on_each(listing, "listing"),
    *on_each(racing, "racing"))
end()
