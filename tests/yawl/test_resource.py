# SPDX-License-Identifier: Apache-2.0
"""The gateways of the resource service: whose handle may do what.

Where there is a corpus, check.sh compares whole stories with recorded ones
(recorded-resources)."""
import os
import re
import shutil
import subprocess
import tempfile
import threading
import urllib.parse
from xml.etree import ElementTree

from client import ADMIN, HERE, Yawl, hashed, read
from checks import check, end, run, until
from gateways import (DESK, ORG, PATHS, PEOPLE, QUEUES, Gateways, launch, log,
                      person, queued, start)
from server import Server, WEFT
from service import Service, add_service

def actions():
    """The rows of the table: gateway, name, right, whether wrapped."""
    path = os.path.join(HERE, "..", "..", "yawl", "resource", "actions.def")
    with open(path) as file:
        return re.findall(
            r'^WF_GATEWAY_ACTION\((\w+), "(\w+)", (\w+), \w+, (\w+)',
            file.read(), re.M)


def handles():
    server, gateways = start()
    case = launch(gateways)
    item = case + ":Ask"
    gateways.ask(QUEUES, "acceptOffer", participantid="PA-ben",
                 workitemid=item)
    anna = gateways.login("anna")
    check("a user gets a handle", re.fullmatch("[0-9a-f-]{36}", anna), anna)
    rows = actions()
    check("the table is read", len(rows) > 100, len(rows))
    for gateway, name, right, shape in rows:
        if right == "OPEN":
            continue
        ben = dict(participantid="PA-ben", pfrom="PA-ben", pto="PA-anna",
                   workitemid=item, queue="1", id="PA-ben", caseid=case,
                   data="<Ask><note>a</note></Ask>",
                   **DESK)
        for handle in (None, "nonsense"):
            given = {} if handle is None else {"sessionHandle": handle}
            status, body = gateways.raw(PATHS[gateway], name, **ben, **given)
            check("%s needs a handle" % name, status == 500, status, body)
        status, body = gateways.raw(PATHS[gateway], name, sessionHandle=anna,
                                    **ben)
        check("%s is not for another user's handle" % name,
              status == 200 and "<failure" in body
              and ("does not allow" in body or "neither has" in body
                   or "has not the item" in body),
              status, body)
        if right != "SELF":
            continue
        for mixed in (dict(ben, participantid="PA-anna"),
                      dict(ben, pfrom="PA-anna")):
            body = gateways.raw(PATHS[gateway], name, sessionHandle=anna,
                                **mixed)[1]
            check("%s does not act for another beside the user" % name,
                  "does not allow" in body, mixed, body)
    check("nothing has happened", queued(gateways, "ben", 1) == [item])
    check("nor does it open the engine",
          "Invalid or expired" in gateways.ask(
              "ib", "getAllRunningCases", sessionHandle=anna))
    server.stop()


