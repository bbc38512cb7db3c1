# SPDX-License-Identifier: Apache-2.0
"""What YAWL's own Java clients and services expect of answers and logs."""
import re
import struct
import urllib.parse
import urllib.request

from client import ADMIN, GOOD, TRIP, Yawl, failure, read, start
from checks import check, end, run

XS = "http://www.w3.org/2001/XMLSchema"
BETA = {"specuri": "beta"}


def specification(uri, inside, version="4.0", identifier="", schema=""):
    return """<?xml version="1.0" encoding="UTF-8"?>
<specificationSet xmlns="%s"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="%s">
<specification uri="%s"><metaData><title>A title</title><description>
What it is for</description><version>0.1</version>%s</metaData>%s
%s</specification></specificationSet>""" % (
        "http://www.citi.qut.edu.au/yawl" if version.startswith("Beta") else
        "http://www.yawlfoundation.org/yawlschema", version, uri, "<persistent>false</persistent><identifier>%s"
        "</identifier>" % identifier if identifier else "", schema, inside)


def net(*tasks):
    """One task behind the other; a task: its id and what is in it."""
    ids = [task.split(" ", 1)[0] for task in tasks] + ["o"]
    return ('<processControlElements><inputCondition id="i"><flowsInto>'
            '<nextElementRef id="%s"/></flowsInto></inputCondition>%s'
            '<outputCondition id="o"/></processControlElements>' % (
                ids[0], "".join(
                    '<task id="%s"><flowsInto><nextElementRef id="%s"/>'
                    '</flowsInto><join code="xor"/><split code="and"/>%s'
                    "</task>" % (task.split(" ", 1)[0], after,
                                 task.split(" ", 1)[1])
                    for task, after in zip(tasks, ids[1:]))))


def parameter(tag, name, kind, index=0, more="", attributes=""):
    return ("<%s%s><index>%d</index><name>%s</name><type>%s</type>%s%s</%s>" %
            (tag, attributes, index, name, kind, "" if kind == "Pair" or
             kind == "YTimerType" else "<namespace>%s</namespace>" % XS,
             more, tag))


def mapping(where, name, query):
    return ("<%s><mapping><expression query=\"%s\"/><mapsTo>%s</mapsTo>"
            "</mapping></%s>" % (where, query, name, where))


PAIR = ('<xs:schema xmlns:xs="%s"><xs:complexType name="Pair"><xs:sequence>'
        '<xs:element name="a" type="xs:string"/><xs:element name="b" '
        'type="xs:string" minOccurs="0"/></xs:sequence></xs:complexType>'
        "</xs:schema>" % XS)
CLOCK = ("&lt;trigger&gt;OnExecuting&lt;/trigger&gt;&lt;expiry&gt;P9D"
         "&lt;/expiry&gt;")
DATA = specification("data", (
    '<decomposition id="Data" isRootNet="true" xsi:type="NetFactsType">' +
    parameter("localVariable", "pair", "Pair", 0,
              "<initialValue>&lt;a&gt;1&lt;/a&gt;</initialValue>") +
    parameter("localVariable", "clock", "YTimerType", 1,
              "<initialValue>%s</initialValue>" % CLOCK) + net(
        "Fill " + mapping("startingMappings", "pair", "/Data/pair") +
        mapping("completedMappings", "pair",
                "&lt;pair&gt;{/Fill/pair/*}&lt;/pair&gt;") +
        '<decomposesTo id="Fill"/>',
        "Wait <timer><netparam>clock</netparam></timer>"
        '<decomposesTo id="Wait"/>') +
    '</decomposition><decomposition id="Fill" '
    'xsi:type="WebServiceGatewayFactsType" color="red">' +
    parameter("inputParam", "pair", "Pair", attributes=' hint="all of it"') +
    parameter("outputParam", "pair", "Pair") +
    "<logPredicate><start>begun</start><completion>done</completion>"
    "</logPredicate><externalInteraction>manual</externalInteraction>"
    '</decomposition><decomposition id="Wait" '
    'xsi:type="WebServiceGatewayFactsType"><yawlService '
    'id="http://127.0.0.1:9/w"/><externalInteraction>manual'
    "</externalInteraction></decomposition>"), identifier="UID_data",
    schema=PAIR)
