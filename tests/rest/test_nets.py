# SPDX-License-Identifier: Apache-2.0
"""The pictures of nets as data: all of a net is there, and every flow ends at
its elements; ids are those of markings."""
import glob
import os

from checks import check, end, run
from server import ROOT, Server
from stores import on_each

FILES = sorted(glob.glob(ROOT + "/examples/**/*.yawl", recursive=True))
NEAR = 3.0  # pixels


def outline(element, picture):
    """Left, top, right and bottom of an element with its decorators."""
    thick, stack = picture["decorator"], picture["stack"]
    left, top = element["x"], element["y"]
    right, bottom = left + element["width"], top + element["height"]
    if "instances" in element:
        right, top = right + 2 * stack, top - 2 * stack
    for side in (element.get("join_side"), element.get("split_side")):
        left -= thick if side == "west" else 0
        right += thick if side == "east" else 0
        top -= thick if side == "north" else 0
        bottom += thick if side == "south" else 0
    return left, top, right, bottom


def distance(point, box):
    left, top, right, bottom = box
    x, y = point
    across = max(left - x, 0, x - right)
    down = max(top - y, 0, y - bottom)
    return max(across, down)


def check_net(what, net, picture):
    elements = {e["id"]: e for e in net["elements"]}
    check("%s: the ids are different" % what,
          len(elements) == len(net["elements"]))
    kinds = [e["kind"] for e in net["elements"]]
    check("%s: one input and one output" % what,
          kinds.count("input") == 1 and kinds.count("output") == 1, kinds)
    for e in net["elements"]:
        left, top, right, bottom = outline(e, picture)
        check("%s: %s is inside the picture" % (what, e["id"]),
              left >= 0 and top >= 0 and right <= net["width"]
              and bottom <= net["height"], e)
        check("%s: %s has a decorator for each choice" % (what, e["id"]),
              ("join" in e) == (e["kind"] == "task" and 1 < sum(
                  f["to"] == e["id"] for f in net["flows"]))
              and ("split" in e) == (e["kind"] == "task" and 1 < sum(
                  f["from"] == e["id"] for f in net["flows"])), e)
    for f in net["flows"]:
        for end_of, point in ((f["from"], f["points"][0]),
                              (f["to"], f["points"][-1])):
            check("%s: a flow ends at its elements" % what,
                  end_of in elements and len(f["points"]) > 1 and distance(
                      point, outline(elements[end_of], picture)) < NEAR, f)
        between = elements[f["from"]]["kind"] == elements[f["to"]]["kind"]
        check("%s: only a flow between tasks has a condition" % what,
              ("condition" in f) == between, f)
    known = set(elements) | {f.get("condition") for f in net["flows"]}
    for e in net["elements"]:
        check("%s: what %s cancels is there" % (what, e["id"]),
              set(e.get("cancels", [])) <= known, e)


def check_detail(what, detail, picture):
    """The tasks are those that the specification has."""
    nets = {n["id"]: n for n in picture["nets"]}
    check("%s: all nets" % what,
          set(nets) == {n["id"] for n in detail["nets"]}
          and picture["nets"][0]["id"] == detail["root"]
          and [n["root"] for n in picture["nets"]].count(True) == 1)
    for net in detail["nets"]:
        drawn = {e["id"]: e for e in nets[net["id"]]["elements"]
                 if e["kind"] == "task"}
        check("%s: all tasks of %s" % (what, net["id"]),
              set(drawn) == {t["id"] for t in net["tasks"]})
        for task in net["tasks"]:
            e = drawn[task["id"]]
            check("%s: %s is described" % (what, task["id"]),
                  e.get("name") == task.get("name")
                  and e.get("net") == task.get("net")
                  and e.get("service") == task.get("service")
                  and (e.get("does") == "net") == (task["kind"] == "composite")
                  and ("does" in e) == (task["kind"] != "empty")
                  and e.get("join", task["join"]) == task["join"]
                  and e.get("split", task["split"]) == task["split"], e, task)


