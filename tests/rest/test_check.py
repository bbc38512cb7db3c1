# SPDX-License-Identifier: Apache-2.0
"""Analyses of nets as data: every witness can be played on the picture of its
net step by step, what loading would say is said without loading."""
import glob
import random

from checks import SOAK, check, end, run
from server import ROOT, Server

SEED = 18 if not SOAK else random.randrange(1 << 30)
FILES = sorted(glob.glob(ROOT + "/examples/**/*.yawl", recursive=True))


def to(*ids):
    return "".join('<flowsInto><nextElementRef id="%s"/></flowsInto>' % i
                   for i in ids)


def either(*ids):
    return "".join(
        '<flowsInto><nextElementRef id="%s"/>%s</flowsInto>' % (
            i, "<isDefaultFlow/>" if i == ids[-1] else
            '<predicate ordering="%d">true()</predicate>' % place)
        for place, i in enumerate(ids))


def task(name, join, split, *ids, cancels=()):
    split = "and" if len(ids) == 1 else split
    flows = to(*ids) if split == "and" else either(*ids)
    if split == "or":
        flows = flows.replace(' ordering="', ' x="')
        for place in range(len(ids)):
            flows = flows.replace(' x="%d"' % place, "")
    return ('<task id="%s">%s<join code="%s"/><split code="%s"/>%s'
            '<decomposesTo id="Work"/></task>' % (
                name, flows, join, split, "".join(
                    '<removesTokens id="%s"/>' % i for i in cancels)))


def net(*tasks, uri="Net", first="A"):
    return """<specificationSet version="4.0"
 xmlns="http://www.yawlfoundation.org/yawlschema"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<specification uri="%s"><metaData><creator>me</creator><version>0.1</version>
<identifier>UID_%s</identifier></metaData>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>
<decomposition id="Net" isRootNet="true" xsi:type="NetFactsType">
<processControlElements><inputCondition id="i">%s</inputCondition>
%s<outputCondition id="o"/></processControlElements></decomposition>
<decomposition id="Work" xsi:type="WebServiceGatewayFactsType"/>
</specification></specificationSet>""" % (uri, uri, to(first), "".join(tasks))


# --- a simulator of nets as they are drawn


class Simulator:
    """Which markings a step may lead to, by the picture of a net alone."""

    def __init__(self, picture):
        self.tasks = {e["id"]: e for e in picture["elements"]
                      if e["kind"] == "task"}
        self.inputs = {t: [] for t in self.tasks}
        self.outputs = {t: [] for t in self.tasks}
        for flow in picture["flows"]:
            if flow["to"] in self.tasks:
                self.inputs[flow["to"]].append(
                    flow.get("condition", flow["from"]))
            if flow["from"] in self.tasks:
                self.outputs[flow["from"]].append(
                    flow.get("condition", flow["to"]))
        self.first = [e["id"] for e in picture["elements"]
                      if e["kind"] == "input"][0]
        self.last = [e["id"] for e in picture["elements"]
                     if e["kind"] == "output"][0]

    def starts(self, name, marking, busy):
        inputs = self.inputs[name]
        marked = [p for p in inputs if marking.get(p)]
        join = self.tasks[name].get("join", "and")
        if join == "xor":
            choices = [[p] for p in marked]
        elif join == "or":
            choices = [marked] if marked else []
        else:
            choices = [inputs] if len(marked) == len(inputs) else []
        for taken in choices:
            after = dict(marking)
            for place in taken:
                after[place] -= 1
            if name not in busy:
                yield after, busy | {name}

    def ends(self, name, exits, marking, busy):
        split = self.tasks[name].get("split", "and")
        good = (exits is None if split == "and" else
                bool(exits) and set(exits) <= set(self.outputs[name])
                and (split == "or" or len(exits) == 1))
        if name not in busy or not good:
            return
        gone = set(self.tasks[name].get("cancels", []))
        after = {p: n for p, n in marking.items() if p not in gone}
        for place in exits or self.outputs[name]:
            after[place] = after.get(place, 0) + 1
        yield after, busy - {name} - gone

    def leads(self, step, before, after):
        """Whether the step may lead from one marking to the other."""
        name, part = step["fires"], step.get("part")
        states = [before]
        if name not in self.tasks or before[0].get(self.last):
            return False
        if part != "end":
            states = [s for m, b in states for s in self.starts(name, m, b)]
        if part != "start":
            states = [s for m, b in states for s in self.ends(
                name, step.get("exit"), m, b)]
        return any(({p: n for p, n in m.items() if n}, b) == after
                   for m, b in states)


