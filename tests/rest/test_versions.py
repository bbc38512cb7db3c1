# SPDX-License-Identifier: Apache-2.0
"""Other content under an identifier and version that are loaded is refused."""
import os
import subprocess

from checks import check, end, run
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
    server.close()


run(*on_each(replacing, "replacing"))
end()
