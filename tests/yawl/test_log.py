# SPDX-License-Identifier: Apache-2.0
"""Interface E: a table of requests and exact answers."""
import re
import urllib.parse

from client import TRIP, Yawl, mask, read, start
from checks import check, end, run

NAMES = {"identifier": "UID_trip", "version": "0.1", "uri": "trip"}
NO_ROWS = "<failure>No rows returned.</failure>"
UNKNOWN = "<failure>Unknown key.</failure>"
DECOMPOSITIONS = ["Trip", "Stay", "Book", "Pack", "Ride", "Walk", "Sleep"]
TASKS = ["Book", "Pack", "Ride", "Stay", "Walk", "Sleep"]


class Log:
    """What is in the log of a server with one specification."""

    def __init__(self, yawl):
        self.yawl = yawl
        all_of_them = yawl.ask("logGateway", "getAllSpecifications")
        self.spec = int(re.search(r'<specification key="(\d+)"',
                                  all_of_them).group(1))
        self.service = None

    def expect(self, wanted, action, **parameters):
        got = self.yawl.ask("logGateway", action, **parameters)
        got = re.sub(r"<timestamp>\d{13}</timestamp>",
                     "<timestamp>T</timestamp>", got)
        got = re.sub(r'(?<=<datatype key=")\d+', "D", got)
        got = re.sub(r"(?<=<datatypeKey>)\d+", "D", got)
        return check("%s %s" % (action, parameters), got == wanted,
                     "expected " + wanted, "got      " + got)

    @staticmethod
    def key(number, case=1):
        return (case << 24) + number

    def net(self, name):
        return self.spec + 1 + DECOMPOSITIONS.index(name)

    def task(self, name):
        return self.spec + 1 + len(DECOMPOSITIONS) + TASKS.index(name)

    def specification(self):
        return ('<specification key="%d"><id><identifier>UID_trip</identifier>'
                '<version>0.1</version><uri>trip</uri></id><rootnetkey>%d'
                '</rootnetkey></specification>' % (
                    self.spec, self.net("Trip")))

    def event(self, number, instance, descriptor, by=False, case=1):
        return ('<event key="%d"><instanceKey>%d</instanceKey><descriptor>%s'
                '</descriptor><timestamp>T</timestamp><serviceKey>%s'
                '</serviceKey><rootNetInstanceKey>%d</rootNetInstanceKey>'
                '</event>' % (
                    self.key(number, case), self.key(instance, case),
                    descriptor, self.service if by else -1,
                    self.key(1, case)))

    def whole_event(self, number, descriptor, by=False, data=""):
        return ('<event key="%d"><descriptor>%s</descriptor><timestamp>T'
                '</timestamp>%s%s</event>' % (
                    self.key(number), descriptor,
                    '<service key="%s"><name>admin</name><url/></service>' %
                    self.service if by else "", data))

    def item(self, number, name, value, usage, type):
        return ('<dataitem key="%d"><name>%s</name><value>%s</value>'
                '<descriptor>%s</descriptor><datatype key="D"><name>%s</name>'
                '<definition>%s</definition></datatype></dataitem>' % (
                    self.key(number), name, value, usage, type, type))

    def whole_task(self, number, name, case_id, *inside, net="Trip",
                   child=-1):
        return ('<taskinstance key="%d"><task key="%d"><name>%s</name>'
                '<parentNetKey>%d</parentNetKey><childNetKey>%s</childNetKey>'
                '</task><caseid>%s</caseid>%s</taskinstance>' % (
                    self.key(number), self.task(name), name, self.net(net),
                    child, case_id, "".join(inside)))

    def instance(self, number, name, case_id, net, parent):
        return ('<taskInstance key="%d"><caseid>%s</caseid><taskKey>%d'
                '</taskKey><parentNetKey>%d</parentNetKey><parentTaskKey>%s'
                '</parentTaskKey></taskInstance>' % (
                    self.key(number), case_id, self.task(name), self.key(net),
                    parent))


