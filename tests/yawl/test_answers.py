# SPDX-License-Identifier: Apache-2.0
"""A table of requests and exact answers, for each interface; who may ask."""
import re
import socket
import sqlite3
import time
import urllib.parse

from client import (ADMIN, GOOD, NO_SESSION, TRIP, WORKLIST, Yawl, failure,
                    hashed, read, start)
from checks import LIMIT, check, end, run, skip, until

WARNED = "<verificationMessages><warning><source>Ride</source><message>YAWL " \
    "service [http://127.0.0.1:9/ride] at WSGateway [Ride] is not registered " \
    "with engine.</message></warning></verificationMessages>"
INVALID = failure("Invalid action or exception was thrown.")
EMPTY = "<response></response>"
NO_SPEC = {"specidentifier": "none", "specversion": "1.0", "specuri": "none"}


def response(text):
    return "<response>%s</response>" % text


def table(yawl, *rows):
    """Rows of interface, action, parameters, answer."""
    for where, action, parameters, wanted in rows:
        got = yawl.ask(where, action, **parameters)
        check("%s %s %s answers as it should" % (where, action, parameters),
              got == wanted, "expected " + wanted, "got      " + got)


def client(name, password, documentation):
    return "<client><username>%s</username><password>%s</password>%s" \
        "</client>" % (name, password, "<documentation>%s</documentation>" %
                       documentation if documentation else "<documentation/>")


def transport():
    yawl = Yawl(start())
    for where in ("/ia", "/ib", "/ix", "/logGateway", "/work", "/ia/x"):
        status, body = yawl.send(where, None, "HEAD")
        check("HEAD is a sign of life", (status, body) == (200, ""), where)
    status, body = yawl.send("/nothing", b"action=connect")
    check("another path has a page that says so",
          status == 200 and "Not Found" in body and
          "was not found on this server" in body, body)
    status, body = yawl.send(
        "/ib?action=connect&userid=admin&encrypt=true&password=YAWL", None)
    check("GET is like POST", status == 200 and len(body) == 57, body)
    check("other methods are not taken",
          yawl.send("/ib", b"action=x", "PUT")[0] == 405)
    for form in (b"action=%", b"action=%zz", b"action=%00", b"%ff=x",
                 b"action=a&action=b", b"&".join(
                     b"a%d=1" % i for i in range(40)), b"action=\xc3\x28"):
        for where in ("/ia", "/ib", "/ix"):
            status, body = yawl.send(where, form)
            check("a form that is none is refused", status == 200 and (
                body.startswith("<response><failure><reason>the request ")
                or "given twice" in body), form, body)
    answer = yawl.server.raw(
        b"POST /yawl/ib HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n"
        b"Connection: close\r\nAccept-Charset: UTF-8\r\n\r\naction=x")
    check("an answer is XML in UTF-8",
          b"Content-Type: text/xml; charset=UTF-8" in answer, answer)
    check("what is beside the path is REST's",
          yawl.send("2/ib", b"action=x")[0] == 404)
    yawl.server.close()
    other = Yawl(start("--yawl-path", "/engine/two"), "/engine/two")
    other.connect()
    check("it can be elsewhere", other.ask("ia", "checkConnection") == GOOD)
    check("and is not here then",
          Yawl(other.server).send("/ia", b"action=x")[0] == 404)
    other.server.close()


def sessions():
    yawl = Yawl(start("--yawl-idle", "12s"))
    table(
        yawl,
        ("ia", "connect", {"userID": "admin", "password": "wrong"},
         response("<failure>Incorrect Password</failure>")),
        ("ia", "connect", {"userID": "admin"},
         response("<failure>Incorrect Password</failure>")),
        ("ia", "connect", {"userID": "<&", "password": ADMIN}, response(
            "<failure>Unknown service or client: &lt;&amp;</failure>")),
        ("ia", "connect", {"password": ADMIN}, INVALID),
        ("ib", "connect", {"password": ADMIN},
         response("<failure>Null user name</failure>")),
        ("ib", "connect", {"userid": "", "password": ADMIN},
         response("<failure>Null user name</failure>")),
        ("ib", "connect", {"userid": "admin", "password": "YAWL"},
         response("<failure>Incorrect Password</failure>")),
        ("ia", "connect", {"userID": "admin", "password": "YAWL",
                           "encrypt": "true"},
         response("<failure>Incorrect Password</failure>")),
        ("ia", "checkConnection", {}, NO_SESSION),
        ("ib", "checkConnection", {"sessionHandle": ""}, NO_SESSION),
        ("ib", "getLiveItems", {"sessionHandle": "x" * 5000}, NO_SESSION),
        ("ix", "updateCaseData", {"sessionHandle": "x"}, NO_SESSION),
        ("ia", "disconnect", {}, GOOD),
    )
    for user in ("admin", "editor", "documentStore", "yawlUI",
                 "DefaultWorklist"):
        password = {"admin": "YAWL", "editor": "yEditor",
                    "documentStore": "yDocStore", "yawlUI": "yYUI",
                    "DefaultWorklist": "resource"}[user]
        for where, name in (("ia", "userID"), ("ib", "userid")):
            got = yawl.ask(where, "connect",
                           **{name: user, "password": hashed(password)})
            check("%s can log on" % user, re.fullmatch(
                "<response>[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
                "</response>", got), got)
    yawl.connect()
    table(yawl,
          ("ia", "checkConnection", {}, GOOD),
          ("ib", "checkIsAdmin", {}, GOOD),
          ("logGateway", "checkConnection", {}, "<success/>"))
    table(yawl, ("logGateway", "noSuchAction", {}, ""))
    for form in (b"", b"action=noSuchAction&sessionHandle=x",
                 b"sessionHandle=" + yawl.handle.encode()):
        check("interface E wants an action and a session", yawl.send(
            "/logGateway", form) == (
                500, "Invalid or disconnected session handle."), form)
    status, body = yawl.send("/logGateway", b"action=checkConnection")
    check("interface E says of a session that it has expired", status == 200
          and body == "<failure><reason>Invalid or expired session.</reason>"
          "</failure>", body)
    for _ in range(20):  # we may be too slow ourselves
        gaps, answers = [], []
        used = time.monotonic()
        yawl.connect()
        for _ in range(4):
            time.sleep(3.2)
            asked = time.monotonic()
            answers.append(yawl.ask("ib", "checkConnection"))
            gaps.append(time.monotonic() - used)
            used = asked
        if max(gaps) < 12:
            break
    check("a session in use goes on", answers == [GOOD] * 4, answers, gaps)
    time.sleep(12.5)
    check("an idle one is over",
          yawl.ask("ib", "checkConnection") == NO_SESSION)
    yawl.connect()
    check("it can be closed", yawl.ask("ia", "disconnect") == GOOD and
          yawl.ask("ia", "checkConnection") == NO_SESSION)
    yawl.server.close()


