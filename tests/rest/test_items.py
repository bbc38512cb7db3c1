# SPDX-License-Identifier: Apache-2.0
"""The data of a work item as a service or a worker sees it."""
from checks import check, run, end
from server import Server


def variable(kind, index, name, type, initial=""):
    return ("<%s><index>%d</index><name>%s</name><type>%s</type><namespace>"
            "http://www.w3.org/2001/XMLSchema</namespace>%s</%s>" % (
                kind, index, name, type, initial, kind))


SPECIFICATION = """<specificationSet version="4.0"
  xmlns="http://www.yawlfoundation.org/yawlschema"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<specification uri="shown"><metaData><version>0.1</version>
<identifier>UID_shown</identifier></metaData>
<decomposition id="Order" isRootNet="true" xsi:type="NetFactsType">
%s%s<processControlElements>
<inputCondition id="i"><flowsInto><nextElementRef id="Pay"/></flowsInto>
</inputCondition>
<task id="Pay"><documentation>${/Order/who} pays ${/Order/n/text() * 2}
at ${fn:timezone-from-dateTime(current-dateTime())}</documentation>
<flowsInto><nextElementRef id="o"/></flowsInto><join code="xor"/>
<split code="and"/>
<startingMappings><mapping><expression
query="&lt;n&gt;{/Order/n/text()}&lt;/n&gt;"/><mapsTo>n</mapsTo></mapping>
</startingMappings>
<enablementMappings><mapping><expression
query="&lt;soon&gt;{/Order/n/text() > 1}&lt;/soon&gt;"/><mapsTo>soon</mapsTo>
</mapping></enablementMappings>
<decomposesTo id="Pay"/></task>
<outputCondition id="o"/></processControlElements></decomposition>
<decomposition id="Pay" xsi:type="WebServiceGatewayFactsType">%s%s
</decomposition></specification></specificationSet>""" % (
    variable("localVariable", 0, "who", "string",
             "<initialValue>Ann &amp;amp; Bob</initialValue>"),
    variable("localVariable", 1, "n", "integer",
             "<initialValue>3</initialValue>"),
    variable("inputParam", 0, "n", "integer"),
    variable("enablementParam", 0, "soon", "boolean"))

TEXT = "<who>Ann &amp; Bob</who> pays 6\nat PT1H"


def shown():
    server = Server(arguments=["--timezone", "+01:00"])
    client = server.client()
    key = client.load(SPECIFICATION)
    client.post("/v1/cases", {"specification": key, "case": "a"})
    item = client.get("/v1/items/a:Pay").json()
    check("places of the documentation are filled in",
          item["documentation"] == TEXT, item)
    check("an enabled item shows its enablement parameters, by their types",
          item["data"] == {"soon": True}, item)
    data = client.get("/v1/items/a:Pay/data")
    check("and what it would start with", data.json() == {
        "preview": True, "enablement": {"soon": True},
        "items": [{"item": "a.1:Pay", "data": {"n": 3}}]}, data)
    data = client.get("/v1/items/a:Pay/data",
                      headers={"Accept": "application/xml"})
    check("and as XML", data.body == b"<preview><enablement><Pay><soon>true"
          b"</soon></Pay></enablement><item id=\"a.1:Pay\"><Pay><n>3</n></Pay>"
          b"</item></preview>", data)
    check("which has started nothing",
          client.get("/v1/items/a:Pay").json()["status"] == "enabled" and
          client.get("/v1/cases/a").json()["sequence"] == 1)
    client.post("/v1/items/a:Pay/suspend")
    data = client.get("/v1/items/a:Pay/data")
    check("what cannot be started says why", data.status == 409 and
          "Suspended" in data.json()["detail"], data)
    client.post("/v1/items/a:Pay/resume")
    client.post("/v1/items/a:Pay/suspend", {})
    item = client.get("/v1/items/a:Pay").json()
    check("suspended or not", item["data"] == {"soon": True}, item)
    client.post("/v1/items/a:Pay/resume", {})
    steps = client.get("/v1/cases/a/history").json()["steps"]
    events = [e for e in steps[0]["events"] if e["event"] == "DATA_SHOWN"]
    check("it is in the history", len(events) == 1 and
          events[0]["values"] == {"soon": True} and
          events[0]["item"] == "a:Pay", steps)
    claimed = client.post("/v1/items:claim", {}).json()["items"][0]
    check("a claim returns its input and its documentation",
          (claimed["data"], claimed["documentation"]) == ({"n": 3}, TEXT),
          claimed)
    item = client.get("/v1/items/a.1:Pay").json()
    check("and so does reading it",
          (item["data"], item["documentation"]) == ({"n": 3}, TEXT), item)
    client.close()
    check("the server ends", server.close() == 0)


CHOICE = SPECIFICATION.replace(
    '\n</inputCondition>',
    '<flowsInto><nextElementRef id="Go"/></flowsInto></inputCondition>'
    '<task id="Go"><flowsInto><nextElementRef id="o"/></flowsInto>'
    '<join code="xor"/><split code="and"/><decomposesTo id="Go"/></task>'
).replace(
    "</specification>", '<decomposition id="Go" '
    'xsi:type="WebServiceGatewayFactsType"/></specification>')


def chosen():
    """The items of a deferred choice have a number in common."""
    server = Server()
    client = server.client()
    client.post("/v1/cases", {"specification": client.load(CHOICE),
                              "case": "a"})
    items = client.get("/v1/items").json()["items"]
    check("items name their choice", [
        (item["task"], item.get("choice")) for item in items
    ] == [("Go", 1), ("Pay", 1)], items)
    server.close()


def claims_behind_suspended():
    server = Server()
    client = server.client()
    key = client.load("sequence.yawl")
    for name in ("a", "b", "c", "good"):
        client.post("/v1/cases", {"specification": key, "case": name})
        if name != "good":
            client.post("/v1/cases/%s/suspend" % name)
    found = client.post("/v1/items:claim", {"wait": "PT60S"}).json()["items"]
    check("suspended cases hide no item from a claim",
          [item["case"] for item in found] == ["good"], found)
    check("and then there is none",
          client.post("/v1/items:claim", {}).json()["items"] == [])
    server.close()


def not_taken():
    """JSON that is refused is reported as refused, not as malformed."""
    server = Server()
    client = server.client()
    key = client.load("sequence.yawl")
    client.post("/v1/cases", {"specification": key, "case": "a"})
    for body, wanted in (
            ('{"n": 9223372036854775808}', "give it as a string"),
            ('{"n": 1e400}', "give it as a string"),
            ('{"n": "a\\u0000"}', "has the character \\u0000"),
            ('{"n": 1', "no JSON: line 1, column 7")):
        answer = client.post("/v1/items/a:Ask/complete", body,
                             type="application/json")
        detail = answer.json()["detail"]
        check("%s is refused for what it is" % body, answer.status == 400 and
              wanted in detail and
              ("no JSON" in wanted) == ("no JSON" in detail),
              detail)
    server.close()


run(claims_behind_suspended, shown, chosen, not_taken)
end()