def around(tag, *inside, **attributes):
    return "<%s%s>%s</%s>" % (
        tag, "".join(' %s="%s"' % a for a in attributes.items()),
        "".join(inside), tag)


def one_task():
    """A case in which one task was done."""
    yawl = Yawl(start()).connect()
    log_only = yawl.ask("logGateway", "getAllSpecifications")
    check("nothing is there", log_only == NO_ROWS, log_only)
    yawl.ask("ib", "connect", userid="admin")
    yawl.ask("ia", "upload", specXML=read("trip.yawl"))
    case = yawl.launch("<Trip><who>A &lt; B</who></Trip>")
    check("it is the first", case == "1", case)
    yawl.ask("ib", "checkout", workItemID="1:Book")
    yawl.ask("ib", "checkin", workItemID="1.1:Book",
             data="<Book><price>7</price></Book>")
    log = Log(yawl)
    found = yawl.ask("logGateway", "getCaseEvent", caseid="1",
                     event="CaseStart")
    log.service = re.search(r"<serviceKey>(\d+)<", found).group(1)
    log.expect("<service>admin</service>", "getServiceName", key=log.service)

    log.expect(around("specifications", log.specification()),
               "getAllSpecifications")
    of_book = [log.event(4, 3, "Enabled"), log.event(5, 3, "Decompose"),
               log.event(14, 3, "Complete")]
    of_item = [log.event(7, 6, "Fired", True),
               log.event(8, 6, "Executing", True),
               log.event(9, 6, "DataValueChange"),
               log.event(11, 6, "Complete", True),
               log.event(12, 6, "DataValueChange")]
    started = log.event(2, 1, "CaseStart", True)
    events = around("events", started, *of_book[:2], *of_item, of_book[2],
                    log.event(16, 15, "Enabled"),
                    rootNetInstanceKey=log.key(1))
    log.expect(events, "getCaseEvents", caseid="1")
    log.expect(events, "getCaseEvents", key=log.key(1))
    log.expect(NO_ROWS, "getCaseEvents", key=log.key(3))
    log.expect(around("events", *of_item, instanceKey=log.key(6)),
               "getInstanceEvents", key=log.key(6))
    log.expect(around("taskevents", *of_item, *of_book, id="1.1:Book"),
               "getEventsForTaskInstance", itemid="1.1:Book")
    log.expect(around("caseEvent", started, caseID="1"), "getCaseEvent",
               caseid="1", event="CaseStart")
    log.expect(around("caseEvent", started, serviceName="admin"),
               "getAllCasesStartedByService", name="admin")

    price = ('<dataitem key="%d"><name>price</name><value>7</value>'
             '<descriptor>OutputVarAssignment</descriptor><eventKey>%d'
             '</eventKey><datatypeKey>D</datatypeKey></dataitem>')
    log.expect(around("dataitems", price % (log.key(13), log.key(12)),
                      eventKey=log.key(12)), "getDataForEvent",
               key=log.key(12))
    data = yawl.ask("logGateway", "getDataForEvent", key=log.key(12))
    log.expect('<datatype key="D"><name>integer</name><definition>integer'
               '</definition></datatype>', "getDataTypeForDataItem",
               key=re.search(r"<datatypeKey>(\d+)", data).group(1))

    log.expect(around("netInstances", '<netInstance key="%d"><caseid>1'
                      '</caseid><netKey>%d</netKey><parentTaskInstanceKey>-1'
                      '</parentTaskInstanceKey></netInstance>' % (
                          log.key(1), log.net("Trip")), specID=log.spec),
               "getNetInstancesOfSpecification", **NAMES)
    log.expect(around("taskinstances", log.instance(
        6, "Book", "1.1", 1, log.key(3)), caseID="1"),
        "getTaskInstancesForCase", caseid="1")
    log.expect(around("taskinstances", log.instance(15, "Pack", "1", 1, -1),
                      key=log.task("Pack")),
               "getTaskInstancesForTask", key=log.task("Pack"))

    pack = log.whole_task(15, "Pack", "1", log.whole_event(16, "Enabled"))
    log.expect(around("taskinstances", pack, caseID="1", taskname="Pack"),
               "getTaskInstancesForCaseTask", caseid="1", taskname="Pack")
    whole = around("case", log.specification(), around(
        "netinstance", '<net name="Trip" key="%d"/>' % log.net("Trip"),
        log.whole_event(2, "CaseStart", True),
        log.whole_task(3, "Book", "1", log.whole_event(4, "Enabled"),
                       log.whole_event(5, "Decompose"),
                       log.whole_event(14, "Complete")),
        log.whole_task(
            6, "Book", "1.1", log.whole_event(7, "Fired", True),
            log.whole_event(8, "Executing", True),
            log.whole_event(9, "DataValueChange", False, log.item(
                10, "who", "A &lt; B", "InputVarAssignment", "string")),
            log.whole_event(11, "Complete", True),
            log.whole_event(12, "DataValueChange", False, log.item(
                13, "price", "7", "OutputVarAssignment", "integer"))),
        pack, key=log.key(1), root="true"), id="1")
    log.expect(whole, "getCompleteCaseLog", caseid="1")
    log.expect(around("cases", whole, specKey=log.spec),
               "getCompleteCaseLogsForSpecification", key=log.spec)
    check("the server ends", yawl.server.close() == 0)