def users():
    server, gateways = start()
    case = launch(gateways)
    item = case + ":Ask"
    for refused in (gateways.login("anna", password="wrong"),
                    gateways.login("nobody"), gateways.login("anna:x"),
                    gateways.ask(QUEUES, "userlogin", userid="anna")):
        check("a wrong password is refused",
              refused == "<failure>Invalid logon credentials</failure>",
              refused)
    anna = gateways.login("anna")
    eve = gateways.login("eve")
    check("a user's list is the user's", queued(
        gateways, "anna", 0, sessionHandle=anna) == [item])
    check("who is meant need not be said", item in gateways.ask(
        QUEUES, "getParticipantQueues", sessionHandle=anna))
    check("an offered item may be read", "<workItemRecord>" in gateways.ask(
        QUEUES, "getWorkItem", workitemid=item, sessionHandle=anna))
    answer = gateways.ask(QUEUES, "acceptOffer", participantid="PA-anna",
                          workitemid=item, sessionHandle=anna)
    check("a user accepts", answer == "<response><success/></response>",
          answer)
    ben = gateways.login("ben")
    answer = gateways.ask(QUEUES, "startWorkItem", participantid="PA-ben",
                          workitemid=item, sessionHandle=ben)
    check("another user does not start it", "Could not start" in answer,
          answer)
    answer = gateways.ask(QUEUES, "startWorkItem", participantid="PA-ben",
                          workitemid=item)
    check("nor a service in the name of another", "Could not start" in answer,
          answer)
    answer = gateways.ask(QUEUES, "reallocateWorkItem", workitemid=item,
                          participantids="<x><id>PA-ben</id></x>",
                          sessionHandle=eve)
    check("an administrator gives it to another",
          answer == "<response><success/></response>", answer)
    check("who has it then", queued(gateways, "ben", 1) == [item]
          and queued(gateways, "anna", 1) == [])
    answer = gateways.ask(QUEUES, "startWorkItem", participantid="PA-ben",
                          workitemid=item)
    check("a service starts it for whom it names",
          "<resourceStatus>Started<" in answer, answer)
    answer = gateways.ask(QUEUES, "completeWorkItem", sessionHandle=ben,
                          participantid="PA-ben", workitemid=case + ".1:Ask")
    check("a handle of a user, which forms have, completes nothing",
          "<failure" in answer, answer)
    history = str(server.client().get(
        "/v1/cases/%s/history" % case).json())
    check("the history names the service, and users",
          "'actor': 'admin'" in history and "'actor': 'anna'" in history
          and "'actor': 'eve'" in history, history)
    answer = gateways.ask(QUEUES, "completeWorkItem", participantid="PA-ben",
                          workitemid=case + ".1:Ask")
    check("a service completes it",
          answer == "<response><success/></response>", answer)
    rows = log(gateways, "getCaseEvents", id=case)
    check("the log has who did what", rows == [
        ("", "admin", "launch_case"), (item, "PA-anna", "offer"),
        (item, "PA-ben", "offer"), (item, "PA-anna", "allocate"),
        (item, "PA-ben", "allocate"),
        (case + ".1:Ask", "PA-ben", "start"),
        (case + ".1:Ask", "PA-ben", "complete")], rows)
    check("of one participant", [row[2] for row in log(
        gateways, "getParticipantHistory", id="PA-ben")] == [
            "offer", "allocate", "start", "complete"])
    check("of one kind", log(
        gateways, "getResourceHistoryForEvent", id="PA-anna",
        eventType="allocate") == [(item, "PA-anna", "allocate")])
    check("of one item", len(log(gateways, "getWorkItemOffered", id=item))
          == 2)
    past, future = "1", "9999999999999"
    for limits, holds in (((past, future), True), ((past, past), False),
                          ((future, future), False)):
        found = log(gateways, "getCaseEvents", id=case,
                    **dict(zip(("from", "to"), limits)))
        check("both limits of time hold", (len(found) == 7) == holds
              and (found == []) != holds, limits, found)
    check("who started the case is in the log, but not in this answer",
          gateways.ask(PATHS["LOG"], "getCaseStartedBy", id=case)
          == "Unavailable")
    check("of cases of a participant", len(log(
        gateways, "getCaseHistoryInvolvingParticipant", id="PA-ben")) == 7)
    desk = dict(identifier="UID_desk", version="0.1", uri="desk")
    check("of a specification", len(log(
        gateways, "getSpecificationEvents", **desk)) == 7)
    statistics(gateways, case, desk)
    server.stop()


def statistics(gateways, case, desk):
    """Of the case above: two offers, two allocations, one start."""
    chosen = [("getSpecificationEventsByURI", {"uri": "desk"}),
              ("getSpecificationEventsByID", {"identifier": "UID_desk"}),
              ("getSpecificationSetEvents", {
                  "setxml": "<set><specificationid><identifier>UID_desk"
                  "</identifier></specificationid></set>"})]
    for action, parameters in chosen:
        check("events of what is chosen", len(log(
            gateways, action, **parameters)) == 7, action)
    wrong = gateways.ask(PATHS["LOG"], "getSpecificationEventsByURI", uri="x")
    check("an unknown specification is said",
          "invalid specification ID" in wrong, wrong)
    key = re.search("<speckey>([^<]*)<", gateways.ask(
        PATHS["LOG"], "getCaseEvents", id=case)).group(1)
    answer = gateways.ask(PATHS["LOG"], "getSpecificationIdentifiers", key=key)
    check("the specification of an event",
          "<identifier>UID_desk<" in answer, answer)
    for action, parameters in (
            ("getTaskStatistics", dict(desk, taskname="Ask")),
            ("getSpecificationStatistics", desk),
            ("getTaskStatisticsForCase", {"id": case}),
            ("getTaskStatisticsForSpecification", desk),
            ("getTaskStatisticsForSpecificationURI", {"uri": "desk"}),
            ("getTaskStatisticsForSpecificationUID",
             {"identifier": "UID_desk"})):
        answer = gateways.ask(PATHS["LOG"], action, **parameters)
        check("statistics: " + action, re.search(
            '<taskStatistics task="Ask" created="1" completed="1"><offers>'
            '<participant name="Anna X" instances="1"></participant>'
            '<participant name="Ben X" instances="1"></participant></offers>'
            '<allocations><participant name="Anna X" instances="1">'
            "<offerToAllocate><instances>1</instances><min>0:00:00:", answer)
            and '<starts><participant name="Ben X" instances="1">'
                "<allocateToStart>" in answer
            and "<startToComplete>" in answer, answer)
    answer = gateways.ask(PATHS["LOG"], "getTaskStatistics",
                          **dict(desk, taskname="Nothing"))
    check("no rows", "No rows returned." in answer, answer)
    answer = gateways.ask(PATHS["LOG"], "getMergedXESLog", **desk)
    for transition, who in (("assign", "PA-anna"), ("assign", "PA-ben"),
                            ("start", "PA-ben"), ("complete", "PA-ben")):
        check("XES has who did it: " + transition, re.search(
            'value="%s"/>\\s*<string key="concept:instance" value="[^"]*"/>'
            '\\s*<string key="org:resource" value="%s"/>' % (transition, who),
            answer), answer)


