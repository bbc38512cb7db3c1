# SPDX-License-Identifier: Apache-2.0
"""What can be seen of an item while it is handed over: attempts that fail, who
has it, whether its service is registered."""
import json

from fake import SECRET, Fake, items, process
from checks import check, end, run, until
from server import Server
from stores import on_each


def lines(server, event):
    found = []
    for line in server.read_log().splitlines():
        if '"event":"%s"' % event in line.replace(" ", ""):
            found.append(json.loads(line))
    return found


def attempts(name, store):
    """A failed attempt is seen before the last one, after a restart, too."""
    fake = Fake(lambda call: (503, {"reason": "out of ink"})
                if items(call) else (200, None))
    arguments = ("--allow-address", "127.0.0.1", "--log-level", "info")
    server = Server(db=store, arguments=arguments)
    client = server.client()
    client.call("PUT", "/v1/services/one", {
        "kind": "push", "uri": fake.uri, "secret": SECRET,
        "delay": "PT300S", "attempts": 2})
    key = client.load(process(fake.uri, name="a"))
    client.post("/v1/cases", {"specification": key, "case": "a"})
    until(lambda: "last_answer" in client.get("/v1/items/a:T0").json())
    server.stop()
    server.start()
    client = server.client()
    item = client.get("/v1/items/a:T0").json()
    check(name + ": the item shows the attempt", item.get("attempt") == 1 and
          "next_try" in item and
          "HTTP 503: out of ink" in item.get("last_answer", ""), item)
    for path in "/v1/items?case=a", "/v1/cases/a":
        found = client.get(path).json()["items"]
        check("and so does %s" % path, len(found) == 1 and all(
            found[0].get(name) == item[name]
            for name in ("attempt", "next_try", "last_answer")), found)
    cases = client.get("/v1/cases").json()["cases"]
    check("there is no incident yet", "incident" not in cases[0], cases)
    logged = lines(server, "delivery_failed")
    check("the log has a line, without what the service says",
          len(logged) == 1 and logged[0]["level"] == "info" and
          (logged[0]["status"], logged[0]["attempt"], logged[0]["item"]) ==
          (503, 1, "a:T0") and "ink" not in str(logged[0]), logged)
    client.call("PUT", "/v1/services/one", {
        "kind": "push", "uri": fake.uri, "delay": "PT300S", "attempts": 1})
    client.post("/v1/cases", {"specification": key, "case": "b"})
    until(lambda: client.get("/v1/incidents?case=b").json()["incidents"])
    until(lambda: "last_answer" in client.get("/v1/items/b:T0").json())
    found = {case["case"]: case.get("incident", False)
             for case in client.get("/v1/cases").json()["cases"]}
    check("a case with an incident is marked", found == {
        "a": False, "b": client.get("/v1/incidents?case=b").json()[
            "incidents"][0]["incident"]} and
        client.get("/v1/cases/b").json()["incident"] == found["b"], found)
    item = client.get("/v1/items/b:T0").json()
    check("its item shows the last attempt", item.get("attempt") == 1 and
          "next_try" not in item and "out of ink" in item["last_answer"], item)
    number = client.get("/v1/incidents?case=b").json()["incidents"][0]
    client.post("/v1/incidents/%d/drop" % number["incident"],
                {"reason": "known"})
    check("dropped, it is no mark", "incident" not in
          client.get("/v1/cases/b").json())
    server.close()
    fake.close()


def holder(name, store):
    """Who has an item, until when, and why the last attempt failed."""
    server = Server(db=store)
    client = server.client()
    client.call("PUT", "/v1/services/pulled", {
        "kind": "pull", "uri": "urn:pulled", "delay": "PT0S"})
    key = client.load(process("urn:pulled", name="a"))
    client.post("/v1/cases", {"specification": key, "case": "a"})
    ask = {"service": "pulled", "lease": "PT300S", "wait": "PT20S"}
    got = client.post("/v1/items:claim", ask).json()["items"][0]
    for item in (client.get("/v1/items/a.1:T0").json(),
                 client.get("/v1/items?case=a").json()["items"][0]):
        check(name + ": an item names its holder",
              (item["holder"], item["until"], item["attempt"]) ==
              ("admin", got["until"], 1), item)
    client.post("/v1/items/a.1:T0/release", {
        "fence": got["fence"], "reason": "no paper"})
    item = client.get("/v1/items/a.1:T0").json()
    check("given back, it has none, and says why", "holder" not in item and
          (item["attempt"], item["last_answer"]) == (1, "no paper"), item)
    got = client.post("/v1/items:claim", ask).json()["items"][0]
    item = client.get("/v1/items/a.1:T0").json()
    check("also the next holder sees it", got["fence"] == 2 and
          (item["attempt"], item["last_answer"]) == (2, "no paper"), item)
    server.close()


def unserved(name, store):
    """An item whose service nobody has registered is an incident, later."""
    server = Server(db=store, arguments=("--unserved", "1s"))
    client = server.client()
    key = client.load(process("urn:nobody", name="a"))
    client.post("/v1/cases", {"specification": key, "case": "a"})
    item = client.get("/v1/items?case=a").json()["items"][0]
    check(name + ": it is marked", item.get("unserved") is True, item)
    check("and counted", b"\nweft_items_unserved_total 1\n" in
          client.get("/metrics").body)
    client.post("/v1/cases", {"specification": key, "case": "done"})
    client.post("/v1/items/done:T0/complete", {"y": 1})
    server.stop()
    server.start()
    client = server.client()
    until(lambda: client.get("/v1/incidents").json()["incidents"])
    found = client.get("/v1/incidents").json()["incidents"]
    check("after the time it is an incident, after a restart, too",
          len(found) == 1 and (found[0]["case"], found[0]["item"],
          found[0]["code"]) == ("a", "a:T0", "unserved") and
          "urn:nobody" in found[0]["text"], found)
    client.call("PUT", "/v1/services/late", {
        "kind": "pull", "uri": "urn:nobody"})
    client.post("/v1/incidents/%d/retry" % found[0]["incident"])
    got = client.post("/v1/items:claim", {"service": "late", "wait": "PT20S"})
    check("registered, it is handed over",
          [i["item"] for i in got.json()["items"]] == ["a.1:T0"], got)
    client.post("/v1/cases", {"specification": key, "case": "left"})
    client.call("DELETE", "/v1/services/late")
    until(lambda: client.get("/v1/incidents").json()["incidents"])
    found = client.get("/v1/incidents").json()["incidents"]
    check("its service removed, a waiting item is an incident, one that is "
          "executed is not", [(i["item"], i["code"]) for i in found] ==
          [("left:T0", "unserved")], found)
    server.close()


run(*on_each(unserved, "items without a service"), *on_each(attempts, "attempts"), *on_each(holder, "holders"))
end()