DATA_ID = {"specidentifier": "UID_data", "specversion": "0.1",
           "specuri": "data"}


def response(text):
    return "<response>%s</response>" % text


def expect(yawl, wanted, where, action, **parameters):
    got = yawl.ask(where, action, **parameters)
    return check("%s %s" % (action, parameters), got == wanted,
                 "expected " + wanted, "got      " + got)


def sessions():
    yawl = Yawl(start())
    for handle in ("x", "", None):
        form = {"action": "checkConnection", "sessionHandle": handle}
        form = urllib.parse.urlencode({k: v for k, v in form.items()
                                       if v is not None}).encode()
        got = yawl.send("/logGateway", form)
        check("a session that is none is a failure, not an error of the server",
              got == (200, "<failure><reason>Invalid or expired session."
                      "</reason></failure>"), handle, got)
    yawl.server.close()


def specifications():
    """What is said of a specification that leaves much out."""
    yawl = Yawl(start()).connect()
    beta = specification(
        "beta", '<decomposition id="Beta" isRootNet="true" '
        'xsi:type="NetFactsType">' + net('Do <decomposesTo id="Do"/>') +
        '</decomposition><decomposition id="Do" '
        'xsi:type="WebServiceGatewayFactsType"></decomposition>', "Beta 7.1")
    got = yawl.ask("ia", "upload", specXML=beta)
    check("a Beta specification is loaded", "<upload>" in got, got)
    expect(yawl, response('<xs:schema xmlns:xs="%s"/>' % XS), "ib",
           "getSpecificationDataSchema", **BETA)
    got = yawl.ask("ia", "getList")
    check("its name and documentation are those of its metadata", re.search(
        r"<uri>beta</uri><name>A title</name><documentation>\s*What it is for"
        "</documentation>", got), got)
    got = yawl.ask("ib", "taskInformation", taskID="Do", **BETA)
    check("without identifier there is an empty one", "<specification><id/>"
          "<version>0.1</version><uri>beta</uri></specification>" in got, got)
    expect(yawl, "<failure>No rows returned.</failure>", "logGateway",
           "getAllSpecifications")
    yawl.ask("ia", "upload", specXML=read("trip.yawl"))
    yawl.ask("ib", "launchCase", **BETA)
    got = yawl.ask("logGateway", "getAllSpecifications")
    check("those with cases are in the log", got.count("<specification ") == 1
          and "<uri>beta</uri>" in got, got)
    got = yawl.ask("ib", "getCaseInstanceSummary")
    check("a launch without data has none", re.search(
        r"<caseparams/>.*<starttime>\d+</starttime><logdataitemlist/>"
        "</caseInstance>", got), got)
    yawl.server.close()


def warnings():
    """Of services that are not registered; upload takes the file."""
    yawl = Yawl(start()).connect()
    said = ("<verificationMessages><warning><source>Wait</source><message>"
            "YAWL service [http://127.0.0.1:9/w] at WSGateway [Wait] is not "
            "registered with engine.</message></warning>"
            "</verificationMessages>")
    got = yawl.ask("ia", "upload", specXML=DATA)
    check("a service that is not registered is named", "<upload>" in got and
          said in got, got)
    yawl.ask("ia", "unload", **DATA_ID)
    got = yawl.ask("ia", "newYAWLService", service=(
        '<yawlService id="http://127.0.0.1:9/w"><servicename>w</servicename>'
        "<servicepassword>p</servicepassword></yawlService>"))
    check("a service that does not answer yet is registered, with a warning",
          got.startswith("<response><success><warning>Service unresponsive: "
                         "http://127.0.0.1:9/w: "), got)
    check("its account works", Yawl(yawl.server).connect("w", "p").handle)
    got = yawl.ask("ia", "upload", specXML=DATA)
    check("a registered one is not named", "<verificationMessages/>" in got,
          got)
    got = yawl.ask("ia", "newYAWLService", service=(
        '<yawlService id="file:///w"><servicename>f</servicename>'
        "</yawlService>"))
    check("what cannot be called is refused", got == failure(
        "Service unresponsive: file:///w"), got)
    yawl.server.close()