def accounts():
    yawl = Yawl(start()).connect()
    table(
        yawl,
        ("ia", "noSuchAction", {}, INVALID),
        ("ib", "noSuchAction", {}, EMPTY),
        ("ix", "noSuchAction", {}, EMPTY),
        ("ia", "getAccounts", {}, response(
            client("admin", ADMIN, "generic admin user") +
            client("documentStore", hashed("yDocStore"), "document store") +
            client("editor", hashed("yEditor"), "YAWL editor") +
            client("yawlUI", hashed("yYUI"), "user interface"))),
        ("ia", "createAccount", {"userID": "anna", "password": "h",
                                 "doco": "<a&b>"}, GOOD),
        ("ia", "createAccount", {"userID": "anna", "password": "h"},
         failure("A client with that name already exists")),
        ("ia", "createAccount", {"password": "h"}, INVALID),
        ("ia", "createAccount", {"userID": "otto"},
         failure("Null username or password")),
        ("ia", "createAccount", {"userID": "", "password": "h"},
         failure("Null username or password")),
        ("ia", "createAccount", {"userID": "x" * 300, "password": "h"},
         failure("Persistence exception attempting to create account")),
        ("ia", "getClientAccount", {"userID": "anna"},
         response(client("anna", "h", "&lt;a&amp;b&gt;"))),
        ("ia", "getClientAccount", {"userID": "otto"},
         failure("Unknown account name: otto")),
        ("ia", "getClientAccount", {}, INVALID),
        ("ia", "updateAccount", {"userID": "anna", "password": "i"}, GOOD),
        ("ia", "updateAccount", {"userID": "otto", "password": "i"},
         failure("Unknown account name: otto")),
        ("ia", "updateAccount", {"userID": "anna", "doco": "x" * 20000},
         failure("Persistence exception attempting to update account")),
        ("ia", "getPassword", {"userID": "anna"}, response("i")),
        ("ia", "getPassword", {"userID": "otto"},
         failure("Unknown account name: otto")),
        ("ia", "deleteAccount", {"userID": "admin"},
         failure("Removing the generic admin user is not allowed.")),
        ("ia", "deleteAccount", {"userID": "otto"},
         failure("Unknown client account name: otto")),
    )
    anna = Yawl(yawl.server).connect("anna", "i")
    table(anna,
          ("ia", "deleteAccount", {"userID": "anna"},
           failure("Deletion of own account not allowed")),
          ("ia", "newPassword", {"password": "j"}, GOOD),
          ("ia", "newPassword", {}, failure("Null username or password")),
          ("ia", "getPassword", {"userID": "anna"}, response("j")))
    yawl.server.stop()
    yawl.server.start()
    check("sessions end with the server",
          yawl.ask("ia", "checkConnection") == NO_SESSION)
    yawl.connect()
    anna.connect("anna", "j")
    table(yawl, ("ia", "deleteAccount", {"userID": "anna"}, GOOD))
    check("with an account its sessions are over",
          anna.ask("ia", "checkConnection") == NO_SESSION)
    yawl.ask("ia", "updateAccount", userID="admin", password=hashed("new"))
    yawl.server.stop()
    yawl.server.start()
    check("a new password is kept", Yawl(yawl.server).connect(
        "admin", hashed("new")).ask("ia", "checkConnection") == GOOD)
    check("the old one is not taken", yawl.ask(
        "ia", "connect", userID="admin", password=ADMIN, sessionHandle=None)
        == response("<failure>Incorrect Password</failure>"))
    yawl.server.close()


def guesses():
    """Who guesses passwords has to wait; others with that name do not."""
    yawl = Yawl(start())
    wrong = response("<failure>Incorrect Password</failure>")
    for _ in range(5):
        check("a wrong password", yawl.ask(
            "ia", "connect", userID="admin", password="wrong") == wrong)
    for gate, name in (("ia", "userID"), ("ib", "userid")):
        answer = yawl.ask(gate, "connect", **{name: "admin",
                                              "password": "wrong"})
        check("then the name has to wait", answer.startswith(
            "<response><failure>Too many incorrect passwords: try again in "),
            answer)
    check("other names do not", yawl.ask(
        "ia", "connect", userID="nobody", password="wrong") == response(
            "<failure>Unknown service or client: nobody</failure>"))
    check("until the time is over", until(lambda: "failure" not in yawl.ask(
        "ia", "connect", userID="admin", password=ADMIN)))
    yawl.server.close()


