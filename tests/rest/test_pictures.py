# SPDX-License-Identifier: Apache-2.0
"""The picture of a case shows its state, and its legend explains the colours
that occur, no others."""
import re

from checks import check, end, run
from server import Server

MEANINGS = {"token": "a token", "enabled": "can be started",
            "busy": "in progress"}


def legend(client, path, what, colours):
    """Checks which colours of a state the picture and its legend have."""
    got = client.get(path)
    svg = got.body.decode() if got.status == 200 else ""
    for colour, meaning in MEANINGS.items():
        # One of the signs is that of the legend.
        used = len(re.findall('class="wf-%s"' % colour, svg)) > 1
        explained = ">%s</text>" % meaning in svg
        check("%s: %s" % (what, meaning),
              used == explained == (colour in colours), got.status, used,
              explained)


def colours():
    server = Server()
    client = server.client()
    key = client.load("cancellation.yawl")
    legend(client, "/v1/specifications/%s/diagram" % key,
           "a specification", [])
    client.post("/v1/cases", {"specification": "Withdrawal", "case": "c"})
    legend(client, "/v1/cases/c/diagram", "a new case",
           ["token", "enabled"])
    client.post("/v1/items/c:Confirm/start")
    legend(client, "/v1/cases/c/diagram", "a started case", ["busy"])
    client.post("/v1/items/c.1:Confirm/complete")
    client.post("/v1/items/c:Prepare/start")
    legend(client, "/v1/cases/c/diagram", "a case with a choice",
           ["token", "enabled", "busy"])
    svg = client.get("/v1/cases/c/diagram").body.decode()
    task = svg.split("<title>Task Withdraw")[1]
    check("the colour of a task does not cover its mark",
          0 < task.find("wf-enabled") < task.find("wf-cancel"), task[:400])
    server.close()


run(colours)
end()
