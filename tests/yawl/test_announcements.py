# SPDX-License-Identifier: Apache-2.0
"""Announcements to services and listeners, also while they do not listen."""
import re
import time

from client import GOOD, TRIP, Yawl, failure, hashed, read
from checks import check, end, run
from server import Server
from service import Service, add_service


def start(worklist):
    return Server(arguments=(
        "--yawl", "--allow-address", "127.0.0.0/8",
        "--default-worklist", worklist.uri + "#resource"))


def loaded(server, ride=None):
    yawl = Yawl(server).connect()
    spec = read("trip.yawl")
    if ride:
        spec = spec.replace("http://127.0.0.1:9/ride", ride)
    yawl.ask("ia", "upload", specXML=spec)
    return yawl


def skip_to_ride(yawl, case):
    for what in ("Book", "Pack"):
        yawl.ask("ib", "skip", workItemID="%s:%s" % (case, what))
    items = yawl.ask("ib", "getChildren", workItemID=case + ":Pack")
    for i in items.split("<caseid>")[1:]:
        yawl.ask("ib", "skip", workItemID=i.split("<")[0] + ":Pack")


def life():
    worklist, ride, listener = Service(), Service(), Service()
    server = start(worklist)
    yawl = loaded(server, ride.uri)
    check("the worklist is notified of the start of the engine",
          worklist.wait("announceEngineInitialised"), worklist.received)
    check("a service is registered", add_service(yawl, ride, "ride") == GOOD)
    check("not twice", add_service(yawl, ride, "ride") == failure(
        "Engine has already registered a service with the same URI [%s]" %
        ride.uri))
    own = Yawl(server).connect("ride", hashed("x"))
    check("it can change its password",
          own.ask("ia", "newPassword", password=hashed("y")) == GOOD and
          Yawl(server).connect("ride", hashed("y")).handle and
          "Incorrect Password" in own.ask(
              "ib", "connect", userid="ride", password=hashed("x")))
    check("a listener is added", yawl.ask(
        "ix", "addInterfaceXListener", listenerURI=listener.uri,
        sessionHandle=None) == GOOD)
    case = yawl.launch()
    for service in (worklist, ride):
        check("the start of a case is announced", service.wait(
            "announceCaseStarted") == {
                "action": "announceCaseStarted", "caseID": case,
                "delayed": "false", "specidentifier": "UID_trip",
                "specversion": "0.1", "specuri": "trip",
                "key": service.wait("announceCaseStarted")["key"]},
            service.received)
    got = worklist.wait("announceItemEnabled", "<taskid>Book<")
    check("the item is the worklist's", got and "<status>Enabled<" in
          got["workItem"] and not ride.wait("announceItemEnabled",
                                            seconds=0.3), got)
    check("the listener hears of the case before it",
          listener.wait("0")["preCheck"] == "true" and
          listener.wait("0")["data"].startswith("<Trip><who>Ann</who>"),
          listener.received)
    got = listener.wait("1", "<taskid>Book<")
    check("the listener hears of the item", got["preCheck"] == "true" and
          "<who>Ann</who>" in got["data"], got)
    yawl.ask("ib", "checkout", workItemID=case + ":Book")
    check("the status of all items is announced to all",
          ride.wait("announceItemStatus", "Is parent") and
          ride.wait("announceItemStatus", "'newStatus': 'Executing'"),
          ride.received)
    check("reannouncing counts", yawl.ask(
        "ia", "reannounceExecutingWorkItems") == "<response><success>1 "
        "executing work items reannounced</success></response>")
    got = worklist.wait("announceItemEnabled", "<status>Executing<")
    check("and announces the item again", got, worklist.received)
    check("an unknown one is not", yawl.ask(
        "ia", "reannounceWorkItem", id="9:X") ==
        failure("Unknown work item: 9:X"))
    check("an executing item is rejected", yawl.ask(
        "ib", "rejectAnnouncedEnabledTask", workItemID=case + ".1:Book") ==
        "<response><success>workitem rejection successful</success>"
        "</response>")
    check("which rolls it back", worklist.wait(
        "announceItemStatus", "'newStatus': 'Fired'"), worklist.received)
    check("and the listener is notified", listener.wait("2"), listener.received)
    for what in ("Book", "Pack"):
        yawl.ask("ib", "skip", workItemID="%s%s:%s" % (
            case, ".1" if what == "Book" else "", what))
    items = yawl.ask("ib", "getChildren", workItemID=case + ":Pack")
    for i in items.split("<caseid>")[1:]:
        yawl.ask("ib", "skip", workItemID=i.split("<")[0] + ":Pack")
    check("an item goes to its own service", ride.wait(
        "announceItemEnabled", "<taskid>Ride<"), ride.received)
    yawl.ask("ib", "checkout", workItemID=case + ":Ride")
    check("the other choice is cancelled", worklist.wait(
        "announceItemCancelled", "<taskid>Walk<"), worklist.received)
    yawl.ask("ib", "cancelCase", caseID=case)
    for service in (worklist, ride):
        check("the end of a case is announced", service.wait(
            "announceCaseCancelled")["caseID"] == case, service.received)
    check("to listeners as well", listener.wait("6"), listener.received)
    check("every announcement has a key of its own", all(
        len({t["key"] for t in s.received}) == len(s.received)
        for s in (worklist, ride, listener)))
    check("a listener is removed", yawl.ask(
        "ix", "removeInterfaceXListener", listenerURI=listener.uri,
        sessionHandle=None) == GOOD)
    check("a service is removed", yawl.ask(
        "ia", "removeYAWLService", serviceURI=ride.uri) == GOOD)
    server.close()
    for service in (worklist, ride, listener):
        service.close()


