# SPDX-License-Identifier: Apache-2.0
"""A server that offers items to people: no service and no worker gets them."""
import os

from checks import check, run, end, until
from server import ROOT, Server


def for_people():
    server = Server(arguments=["--people", "--unserved", "1ms"])
    client = server.client()
    with open(os.path.join(ROOT, "examples", "sequence.yawl")) as file:
        key = client.load(file.read())
    client.post("/v1/cases", {"specification": key, "case": "a"})
    items = client.get("/v1/items").json()["items"]
    check("the item is there", len(items) == 1, items)
    item = items[0]
    check("it is for people", item["service"] == "weft:people", item)
    check("and not unserved", "unserved" not in item, item)
    check("the item alone says the same",
          client.get("/v1/items/" + item["item"]).json()["service"]
          == "weft:people")
    found = client.get("/v1/items?service=weft:people").json()["items"]
    check("it is found by that", [i["item"] for i in found] == [item["item"]],
          found)
    claimed = client.post("/v1/items:claim", {})
    check("a worker does not get it", claimed.status == 200
          and claimed.json()["items"] == [], claimed)
    claimed = client.post("/v1/items:claim", {"service": "weft:people"})
    check("nor by its service", claimed.status == 400
          and "accepted in a worklist" in claimed.json()["detail"], claimed)
    codes = until(lambda: [
        incident["code"] for incident
        in client.get("/v1/incidents").json()["incidents"]])
    check("the incident is that there are no people",
          codes == ["unoffered"], codes)
    server.stop()


run(for_people)
end()
