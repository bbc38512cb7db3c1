# SPDX-License-Identifier: Apache-2.0
"""What a page about a case needs beside its state: the form of its data, and
what a task waits for, by the ids of elements."""
from changing import first
from checks import check, end, run
from server import Server

# A leads to B and C; D joins them.
JOINED = """<specificationSet version="4.0"
 xmlns="http://www.yawlfoundation.org/yawlschema"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<specification uri="joined"><metaData><version>0.1</version>
<identifier>UID_joined</identifier></metaData>
<decomposition id="N" isRootNet="true" xsi:type="NetFactsType">
<processControlElements><inputCondition id="i"><flowsInto><nextElementRef
 id="A"/></flowsInto></inputCondition>
<task id="A"><flowsInto><nextElementRef id="B"/></flowsInto><flowsInto>
<nextElementRef id="C"/></flowsInto><join code="xor"/><split code="and"/>
<decomposesTo id="W"/></task>
<task id="B"><flowsInto><nextElementRef id="b"/></flowsInto><join code="xor"/>
<split code="and"/><decomposesTo id="W"/></task>
<task id="C"><flowsInto><nextElementRef id="c"/></flowsInto><join code="xor"/>
<split code="and"/><decomposesTo id="W"/></task>
<condition id="b"><flowsInto><nextElementRef id="D"/></flowsInto></condition>
<condition id="c"><flowsInto><nextElementRef id="D"/></flowsInto></condition>
<task id="D"><flowsInto><nextElementRef id="o"/></flowsInto>
<join code="%s"/><split code="and"/><decomposesTo id="W"/></task>
<outputCondition id="o"/></processControlElements></decomposition>
<decomposition id="W" xsi:type="WebServiceGatewayFactsType">
<externalInteraction>manual</externalInteraction></decomposition>
</specification></specificationSet>"""


def forms():
    server = Server()
    client = server.client()
    key = client.load(first())
    client.post("/v1/cases", {"specification": key, "case": "c",
                              "title": "a title"})
    client.call("PATCH", "/v1/cases/c/data", {"n": 7, "note": "seven"})
    form = client.get("/v1/cases/c/form").json()
    fields = {field["name"]: field for field in form["fields"]}
    check("its fields are the variables", list(fields) == ["n", "note"], form)
    check("with their types", fields["n"]["base"] == "integer" and
          not fields["n"]["required"] and not fields["n"]["read_only"], fields)
    check("and values", form["data"] == {"n": 7, "note": "seven"}, form)
    check("of this case", (form["case"], form["name"]) == ("c", "a title"))
    got = client.post("/v1/cases/c/form", {"n": "many"}).json()
    check("a mistake is at its field", not got["valid"] and
          [m["path"] for m in got["mistakes"]] == ["n"], got)
    got = client.post("/v1/cases/c/form", {"n": 8}).json()
    check("what is left out stays", got["valid"] and got["mistakes"] == [] and
          got["data"] == {"n": 8, "note": "seven"}, got)
    check("nothing is stored", client.get(
        "/v1/cases/c/data").json()["n"] == 7)
    got = client.post("/v1/cases/c/form", {"m": 1})
    check("what is no variable is refused", got.status == 422, got)
    check("the same values are taken", client.call(
        "PATCH", "/v1/cases/c/data", {"n": 8}).status == 200)
    reader = server.client(server.add_account("reader", "reader", 1))
    check("who reads sees the form, and does not check it",
          reader.get("/v1/cases/c/form").status == 200 and
          reader.post("/v1/cases/c/form", {}).status == 403)
    client.post("/v1/cases/c/cancel")
    got = client.post("/v1/cases/c/form", {"n": 9}).json()
    check("an ended case is not changed", not got["valid"] and
          "over" in got["mistakes"][0]["message"], got)
    check("of no case", client.get("/v1/cases/d/form").status == 404)
    check("the server ends", server.close() == 0)


def waits():
    server = Server()
    client = server.client()
    for join in ("or", "and"):
        key = client.load(JOINED.replace("joined", join + "joined") % join)
        client.post("/v1/cases", {"specification": key, "case": join})
        for task in ("A", "B"):
            client.post("/v1/items/%s:%s/complete" % (join, task), {})
        answer = client.get("/v1/cases/%s/why?task=D" % join).json()
        net = answer["nets"][0]
        check("%s: it waits" % join, len(answer["nets"]) == 1 and net["waits"]
              and not net["busy"] and net["join"] == join and
              net["id"] == join, answer)
        check("%s: for what" % join, (net["marked"], net["needs"]) ==
              (["b"], ["c"]), net)
        check("%s: and what may come" % join, net.get("may_still_come") == (
            {"condition": "c", "by": ["C"]} if join == "or" else None), net)
        client.post("/v1/items/%s:C/complete" % join, {})
        net = client.get("/v1/cases/%s/why?task=D" % join).json()["nets"][0]
        check("%s: it waits no more" % join, not net["waits"] and
              net["needs"] == [] and "may_still_come" not in net, net)
        then = client.get("/v1/cases/%s/why?task=D&step=3" % join).json()
        check("%s: but did then" % join, then == answer, then)
    check("the server ends", server.close() == 0)


run(forms, waits)
end()