def values_of(yawl, item, event):
    """(name, value, descriptor) of the data of an item's event."""
    found = yawl.ask("logGateway", "getEventsForTaskInstance", itemid=item)
    key = re.search(r'<event key="(\d+)"><instanceKey>\d+</instanceKey>'
                    "<descriptor>%s<" % event, found)
    if key is None:
        return found
    found = yawl.ask("logGateway", "getDataForEvent", key=key.group(1))
    return re.findall(r"<name>(.*?)</name><value>(.*?)</value><descriptor>"
                      "(.*?)</descriptor>", found)


def data():
    """Attributes of variables, values of complex type, texts for the log."""
    yawl = Yawl(start()).connect()
    yawl.ask("ia", "upload", specXML=DATA)
    case = re.sub("<[^>]*>", "", yawl.ask("ib", "launchCase", **DATA_ID))
    whole = ('<Fill color="red"><pair hint="all of it"><a>1</a></pair>'
             "</Fill>")
    expect(yawl, response(whole), "ib", "getStartingDataSnapshot",
           workItemID=case + ":Fill")
    entry = ("<logdataitem><name>%s</name><value>%s</value><descriptor>Note"
             "</descriptor><datatype>string</datatype></logdataitem>")
    got = yawl.ask("ib", "checkout", workItemID=case + ":Fill", logPredicate=(
        "<logdataitemlist>" + entry % ("who", "A &amp; B") +
        entry % ("Start", "now") + "</logdataitemlist>"))
    check("an item's data has them as well",
          "<data>%s</data>" % whole in got, got)
    got = values_of(yawl, case + ".1:Fill", "Executing")
    check("a list of entries is taken apart; one named Start replaces the "
          "text of the specification", got == [
              ("who", "A &amp; B", "Note"), ("Start", "now", "Note")], got)
    got = values_of(yawl, case + ".1:Fill", "DataValueChange")
    check("a value of complex type keeps its element", got == [
        ("pair", "&lt;pair&gt;&lt;a&gt;1&lt;/a&gt;&lt;/pair&gt;",
         "InputVarAssignment")], got)
    expect(yawl, GOOD, "ib", "checkin", workItemID=case + ".1:Fill",
           data=whole.replace("1", "2"), logPredicate="well <done>")
    got = values_of(yawl, case + ".1:Fill", "Complete")
    check("plain text is named Complete", got == [
        ("Complete", "well &lt;done&gt;", "Predicate")], got)
    case = re.sub("<[^>]*>", "", yawl.ask("ib", "launchCase", **DATA_ID))
    yawl.ask("ib", "checkout", workItemID=case + ":Fill",
             logPredicate=entry % ("one", "1"))
    got = values_of(yawl, case + ".1:Fill", "Executing")
    check("one entry is a list of one, beside the text of the specification",
          got == [("one", "1", "Note"), ("Executing", "begun", "Predicate")],
          got)
    yawl.server.close()


