# SPDX-License-Identifier: Apache-2.0
"""Automated tasks without a service: what each codelet of the server does."""
from xml.sax.saxutils import escape

from gateways import ORG, QUEUES, Gateways, person
from checks import check, end, run, until
from server import Server

XS = "http://www.w3.org/2001/XMLSchema"
PARAMETER = ("<%sParam><index>%d</index><name>%s</name><type>%s</type>"
             "%s</%sParam>")
MAPPING = ('<mapping><expression query="%s"/><mapsTo>%s</mapsTo></mapping>')
TASK = """<task id="%s"><flowsInto><nextElementRef id="%s"/></flowsInto>
<join code="xor"/><split code="and"/>%s<decomposesTo id="%s"/></task>"""
MAPPINGS = """<startingMappings>%s</startingMappings>
<completedMappings>%s</completedMappings>"""
SPECIFICATION = """<specificationSet version="4.0"
 xmlns="http://www.yawlfoundation.org/yawlschema"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<specification uri="auto"><metaData><creator>Weft</creator>
<version>0.%d</version><identifier>UID_auto</identifier></metaData>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
<xs:complexType name="Line"><xs:sequence>
<xs:element name="count" type="xs:integer"/>
<xs:element name="price" type="xs:decimal"/>
</xs:sequence></xs:complexType></xs:schema>
<decomposition id="Net" isRootNet="true" xsi:type="NetFactsType">
%s<processControlElements>
<inputCondition id="in"><flowsInto><nextElementRef id="%s"/></flowsInto>
</inputCondition>%s<outputCondition id="out"/></processControlElements>
</decomposition>%s</specification></specificationSet>"""
PEOPLE = """<orgdata>
<participants>%s</participants>
<roles><role id="RO-clerk"><name>Clerk</name></role></roles>
<positions>
<position id="PO-head"><title>Head</title></position>
<position id="PO-hand"><title>Hand</title>
<reportstoid>PO-head</reportstoid></position>
<position id="PO-foot"><title>Foot</title>
<reportstoid>PO-head</reportstoid></position>
</positions></orgdata>"""


def parameter(kind, index, name, kind_of_type):
    namespace = ("" if kind_of_type == "Line"
                 else "<namespace>%s</namespace>" % XS)
    return PARAMETER % (kind, index, name, kind_of_type, namespace, kind)


class Runner:
    """Runs codelets, each in a case of a specification of its own."""

    def __init__(self):
        self.server = Server(arguments=("--yawl", "--people"))
        self.gateways = Gateways(self.server)
        self.client = self.server.client()
        self.count = 0

    def start(self, codelet, inputs, outputs, before=False):
        """The case; inputs: name to type and XML, outputs: name to type.
        before: a task Hand of a person comes first."""
        self.count += 1
        variables, local = "", ""
        for i, (name, kind) in enumerate(outputs.items()):
            variables += parameter("output", i, "got_" + name, kind)
            local += ("<localVariable><index>%d</index><name>got_%s</name>"
                      "<type>%s</type><namespace>%s</namespace>"
                      "</localVariable>" % (i, name, kind, XS))
        task = TASK % (
            "T", "out", MAPPINGS % ("".join(MAPPING % (escape("<%s>%s</%s>" % (name, xml, name),
                                      {'"': "&quot;"}), name)
                    for name, (_, xml) in inputs.items()),
            "".join(MAPPING % (escape("<got_%s>{/T/%s/text()}</got_%s>" % (
                (name,) * 3)), "got_" + name) for name in outputs)), "T")
        work = ('<decomposition id="T" xsi:type="WebServiceGatewayFactsType">'
                "%s%s<codelet>%s</codelet><externalInteraction>automated"
                "</externalInteraction></decomposition>" % (
                    "".join(parameter("input", i, name, kind) for i,
                            (name, (kind, _)) in enumerate(inputs.items())),
                    "".join(parameter("output", i, name, kind)
                            for i, (name, kind) in enumerate(outputs.items())),
                    codelet))
        if before:
            task = TASK % ("Hand", "T", "", "Hand") + task
            work += ('<decomposition id="Hand" '
                     'xsi:type="WebServiceGatewayFactsType">'
                     "<externalInteraction>manual</externalInteraction>"
                     "</decomposition>")
        text = SPECIFICATION % (self.count, variables + local,
                                "Hand" if before else "T", task, work)
        started = self.client.post(
            "/v1/cases", {"specification": self.client.load(text)})
        check("the case starts", started.status == 201, started.body)
        return started.json()["case"]

    def status(self, case):
        return self.client.get("/v1/cases/" + case).json().get("status")

    def data(self, case):
        """What the codelet has given; None for nothing."""
        check("the case ends", until(
            lambda: self.status(case) == "completed"), case)
        return self.client.get("/v1/cases/" + case).json()["data"]

    def result(self, codelet, inputs, output, kind="string"):
        return self.data(self.start(codelet, inputs, {output: kind})).get(
            "got_" + output)