def observer():
    """The services that get the end of a case, and a case that was delayed."""
    worklist, watcher = Service(), Service()
    server = start(worklist)
    yawl = Yawl(server).connect()
    got = yawl.ask("ia", "upload", specXML=short_trip())
    check("the short trip is loaded", "<upload>" in got, got)
    add_service(yawl, watcher, "watcher")
    watched = yawl.launch(completionObserverURI=watcher.uri)
    open_one = yawl.launch(completionObserverURI="http://127.0.0.1:9/none")
    yawl.ask("ib", "launchCase", mSec="150", **dict(
        TRIP, caseParams="<Trip><who>Z</who></Trip>"))
    check("a case that was put off says so", worklist.wait(
        "announceCaseStarted", "'delayed': 'true'"), worklist.received)
    own = Yawl(server).connect("watcher", hashed("x"))
    logged = "<logdataitemlist>%s</logdataitemlist>" % (
        "<logdataitem><name>%s</name></logdataitem>" % ("n" * 60000))
    begun = own.launch(completionObserverURI=watcher.uri, logData=logged)
    started = worklist.wait("announceCaseStarted", "'%s'" % begun)
    check("the service that launched a case is named", started and
          started["launchingService"] == watcher.uri and
          "launchingService" not in worklist.wait(
              "announceCaseStarted", "'%s'" % watched), started)
    check("a long log is kept with the case",
          logged in yawl.ask("ib", "getCaseInstanceSummary"))
    for case in watched, open_one, begun:
        yawl.ask("ib", "skip", workItemID=case + ":Book")
        inner = re.search("<caseid>(%s\\.[0-9]+)</caseid>" % case,
                          yawl.ask("ib", "getLiveItems")).group(1)
        yawl.ask("ib", "skip", workItemID=inner + ":Sleep")
    check("the observer is notified of a case with a long log, too", watcher.wait(
        "announceCaseCompleted", "'%s'" % begun), watcher.received)
    got = watcher.wait("announceCaseCompleted", "'%s'" % watched)
    check("the observer is notified", got and got["casedata"].startswith(
        '<?xml version="1.0" encoding="UTF-8"?>\r\n<Trip'), got)
    check("without one that is registered all are", worklist.wait(
        "announceCaseCompleted", "'%s'" % open_one), worklist.received)
    check("with one nobody else is", not worklist.wait(
        "announceCaseCompleted", "'%s'" % watched, seconds=0.3),
        worklist.received)
    server.close()
    worklist.close()
    watcher.close()


def short_trip(expiry=None):
    """To book, then to sleep."""
    spec = read("trip.yawl").replace('<nextElementRef id="Pack"/>',
                                     '<nextElementRef id="Stay"/>')
    begin = spec.index('<task id="Pack"')
    spec = spec[:begin] + spec[spec.index('<task id="Stay"'):]
    begin = spec.index('<decomposition id="Pack"')
    spec = spec[:begin] + spec[spec.index('<decomposition id="Sleep"'):]
    return spec.replace("4102444800000", str(expiry)) if expiry else spec