def timers():
    """A timer stands in the record that it started with."""
    yawl = Yawl(start()).connect()
    yawl.ask("ia", "upload", specXML=DATA)
    case = re.sub("<[^>]*>", "", yawl.ask("ib", "launchCase", **DATA_ID))
    yawl.ask("ib", "checkout", workItemID=case + ":Fill")
    yawl.ask("ib", "checkin", workItemID=case + ".1:Fill",
             data="<Fill><pair><a>2</a></pair></Fill>")
    got = yawl.ask("ib", "getWorkItem", workItemID=case + ":Wait")
    check("one that starts with the work does not run before", "Wait" in got
          and "<timer" not in got, got)
    yawl.ask("ib", "checkout", workItemID=case + ":Wait")
    child = re.search(r"<caseid>(%s\.\d+)<" % case, yawl.ask(
        "ib", "getChildren", workItemID=case + ":Wait")).group(1)
    got = yawl.ask("ib", "getWorkItem", workItemID=child + ":Wait")
    check("a timer of a variable is shown once it runs", re.search(
        r"<timertrigger>OnExecuting</timertrigger><timerexpiry>\d{13}"
        "</timerexpiry>", got), got)
    got = yawl.ask("ib", "getWorkItem", workItemID=case + ":Wait")
    check("but not by the parent", "Is parent" in got and
          "<timer" not in got, got)
    yawl.server.close()
    yawl = Yawl(start()).connect()
    yawl.ask("ia", "upload", specXML=read("trip.yawl"))
    case = yawl.launch()
    for task in ("Book", "Pack", "Walk"):
        yawl.ask("ib", "skip", workItemID=case + ":" + task)
    net_id = re.search(r"<taskid>Sleep</taskid><caseid>([^<]*)<",
                       yawl.ask("ib", "getLiveItems")).group(1)
    yawl.ask("ib", "checkout", workItemID=net_id + ":Sleep")
    got = yawl.ask("ib", "getLiveItems")
    check("one that starts when the task is enabled is shown by the parent "
          "and the child", got.count(
              "<timertrigger>OnEnabled</timertrigger><timerexpiry>"
              "4102444800000</timerexpiry>") == 2, got)
    child = re.findall(r"<taskid>Sleep</taskid><caseid>([^<]*)<", got)[1]
    yawl.ask("ib", "suspend", workItemID=child + ":Sleep")
    yawl.ask("ib", "cancelCase", caseID=case)
    check("the trip is over", TRIP and yawl.ask("ib", "getLiveItems") ==
          response(""))
    yawl.server.close()


def utf(text):
    """As DataOutputStream.writeUTF() writes it."""
    return struct.pack(">H", len(text.encode())) + text.encode()


def store(yawl, action, *rest):
    """Status, type and body of an answer of the document store."""
    request = urllib.request.Request(
        "http://127.0.0.1:%d/yawl/documentStore/" % yawl.server.port,
        utf(action) + b"".join(rest), {"Content-Type": "multipart/form-data"})
    with urllib.request.urlopen(request, timeout=300) as answer:
        return (answer.status, answer.headers["Content-Type"], answer.read())


FOLDER = """<specificationSet version="4.0"
  xmlns="http://www.yawlfoundation.org/yawlschema"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<specification uri="folder"><metaData><version>0.1</version>
<identifier>UID_folder</identifier></metaData>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
<xs:complexType name="Folder"><xs:sequence><xs:element name="file"
  type="YDocumentType" maxOccurs="9"/></xs:sequence></xs:complexType>
</xs:schema><decomposition id="Net" isRootNet="true" xsi:type="NetFactsType">
<inputParam><index>0</index><name>folder</name><type>Folder</type></inputParam>
<processControlElements><inputCondition id="i"><flowsInto>
<nextElementRef id="T"/></flowsInto></inputCondition><task id="T"><flowsInto>
<nextElementRef id="o"/></flowsInto><join code="xor"/><split code="and"/></task>
<outputCondition id="o"/></processControlElements></decomposition>
</specification></specificationSet>"""


def referred(yawl, ask):
    """A document of the store, inside of the data that a case starts with."""
    yawl.ask("ia", "upload", specXML=FOLDER)

    def launch(*numbers):
        return yawl.ask(
            "ib", "launchCase", specidentifier="UID_folder", specversion="0.1",
            specuri="folder", caseParams="<Net><folder>%s</folder></Net>" %
            "".join("<file><id>%d</id><name>f</name></file>" % number
                    for number in numbers))

    early = int(ask("put", "", -1, b"of a folder")[2][10:-11])
    refused = launch(early, 999999)
    check("data with a document that is not there is refused",
          "folder/file[2]" in refused and
          "there is no document 999999" in refused, refused)
    check("data with documents of the store", re.fullmatch(
        "<response>[\\w-]+</response>", launch(early, early)),
        launch(early, early))
    ask("remove", "", early)