def to_the_end():
    """Sub-nets, cases that are over, statistics, specifications that went."""
    yawl = Yawl(start()).connect()
    yawl.ask("ia", "upload", specXML=read("trip.yawl"))
    for _ in range(2):
        yawl.launch()
    yawl.ask("ib", "cancelCase", caseID="2")
    log = Log(yawl)
    found = yawl.ask("logGateway", "getCaseEvent", caseid="2",
                     event="CaseCancel")
    log.service = re.search(r"<serviceKey>(\d+)<", found).group(1)
    log.expect(around("caseEvent", log.event(6, 1, "CaseCancel", True, 2),
                      serviceName="admin"), "getAllCasesCancelledByService",
               name="admin")
    for task in ("Book", "Pack", "Walk"):
        yawl.ask("ib", "skip", workItemID="1:" + task)
    live = yawl.ask("ib", "getLiveItems")
    net = re.search(r"<taskid>Sleep</taskid><caseid>(1\.\d+)</caseid>",
                    live).group(1)
    found = yawl.ask("logGateway", "getTaskInstancesForCaseTask", caseid="1",
                     taskname="Stay")
    found = re.sub(r"<timestamp>\d+", "<timestamp>T", found)
    found = re.sub(r'(?<=key=")\d+', "K", found)
    found = re.sub(r"(?<=NetKey>)\d+", "K", found)
    event = '<event key="K"><descriptor>%s</descriptor><timestamp>T' \
            '</timestamp></event>'
    head = '<taskinstance key="K"><task key="K"><name>%s</name>' \
           '<parentNetKey>K</parentNetKey><childNetKey>%s</childNetKey>' \
           '</task><caseid>%s</caseid>'
    wanted = around(
        "taskinstances", head % ("Stay", "K", net), event % "NetUnfold",
        '<netinstance key="K" root="false"><net name="Stay" key="K"/>',
        event % "NetStart", head % ("Sleep", -1, net), event % "Enabled",
        "</taskinstance></netinstance></taskinstance>", caseID="1",
        taskname="Stay")
    check("a sub-net is in its task", found == wanted, wanted, found)
    yawl.ask("ib", "skip", workItemID=net + ":Sleep")
    check("the case is over", yawl.ask("ib", "getLiveItems") ==
          "<response></response>")
    log.expect(around("cases", "<case>1</case><case>2</case>",
                      id="trip - 0.1", key=log.spec),
               "getSpecificationCaseIDs", **NAMES)
    counts = re.sub(r"0:00:\d\d:\d\d\.0\d{3}", "S", yawl.ask(
        "logGateway", "getSpecificationStatistics", **NAMES))
    times = "".join(around("%s%stime" % (kind, which), "S")
                    for kind in ("completion", "cancelled")
                    for which in ("Max", "Min", "Avg"))
    wanted = around("specification", "<started>2</started><completed>1"
                    "</completed><cancelled>1</cancelled>", times,
                    id="trip - 0.1", key=log.spec)
    check("statistics", counts == wanted, wanted, counts)
    log.expect(wanted.replace(">2<", ">0<").replace(">1<", ">0<").replace(
        ">S<", ">N/A<"), "getSpecificationStatistics", to="1", **NAMES)
    before = yawl.ask("logGateway", "getCompleteCaseLog", caseid="1")
    yawl.ask("ia", "unload", **TRIP)
    log.expect(re.sub(
        r"<timestamp>\d{13}</timestamp>", "<timestamp>T</timestamp>",
        re.sub(r'(?<=<datatype key=")\d+', "D", before)),
        "getCompleteCaseLog", caseid="1")
    log.expect(around("specifications", log.specification()),
               "getAllSpecifications")
    xes = yawl.ask("logGateway", "getSpecificationXESLog", **NAMES)
    check("a log as XES", xes.count("<trace>") == 2 and
          xes.endswith("</log>\n"), xes)
    check("with all that happened", 'value="unknown"' in xes)
    check("or without what has no transition", 'value="unknown"' not in
          yawl.ask("logGateway", "getSpecificationXESLog",
                   ignoreUnknowns="true", **NAMES))
    check("without data, or with it", 'key="who"' not in xes and
          'key="who"' in yawl.ask("logGateway", "getSpecificationXESLog",
                                  withdata="true", **NAMES))
    check("the server ends", yawl.server.close() == 0)


