# SPDX-License-Identifier: Apache-2.0
"""What may be done with cases and items: what is allowed is not refused when it
is done, and what is not allowed is refused, with the reason that was said."""
from changing import first
from checks import check, end, run
from people import add_people, process, resourcing
from server import Server

# method, path behind the subject, body.
CASE = {
    "suspend": ("POST", "/suspend", {}),
    "resume": ("POST", "/resume", {}),
    "cancel": ("POST", "/cancel", {}),
    "change_data": ("PATCH", "/data", {"n": 7}),
    "repair": ("POST", "/repair", {"changes": [
        {"change": "add", "condition": "q"}], "force": True}),
    "withdraw": ("POST", "/withdraw", {}),
    "comment": ("POST", "/comments", {"text": "seen"}),
    "erase": ("DELETE", "?reason=wanted", None),
}
ITEM = {
    "accept": ("POST", "/accept", None),
    "start": ("POST", "/start", None),
    "suspend": ("POST", "/suspend", {}),
    "resume": ("POST", "/resume", {}),
    "complete": ("POST", "/complete", {}),
    "deallocate": ("POST", "/deallocate", {}),
    "delegate": ("POST", "/delegate", {"to": "bert"}),
    "reallocate": ("POST", "/reallocate", {"to": "bert"}),
    "skip": ("POST", "/skip", {}),
    "chain": ("POST", "/chain", None),
    "offer": ("POST", "/offer", {"to": ["bert"]}),
    "allocate": ("POST", "/allocate", {"to": "bert"}),
    "force": ("POST", "/force", None),
    "fail": ("POST", "/fail", {"reason": "broken"}),
    "rollback": ("POST", "/rollback", {}),
    "cancel": ("POST", "/cancel", {}),
    "add": ("POST", "/add", {}),
    "reschedule": ("PATCH", "", {"priority": 70}),
    "unchain": ("POST", "/unchain", None),
    "reoffer": ("POST", "/reoffer", {"to": ["bert"]}),
    "restart": ("POST", "/restart", {"to": "bert"}),
}
REFUSED = (403, 404, 409)


class World:
    def __init__(self, server):
        self.server = server
        self.count = 0

    def case(self, key, steps, owner=None):
        """A new case, after these steps: (method, path); {} is the case."""
        client = self.server.client()
        self.count += 1
        name = "c%d" % self.count
        made = (owner or client).post(
            "/v1/cases", {"specification": key, "case": name})
        assert made.status == 201, made
        for who, path in steps:
            got = (who or client).post(path.replace("{}", name))
            assert got.status == 200, (path, got)
        return name


def hold(who, what, word, action, got):
    allowed = action["allowed"]
    check("%s, %s: %s is %s" % (who, what, word,
                                "done" if allowed else "refused"),
          allowed == (got.status not in REFUSED), action, got)
    check("%s, %s: %s has a reason, or needs none" % (who, what, word),
          allowed != bool(action.get("reason")), action)


def try_all(world, accounts, states, table, key, subject, skipped=()):
    """Does each action in each state as each account, on a case of its own."""
    seen = set()
    for who, client in accounts.items():
        for what, steps in states.items():
            for word, (method, path, body) in table.items():
                name = world.case(key, steps)
                place = subject(what).replace("{}", name)
                got = client.get(place + "/actions")
                if got.status != 200:
                    check("%s sees no actions" % who,
                          got.status in (403, 404), got)
                    break
                action = got.json().get(word)
                if action is None or word in skipped:
                    continue
                done = client.call(method, place + path, body)
                hold(who, what, word, action, done)
                seen.add((word, action["allowed"]))
    return seen


def cases():
    server = Server()
    world = World(server)
    key = server.client().load(first())
    accounts = {role: server.client(server.add_account(role, role, 1))
                for role in ("reader", "worker", "operator")}
    accounts["admin"] = server.client()
    accounts["one"] = server.client(server.add_account(
        "one", "", 1, ["read process:UID_moved", "suspend process:UID_moved"]))
    states = {
        "running": (),
        "suspended": ((None, "/v1/cases/{}/suspend"),),
        "ended": ((None, "/v1/cases/{}/cancel"),),
    }
    seen = try_all(world, accounts, states, CASE, key,
                   lambda what: "/v1/cases/{}")
    check("each is allowed and refused", {word for word in CASE
          if (word, True) not in seen or (word, False) not in seen}
          == {"withdraw", "comment"}, seen)
    migrate = server.client().get("/v1/cases/c1/actions").json()["migrate"]
    check("an ended case is not migrated", "ended" in world.server.client(
        ).get("/v1/cases/%s/actions" % world.case(key, states["ended"])).json(
        )["migrate"]["reason"] and "allowed" in migrate, migrate)
    reader = accounts["reader"].get("/v1/cases/%s/actions" % world.case(
        key, ())).json()
    check("the right that is missing is named",
          "the right to suspend" in reader["suspend"]["reason"], reader)
    check("of a case that is not there", server.client().get(
        "/v1/cases/none/actions").status == 404)
    check("the server ends", server.close() == 0)