def documents():
    """The document store, as YAWL's DocumentStoreClient calls it."""
    yawl = Yawl(start()).connect()
    xml = "text/xml; charset=UTF-8"

    def said(text, element="response"):
        return (200, xml, ("<%s>%s</%s>" % (element, text, element)).encode())

    def ask(action, case="", document=-1, content=b"", handle=None):
        return store(yawl, action, utf(handle or yawl.handle), utf(case),
                     struct.pack(">q", document), content)

    welcome = said("Welcome to the YAWL Document Store Service")
    check("without a request", yawl.send("/documentStore/", None)[1] ==
          welcome[2].decode() and yawl.send("/documentStore", b"")[1] ==
          welcome[2].decode())
    for cut in (b"", b"\0", utf("x"), b"\0\3a", utf(yawl.handle) + utf("1"),
                utf(yawl.handle) + utf("1") + b"\0" * 7, utf("\0")):
        check("a request that ends early: %r" % cut,
              store(yawl, "get", cut) == welcome, store(yawl, "get", cut))
    handle = store(yawl, "connect", utf(""), utf("admin"), utf(ADMIN))
    check("connect", re.fullmatch(b"<response>[0-9a-f-]{36}</response>",
                                  handle[2]) and handle[1] == xml, handle)
    handle = handle[2][10:46].decode()
    check("connect with a wrong password", b"failure" in store(
        yawl, "connect", utf(""), utf("admin"), utf("x"))[2])
    check("the handle", store(yawl, "checkConnection", utf(handle)) ==
          said("true"))
    check("disconnect", store(yawl, "disconnect", utf(handle)) == said("true"))
    check("the handle is over", store(yawl, "checkConnection", utf(handle)) ==
          said("false"))
    check("and opens nothing", ask("get", document=1, handle=handle) == said(
        "Invalid or disconnected session handle", "failure"))
    yawl.ask("ia", "upload", specXML=read("trip.yawl"))
    case = yawl.launch()
    referred(yawl, ask)
    large = bytes(range(256)) * 4096
    put = ask("put", case, -1, large)
    number = int(put[2][10:-11])
    check("put", put == said(number), put)
    got = ask("get", "", number)
    check("get", got[2] == large and got[1] == "multipart/form-data", got[:2])
    check("put again", ask("put", case, number, b"new") == said(number) and
          ask("get", "", number)[2] == b"new")
    check("put nothing", ask("put", case) == said(
        "Could not read document from request stream", "failure"))
    check("put what is not there", ask("put", case, 999, b"x") == said(
        "No stored document found with id: 999", "failure"))
    check("get what is not there", [ask("get", "", n) for n in (999, -1, 0)] == [
        said("No stored document found with id: %d" % n, "failure")
        for n in (999, -1, 0)])
    early = int(ask("put", "", -1, b"before the start")[2][10:-11])
    check("a document that is there before its case",
          ask("get", "", early)[2] == b"before the start")
    check("addcaseid", ask("addcaseid", case, early) == said(
        "Case ID successfully updated"))
    check("of what is not there", ask("addcaseid", case, 999) == said(
        "No document found with id: 999", "failure"))
    other = yawl.launch()
    check("of another case", ask("addcaseid", other, early) == said(
        "the document %d belongs to a case already" % early, "failure"))
    check("an action that is not there", ask("x")[2] == b"")
    check("completecase keeps them", ask("completecase", case) == said(
        "Documents not cleared: configured to retain on case completion",
        "failure"))
    check("remove", ask("remove", "", early) == said("true") and
          ask("remove", "", early) == said("false"))
    ask("put", case, -1, b"x")
    check("clearcase", ask("clearcase", case) == said(
        "2 documents removed for case: " + case))
    check("clearcase again", ask("clearcase", case) == said(
        "0 document removed for case: " + case))
    yawl.server.close()


run(sessions, specifications, warnings, data, timers, documents)
end()