def texts():
    """What services want in the log beside."""
    yawl = Yawl(start()).connect()
    yawl.ask("ia", "upload", specXML=read("trip.yawl"))
    yawl.ask("ib", "launchCase", **TRIP, logData=(
        "<logdataitemlist><logdataitem><name>why &amp; how</name><value>"
        "&lt;b&gt;</value><descriptor>Asked</descriptor><datatype>string"
        "</datatype><datatypedefinition/></logdataitem><logdataitem><name>by"
        "</name></logdataitem></logdataitemlist>"))
    found = yawl.ask("ib", "getCaseInstanceSummary")
    check("the text of a launch is in the log of the case", re.search(
        r"</starttime><logdataitemlist><logdataitem><name>why &amp; how</name>"
        r".*<name>by</name></logdataitem></logdataitemlist></caseInstance>",
        found), found)
    found = yawl.ask("logGateway", "getCaseEvent", caseid="1",
                     event="CaseStart")
    found = yawl.ask("logGateway", "getDataForEvent",
                     key=re.search(r'<event key="(\d+)"', found).group(1))
    check("what a launch says goes with the start of the case",
          re.fullmatch(
              r'<dataitems eventKey="\d+"><dataitem key="\d+"><name>why &amp; '
              r"how</name><value>&lt;b&gt;</value><descriptor>Asked"
              r"</descriptor><eventKey>\d+</eventKey><datatypeKey>\d+"
              r'</datatypeKey></dataitem><dataitem key="\d+"><name>by</name>'
              r"<value/><descriptor/>.*</dataitems>",
              found), found)
    key = re.search(r"<datatypeKey>(\d+)", found).group(1)
    found = yawl.ask("logGateway", "getDataTypeForDataItem", key=key)
    check("with its type", "<name>string</name>" in found, found)
    for bad in ["<logdataitemlist>", "x"] + 30 * [
            "<l>%s</l>" % ("<a/>" * 20000)]:
        found = yawl.ask("ib", "launchCase", **TRIP, logData=bad)
        check("what is no list launches nothing",
              "<reason>Invalid logData: " in found and
              yawl.ask("ib", "getAllRunningCases").count("<caseID>") == 1,
              found)
    long = "long " * 10000
    yawl.ask("ib", "checkout", workItemID="1:Book", logPredicate="<begun> &")
    yawl.ask("ib", "checkin", workItemID="1.1:Book", logPredicate=long,
             data="<Book><price>7</price></Book>")
    found = yawl.ask("logGateway", "getEventsForTaskInstance",
                     itemid="1.1:Book")
    keys = {d: k for k, d in re.findall(
        r'<event key="(\d+)"><instanceKey>\d+</instanceKey><descriptor>(\w+)<',
        found)[::-1]}  # the item's are in front of its parent's
    for event, name, text in (
            ("Executing", "Start", "&lt;begun&gt; &amp;"),
            ("Complete", "Complete", long)):
        found = yawl.ask("logGateway", "getDataForEvent", key=keys[event])
        check("a text goes with the event " + event,
              "<name>%s</name><value>%s</value><descriptor>Predicate<" % (
                  name, text) in found, found[:300])
    yawl.ask("ib", "checkout", workItemID="1:Pack")
    check("too long a text is refused, and nothing is changed",
          "<failure>" in yawl.ask("ib", "checkin", workItemID="1.2:Pack",
                                  logPredicate="x" * 70000) and
          "<status>Executing</status>" in yawl.ask(
              "ib", "getWorkItem", workItemID="1.2:Pack"))
    check("the server ends", yawl.server.close() == 0)