STUCK = """<?xml version="1.0" encoding="UTF-8"?>
<specificationSet xmlns="http://www.yawlfoundation.org/yawlschema"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="4.0">
<specification uri="stuck"><metaData><version>0.1</version>
<persistent>false</persistent><identifier>UID_stuck</identifier></metaData>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>
<decomposition id="Stuck" isRootNet="true" xsi:type="NetFactsType">
<processControlElements><inputCondition id="i"><flowsInto>
<nextElementRef id="A"/></flowsInto></inputCondition>
<task id="A"><flowsInto><nextElementRef id="D"/><predicate ordering="0">true()
</predicate></flowsInto><flowsInto><nextElementRef id="B"/><isDefaultFlow/>
</flowsInto><join code="xor"/><split code="xor"/><decomposesTo id="W"/></task>
<task id="B"><flowsInto><nextElementRef id="D"/></flowsInto>
<join code="xor"/><split code="and"/><decomposesTo id="W"/></task>
<task id="D"><flowsInto><nextElementRef id="o"/></flowsInto>
<join code="and"/><split code="and"/><decomposesTo id="W"/></task>
<outputCondition id="o"/></processControlElements></decomposition>
<decomposition id="W" xsi:type="WebServiceGatewayFactsType">
<externalInteraction>manual</externalInteraction></decomposition>
</specification></specificationSet>"""


def ends():
    """Timers that run out, and cases that cannot go on."""
    worklist, listener = Service(), Service()
    server = start(worklist)
    yawl = Yawl(server).connect()
    yawl.ask("ix", "addInterfaceXListener", listenerURI=listener.uri)
    got = yawl.ask("ia", "upload", specXML=short_trip(
        int(time.time() * 1000) + 1500))
    check("a trip with a timer is loaded", "<upload>" in got, got)
    case = yawl.launch()
    yawl.ask("ib", "skip", workItemID=case + ":Book")
    got = worklist.wait("announceTimerExpiry")
    check("a timer that expires is announced", got and "<taskid>Sleep<" in
          got["workItem"], worklist.received)
    got = listener.wait("3")
    check("to listeners as well", got and "<taskid>Sleep<" in
          got["workItem"], listener.received)
    check("and the case comes to its end",
          worklist.wait("announceCaseCompleted"), worklist.received)
    got = yawl.ask("ia", "upload", specXML=STUCK)
    check("a net that gets stuck is loaded", "<upload>" in got, got)
    got = yawl.ask("ib", "launchCase", specidentifier="UID_stuck",
                   specversion="0.1", specuri="stuck")
    case = re.sub("<[^>]*>", "", got)
    yawl.ask("ib", "skip", workItemID=case + ":A")
    got = worklist.wait("announceCaseDeadlocked")
    check("a deadlock is announced, with its tasks", got and
          got["tasks"] == "[D]" and got["caseID"] == case, worklist.received)
    got = worklist.wait("announceCaseCompleted", "'caseID': '%s'" % case)
    check("the case as completed as well, with its data", got and
          got["casedata"].endswith("<Stuck/>"), worklist.received)
    got = listener.wait("0", "'caseID': '%s', 'preCheck': 'false'" % case)
    check("to listeners as well", got and got["specURI"] == "stuck" and
          got["data"].startswith("<Stuck"), listener.received)
    server.close()
    worklist.close()
    listener.close()