def resource_status(gateways, item):
    found = re.search("<resourceStatus>([^<]*)<", gateways.ask(
        QUEUES, "getWorkItem", workitemid=item))
    return found and found.group(1)


def secondary(server, gateways):
    """What an item needs is written as it was read."""
    check("a category", server.client().call(
        "PUT", "/v1/categories/NC-car", {"name": "Cars"}).status == 201)
    item = launch(gateways) + ":Ask"
    needs = '<secondary><nonHumanCategory subcategory="%s">NC-car' \
        '</nonHumanCategory></secondary>'
    answer = gateways.ask(ORG, "setSecondaryResources", id=item,
                          xml=needs % "12&quot; &lt; &amp;")
    check("an item needs something", "<success/>" in answer, answer)
    answer = gateways.ask(ORG, "getSecondaryResources", id=item)
    found = ElementTree.fromstring(answer).find(".//nonHumanCategory")
    check("with a mark of quotation in the name of a part",
          found is not None and found.get("subcategory") == '12" < &',
          answer)


def departures(server, gateways):
    """Anna has an item, and has started one; Ben is offered a third."""
    cases = [launch(gateways) for _ in range(3)]
    gateways.ask(QUEUES, "acceptOffer", participantid="PA-anna",
                 workitemid=cases[0] + ":Ask")
    gateways.ask(QUEUES, "startWorkItem", participantid="PA-anna",
                 workitemid=cases[1] + ":Ask")
    gateways.ask(ORG, "removeParticipant", participantid="PA-anna")
    items = [cases[0] + ":Ask", cases[1] + ".1:Ask"]
    for item in items:
        check("who is removed has no item", until(
            lambda: resource_status(gateways, item) == "Unoffered"), item)
    check("another is offered what was offered to both",
          queued(gateways, "ben", 0) == [cases[2] + ":Ask"])
    later = launch(gateways) + ":Ask"
    answer = gateways.ask(QUEUES, "getParticipantsAssignedWorkItem",
                          workitemid=later, queue="0")
    check("a later item is offered to those who are left",
          "PA-ben" in answer and "PA-anna" not in answer, answer)
    answer = gateways.ask(QUEUES, "allocateWorkItem", workitemid=items[1],
                          participantids="<x><id>PA-ben</id></x>")
    check("an administrator gives it to somebody",
          answer == "<response><success/></response>", answer)
    status = server.client().call("DELETE", "/v1/people/PA-ben").status
    check("the last one is removed over REST", status == 204, status)
    for item in items + [cases[2] + ":Ask"]:
        check("nobody is offered the items", until(
            lambda: resource_status(gateways, item) == "Unoffered"), item)
    return items


def sessions():
    server, gateways = start()
    anna = gateways.login("anna")
    check("a session of a user is valid", gateways.ask(
        QUEUES, "isValidUserSession", sessionHandle=anna) == "<success/>")
    check("it is no session of a service", "<failure" in gateways.ask(
        QUEUES, "checkConnection", sessionHandle=anna))
    check("who is there", "PA-anna" in gateways.ask(
        ORG, "getActiveParticipants"))
    gateways.ask(QUEUES, "userlogout", sessionHandle=anna)
    check("until it ends", "<failure" in gateways.ask(
        QUEUES, "isValidUserSession", sessionHandle=anna))
    anna = gateways.login("anna")
    gateways.ask(ORG, "removeParticipant", participantid="PA-anna")
    check("or the participant is removed", "<failure" in gateways.ask(
        QUEUES, "isValidUserSession", sessionHandle=anna))
    ben = gateways.login("ben")
    removed = subprocess.run([WEFT, "account", "remove", "ben", "--db",
                              server.db], capture_output=True)
    check("an account is removed", removed.returncode == 0, removed)
    check("and its session ends", until(lambda: "<failure" in gateways.ask(
        QUEUES, "isValidUserSession", sessionHandle=ben)))
    for path, answer in ((QUEUES, "<success/>"), (ORG, "true"),
                         (PATHS["LOG"], "true"),
                         (PATHS["CALENDAR"], "true")):
        handle = gateways.ask(path, "connect", userid="admin",
                              password=ADMIN)
        check("a handle of " + path, gateways.ask(
            path, "checkConnection", sessionHandle=handle) == answer)
        gateways.ask(path, "disconnect", sessionHandle=handle)
        check("it ends", gateways.ask(
            path, "checkConnection", sessionHandle=handle) != answer)
    status, body = gateways.raw(QUEUES, "noSuch")
    check("an unknown action needs a handle, too", status == 500, body)
    check("and is said", gateways.ask(QUEUES, "noSuch")
          == "<failure>Unknown action: noSuch</failure>")
    status, body = gateways.raw("resourceService/nothing", "x")
    check("there is no other gateway", status == 404, status, body)
    status, body = gateways.send("/" + QUEUES, None)
    check("without an action it is a page", body.startswith("<html>"), body)
    server.stop()