def all_examples():
    server = Server()
    client = server.client()
    seen = set()
    for path in FILES:
        with open(path, "rb") as file:
            got = client.post("/v1/specifications", file.read(),
                              type="application/xml")
        for row in got.json()["specifications"]:
            what = os.path.basename(path)
            place = "/v1/specifications/%s" % row["key"]
            got = client.get(place + "/nets")
            picture = got.json()
            check("%s: it is that specification" % what,
                  (got.status, picture["specification"], picture["uri"],
                   picture["version"]) == (200, row["key"], row["uri"],
                                           row["version"]), got)
            check_detail(what, client.get(place).json(), picture)
            for net in picture["nets"]:
                check_net("%s: %s" % (what, net["id"]), net, picture)
                seen.update(name for e in net["elements"] for name in e)
                seen.update(name for f in net["flows"] for name in f)
                seen.add(net["layout"])
                seen.update(e.get("does") for e in net["elements"])
    missing = {"join", "split", "timer", "instances", "cancels", "net",
               "predicate", "label", "default", "condition", "order",
               "person", "service", "computed"} - seen
    check("the examples show everything", not missing, missing)
    server.close()


def row(net, tasks, attributes="", first=""):
    """A net of that many tasks in a row."""
    return (
        '<decomposition id="%s"%s xsi:type="NetFactsType">'
        '<processControlElements><inputCondition id="i"><flowsInto>'
        '<nextElementRef id="t1"/></flowsInto></inputCondition>' % (
            net, attributes)) + "".join(
        '<task id="t%d"><flowsInto><nextElementRef id="%s"/></flowsInto>'
        '<join code="xor"/><split code="and"/>%s</task>' % (
            i, "t%d" % (i + 1) if i < tasks else "o", first if i == 1 else "")
        for i in range(1, tasks + 1)) + (
        '<outputCondition id="o"/></processControlElements></decomposition>')


def large():
    """A net that is too large for the usual layout leaves it to others."""
    server = Server()
    client = server.client()
    key = client.load(
        '<specificationSet version="4.0" '
        'xmlns="http://www.yawlfoundation.org/yawlschema" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        '<specification uri="large"><metaData><version>1</version>'
        '<identifier>large</identifier></metaData>'
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>%s%s'
        '</specification></specificationSet>' % (
            row("N", 2950, ' isRootNet="true"', '<decomposesTo id="M"/>'),
            row("M", 100)))
    nets = client.get("/v1/specifications/%s/nets" % key).json()["nets"]
    check("only the large net is in columns", [
        (net["id"], net["layout"]) for net in nets] ==
        [("N", "columns"), ("M", "computed")],
        [(net["id"], net["layout"]) for net in nets])
    server.close()


def markings():
    """The places of tokens, and tasks, are elements or conditions."""
    server = Server()
    client = server.client()
    key = client.load("parallel.yawl")
    picture = client.get("/v1/specifications/%s/nets" % key)
    net = picture.json()["nets"][0]
    ids = ({e["id"] for e in net["elements"]}
           | {f["condition"] for f in net["flows"] if "condition" in f})
    client.post("/v1/cases", {"specification": key, "case": "c"})
    for _ in range(3):
        state = client.get("/v1/cases/c").json()
        got = {name for n in state["nets"] for name in n["marking"]}
        check("tokens are on elements of the picture",
              got <= ids and (got or state["items"]), got, ids)
        for item in state["items"]:
            check("items are of its tasks", item["task"] in ids, item)
        item = state["items"][0]["item"]
        item = client.post("/v1/items/%s/start" % item).json()["item"]
        client.post("/v1/items/%s/complete" % item)
    tag = picture.headers["etag"]
    again = client.get("/v1/specifications/%s/nets" % key,
                       headers={"If-None-Match": tag})
    check("a picture that the client has is not sent again",
          (again.status, again.body) == (304, b"")
          and again.headers["etag"] == tag, again)
    other = client.load("sequence.yawl")
    got = client.get("/v1/specifications/%s/nets" % other,
                     headers={"If-None-Match": tag})
    check("that of another specification is", got.status == 200
          and got.headers["etag"] != tag, got)
    for what in ("nets", "standing"):
        got = client.get("/v1/specifications/0123456789abcdef/" + what)
        check("of none there are no %s" % what, got.status == 404, got)
    got = client.get("/v1/specifications/0123456789abcdef/nets",
                     headers={"If-None-Match": "*"})
    check("nor for who says to have it", got.status == 404, got)
    server.close()