def failures():
    yawl = Yawl(start()).connect()
    yawl.ask("ia", "upload", specXML=read("trip.yawl"))
    yawl.launch()
    log = Log(yawl)
    for action in ("getNetInstancesOfSpecification",
                   "getCompleteCaseLogsForSpecification",
                   "getSpecificationStatistics", "getSpecificationCaseIDs",
                   "getSpecificationXESLog"):
        log.expect(UNKNOWN, action, key="5")
        log.expect("<failure>No records for specification 'x - version 1.0'."
                   "</failure>", action, identifier="y", version="1.0",
                   uri="x")
    for action, name in (("getCaseEvents", "caseid"), ("getCaseEvents", "key"),
                         ("getInstanceEvents", "key"),
                         ("getDataForEvent", "key"),
                         ("getDataTypeForDataItem", "key"),
                         ("getTaskInstancesForCase", "caseid"),
                         ("getTaskInstancesForTask", "key"),
                         ("getTaskInstancesForCaseTask", "caseid"),
                         ("getCaseEvent", "caseid"),
                         ("getAllCasesStartedByService", "name"),
                         ("getAllCasesCancelledByService", "name"),
                         ("getEventsForTaskInstance", "itemid")):
        for value in ("999", "-1", "99999999999999999999999", "1:A", "", "<",
                      str(log.spec), str(log.key(1, 2))):
            log.expect(NO_ROWS, action, **{name: value})
    log.expect("<failure>Null item id.</failure>", "getEventsForTaskInstance")
    log.expect(UNKNOWN, "getServiceName", key="7")
    log.expect(UNKNOWN, "getServiceName")
    log.expect("<failure>No full record of case '999'.</failure>",
               "getCompleteCaseLog", caseid="999")
    log.expect("<failure>No full record of case 'null'.</failure>",
               "getCompleteCaseLog")
    for action in ("getAllSpecifications", "noSuchAction"):
        form = urllib.parse.urlencode({
            "action": action, "sessionHandle": "x"}).encode()
        status, body = yawl.send("/logGateway", form)
        check("%s without a session" % action, (status, mask(body)) == (
            500, "Invalid or disconnected session handle."), status, body)
    check("the server ends", yawl.server.close() == 0)


run(one_task, to_the_end, texts, failures)
end()