def data():
    server, gateways = start()
    case = launch(gateways)
    item = case + ".1:Ask"
    anna = gateways.login("anna")
    ben = gateways.login("ben")
    gateways.ask(QUEUES, "startWorkItem", participantid="PA-anna",
                 workitemid=case + ":Ask")
    save = {"workitemid": item, "data": "<Ask><note>mine</note></Ask>"}
    for wrong in ("", "no xml", "<Other><note>a</note></Other>", "<Ask/>",
                  "<Ask><note>a</note><note>b</note></Ask>"):
        answer = gateways.ask(QUEUES, "updateWorkItemData", workitemid=item,
                              data=wrong)
        check("wrong data is refused", "<failure" in answer, wrong, answer)
    answer = gateways.ask(QUEUES, "updateWorkItemData", sessionHandle=ben,
                          **save)
    check("another user saves nothing", "<failure" in answer, answer)
    answer = gateways.ask(QUEUES, "updateWorkItemData", sessionHandle=anna,
                          **save)
    check("the user who has the item saves", answer == "<success/>", answer)
    answer = gateways.ask(QUEUES, "getWorkItem", workitemid=item)
    check("what is saved is shown",
          "<updateddata><Ask><note>mine</note></Ask></updateddata>" in answer,
          answer)
    draft = server.client().get("/v1/items/%s/draft" % item).json()
    check("it is the draft of the form", draft["data"] == {"note": "mine"},
          draft)
    gateways.ask(QUEUES, "setWorkItemDocumentation", workitemid=item,
                 doco="a < b")
    check("a text stays beside it", "<documentation>a &lt; b<" in gateways.ask(
        QUEUES, "getWorkItem", workitemid=item))
    draft = "/v1/items/%s/draft" % item
    saved = server.client().call("PUT", draft + "?override=true",
                                 {"note": "rest"})
    check("a draft of the form is saved", saved.status == 200, saved)
    answer = gateways.ask(QUEUES, "getWorkItem", workitemid=item)
    check("the text stays beside it, too",
          "<documentation>a &lt; b<" in answer, answer)
    check("it is one draft for both",
          "<updateddata><Ask><note>rest</note></Ask></updateddata>" in answer,
          answer)
    server.client().call("DELETE", draft + "?override=true")
    check("it is removed", server.client().get(draft).status == 404)
    answer = gateways.ask(QUEUES, "getWorkItem", workitemid=item)
    check("without the text", "<documentation>a &lt; b<" in answer and
          "<updateddata></updateddata>" in answer, answer)
    check("another is saved", gateways.ask(
        QUEUES, "updateWorkItemData", **save) == "<success/>")
    answer = gateways.ask(QUEUES, "completeWorkItem", participantid="PA-anna",
                          workitemid=item)
    check("the item completes with it",
          answer == "<response><success/></response>", answer)
    result = server.client().get("/v1/cases/" + case).json()
    check("and the case has it", "mine" in str(result), result)
    departures(server, gateways)
    secondary(server, gateways)
    server.stop()


def codelets():
    """Automated tasks without a service: the server does them."""
    server, gateways = start()
    expected = {"": "anna", "NoSuch": "anna", "ShellExecution": "anna",
                "ParticipantInfo": "anna", "ItemMetaData": "anna",
                "org.yawlfoundation.yawl.resourcing.codelets.UsersWithRole":
                    "anna,ben"}
    for i, (name, value) in enumerate(expected.items()):
        uri = "auto%d" % i
        text = (read("desk.yawl").replace('uri="desk"', 'uri="%s"' % uri)
                .replace("UID_desk", "UID_" + uri).replace(
                    "<externalInteraction>manual",
                    "<codelet>%s</codelet><externalInteraction>automated"
                    % name if name else "<externalInteraction>automated"))
        if value != "anna":
            text = text.replace(
                "<outputParam>\n        <index>0</index>\n        "
                "<name>note</name>", "<outputParam>\n        "
                "<index>0</index>\n        <name>userids</name>").replace(
                    "/Ask/note/", "/Ask/userids/").replace(
                    "&lt;note&gt;{/Desk/note/text()}&lt;/note&gt;",
                    "&lt;rolename&gt;Clerk&lt;/rolename&gt;").replace(
                    "<mapsTo>note</mapsTo></mapping>\n          </starting",
                    "<mapsTo>rolename</mapsTo></mapping>\n          "
                    "</starting").replace(
                    '<decomposition id="Ask" xsi:type="WebServiceGatewayFacts'
                    'Type">\n      <inputParam>\n        <index>0</index>\n'
                    '        <name>note</name>',
                    '<decomposition id="Ask" xsi:type="WebServiceGatewayFacts'
                    'Type">\n      <inputParam>\n        <index>0</index>\n'
                    '        <name>rolename</name>')
        gateways.ask(QUEUES, "uploadSpecification", fileContents=text,
                     fileName="x")
        answer = gateways.ask(
            QUEUES, "launchCase", casedata="<Desk><note>anna</note></Desk>",
            specidentifier="UID_" + uri, specversion="0.1", specuri=uri)
        case = re.sub("<[^>]*>", "", answer)
        ended = until(lambda: server.client().get(
            "/v1/cases/" + case).json().get("status") == "completed")
        check("an automated task is done: " + name, ended, answer)
        check("it has what it is to have: " + name, value in str(
            server.client().get("/v1/cases/" + case + "/history").json()))
    check("the server is no service", gateways.ask(
        QUEUES, "getRegisteredServices") == "<response></response>")
    server.stop()