def state_of(step):
    return dict(step["marking"]), frozenset(step.get("busy", []))


def replay(what, simulator, steps, state):
    """The last marking of a witness; state: None for the start of the net."""
    if state is None:
        state = state_of(steps[0])
        check("%s begins with the start" % what,
              state == ({simulator.first: 1}, frozenset())
              and "fires" not in steps[0], steps[0])
        steps = steps[1:]
    for step in steps:
        after = state_of(step)
        check("%s: %s is a step of the net" % (what, step["fires"]),
              simulator.leads(step, state, after), state, step)
        state = after
    return state


def holds(kind, simulator, state, before):
    """Whether the last marking is what was found."""
    marking, busy = state
    ended = bool(marking.get(simulator.last))
    if kind == "leftover":
        return ended and (sum(marking.values()) > 1 or bool(busy))
    if kind == "empty":
        return not marking and not busy
    if kind == "deadlock":
        return not ended and bool(marking) and not busy and not any(
            True for t in simulator.tasks
            if simulator.tasks[t].get("join", "and") != "or"
            for _ in simulator.starts(t, marking, busy))
    if kind in ("unbounded", "growing"):
        return before is not None and all(
            marking.get(p, 0) >= n for p, n in before[0].items()) \
            and sum(marking.values()) > sum(before[0].values())
    return not ended


def check_findings(what, nets, report):
    """Plays all witnesses; returns the kinds of findings that have one."""
    seen = set()
    pictures = {n["id"]: n for n in nets}
    for one in report["nets"]:
        simulator = Simulator(pictures[one["id"]])
        if "ending" in one:
            marking, _ = replay(what + ": the end", simulator, one["ending"],
                                None)
            check("%s comes to the end" % what, marking.get(simulator.last),
                  marking)
        for finding in one["findings"]:
            kind = finding["kind"]
            conditions = {f["condition"] for n in nets for f in n["flows"]
                          if "condition" in f}
            check("%s: what %s is about is there" % (what, kind),
                  finding["net"] == one["id"] and set(finding["elements"])
                  <= conditions | {e["id"] for e in pictures[one["id"]][
                      "elements"]}, finding)
            if "witness" not in finding:
                continue
            seen.add(kind)
            before, state = None, replay(
                "%s: %s" % (what, kind), simulator, finding["witness"], None)
            if "round" in finding:
                before = state
                state = replay("%s: the round" % what, simulator,
                               finding["round"], state)
            check("%s: the witness shows %s" % (what, kind),
                  holds(kind, simulator, state, before), finding)
    return seen


def check_file(client, what, text):
    got = client.post("/v1/check", text.encode(), type="application/xml")
    answer = got.json()
    seen = set()
    check("%s is checked" % what, got.status == 200, got)
    for one in answer["specifications"]:
        seen |= check_findings(what, one["nets"], one["check"])
    return answer, seen


# --- tests


PAIR = (task("B", "xor", "and", "D"), task("C", "xor", "and", "D"))
KNOWN = (
    ("a parallel block", "sound", None,
     net(task("A", "xor", "and", "B", "C"), *PAIR,
         task("D", "and", "and", "o"))),
    ("a choice before an AND-join", "not sound", "deadlock",
     net(task("A", "xor", "xor", "B", "C"), *PAIR,
         task("D", "and", "and", "o"))),
    ("parallel branches before an XOR-join", "not sound", "leftover",
     net(task("A", "xor", "and", "B", "C"), *PAIR,
         task("D", "xor", "and", "o"))),
    ("a producer without end", "not sound", "unbounded",
     net(task("A", "xor", "and", "B"), task("B", "xor", "and", "B", "C"),
         task("C", "xor", "and", "o"))),
)