def own_address():
    """Of this machine in its network; None: it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(("192.0.2.1", 9))  # nothing is sent
        except OSError:
            return None
        name = s.getsockname()[0]
    return None if name.startswith("127.") or name == "0.0.0.0" else name


def removed_elsewhere():
    """By another server of the store, as this one sees it."""
    yawl = Yawl(start())
    yawl.connect()
    yawl.ask("ia", "createAccount", userID="ann", password=hashed("x"))
    handle = re.sub("</?response>", "", yawl.ask(
        "ia", "connect", userID="ann", password=hashed("x")))
    check("it has a session", yawl.ask(
        "ia", "checkConnection", sessionHandle=handle) == GOOD, handle)
    with sqlite3.connect(yawl.server.folder + "/weft.db",
                         timeout=LIMIT) as store:
        store.execute("DELETE FROM record WHERE name = 'ann'")
        store.execute("UPDATE counter SET last = last + 1 "
                      "WHERE name = 'change'")
    store.close()
    limit = time.monotonic() + LIMIT
    while time.monotonic() < limit and yawl.ask(
            "ia", "checkConnection", sessionHandle=handle) == GOOD:
        time.sleep(0.1)
    check("which ends with its account", yawl.ask(
        "ia", "checkConnection", sessionHandle=handle) == NO_SESSION)
    check("and others do not", yawl.ask("ia", "checkConnection") == GOOD)
    yawl.server.close()


def forwarded():
    """A client is not local because a proxy on this machine forwards it."""
    for arguments in (), ("--proxy", "127.0.0.1"):
        server = start(*arguments)
        for headers in ({"X-Forwarded-For": "192.0.2.1"},
                        {"X-Forwarded-For": "192.0.2.1",
                         "Forwarded": "for=192.0.2.2"},
                        {"Forwarded": "for=unknown"}):
            yawl = Yawl(server)
            yawl.headers = headers
            answer = yawl.ask("ia", "connect", userID="admin", password=ADMIN)
            check("a well-known password is refused",
                  "known to everybody" in answer, arguments, headers, answer)
            check("and a listener without session", yawl.ask(
                "ix", "addInterfaceXListener", listenerURI="http://x.org/") ==
                  failure("Add InterfaceX Listener failed."), headers)
        server.close()


def from_elsewhere():
    host = own_address()
    if host is None:
        skip("clients from elsewhere", "this machine is in no network")
        return
    server = start("--listen", "0.0.0.0:0", "--insecure")
    here, there = Yawl(server), Yawl(server, host=host)
    here.connect()
    table(
        there,
        ("ia", "connect", {"userID": "admin", "password": ADMIN}, response(
            "<failure>This password is known to everybody and is taken from "
            "the engine's own machine only, until it is changed: admin"
            "</failure>")),
        ("ia", "connect", {"userID": "DefaultWorklist",
                           "password": hashed("resource")}, response(
            "<failure>This password is known to everybody and is taken from "
            "the engine's own machine only, until it is changed: "
            "DefaultWorklist</failure>")),
        ("ia", "connect", {"userID": "admin", "password": "wrong"},
         response("<failure>Incorrect Password</failure>")),
        ("ix", "addInterfaceXListener", {"listenerURI": "http://x.org/"},
         failure("Add InterfaceX Listener failed.")),
    )
    table(here, ("ix", "addInterfaceXListener",
                 {"listenerURI": "http://x.org/", "sessionHandle": ""}, GOOD))
    table(there, ("ix", "removeInterfaceXListener",
                  {"listenerURI": "http://x.org/"},
                  failure("Remove InterfaceX Listener failed - unknown or "
                          "invalid URI.")))
    here.ask("ia", "updateAccount", userID="admin", password=hashed("new"))
    there.connect("admin", hashed("new"))
    table(there,
          ("ia", "checkConnection", {}, GOOD),
          ("ix", "removeInterfaceXListener",
           {"listenerURI": "http://x.org/"}, GOOD))
    server.close()


def services():
    yawl = Yawl(start()).connect()
    table(
        yawl,
        ("ia", "getYAWLServices", {}, response(
            '<yawlService id="%s"><documentation/><servicename>'
            'DefaultWorklist</servicename><servicepassword>%s'
            '</servicepassword><assignable>false</assignable></yawlService>'
            % (WORKLIST, hashed("resource")))),
        ("ia", "newYAWLService", {"service": "<a"},
         failure("Failed to parse yawl service from [&lt;a]")),
        ("ia", "newYAWLService", {"service": "<yawlService/>"},
         failure("Failed to parse yawl service from [&lt;yawlService/&gt;]")),
        ("ia", "newYAWLService", {},
         failure("Failed to parse yawl service from [null]")),
        ("ia", "newYAWLService", {"service": '<yawlService id="file:///x"/>'},
         failure("Service unresponsive: file:///x")),
        ("ia", "newYAWLService", {"service": '<yawlService id="%s"/>' %
                                  WORKLIST},
         failure("Engine has already registered a service with the same URI "
                 "[%s]" % WORKLIST)),
        ("ia", "removeYAWLService", {"serviceURI": "x"},
         failure("Engine does not contain this YAWL service [ x ]")),
        ("ia", "removeYAWLService", {},
         failure("Engine does not contain this YAWL service [ null ]")),
        ("ia", "getExternalDBGateways", {},
         response("<ExternalDataGateways/>")),
        ("ix", "addInterfaceXListener", {},
         failure("Add InterfaceX Listener failed.")),
        ("ix", "addInterfaceXListener", {"listenerURI": "ftp://x/"},
         failure("Add InterfaceX Listener failed.")),
        ("ix", "removeInterfaceXListener", {"listenerURI": "x"},
         failure("Remove InterfaceX Listener failed - unknown or invalid "
                 "URI.")),
    )
    yawl.server.close()


def engine():
    yawl = Yawl(start()).connect()
    table(
        yawl,
        ("ia", "isHibernateStatisticsEnabled", {}, response("false")),
        ("ia", "setHibernateStatisticsEnabled", {"enabled": "true"}, GOOD),
        ("ia", "isHibernateStatisticsEnabled", {}, response("true")),
        ("ia", "setHibernateStatisticsEnabled", {"enabled": "x"},
         response("<failure>Invalid parameter value 'enabled'</failure>")),
        ("ia", "setHibernateStatisticsEnabled", {},
         response("<failure>Invalid parameter value 'enabled'</failure>")),
        ("ia", "promote", {}, failure("Engine is already in active mode")),
        ("ia", "demote", {}, response("<success>Engine successfully demoted "
                                      "to redundant mode</success>")),
        ("ia", "demote", {}, failure("Engine is already in redundant mode")),
        ("ia", "getAccounts", {}, response(
            "<failure>Engine is in redundant mode, unable to process requests"
            "</failure>")),
        ("ib", "getLiveItems", {}, response(
            "<failure>Unable to process request - engine is in redundant mode"
            "</failure>")),
        ("ib", "checkConnection", {}, GOOD),
        ("ia", "promote", {}, response("<success>Engine successfully promoted "
                                       "to active mode</success>")),
        ("ib", "getLiveItems", {}, EMPTY),
        ("ia", "reannounceEnabledWorkItems", {}, response(
            "<success>0 enabled work items reannounced</success>")),
        ("ia", "reannounceFiredWorkItems", {}, response(
            "<success>0 fired work items reannounced</success>")),
        ("ia", "reannounceWorkItem", {},
         failure("Unknown work item: null")),
    )
    check("it says what it is", re.fullmatch(
        "<response><buildproperties><BuildNumber>.*</BuildNumber><Version>"
        ".*</Version>.*</buildproperties></response>",
        yawl.ask("ia", "getBuildProperties")))
    check("it counts", "<requests>" in yawl.ask("ia",
                                                "getHibernateStatistics"))
    check("it has no times of requests", re.fullmatch(
        '<response><requeststats timestamp="\\d+" previous="\\d+">'
        '<requests/></requeststats></response>',
        yawl.ask("ib", "pollPerfStats", sessionHandle=None)))
    yawl.server.close()


def specifications():
    yawl = Yawl(start()).connect()
    spec = read("trip.yawl")
    refused = "<response><failure><reason><verificationMessages><error>%s" \
        "</error></verificationMessages></reason></failure></response>"
    parameter = "<inputParam><index>0</index><ordering>0</ordering>" \
        "<name>who</name><type>string</type>" \
        "<namespace>http://www.w3.org/2001/XMLSchema</namespace></inputParam>"
    data = "<specificationData><uri>trip</uri><id>UID_trip</id>" \
        "<name>A trip</name><documentation>There &amp; back</documentation>" \
        "<params>%s</params><rootNetID>Trip</rootNetID>" \
        "<version>4.0</version><specversion>0.1</specversion>" \
        "<status>loaded</status><metaTitle>Trip</metaTitle><authors>" \
        "<author>someone</author></authors></specificationData>" % parameter
    ident = "<specificationid><identifier>UID_trip</identifier>" \
        "<version>%s</version><uri>trip</uri></specificationid>"
    upload = "<upload><specifications>%s</specifications>" + WARNED + \
        "</upload>"
    table(
        yawl,
        ("ia", "upload", {}, INVALID),
        ("ia", "upload", {"specXML": "no"}, refused %
         "<message>Invalid XML specification.</message>"),
        ("ia", "getList", {}, EMPTY),
        ("ia", "upload", {"specXML": spec}, response(upload % (
            ident % "0.1"))),
        ("ia", "upload", {"specXML": spec}, refused %
         "<message>There is a specification with an identical id to [UID: "
         "UID_trip- Version: 0.1] already loaded into the engine.</message>"),
        ("ia", "getList", {}, response(data)),
        ("ib", "getSpecificationPrototypesList", {}, response(data)),
        ("ib", "getSpecificationData", TRIP, response(data)),
        ("ib", "getSpecificationData", NO_SPEC,
         failure("No specification found for id: none - version 1.0")),
        ("ib", "getSpecification", NO_SPEC,
         failure("Specification with ID (none - version 1.0) not found.")),
        ("ib", "getSpecificationDataSchema", NO_SPEC, response("null")),
        ("ib", "taskInformation", dict(NO_SPEC, taskID="Book"),
         failure("The was no task found with ID Book")),
        ("ib", "getMITaskAttributes", dict(NO_SPEC, taskID="Pack"),
         failure("There was no task found with ID Pack")),
        ("ib", "getResourcingSpecs", dict(NO_SPEC, taskID="Book"),
         failure("Unable to get resourcing information for task: Book")),
        ("ib", "taskInformation", dict(TRIP, taskID="Book"), response(
            "<taskInfo><specification><id>UID_trip</id><version>0.1"
            "</version><uri>trip</uri></specification><taskID>Book</taskID>"
            "<taskName>Book it</taskName><taskDocumentation>for "
            "${/Trip/who/text()}</taskDocumentation><decompositionID>Book"
            "</decompositionID><attributes><color>red</color></attributes>"
            "<params>" + parameter + parameter.replace(
                "input", "output").replace("who", "price").replace(
                "<type>string", "<type>integer") +
            "</params><customform/></taskInfo>")),
        ("ib", "taskInformation", dict(TRIP, taskID="None"),
         failure("The was no task found with ID None")),
        ("ib", "taskInformation", TRIP,
         failure("The was no task found with ID null")),
        ("ib", "getMITaskAttributes", dict(TRIP, taskID="Book"),
         failure("Book is not a multi-instance task")),
        ("ib", "getMITaskAttributes", dict(TRIP, taskID="None"),
         failure("There was no task found with ID None")),
        ("ib", "getMITaskAttributes", dict(TRIP, taskID="Pack"), response(
            '<minimum>1</minimum><maximum>3</maximum><threshold>3'
            '</threshold><creationMode code="dynamic"/><miDataInput>'
            '<expression query="/Trip/bags"/><splittingExpression query="for '
            '$b in /bags/* return $b"/><formalInputParam>bag'
            '</formalInputParam></miDataInput><miDataOutput>'
            '<formalOutputExpression query="&lt;bag&gt;{/Pack/bag/text()}'
            '&lt;/bag&gt;"/><outputJoiningExpression query="&lt;bags&gt;{for '
            '$b in /Pack/bag return $b}&lt;/bags&gt;"/>'
            '<resultAppliedToLocalVariable>bags</resultAppliedToLocalVariable>'
            '</miDataOutput>')),
        ("ib", "getResourcingSpecs", dict(TRIP, taskID="Pack"),
         response("null")),
        ("ib", "getResourcingSpecs", dict(TRIP, taskID="None"),
         failure("Unable to get resourcing information for task: None")),
        ("ia", "unload", NO_SPEC,
         failure("Engine contains no such specification with id 'none - "
                 "version 1.0'.")),
    )
    got = yawl.ask("ib", "getSpecification", **TRIP)
    check("a specification is whole", got.startswith(
        '<response><?xml version="1.0" encoding="UTF-8"?>\n'
        '<specificationSet ') and 'id="Sleep"' in got, got)
    check("its schema is", "BagsType" in yawl.ask(
        "ib", "getSpecificationDataSchema", **TRIP))
    got = yawl.ask("ib", "getResourcingSpecs", taskID="Book", **TRIP)
    check("resourcing is, without white space", re.fullmatch(
        '<response><resourcing [^>]*><offer initiator="user"/><allocate '
        'initiator="user"/><start initiator="user"/></resourcing></response>',
        got), got)
    case = yawl.launch()
    table(
        yawl,
        ("ia", "unload", TRIP,
         failure("Cannot unload specification 'trip - version 0.1' as one or "
                 "more cases are currently active against it.")),
        ("ib", "getSpecificationIDForCase", {"caseID": case},
         response(ident % "0.1")),
        ("ia", "upload", {"specXML": spec.replace(
            "<version>0.1<", "<version>0.10<")},
         response(upload % (ident % "0.10"))),
        ("ib", "launchCase", TRIP,
         failure("Starting a new case for a superseded specification is not "
                 "allowed. The latest loaded version is 0.10")),
        ("ib", "launchCase", NO_SPEC,
         failure("No specification found with ID [none - version 1.0]")),
        ("ib", "launchCase", {},
         failure("No specification found with ID [null - version 0.1]")),
    )
    yawl.ask("ib", "cancelCase", caseID=case)
    table(yawl, ("ia", "unload", TRIP, GOOD),
          ("ia", "unload", dict(TRIP, specversion="0.10"), GOOD),
          ("ia", "getList", {}, EMPTY),
          ("ia", "upload", {"specXML": spec}, response(upload % (
              ident % "0.1"))))
    yawl.server.close()


def cases():
    yawl = Yawl(start()).connect()
    yawl.ask("ia", "upload", specXML=read("trip.yawl"))
    scheduled = "<success>Case scheduled to start %s</success>"
    far = "4102444800000"
    table(
        yawl,
        ("ib", "getAllRunningCases", {},
         response("<AllRunningCases></AllRunningCases>")),
        ("ib", "launchCase", dict(TRIP, caseParams="<Trip"),
         failure("Invalid or malformed caseParams.")),
        ("ib", "launchCase", dict(TRIP, caseParams="<Other/>"),
         failure("Invalid caseParams: outermost element name must match "
                 "specification URI or root net name.")),
        ("ib", "launchCase", dict(TRIP, mSec="600000"), response(
            scheduled % "after a delay of 600000 milliseconds")),
        ("ib", "launchCase", dict(TRIP, start=far), response(
            scheduled % "at Fri Jan 01 00:00:00 UTC 2100")),
        ("ib", "launchCase", dict(TRIP, wait="P1D"), response(
            scheduled % "after a duration of P1D")),
        ("ib", "launchCase", dict(TRIP, wait="soon"),
         failure("Unable to start case: invalid delay 'soon'.")),
        ("ib", "launchCase", dict(TRIP, mSec="x"),
         failure("Unable to start case: invalid delay 'x'.")),
        ("ib", "launchCase", dict(TRIP, mSec=str(2**63 - 1)),
         failure("Unable to start case: invalid delay '%d'." % (2**63 - 1))),
        ("ib", "launchCase", dict(TRIP, start="9" * 30),
         failure("Unable to start case: invalid delay '%s'." % ("9" * 30))),
        ("ib", "launchCase", dict(
            TRIP, caseid="mine", caseParams="<trip><who>B</who></trip>"),
         response("mine")),
        ("ib", "launchCase", dict(
            TRIP, caseid="mine", caseParams="<Trip><who>B</who></Trip>"),
         failure("CaseID 'mine' is already active.")),
        ("ib", "getCasesForSpecification", TRIP,
         response("<caseID>mine</caseID>")),
        ("ib", "getCasesForSpecification", NO_SPEC, EMPTY),
        ("ib", "getAllRunningCases", {}, response(
            '<AllRunningCases><specificationID identifier="UID_trip" '
            'version="0.1" uri="trip"><caseID>mine</caseID>'
            '</specificationID></AllRunningCases>')),
        ("ib", "getSpecificationIDForCase", {"caseID": "9"},
         failure("Running case with id (9) not found.")),
        ("ib", "getSpecificationForCase", {"caseID": "9"},
         failure("Running case with id (9) not found.")),
        ("ib", "getCaseState", {"caseID": "9"},
         failure("Case [9] not found.")),
        ("ib", "getCaseState", {"caseID": "mine"}, response(
            '<caseState caseID="mine" specID="trip - version 0.1"><condition '
            'id="InputCondition:start" name="null" documentation="null">'
            '<identifier>mine</identifier><flowsInto><nextElementRef '
            'id="Book" documentation=""/></flowsInto></condition>'
            '</caseState>')),
        ("ib", "getCaseData", {"caseID": "9"},
         failure("There is no active case with id: 9")),
        ("ib", "getCaseData", {"caseID": "mine.7"},
         failure("Received invalid case id 'mine.7'.")),
        ("ib", "getCaseData", {},
         failure("Received invalid case id 'null'.")),
        ("ib", "getCaseData", {"caseID": "mine"}, response(
            "<Trip><bags><bag>red</bag><bag>blue</bag></bags>"
            "<price>0</price><who>B</who></Trip>")),
        ("ix", "updateCaseData", {"caseID": "mine",
                                  "data": "<Trip><price>5</price></Trip>"},
         response("true")),
        ("ix", "updateCaseData", {"caseID": "mine",
                                  "data": "<Trip><price>x</price></Trip>"},
         response("false")),
        ("ix", "updateCaseData", {"caseID": "9", "data": "<Trip/>"},
         response("false")),
        ("ib", "getCaseData", {"caseID": "mine"}, response(
            "<Trip><bags><bag>red</bag><bag>blue</bag></bags>"
            "<who>B</who><price>5</price></Trip>")),
        ("ib", "cancelCase", {"caseID": "9"}, failure("Case [9] not found.")),
        ("ib", "cancelCase", {}, failure("Case [null] not found.")),
        ("ib", "cancelCase", {"caseID": "mine"}, GOOD),
        ("ib", "cancelCase", {"caseID": "mine"},
         failure("Case [mine] not found.")),
        ("ib", "getCaseData", {"caseID": "mine"},
         failure("There is no active case with id: mine")),
    )
    got = yawl.ask("ib", "launchCase",
                   caseParams="<Trip><who>C</who><bad/></Trip>", **TRIP)
    check("data that does not fit is reported in YAWL's layout", got.startswith(
        "<response><failure><reason>Problem with process model.  Schema "
        "validation failed\nTask [Trip]\n") and "bad" in got, got)
    for delay in ({"mSec": "99"}, {"mSec": "-1"}, {"start": "0"},
                  {"start": "-5"}, {"start": "1000000000000"}):
        got = yawl.ask("ib", "launchCase", caseid="other",
                       caseParams="<Trip><who>D</who></Trip>",
                       **dict(TRIP, **delay))
        check("a delay that is none starts at once, and has no id of its own",
              re.fullmatch(response(r"\d+"), got), delay, got)
    rest = yawl.server.client()
    rest.post("/v1/specifications/%s/suspend" % rest.get(
        "/v1/specifications").json()["specifications"][0]["key"],
        {"reason": "a flood"})
    got = yawl.ask("ib", "launchCase", **TRIP)
    check("a suspended specification is not started", "failure" in got and
          "suspended since" in got and "by admin: a flood" in got, got)
    yawl.server.close()


def words():
    """Times in words are in the zone of the settings."""
    yawl = Yawl(start("--timezone", "-03:30")).connect()
    yawl.ask("ia", "upload", specXML=read("trip.yawl"))
    table(yawl, ("ib", "launchCase", dict(TRIP, start="4102444800000"),
                 response("<success>Case scheduled to start at Thu Dec 31 "
                          "20:30:00 GMT-03:30 2099</success>")))
    yawl.server.close()


def versions():
    """A specification without identifier; versions that are one number."""
    yawl = Yawl(start()).connect()
    beta = re.sub("<identifier>.*</identifier>|<index>.*</index>", "",
                  read("trip.yawl").replace('version="4.0"', 'version="2.0"'))
    beta = beta.replace('uri="trip"', 'uri="old"')
    spec = read("trip.yawl").replace("<version>0.1", "<version>1")
    old = {"specuri": "old"}
    ident = "<specificationid>%s<version>%s</version><uri>%s</uri>" \
        "</specificationid>"
    upload = response("<upload><specifications>%s</specifications>"
                      + WARNED + "</upload>")
    one = {"specidentifier": "UID_trip", "specversion": "1",
           "specuri": "trip", "caseParams": "<Trip><who>A</who></Trip>"}
    uid = "<identifier>UID_trip</identifier>"
    table(
        yawl,
        ("ia", "upload", {"specXML": beta}, upload % (
            ident % ("", "0.1", "old"))),
        ("ia", "upload", {"specXML": beta}, response(
            "<failure><reason><verificationMessages><error><message>There is "
            "a specification with an identical id to [URI: old- Version: 0.1]"
            " already loaded into the engine.</message></error>"
            "</verificationMessages></reason></failure>")),
        ("ib", "launchCase", dict(old, caseParams=one["caseParams"]),
         response("1")),
        ("ib", "getSpecificationIDForCase", {"caseID": "1"},
         response(ident % ("", "0.1", "old"))),
        ("ib", "getAllRunningCases", {}, response(
            '<AllRunningCases><specificationID version="0.1" uri="old">'
            "<caseID>1</caseID></specificationID></AllRunningCases>")),
        ("ib", "cancelCase", {"caseID": "1"}, GOOD),
        ("ia", "upload", {"specXML": spec}, upload % (
            ident % (uid, "1.0", "trip"))),
        ("ib", "launchCase", one, response("2")),
        ("ib", "getSpecificationIDForCase", {"caseID": "2"},
         response(ident % (uid, "1.0", "trip"))),
        ("ib", "getAllRunningCases", {}, response(
            '<AllRunningCases><specificationID identifier="UID_trip" '
            'version="1.0" uri="trip"><caseID>2</caseID></specificationID>'
            "</AllRunningCases>")),
        ("ia", "unload", one,
         failure("Cannot unload specification 'trip - version 1.0' as one or "
                 "more cases are currently active against it.")),
        ("ia", "upload", {"specXML": spec.replace(
            "<version>1", "<version>2")}, upload % (
                ident % (uid, "2.0", "trip"))),
        ("ib", "launchCase", one,
         failure("Starting a new case for a superseded specification is not "
                 "allowed. The latest loaded version is 2.0")),
    )
    for where, action, parameters in (
            ("ia", "getList", {}), ("ib", "getLiveItems", {}),
            ("ib", "getCaseState", {"caseID": "2"}),
            ("ib", "getCaseInstanceSummary", {}),
            ("ib", "taskInformation", dict(one, taskID="Book")),
            ("logGateway", "getAllSpecifications", {})):
        got = yawl.ask(where, action, **parameters)
        check("%s returns a version of one number with two" % action,
              re.search("version(>| )1[.]0[<\"]", got) and
              not re.search("version(>| )1[<\"]", got), got)
    yawl.server.close()


def available():
    """A request without an action, as old clients send it."""
    yawl = Yawl(start()).connect()
    yawl.ask("ia", "upload", specXML=read("trip.yawl"))
    case = yawl.launch()
    form = urllib.parse.urlencode({"sessionHandle": yawl.handle}).encode()
    ids = "<ids><workItemID>%s:%s</workItemID></ids>"
    check("what can be started is listed", yawl.send("/ib", form) == (
        200, response(ids % (case, "Book"))))
    yawl.ask("ib", "checkout", workItemID=case + ":Book")
    check("what has been is not", yawl.send("/ib", form) == (
        200, response("<ids></ids>")))
    check("without a session nothing is",
          yawl.send("/ib", b"") == (200, NO_SESSION))
    check("elsewhere it is nothing", yawl.send("/work", form)[1] == EMPTY)
    yawl.ask("ia", "demote")
    check("it is there in redundant mode", yawl.send("/ib", form) == (
        200, response("<ids></ids>")))
    check("and so is the log", yawl.ask(
        "logGateway", "getAllSpecifications").startswith("<specifications>"))
    yawl.server.close()


def items():
    yawl = Yawl(start()).connect()
    yawl.ask("ia", "upload", specXML=read("trip.yawl"))
    case = yawl.launch()
    book = {"workItemID": case + ":Book"}
    none = {"workItemID": "9:X"}
    rows = []
    for action, reason in (
            ("getWorkItem", "WorkItem with ID '9:X' not found."),
            ("getWorkItemExpiryTime", "WorkItem with ID '9:X' not found."),
            ("getStartingDataSnapshot", "No work item found with id = 9:X"),
            ("checkout", "No work item found with id = 9:X"),
            ("startOne", "No work item found with id = 9:X"),
            ("checkin", "WorkItem with ID [9:X] not found."),
            ("suspend", "WorkItem with ID [9:X] not found."),
            ("unsuspend", "WorkItem with ID [9:X] not found."),
            ("rollback", "Work Item[9:X] not found."),
            ("skip", "No work item with id = 9:X"),
            ("rejectAnnouncedEnabledTask", "Unknown worklitem: 9:X"),
            ("checkAddInstanceEligible", "No work Item Found with id : 9:X"),
            ("createInstance", "No work item found.")):
        rows.append(("ib", action, none, failure(reason)))
        rows.append(("ib", action, {}, failure(reason.replace("9:X",
                                                              "null"))))
        rows.append(("ib", action, {"workItemID": case + ":None"}, failure(
            reason.replace("9:X", case + ":None"))))
    none = {"workitemID": "9:X"}
    for action, reason in (
            ("completeWorkItem", "WorkItem with ID [9:X] not found."),
            ("continueWorkItem", "No work item found with id = 9:X"),
            ("startWorkItem", "No work item found with id = 9:X"),
            ("unsuspendWorkItem", "WorkItem with ID [9:X] not found."),
            ("restartWorkItem", "No work item found with id = 9:X"),
            ("cancelWorkItem", "WorkItem with ID [9:X] not found.")):
        rows.append(("ix", action, none, failure(reason)))
    table(
        yawl, *rows,
        ("ix", "updateWorkItemData", none, response("false")),
        ("ib", "getChildren", {}, EMPTY),
        ("ib", "getChildren", book, EMPTY),
        ("ib", "getWorkItemsWithIdentifier", {}, INVALID),
        ("ib", "getWorkItemsWithIdentifier", {"idType": "x", "id": "x"},
         EMPTY),
        ("ib", "getWorkItemsWithIdentifier", {"idType": "case", "id": "9"},
         EMPTY),
        ("ib", "getWorkItemsWithIdentifier", {"idType": "task", "id": "X"},
         EMPTY),
        ("ib", "getWorkItemsForService", {"serviceuri": "http://x/"}, EMPTY),
        ("ib", "getWorkItemInstanceSummary", {"caseID": "9"},
         response("<workitems/>")),
        ("ib", "getParameterInstanceSummary", {"workItemID": "9:X"},
         response("<parameters/>")),
        ("ib", "skip", {"workItemID": case + ".1:Book"},
         failure("No work item with id = %s.1:Book" % case)),
    )
    whole = yawl.ask("ib", "getLiveItems")
    for action, parameters in (
            ("getWorkItemsWithIdentifier", {"idType": "case", "id": case}),
            ("getWorkItemsWithIdentifier", {"idType": "spec", "id": "trip"}),
            ("getWorkItemsWithIdentifier", {"idType": "Case", "id": case}),
            ("getWorkItemsWithIdentifier", {"idType": "task", "id": "Book"}),
            ("getWorkItemsForService", {"serviceuri": WORKLIST}),
            ("getWorkItem", book)):
        got = yawl.ask("ib", action, **parameters)
        check("%s finds it" % action, got == whole, got)
    got = yawl.ask("ib", "checkout", **book)
    child = {"workitemID": case + ".1:Book"}
    table(
        yawl,
        ("ib", "checkAddInstanceEligible", {"workItemID": case + ".1:Book"},
         failure("WorkItem[%s.1:Book] does not allow new instance creation."
                 % case)),
        ("ib", "skip", {"workItemID": case + ".1:Book"},
         failure("Could not skip workitem: %s.1:Book" % case)),
        ("ib", "rejectAnnouncedEnabledTask", book, response(
            "<success>workitem rejection successful</success>")),
        ("ix", "cancelWorkItem", {"workitemID": case + ":Book"}, failure(
            "WorkItem with ID [%s:Book] is a 'parent' and so may not be "
            "completed." % case)),
        ("ib", "getParameterInstanceSummary",
         {"caseID": case, "workItemID": case + ".1:Book"}, response(
            "<parameterInstances><parameterInstance><name>who</name>"
            "<dataType>string</dataType><dataSchema/><usage>inputOnly"
            "</usage><inputPredicate>{/Trip/who/text()}</inputPredicate>"
            "<outputPredicate/><originalValue>Ann</originalValue>"
            "<defaultValue/><value>Ann</value>"
            "</parameterInstance><parameterInstance><name>price</name>"
            "<dataType>integer</dataType><dataSchema/><usage>outputOnly"
            "</usage><inputPredicate/><outputPredicate>"
            "{/Book/price/text()}</outputPredicate>"
            "<originalValue/><defaultValue/><value/></parameterInstance>"
            "</parameterInstances>")),
        ("ix", "updateWorkItemData", dict(
            child, data="<Book><who>Eve</who></Book>"), response("true")),
        ("ix", "updateWorkItemData", dict(
            child, data="<Book><what/></Book>"), response("false")),
    )
    check("data that was updated is shown", "<who>Eve</who>" in yawl.ask(
        "ib", "getWorkItem", workItemID=case + ".1:Book"))
    got = yawl.ask("ix", "restartWorkItem", **child)
    check("an item is started anew", "<status>Executing<" in got, got)
    table(yawl, ("ix", "completeWorkItem", dict(child, data="<Book/>"), GOOD))
    check("one that is forced needs no data", "<taskid>Pack<" in yawl.ask(
        "ib", "getLiveItems"))
    case = yawl.launch()
    yawl.ask("ib", "checkout", workItemID=case + ":Book")
    table(yawl, ("ix", "cancelWorkItem", {
        "workitemID": case + ".1:Book", "fail": "true",
        "data": "<Book><price>3</price></Book>"}, GOOD))
    check("a failed one goes on with its data", "<price>3</price>" in
          yawl.ask("ib", "getCaseData", caseID=case))
    case = yawl.launch()
    yawl.ask("ib", "checkout", workItemID=case + ":Book")
    table(yawl, ("ix", "cancelWorkItem", {"workitemID": case + ".1:Book"},
                 response("<success>Case cancelled as a result</success>")))
    table(
        yawl,
        ("ib", "getWorkItem", {"workItemID": "\x01\ufffe\ufffd\uffff"},
         failure("WorkItem with ID '??\ufffd?' not found.")),
        ("ib", "taskInformation", dict(TRIP, taskID="x" + "\u00e9" * 150),
         failure("The was no task found with ID x" + "\u00e9" * 99 + "?")))
    summary = yawl.ask("ib", "getCaseInstanceSummary")
    check("running cases are summed up", re.fullmatch(
        '<response><caseInstances startuptime="\\d+">(<caseInstance><caseid>'
        '\\d</caseid><caseparams>&lt;Trip&gt;&lt;who&gt;Ann&lt;/who&gt;'
        '&lt;/Trip&gt;</caseparams><specidentifier>UID_trip</specidentifier>'
        '<specversion>0.1</specversion><specuri>trip</specuri><starttime>'
        '\\d+</starttime><logdataitemlist/></caseInstance>){2}</caseInstances></response>',
        summary), summary)
    yawl.server.close()


def hostile():
    """Nothing that is asked brings the server down."""
    yawl = Yawl(start()).connect()
    yawl.ask("ia", "upload", specXML=read("trip.yawl"))
    case = yawl.launch()
    yawl.ask("ib", "checkout", workItemID=case + ":Book")
    names = ("userID", "userid", "password", "doco", "specXML", "service",
             "serviceURI", "serviceuri", "specidentifier", "specversion",
             "specuri", "taskID", "caseID", "caseid", "caseParams", "logData",
             "completionObserverURI", "mSec", "start", "wait", "workItemID",
             "workitemID", "data", "logPredicate", "idType", "id",
             "paramValueForMICreation", "listenerURI", "fail", "enabled",
             "xml", "encrypt")
    values = ("", "x" * 3000, "<", "<a>" * 500, "%s%n", "'\"&<>", "\x01\x7f",
              "\u20ac\U0001f600", "1:", ":", ".", "1.1:", case + ".1:Book",
              case + ":Book", "-1", "9" * 40, "<!DOCTYPE a [<!ENTITY b SYSTEM "
              "'file:///etc/passwd'>]><a>&b;</a>", "null", "../..")
    actions = re.findall(r'WF_YAWL_ACTION\((I[ABX]), "(\w+)", (\w+)',
                         read("../../yawl/actions.def") +
                         read("../../migration/actions.def"))
    calls = 0
    for where, action, _ in actions:
        if action in ("disconnect", "demote", "deleteAccount",
                      "updateAccount", "newPassword"):
            continue
        for value in values:
            forms = [dict.fromkeys(names, value)]
            forms.append(dict(TRIP, caseID=case, workItemID=case + ".1:Book",
                              workitemID=case + ".1:Book", data=value,
                              caseParams=value, idType="case", taskID=value))
            for form in forms:
                form["action"] = action
                form["sessionHandle"] = yawl.handle
                if len(form) > 32:
                    form.pop("encrypt")
                    form.pop("xml")
                status, body = yawl.send(
                    "/" + where.lower(),
                    urllib.parse.urlencode(form).encode())
                calls += 1
                if status != 200 or not body.startswith("<response>") or \
                        not body.endswith("</response>") or \
                        "root:" in body or "\x01" in body:
                    check("%s %s with %r is answered" % (where, action,
                                                         value), False, body)
    check("%d hostile requests are answered" % calls, calls > 1000)
    check("the server goes on",
          yawl.ask("ib", "checkConnection") == GOOD)
    check("and ends well", yawl.server.close() == 0)


run(transport, sessions, guesses, accounts, removed_elsewhere, from_elsewhere,
    forwarded, services, engine, specifications, cases, words, versions,
    available, items, hostile)
end()