def hashes():
    """A password as YAWL's clients send it, until it is known itself."""
    server, gateways = start()
    ben = server.client(token="")
    sent = {"encrypt": "false", "password": hashed("pw-ben")}
    for _ in range(2):
        handle = gateways.login("ben", **sent)
        check("the hash signs in", re.fullmatch("[0-9a-f-]{36}", handle),
              handle)
    check("a password is no hash", "<failure" in gateways.login(
        "ben", encrypt="false"))
    check("a hash is no password", "<failure" in gateways.login(
        "ben", password=sent["password"]))
    for _ in range(2):
        check("nor is it for REST", ben.post("/v1/session", {
            "name": "ben", "password": sent["password"]}).status == 401)
    check("the hash still signs in", "<failure" not in gateways.login(
        "ben", **sent))
    check("the password itself signs in",
          "<failure" not in gateways.login("ben"))
    refused = until(lambda: "<failure" in gateways.login("ben", **sent))
    check("then the hash is worth nothing", refused)
    check("and the password all the more",
          "<failure" not in gateways.login("ben"))
    check("an account without a hash has none", "<failure" in gateways.login(
        "admin", encrypt="false", password=hashed("admin")))
    server.stop()


def rows_of(server, **filters):
    query = urllib.parse.urlencode(dict(filters, limit=1000))
    return server.client().get("/v1/audit?" + query).json()["audit"]


def audit():
    server, gateways = start()
    anna = gateways.login("anna")
    gateways.login("anna", password="wrong-one")
    gateways.login("nobody-at-all")
    gateways.ask(QUEUES, "connect", userid="admin", password="wrong")
    gateways.ask("ia", "createAccount", userID="tool", password="x",
                 doco="")
    gateways.ask("ia", "createAccount", userID="tool", password="x",
                 doco="")
    gateways.ask("ia", "newYAWLService", service=(
        '<yawlService id="http://127.0.0.1:9/x"><servicename>x</servicename>'
        '</yawlService>'))
    gateways.ask(ORG, "addRole", name="Third")
    gateways.ask(ORG, "addRole", name="Fourth", sessionHandle=anna)
    gateways.ask(ORG, "addParticipantToRole", participantid="PA-anna",
                 roleid="RO-boss")
    gateways.ask(ORG, "getRoles")
    gateways.ask(PATHS["CALENDAR"], "addEntry", id="PA-anna",
                 **{"from": "1", "to": "2", "workload": "100"})
    case = launch(gateways)
    gateways.ask(QUEUES, "acceptOffer", participantid="PA-anna",
                 workitemid=case + ":Ask")
    rows = rows_of(server)
    acts = [(row.get("account"), row["kind"], row.get("subject", ""),
             row["result"]) for row in rows if row.get("detail") == "yawl"]
    for act in (("anna", "sign-in", "", "done"),
                ("anna", "sign-in", "", "refused"),
                ("admin", "sign-in", "", "refused"),
                ("admin", "createAccount", "tool", "done"),
                ("admin", "createAccount", "tool", "failed"),
                ("admin", "addRole", "Third", "done"),
                ("anna", "addRole", "Fourth", "failed"),
                ("admin", "addParticipantToRole", "PA-anna RO-boss", "done"),
                ("admin", "addEntry", "PA-anna", "done")):
        check("the audit has it", act in acts, act, acts)
    check("a service by its address", any(
        act[1] == "newYAWLService" and "127.0.0.1:9/x" in act[2]
        for act in acts), acts)
    kinds = {act[1] for act in acts}
    check("what changes nothing of that is not there", kinds <= {
        "sign-in", "importOrgData", "uploadSpecification", "createAccount",
        "newYAWLService", "addRole", "addParticipantToRole", "addEntry"},
        kinds)
    text = str(rows)
    check("no password, no name that nobody has",
          "wrong-one" not in text and "nobody-at-all" not in text, text)
    server.stop()


def children(server):
    """How many processes the server has that it has started."""
    count = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % name) as file:
                parent = file.read().rpartition(")")[2].split()[1]
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended
        count += parent == str(server.process.pid)
    return count