def known():
    server = Server()
    client = server.client()
    for what, verdict, kind, text in KNOWN:
        answer, seen = check_file(client, what, text)
        if not check("%s is valid" % what, answer["specifications"], answer):
            continue
        report = answer["specifications"][0]["check"]
        check("%s is %s" % (what, verdict), report["verdict"] == verdict
              and report["nets"][0]["verdict"] == verdict
              and (report["nets"][0].get("limit") is None
                   or verdict != "sound"), report)
        check("%s: %s is shown" % (what, kind),
              kind is None and not seen or kind in seen, seen, report)
    server.close()


def random_net(chance):
    """Tasks in a row, with flows forward and back, and cancellations."""
    names = ["T%d" % i for i in range(chance.randrange(3, 9))]
    tasks = []
    for place, name in enumerate(names):
        ids = [names[place + 1] if place + 1 < len(names) else "o"]
        for _ in range(chance.choice((0, 0, 1, 1, 2))):
            other = chance.choice(names[max(0, place - 2):] + ["o"])
            if other not in ids:
                ids.append(other)
        cancels = chance.sample(names, chance.choice((0, 0, 0, 1, 2)))
        tasks.append(task(name, chance.choice(("xor", "and", "or", "xor")),
                          chance.choice(("xor", "and", "or", "and")), *ids,
                          cancels=cancels))
    return net(*tasks, first=names[0])


def random_nets():
    server = Server()
    client = server.client()
    chance = random.Random(SEED)
    seen, verdicts, valid = set(), set(), 0
    for number in range(150):
        text = random_net(chance)
        answer, found = check_file(
            client, "net %d of seed %d" % (number, SEED), text)
        seen |= found
        for one in answer["specifications"]:
            valid += 1
            verdicts.add(one["check"]["verdict"])
    check("many of the nets are valid", valid > 75, valid)
    check("they are sound and not", {"sound", "not sound"} <= verdicts,
          verdicts)
    check("most kinds of findings were seen",
          {"deadlock", "leftover", "unbounded"} <= seen, seen)
    server.close()


def same_as_loading():
    """The same diagnostics, and nothing is stored."""
    server = Server()
    client = server.client()
    texts = []
    for path in FILES:
        with open(path) as file:
            texts.append(file.read())
    texts += [text for _, _, _, text in KNOWN]
    texts += [texts[0].replace("<split ", "<splitt "), "<a/>", "no XML",
              KNOWN[0][3].replace('"D"', '"X"', 1)]
    answers = [client.post("/v1/check", text.encode(),
                           type="application/xml") for text in texts]
    check("nothing was stored",
          client.get("/v1/specifications").json()["specifications"] == [])
    refused = 0
    for text, answer in zip(texts, answers):
        loaded = client.post("/v1/specifications?replace=true", text.encode(),
                             type="application/xml")
        check("the diagnostics are those of loading",
              answer.json()["diagnostics"] == loaded.json()["diagnostics"],
              answer, loaded)
        errors = [d for d in answer.json()["diagnostics"]
                  if d["severity"] == "error"]
        check("a file with errors has no specifications",
              bool(errors) == (answer.json()["specifications"] == []), answer)
        if loaded.status == 422:
            refused += 1
            check("what is refused has errors", errors, answer)
            continue
        for row, one in zip(loaded.json()["specifications"],
                            answer.json()["specifications"]):
            place = "/v1/specifications/" + row["key"]
            check("the pictures are the same", client.get(
                place + "/nets").json()["nets"] == one["nets"], row)
            got = client.get(place + "/check")
            check("the findings are the same",
                  got.json()["check"] == one["check"], row, got)
            check_findings(row["uri"], one["nets"], one["check"])
    check("some files were refused", refused == 4, refused)
    server.close()