def values():
    """Codelets that ask nobody."""
    runner = Runner()
    numbers = {"a": ("long", "40"), "b": ("long", "2")}
    check("numbers are added", runner.result(
        "ExampleCodelet", numbers, "c", "long") == 42)

    def evaluate(query, **inputs):
        return runner.result("XQueryEvaluator", dict(
            inputs, query=("string", query)), "result")

    integer = evaluate("/T/price * 2", price=("integer", "21"))
    check("a query sees an integer", integer == "42", integer)
    truth = evaluate("if (/T/is = 'true') then 'yes' else 'no'",
                     **{"is": ("boolean", "true")})
    check("a boolean", truth == "yes", truth)
    text = evaluate("concat(/T/first, ' and ', /T/second)",
                    first=("string", "a &lt; b"), second=("string", "c"))
    check("texts", text == "a < b and c", text)
    record = evaluate("/T/line/count * /T/line/price", line=(
        "Line", "<count>3</count><price>1.5</price>"))
    check("a record", record == "4.5", record)
    both = evaluate("count(/T/line/*) + /T/n", n=("int", "5"), line=(
        "Line", "<count>3</count><price>1.5</price>"))
    check("several of them", both == "7", both)
    runner.server.stop()


def waits():
    runner = Runner()

    def begin(unit, most):
        return runner.start("RandomWait", {
            "interval": ("string", unit), "max": ("long", str(most))},
            {"max": "long", "waitTime": "long"} if most == 1
            else {"max": "long"})

    long = begin("H", 20000)
    check("without a maximum there is no wait",
          runner.data(begin("H", 0))["got_max"] == 0)
    waited = runner.data(begin("S", 1))["got_waitTime"]
    check("a wait is of whole units", waited in (0, 1000), waited)
    check("a maximum that is too large is made less, and holds",
          runner.status(long) == "running", runner.status(long))
    runner.server.stop()


def organised(name, position):
    return person(name).replace(
        "<privileges>", "<positions><position>%s</position></positions>"
        "<privileges>" % position)


def people():
    """Codelets about people."""
    runner = Runner()
    gateways = runner.gateways
    report = gateways.ask(ORG, "importOrgData", xml=PEOPLE % (
        organised("anna", "PO-head") + organised("ben", "PO-hand")
        + organised("cara", "PO-foot")))
    check("the organisation is imported", "Participants: 3/3" in report,
          report)
    for codelet, name, value, output, expected in (
            ("SupervisorInfo", "userid", "ben", "supervisorid", "anna"),
            ("DirectReports", "positionname", "Head", "directreportids",
             "ben cara"),
            ("DirectReports", "positionname", "Hand", "directreportids", ""),
            ("UsersWithPosition", "positionname", "Foot", "userids", "cara"),
            ("UsersWithPosition", "positionname", "Nothing", "userids", ""),
            ("UsersWithRole", "rolename", "Clerk", "userids",
             "anna ben cara")):
        found = runner.result(codelet, {name: ("string", value)}, output)
        check("%s of %s" % (codelet, value),
              sorted(filter(None, (found or "").split(",")))
              == expected.split(), found)
    removed = gateways.ask(ORG, "removeParticipant", participantid="PA-cara")
    check("a participant is removed", removed == "<success/>", removed)
    found = runner.result("UsersWithRole", {"rolename": ("string", "Clerk")},
                          "userids")
    check("the organisation is the one of now", found in ("anna,ben", "ben,anna"),
          found)
    case = runner.start("TaskCompleterInfo", {"taskName": ("string", "Hand")},
                        {"userid": "string", "name": "string"}, before=True)
    for action, item in (("startWorkItem", ":Hand"),
                         ("completeWorkItem", ".1:Hand")):
        answer = gateways.ask(QUEUES, action, participantid="PA-ben",
                              workitemid=case + item)
        check("somebody does the task before", "<failure" not in answer,
              answer)
    found = runner.data(case)
    check("who completed it", (found["got_userid"], found["got_name"])
          == ("ben", "Ben X"), found)
    runner.server.stop()


run(values, waits, people)
end()