def programs():
    """ShellExecution, with programs that the settings allow."""
    folder = tempfile.mkdtemp()
    broken = os.path.join(folder, "broken")
    with open(broken, "w") as file:
        file.write("#!/bin/sh\necho half\nkill -SEGV $$\n")
    os.chmod(broken, 0o755)
    server = Server(arguments=(
        "--yawl", "--people", "--codelet-programs",
        "/bin/echo,/usr/bin/env /bin/sleep /usr/bin/yes /bin/none " + broken,
        "--codelet-time", "10s"))
    gateways = Gateways(server)
    gateways.ask(ORG, "importOrgData", xml=PEOPLE % person("anna"))
    text = (read("desk.yawl").replace(
        "<externalInteraction>manual", "<codelet>ShellExecution</codelet>"
        "<externalInteraction>automated").replace(
            "<outputParam>\n        <index>0</index>\n        "
            "<name>note</name>", "<outputParam>\n        "
            "<index>0</index>\n        <name>result</name>").replace(
                "/Ask/note/", "/Ask/result/").replace(
                "&lt;note&gt;{/Desk/note/text()}&lt;/note&gt;",
                "&lt;command&gt;{/Desk/note/text()}&lt;/command&gt;").replace(
                "<mapsTo>note</mapsTo></mapping>\n          </starting",
                "<mapsTo>command</mapsTo></mapping>\n          "
                "</starting").replace(
                    '<decomposition id="Ask" xsi:type="WebServiceGatewayFacts'
                    'Type">\n      <inputParam>\n        <index>0</index>\n'
                    '        <name>note</name>',
                    '<decomposition id="Ask" xsi:type="WebServiceGatewayFacts'
                    'Type">\n      <inputParam>\n        <index>0</index>\n'
                    '        <name>command</name>'))
    gateways.ask(QUEUES, "uploadSpecification", fileContents=text,
                 fileName="x")

    def begin(command, gateways=gateways):
        answer = gateways.ask(
            QUEUES, "launchCase",
            casedata="<Desk><note>%s</note></Desk>" % command, **DESK)
        return re.sub("<[^>]*>", "", answer)

    client = server.client()

    def result(command):
        case = begin(command)
        check("it ends: " + command, until(lambda: client.get(
            "/v1/cases/" + case).json().get("status") == "completed"))
        return client.get("/v1/cases/" + case).json()["data"]["note"]

    check("a program runs", result("echo hi   there") == "hi there")
    check("there is no shell",
          result("/bin/echo $HOME; ls `id` *") == "$HOME; ls `id` *")
    check("it has no variables of the server",
          result("env") == "PATH=/usr/local/bin:/usr/bin:/bin\nLANG=C.UTF-8")
    check("it runs in the root", result("env pwd") == "/")
    check("no file of the server is open", result(
        "env ls /proc/self/fd").split() == ["0", "1", "2", "3"])
    for command, why in (("ls /", "is not one of codelet-programs"),
                         ("/tmp/echo hi", "is not one of codelet-programs"),
                         ("none", "cannot be started"),
                         ("broken", "was ended by signal 11"),
                         ("sleep 600", "has not ended in time"),
                         ("yes", "has written more than")):
        case = begin(command)
        found = until(lambda: [row for row in client.get(
            "/v1/incidents?case=" + case).json()["incidents"]])
        check("it is an incident: " + command, found and why in str(found),
              found)
    check("editors know it", "ShellExecution" in gateways.ask(
        ORG, "getCodelets"))
    server.stop()
    server.arguments[-1] = "60s"
    server.start()
    case = begin("sleep 3600", Gateways(server))
    check("a program runs in an item", until(lambda: children(server)))
    server.stop()
    server.arguments[-3] = "/bin/echo"
    server.start()
    found = until(lambda: server.client().get(
        "/v1/incidents?case=" + case).json()["incidents"])
    check("the end of a server does not wait for a program, which is begun "
          "again", "is not one of" in str(found), found)
    server.stop()
    shutil.rmtree(folder)


def privileges():
    """Of the participant: for the own handle, not for a service."""
    server, gateways = start()
    cases = [launch(gateways) for _ in range(4)]
    anna = gateways.login("anna")

    def act(action, case, **more):
        return gateways.ask(QUEUES, action, participantid="PA-anna",
                            workitemid=case + ":Ask", **more)

    answer = act("startWorkItem", cases[0], sessionHandle=anna)
    check("a user starts an item", "<workItemRecord>" in answer, answer)
    answer = act("startWorkItem", cases[1], sessionHandle=anna)
    check("a second one beside it needs canStartConcurrent",
          "canStartConcurrent" in answer, answer)
    answer = act("chainCase", cases[1], sessionHandle=anna)
    check("chaining needs canChainExecution",
          "canChainExecution" in answer, answer)
    answer = act("startWorkItem", cases[1])
    check("a service decides itself", "<workItemRecord>" in answer, answer)
    gateways.ask(ORG, "setParticipantPrivileges", participantid="PA-anna",
                 bitstring="01000100")
    answer = act("startWorkItem", cases[2], sessionHandle=anna)
    check("with canStartConcurrent two are started",
          "<workItemRecord>" in answer, answer)
    answer = act("chainCase", cases[3], sessionHandle=anna)
    check("with canChainExecution a case is chained",
          "Chaining successful" in answer, answer)
    status, answer = gateways.raw(QUEUES, "getWorkItem", sessionHandle=anna,
                                  workitemid=cases[2] + ":Ask")
    check("a started item is not shown a second time as what it was before",
          "Allocated" not in answer and "Offered" not in answer, answer)
    server.stop()