def abort():
    """Who listens to interface X hears of an item that its service refuses."""
    worklist, ride, listener = Service(), Service(), Service()
    server = start(worklist)
    yawl = loaded(server, ride.uri)
    add_service(yawl, ride, "ride")
    yawl.ask("ix", "addInterfaceXListener", listenerURI=listener.uri)
    ride.status = 404
    case = yawl.launch()
    for task in ("Book", "Pack"):
        yawl.ask("ib", "skip", workItemID=case + ":" + task)
    items = yawl.ask("ib", "getChildren", workItemID=case + ":Pack")
    for i in items.split("<caseid>")[1:]:
        yawl.ask("ib", "skip", workItemID=i.split("<")[0] + ":Pack")
    check("what a service refuses goes to the default worklist, also with a "
          "listener", worklist.wait("announceItemEnabled", "<taskid>Ride<"),
          worklist.received)
    got = listener.wait("2", "<taskid>Ride<")
    check("the listener hears of it", got and
          "<caseid>%s<" % case in got["workItem"], listener.received)
    time.sleep(0.5)
    for service in (worklist, ride, listener):
        check("once", len([
            form for form in service.received
            if form["action"] in ("announceItemEnabled", "2") and
            "<taskid>Ride<" in form["workItem"]]) == 1, service.received)
    yawl.ask("ib", "suspend", workItemID=case + ":Ride")
    worklist.received.clear()
    yawl.ask("ib", "rejectAnnouncedEnabledTask", workItemID=case + ":Ride")
    got = worklist.wait("announceItemEnabled", "<taskid>Ride<")
    check("one that has to wait goes to the default worklist as well",
          got and "<status>Suspended<" in got["workItem"], worklist.received)
    server.close()
    for service in (worklist, ride, listener):
        service.close()


def refusal():
    worklist, ride = Service(), Service()
    server = start(worklist)
    yawl = loaded(server, ride.uri)
    add_service(yawl, ride, "ride")
    ride.status = 400
    case = yawl.launch()
    skip_to_ride(yawl, case)
    check("what a service refuses goes to the default worklist",
          worklist.wait("announceItemEnabled", "<taskid>Ride<"),
          worklist.received)
    check("after the service was notified", ride.wait(
        "announceItemEnabled", "<taskid>Ride<"), ride.received)
    ride.status = 200
    # Down and up again: nothing of it is lost.
    server.stop()
    worklist.received.clear()
    server.start()
    check("the start is announced again",
          worklist.wait("announceEngineInitialised"), worklist.received)
    yawl.connect()
    check("reannouncing announces the present items", yawl.ask(
        "ia", "reannounceWorkItem", id=case + ":Walk") ==
        "<response><success>Work item' %s:Walk' reannounced</success>"
        "</response>" % case)
    check("to the worklist", worklist.wait(
        "announceItemEnabled", "<taskid>Walk<"), worklist.received)
    server.close()
    worklist.close()
    ride.close()


def unreachable():
    worklist = Service()
    server = start(worklist)
    yawl = Yawl(server).connect()
    gone = Service()
    gone.close()
    gone.uri = "http://127.0.0.1:9/x"  # its own may be another's by now
    got = add_service(yawl, gone, "gone", 1)
    check("a service that is not there is registered, with a warning",
          got == "<response><success><warning>Service unresponsive: %s: it "
          "does not answer yet</warning></success></response>" % gone.uri, got)
    server.close()
    server = Server(arguments=("--yawl", "--default-worklist",
                               worklist.uri + "#resource"))
    yawl = Yawl(server).connect()
    there = Service()
    got = add_service(yawl, there, "other", 1)
    check("one at an address that may not be called with its reason",
          "its address may not be called (--allow-address)" in got, got)
    server.close()
    there.close()
    worklist.close()


def long_address():
    """The default worklist may have any URI that a service may have."""
    worklist = Service()
    worklist.uri = worklist.uri.ljust(1000, "x")
    server = start(worklist)
    check("a worklist with a URI of 1,000 bytes is notified",
          worklist.wait("announceEngineInitialised"), worklist.received)
    server.close()
    worklist.close()
    worklist.uri += "x"
    try:
        start(worklist).close()
        reason = "it started"
    except RuntimeError as error:
        reason = str(error)
    check("a longer one is refused with the limit",
          "1001 bytes, expected at most 1000" in reason, reason)


def removal():
    """What waits for a service that is removed goes to the worklist."""
    worklist, ride = Service(), Service()
    server = start(worklist)
    yawl = loaded(server, ride.uri)
    add_service(yawl, ride, "ride")
    case = yawl.launch()
    skip_to_ride(yawl, case)
    check("an item is announced to its service", ride.wait(
        "announceItemEnabled", "<taskid>Ride<"), ride.received)
    check("its service is removed", yawl.ask(
        "ia", "removeYAWLService", serviceURI=ride.uri) == GOOD)
    check("the item that waits is announced to the worklist", worklist.wait(
        "announceItemEnabled", "<taskid>Ride<"), worklist.received)
    server.close()
    worklist.close()
    ride.close()


run(life, removal, observer, ends, refusal, abort, unreachable, long_address)
end()