def many_states():
    """Tasks side by side, each of which stops the next one: many orders."""
    names = ["B%d" % i for i in range(7)]
    return net(task("A", "xor", "and", *names),
               *(task(n, "xor", "and", "Z", cancels=[names[i - 1]])
                 for i, n in enumerate(names)),
               task("Z", "or", "and", "o"), uri="Many")


def budgets():
    server = Server()
    client = server.client()
    key = client.load(many_states())
    place = "/v1/specifications/%s/check" % key
    small = client.get(place + "?states=1")
    one = small.json()["check"]["nets"][0]
    check("what is not decided is said to be not known",
          small.json()["check"]["verdict"] == "not known"
          and one["verdict"] == "not known" and "limit" in one
          and "sound" not in one and "not known" in one["text"]
          and "option_to_complete" not in one and one["states"] < 5000, one)
    large = client.get(place + "?states=100000")
    one = large.json()["check"]["nets"][0]
    check("with more states it is decided", one["verdict"] == "sound"
          and "limit" not in one, one)
    for got in (small, large):
        tag = got.headers["etag"]
        number = 1 if got is small else 100000
        again = client.get(place + "?states=%d" % number,
                           headers={"If-None-Match": tag})
        check("an answer that the client has is not made again",
              (again.status, again.body) == (304, b""), again)
    check("another limit is another answer",
          small.headers["etag"] != large.headers["etag"])
    for wrong in ("0", "200001", "x", "-1", ""):
        check("states=%s is refused" % wrong,
              client.get(place + "?states=" + wrong).status == 400
              and client.post("/v1/check?states=" + wrong, b"<a/>",
                              type="application/xml").status == 400)
    check("of nothing there is no analysis", client.get(
        "/v1/specifications/0123456789abcdef/check").status == 404)
    row = ["T%d" % i for i in range(2100)]
    text = net(*(task(n, "xor", "and", row[i + 1] if i + 1 < len(row) else "A")
                 for i, n in enumerate(row)),
               task("A", "xor", "xor", "B", "C"), *PAIR,
               task("D", "and", "and", "o"), first="T0")
    answer = client.post("/v1/check", text.encode(), type="application/xml")
    found = answer.json()["specifications"][0]["check"]["nets"][0]["findings"]
    found = [f for f in found if f["kind"] == "deadlock"]
    check("of too long a witness there is the length",
          len(found) == 1 and found[0]["omitted_steps"] > 2000
          and "witness" not in found[0] and "left" in found[0], found)
    server.close()


def rights():
    server = Server()
    text = KNOWN[0][3].encode()
    other = net(task("A", "xor", "and", "o"), uri="Other").encode()

    def post(client, body):
        return client.post("/v1/check", body, type="application/xml").status

    for role, status in (("reader", 200), ("operator", 200), ("admin", 200),
                         ("worker", 200), ("participant", 403)):
        client = server.client(server.add_account("a-" + role, role, 1))
        check("a file is checked for a %s: %d" % (role, status),
              post(client, text) == status)
    loader = server.client(server.add_account(
        "loader", None, 1, ["load process:UID_Net"]))
    check("who may load a process may check its files",
          post(loader, text) == 200 and post(loader, other) == 403
          and post(loader, b"<a/>") == 200)
    key = server.client().load(text.decode())
    more = server.client().load(other.decode())
    reader = server.client(server.add_account(
        "reader-of-one", None, 1, ["read process:UID_Net"]))
    for what in ("nets", "check"):
        check("the %s of a process are for who may read it" % what, [
            c.get("/v1/specifications/%s/%s" % (k, what)).status
            for c, k in ((reader, key), (reader, more), (loader, key))]
            == [200, 403, 403])
    server.close()


run(known, random_nets, same_as_loading, budgets, rights)
end()