def piles():
    """A task is not piled by an item that the engine does not start."""
    server, gateways = start()
    client = server.client()
    case = launch(gateways)

    def act(action):
        return gateways.ask(QUEUES, action, participantid="PA-anna",
                            workitemid=case + ":Ask")

    def piled():
        return gateways.ask(QUEUES, "getPiledItems", participantid="PA-anna")

    act("acceptOffer")
    client.post("/v1/cases/%s/suspend" % case)
    answer = act("pileWorkItem")
    check("a pile whose item is not started is refused",
          "suspended" in answer, answer)
    check("and does not stay", "<taskid>" not in piled(), piled())
    client.post("/v1/cases/%s/resume" % case)
    answer = act("pileWorkItem")
    check("then it is piled", "successfully piled" in answer
          and "<taskid>Ask</taskid>" in piled(), answer, piled())
    client.close()
    server.stop()


def names():
    """Ids that end with digits, names that are taken, what is missing."""
    server, gateways = start()
    text = read("desk.yawl").replace('id="Ask"', 'id="Ask_7"').replace(
        "/Ask/", "/Ask_7/")
    gateways.ask(QUEUES, "uploadSpecification", fileName="x",
                 fileContents=text.replace("UID_desk", "UID_digits").replace(
                     'uri="desk"', 'uri="digits"'))
    digits = {"specidentifier": "UID_digits", "specversion": "0.1",
              "specuri": "digits"}
    answer = gateways.ask(QUEUES, "launchCase",
                          casedata="<Desk><note>n</note></Desk>", **digits)
    case = re.sub("<[^>]*>", "", answer)
    answer = gateways.ask(QUEUES, "acceptOffer", participantid="PA-ben",
                          workitemid=case + ":Ask_7")
    check("the item of such a task is accepted", "<success/>" in answer,
          answer)
    answer = gateways.ask(PATHS["LOG"], "getTaskStatistics",
                          identifier="UID_digits", version="0.1",
                          uri="digits", taskname="Ask_7")
    check("a task whose id ends with digits has its statistics",
          '<taskStatistics task="Ask_7"' in answer
          and "<allocations><participant" in answer, answer)
    answer = gateways.ask(ORG, "updateRole", roleid="RO-boss", name="Clerk")
    check("a change takes no name that is used", "<failure" in answer, answer)
    gateways.ask(ORG, "removeRole", roleid="RO-clerk")
    people = (person("anna") + person("dan")).replace(
        "<privileges>00000000</privileges>", "")
    report = gateways.ask(ORG, "importOrgData", xml=PEOPLE % people)
    check("a participant without privileges is imported",
          "Participants: 1/2 imported." in report, report)
    answer = gateways.ask(ORG, "getParticipantRoles", id="PA-dan")
    check("with the role that came back", "RO-clerk" in answer, answer)
    answer = gateways.ask(ORG, "getParticipantRoles", id="PA-anna")
    check("who was still there gets it back", "RO-clerk" in answer, answer)
    for action, more in (("getParticipantsReportingTo",
                          {"participantid": "nobody"}),
                         ("delegateWorkItem",
                          {"pfrom": "PA-eve", "pto": "nobody"}),
                         ("restartWorkItem",
                          {"participantids": "<x><id>nobody</id></x>"})):
        status, answer = gateways.raw(
            QUEUES, action, sessionHandle=gateways.handle,
            workitemid=case + ":Ask_7", **more)
        check("an unknown participant is a failure: " + action,
              status == 200 and "<failure" in answer
              and "null" not in answer, status, answer)
    server.stop()


def removals():
    """Specifications are listed while others come and go."""
    server, gateways = start()
    texts = [read("desk.yawl").replace("UID_desk", "UID_gone%d" % i).replace(
        'uri="desk"', 'uri="gone%d"' % i) for i in range(4)]
    client = server.client()
    lists = threading.Event()

    def change():
        while not lists.is_set():
            for key in [client.load(text) for text in texts]:
                client.call("DELETE", "/v1/specifications/" + key)

    changes = threading.Thread(target=change)
    changes.start()
    answers = []
    others = set()  # how many others were there
    # The thread that changes them may be slow on a busy processor.
    while len(answers) < 200 or (len(others) < 2 and len(answers) < 20000):
        answers.append(gateways.ask(QUEUES, "getLoadedSpecs"))
        others.add(answers[-1].count("UID_gone"))
    lists.set()
    changes.join()
    check("the list is whole", all(
        "<failure" not in answer and "UID_desk" in answer
        and ElementTree.fromstring(answer) is not None for answer in answers),
        *answers[:1])
    check("others came and went", len(others) > 1, others)
    server.stop()