def long_texts():
    """A predicate is whole, whatever its label has room for."""
    server = Server()
    client = server.client()
    with open(ROOT + "/examples/choice.yawl") as file:
        text = file.read()
    old = text.split("<predicate ")[1].split(">", 1)[1].split("</")[0]
    new = old + " or " + " or ".join("'%d' = '<&>'" % i for i in range(500))
    changed = text.replace(old, new.replace("&", "&amp;")
                           .replace("<", "&lt;"))
    key = client.load(changed)
    net = client.get("/v1/specifications/%s/nets" % key).json()["nets"][0]
    flow = [f for f in net["flows"] if "<&>" in f.get("predicate", "")]
    check("a predicate is whole, its label short",
          len(flow) > 0 and all(len(f["predicate"]) > 5000
                                and len(f.get("label", "")) < 100
                                for f in flow), flow)
    server.close()


def wide(count):
    """A net with so many tasks side by side, behind one that does itself."""
    names = ["B%d" % i for i in range(count)]
    def to(*ids):
        return "".join('<flowsInto><nextElementRef id="%s"/></flowsInto>' % i
                       for i in ids)
    def code(join, split):
        return '<join code="%s"/><split code="%s"/>' % (join, split)
    return """<specificationSet version="4.0"
 xmlns="http://www.yawlfoundation.org/yawlschema"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<specification uri="Wide"><metaData><creator>me</creator><version>0.1</version>
<identifier>UID_Wide</identifier></metaData>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>
<decomposition id="Net" isRootNet="true" xsi:type="NetFactsType">
<processControlElements><inputCondition id="i">%s</inputCondition>
<task id="A">%s%s</task>%s<task id="Z">%s%s</task>
<outputCondition id="o"/></processControlElements></decomposition>
<decomposition id="Work" xsi:type="WebServiceGatewayFactsType"/>
</specification></specificationSet>""" % (
        to("A"), to(*names), code("xor", "and"), "".join(
            '<task id="%s">%s%s<decomposesTo id="Work"/></task>' % (
                n, to("Z"), code("xor", "and")) for n in names),
        to("o"), code("and", "and"))


def standing(what, db):
    """How many cases stand where now, also of more than are examined."""
    server = Server(db=db)
    client = server.client()
    place = "/v1/specifications/%s/standing" % client.load("choice.yawl")
    got = client.get(place).json()
    check("%s: without cases nothing stands" % what,
          (got["complete"], got["cases"], got["tasks"]) == (True, 0, []), got)
    for case in "abc":
        client.post("/v1/cases", {"specification": "ExpenseClaim",
                                  "case": case})
    client.post("/v1/items/b:Enter/start")
    started = client.post("/v1/items/c:Enter/start").json()["item"]
    client.post("/v1/items/%s/complete" % started,
                {"amount": 2000})
    got = client.get(place).json()
    tasks = {t.pop("task"): t for t in got["tasks"]}
    ages = [t.pop("oldest") for t in tasks.values()]
    check("%s: items are counted by task and status" % what,
          (got["complete"], got["cases"]) == (True, 3) and tasks == {
              "Enter": {"cases": 2, "items": 2, "enabled": 1, "executing": 1},
              "Approve": {"cases": 1, "items": 1, "enabled": 1}}, got, tasks)
    check("%s: the oldest is not from later" % what,
          all(at <= got["time"] for at in ages), got, ages)
    place = "/v1/specifications/%s/standing" % client.load(wide(200))
    for case in range(60):
        client.post("/v1/cases", {"specification": "Wide"})
    got = client.get(place).json()
    check("%s: of too many, at least 10,000 are counted" % what,
          not got["complete"] and 10000 <= sum(
              t["items"] for t in got["tasks"]) < 12000
          and 50 <= got["cases"] <= 60
          and all(t["cases"] == t["items"] for t in got["tasks"]),
          got["complete"], got["cases"], len(got["tasks"]))
    server.close()


run(all_examples, large, markings, long_texts,
    *on_each(standing, "where cases stand"))
end()