def items_of_services():
    server = Server()
    world = World(server)
    key = server.client().load(first())
    accounts = {role: server.client(server.add_account(role, role, 1))
                for role in ("reader", "worker", "operator")}
    states = {
        "{}:A": (),
        "{}.1:A": ((None, "/v1/items/{}:A/start"),),
    }
    paused = {"{}.1:A": ((None, "/v1/items/{}:A/start"),
                         (None, "/v1/items/{}.1:A/suspend"))}
    halted = {"{}:A": ((None, "/v1/cases/{}/suspend"),)}
    seen = set()
    for some in (states, paused, halted):
        seen |= try_all(world, accounts, some, ITEM, key,
                        lambda what: "/v1/items/" + what)
    check("work is allowed and refused", {
        word for word in ("start", "suspend", "resume", "complete", "skip",
                          "force", "fail", "rollback", "cancel")
        if not {(word, True), (word, False)} <= seen} == set(), seen)
    check("what is for people never is", not {
        word for word, allowed in seen if allowed} & {
            "accept", "delegate", "chain", "offer"}, seen)
    check("the server ends", server.close() == 0)


def leased():
    server = Server()
    client = server.client()
    key = client.load(first())
    client.post("/v1/cases", {"specification": key, "case": "c"})
    worker = server.client(server.add_account("worker", "worker", 1))
    claimed = worker.post("/v1/items:claim", {})
    if check("an item is claimed", claimed.status == 200 and
             claimed.json()["items"], claimed):
        item = claimed.json()["items"][0]["item"]
        actions = client.get("/v1/items/%s/actions" % item).json()
        got = client.post("/v1/items/%s/fail" % item, {"reason": "mine"})
        check("a lease is the reason", got.json()["code"] == "lease" and
              actions["fail"]["reason"] == got.json()["detail"] and
              not actions["complete"]["allowed"], actions, got)
    check("the server ends", server.close() == 0)


def items_of_people():
    server = Server(arguments=["--people"])
    world = World(server)
    client = server.client()
    assert client.call("PUT", "/v1/roles/RO-clerk", {
        "name": "clerk"}).status == 201
    people = add_people(server, {
        "anna": {"roles": ["clerk"]}, "bert": {"roles": ["clerk"]},
        "carl": {}, "dora": {"administrator": True}})
    key = client.load(process("paper", [
        ("One", resourcing(roles=["RO-clerk"], more="<privileges><privilege>"
         "<name>canSuspend</name><allowall>true</allowall></privilege>"
         "</privileges>")), ("Two", resourcing(roles=["RO-clerk"]))]))
    anna = people["anna"]
    accounts = dict(people, operator=server.client(server.add_account(
        "operator", "operator", 1)))
    accept = (anna, "/v1/items/{}:One/accept")
    start = (anna, "/v1/items/{}:One/start")
    seen = set()
    for some in (
            {"{}:One": ()},
            {"{}:One": (accept,)},
            {"{}.1:One": (accept, start)},
            {"{}.1:One": (accept, start,
                          (anna, "/v1/items/{}.1:One/suspend"))},
            {"{}:One": (accept, (None, "/v1/cases/{}/suspend"))}):
        # An operator completes at once what nobody has started.
        seen |= try_all(world, accounts, some, ITEM, key,
                        lambda what: "/v1/items/" + what,
                        skipped=("complete",))
    check("what people do is allowed and refused", {
        word for word in ("accept", "start", "suspend", "resume", "deallocate",
                          "chain", "offer", "reallocate", "skip", "force")
        if (word, False) not in seen} == set() and {
            ("accept", True), ("start", True), ("suspend", True),
            ("resume", True), ("chain", True)} <= seen, sorted(seen))
    name = world.case(key, (accept, start))
    place = "/v1/items/%s.1:One/actions" % name
    mine = anna.get(place).json()
    shown = anna.get("/v1/items/%s.1:One" % name).json()
    check("the actions of the item are the same words", {
        word for word in shown["actions"]} <= {
            word for word in mine if mine[word]["allowed"]}, shown, mine)
    check("who has it is the reason", "anna" in people["dora"].get(
        place).json()["complete"]["reason"] or
        people["dora"].get(place).json()["complete"]["allowed"])
    check("who does not see it sees none of it",
          people["carl"].get(place).status == 404)
    for_anna = client.get(place + "?for=anna").json()
    check("for somebody else", for_anna["complete"]["allowed"], for_anna)
    check("the server ends", server.close() == 0)


run(cases, items_of_services, leased, items_of_people)
end()