def organisation():
    server, gateways = start()
    key = gateways.ask(ORG, "addCapability", name="Reading")
    gateways.ask(ORG, "addParticipantToCapability", participantid="PA-anna",
                 capabilityid=key)
    answer = gateways.ask(ORG, "getParticipantsWithCapability", name="Reading")
    check("who has a capability", '<participants capabilityid="%s">' % key
          in answer and "PA-anna" in answer, key, answer)
    check("a circle of roles is refused", "<failure" in (
        gateways.ask(ORG, "setContainingRole", roleid="RO-clerk",
                     containingroleid="RO-boss")
        + gateways.ask(ORG, "setContainingRole", roleid="RO-boss",
                       containingroleid="RO-clerk")))
    answer = gateways.ask(ORG, "addParticipantToRole",
                          participantid="PA-anna", roleid="RO-none")
    check("nobody gets a role that is not there", "<failure" in answer,
          answer)
    for action in ("updateNothing", "removeNothing"):
        check("what is not there does not succeed",
              "<failure" in gateways.ask(ORG, action))
    answer = gateways.ask(ORG, "addParticipant", userid="cara",
                          lastname="C", firstname="Cara", password="pw-cara",
                          encrypt="true")
    check("a participant is added without its flags",
          answer.startswith("PA-"), answer)
    check("and signs in", "<failure" not in gateways.login("cara"))
    check("no hash leaves the server", hashed("pw-cara") not in gateways.ask(
        ORG, "exportOrgData"))
    json = gateways.ask(ORG, "addRole", name='a"b\\c')
    json = gateways.ask(ORG, "getRoleIdentifiers", format="JSON",
                        callback="alert(1);x")
    check("JSON is escaped, and calls functions only",
          '"a\\"b\\\\c"' in json and "alert" not in json, json)
    server.stop()


def redirect():
    """An item is given to a service, which is notified and does it."""
    courier = Service()
    server = Server(arguments=("--yawl", "--people", "--allow-address",
                               "127.0.0.0/8"))
    gateways = Gateways(server)
    gateways.ask(ORG, "importOrgData", xml=PEOPLE % person("anna"))
    gateways.ask(QUEUES, "uploadSpecification", fileContents=read("desk.yawl"),
                 fileName="desk.yawl")
    yawl = Yawl(server).connect()
    add_service(yawl, courier, "courier")
    case = launch(gateways)
    item = case + ":Ask"

    def give(**parameters):
        return gateways.ask(QUEUES, "redirectWorkItemToYawlService",
                            **dict(dict(workitemid=item,
                                        serviceName="courier"), **parameters))

    answer = give(workitemid="9:Ask", serviceName="nosuch")
    check("an unknown item", answer
          == "<failure>Unknown work item: 9:Ask</failure>", answer)
    answer = give(serviceName="nosuch")
    check("an unknown service", answer == "<failure>Unknown or unregistered "
          "service name: nosuch</failure>", answer)
    check("so far it is on the list", queued(gateways, "anna", 0) == [item])
    answer = give()
    check("an item is given to a service", answer == "<success/>", answer)
    notified = courier.wait("announceItemEnabled", "Ask")
    check("which is notified", notified and "<caseid>%s</caseid>" % case
          in notified["workItem"], courier.received)
    check("it is on no list", queued(gateways, "anna", 0) == []
          and item not in gateways.ask(QUEUES, "getAdminQueues"))
    answer = gateways.ask(QUEUES, "startWorkItem", participantid="PA-anna",
                          workitemid=item)
    check("nobody starts it", "<failure" in answer, answer)
    own = Yawl(server).connect("courier", hashed("x"))
    answer = own.ask("ib", "getWorkItemsForService", serviceuri=courier.uri)
    check("the service finds it", "<taskid>Ask</taskid>" in answer, answer)
    child = case + ".1:Ask"
    answer = own.ask("ib", "checkout", workItemID=item)
    check("and checks it out", "<status>Executing</status>" in answer, answer)
    answer = give(workitemid=child)
    check("a started one stays", "<failure" in answer, answer)
    answer = own.ask("ib", "rollback", workItemID=child)
    check("it gives it back", "<success/>" in answer, answer)
    answer = give(workitemid=child)
    check("a fired one is given as well", answer == "<success/>", answer)
    check("again", own.ask("ib", "checkout", workItemID=child).count(
        "Executing") > 0)
    answer = own.ask("ib", "checkin", workItemID=child,
                     data="<Ask><note>done</note></Ask>", logPredicate="")
    check("and completes it", "<success/>" in answer, answer)
    check("the case is over", courier.wait("announceCaseCompleted", case),
          courier.received)
    case = launch(gateways)
    item = case + ":Ask"
    give()
    gateways.ask(QUEUES, "cancelCase", caseid=case)
    check("the service hears of the end", courier.wait(
        "announceCaseCancelled", case), courier.received)
    courier.close()
    server.stop()


def off():
    server = Server(arguments=("--yawl",))
    yawl = Yawl(server)
    status, body = yawl.send("/" + QUEUES, b"action=connect")
    check("without --people there are no gateways",
          "Not Found" in body, status, body)
    server.stop()


run(handles, users, sessions, data, codelets, hashes, audit, programs,
    privileges, piles, names, removals, organisation, redirect, off)
end()
