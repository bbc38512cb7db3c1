# SPDX-License-Identifier: Apache-2.0
"""Reservations and availability of the calendar gateway; durations, and whose
password is right."""
import re

from client import hashed
from checks import check, end, run
from gateways import DESK, ORG, PATHS, QUEUES, launch, log, start
from server import Client

CALENDAR = PATHS["CALENDAR"]
LOG = PATHS["LOG"]
DAY = "2031-05-05"
FROM, TO = 1935705600000, 1935792000000  # that day, UTC


def reservation(resource, status="reserved", workload="", number=""):
    return ("<Reservation><StatusToBe>%s</StatusToBe>%s<Resource>%s</Resource>"
            "%s</Reservation>" % (
                status, "<Workload>%s</Workload>" % workload if workload
                else "", resource, "<ReservationId>%s</ReservationId>" % number
                if number else ""))


def activity(name, first, last, reservations, phase="POU"):
    """From hour to hour of the day."""
    return ("<Activity><StartTaskId>Ask</StartTaskId><ActivityName>%s"
            "</ActivityName><From>%sT%02d:00:00Z</From><To>%sT%02d:00:00Z</To>"
            "<RequestType>%s</RequestType>%s</Activity>" % (
                name, DAY, first, DAY, last, phase, "".join(reservations)))


def plan(case, *activities):
    return ("<ResourceUtilisationPlan><CaseId>%s</CaseId>%s"
            "</ResourceUtilisationPlan>" % (case, "".join(activities)))


def texts(xml, name):
    return re.findall("<%s>([^<]*)</%s>" % (name, name), xml)


def reservations():
    server, gateways = start()
    case = launch(gateways)

    def save(*activities, **more):
        return gateways.ask(CALENDAR, "saveReservations",
                            plan=plan(case, *activities), **more)

    def held(resource="<Id>PA-anna</Id>", **more):
        return gateways.ask(CALENDAR, "getReservations", resource="<Resource>"
                            + resource + "</Resource>",
                            **dict({"from": FROM, "to": TO}, **more))
    anna = "<Id>PA-anna</Id>"
    answer = save(activity("Prepare", 8, 10, [reservation(anna)]))
    check("a reservation is saved", "error" not in answer
          and texts(answer, "Status") == ["reserved"]
          and len(texts(answer, "ReservationId")) == 1
          and "<StartTaskId>Ask</StartTaskId>" in answer, answer)
    number = texts(answer, "ReservationId")[0]
    check("it is read", held() == (
        "<UtilisationPlans><ResourceUtilisationPlan><CaseId>%s</CaseId>"
        "<Activity><ActivityName>Prepare</ActivityName><From>%sT08:00:00.000Z"
        "</From><To>%sT10:00:00.000Z</To><RequestType>POU</RequestType>"
        "<Reservation><Status>reserved</Status><Workload>100</Workload>"
        "<Resource><Id>PA-anna</Id></Resource><ReservationId>%s"
        "</ReservationId></Reservation></Activity></ResourceUtilisationPlan>"
        "</UtilisationPlans>" % (case, DAY, DAY, number)), held())
    check("at its time", held(to=FROM + 1) == "<UtilisationPlans>"
          "</UtilisationPlans>", held(to=FROM + 1))
    entries = gateways.ask(CALENDAR, "getEntries", id="PA-anna")
    check("it is an entry of the calendar", texts(entries, "status")
          == ["reserved"] and texts(entries, "entryid") == [number], entries)

    # Of a role, somebody who is free then; nobody is there twice.
    clerk = "<Role>Clerk</Role>"
    keep = reservation(anna, number=number)
    answer = save(activity("Prepare", 8, 10, [keep, reservation(clerk)]))
    check("of a role comes who is free",
          texts(answer, "Id") == ["PA-anna", "PA-ben"]
          and "<Role>Clerk</Role>" in answer, answer)
    ben = texts(answer, "ReservationId")[1]
    both = [keep, reservation("<Id>PA-ben</Id>", number=ben)]
    answer = save(activity("Prepare", 8, 10, both + [reservation(clerk)]),
                  activity("Pack", 12, 13, [reservation(anna)]))
    check("without anybody nothing of a plan is saved",
          'error="No specified resource available for period."' in answer
          and len(texts(answer, "ReservationId")) == 2
          and texts(answer, "Status") == []
          and "Pack" not in held(), answer)
    answer = save(activity("Prepare", 8, 10, both + [reservation(clerk)]),
                  activity("Pack", 12, 13, [reservation(anna)]),
                  checkOnly="true")
    check("a check says so, and saves nothing",
          'warning="Reservation would fail."' in answer
          and texts(answer, "Status")[2:] == ["unavailable", "available"]
          and "Pack" not in held(), answer)

    # Parts of the time, other times, another status.
    answer = save(activity("Prepare", 9, 11, [
        reservation(anna, "busy", "40", number)], "SOU"))
    check("what an activity has no more is gone",
          "ReservationId" not in held("<Id>PA-ben</Id>"))
    check("a reservation changes", texts(held(), "Status") == ["busy"]
          and texts(held(), "Workload") == ["40"]
          and texts(held(), "From") == [DAY + "T09:00:00.000Z"]
          and texts(held(), "RequestType") == ["SOU"], held())
    answer = save(activity("Pack", 9, 11, [reservation(anna, workload="60")]))
    check("the rest of the time is free", "error" not in answer, answer)
    answer = save(activity("Load", 10, 12, [reservation(anna, workload="1")]))
    check("and no more", "Specified resource not available" in answer, answer)
    slots = gateways.ask(CALENDAR, "getAvailability", **{
        "resourceXML": "<Resource>" + clerk + "</Resource>", "from": FROM,
        "to": TO})
    check("when somebody is available", slots.startswith("<timeslots><timeslot"
                                                         "><start>")
          and texts(slots, "availability") == ["100", "100", "100"]
          and texts(slots, "end") == [str(FROM + 9 * 3600000), str(TO),
                                      str(TO)], slots)
    check("who is reserved is no less the log's",
          len(texts(held(), "ActivityName")) == 2)

    refused = [
        ("Malformed Plan XML", gateways.ask(CALENDAR, "saveReservations")),
        ("Malformed Plan XML", gateways.ask(
            CALENDAR, "saveReservations", plan="<Plan/>")),
        ("Malformed Plan XML", gateways.ask(
            CALENDAR, "saveReservations", plan="<ResourceUtilisationPlan>")),
        ("There is no running case with id: none", gateways.ask(
            CALENDAR, "saveReservations", plan=plan("none"))),
        ("Invalid requestType: X", save(activity("A", 1, 2, [], "X"))),
        ("Invalid dateTime value: soon", save(activity(
            "A", 1, 2, []).replace(DAY + "T01:00:00Z", "soon"))),
        ("after its beginning", save(activity(
            "A", 2, 2, [reservation(anna)]))),
        ("Failed to resolve resource.", save(activity(
            "A", 1, 2, [reservation("<Id>PA-none</Id>")]))),
        ("Failed to resolve resource.", save(activity(
            "A", 1, 2, [reservation("<Role>Nothing</Role>")]))),
        ("Unknown reservation with id: 77", save(activity(
            "A", 1, 2, [reservation(anna, number="77")]))),
        ("Invalid reservation id: x", save(activity(
            "A", 1, 2, [reservation(anna, number="x")]))),
        ("The plan has it twice: ", save(activity(
            "Prepare", 9, 11, [reservation(anna, number=number)] * 2))),
        ("Invalid status change request: lent", save(activity(
            "A", 1, 2, [reservation(anna, "lent")]))),
        ("Workload: expected 1 to 100", save(activity(
            "A", 1, 2, [reservation(anna, workload="101")]))),
        ("at most 200", save(activity("A", 1, 2, [reservation(anna)] * 200))),
        ("Null Resource record", gateways.ask(CALENDAR, "getReservations")),
        ("Null Resource record", gateways.ask(CALENDAR, "getAvailability")),
        ("Invalid Resource record", gateways.ask(
            CALENDAR, "getAvailability", resourceXML="<Resource")),
    ]
    for words, answer in refused:
        check("refused: " + words, words in answer, answer)
    before = held()
    save(activity("Pack", 9, 11, []), activity("Pack", 9, 11, []))
    check("an activity that is named twice loses what neither has",
          "Pack" in before and "Pack" not in held(), held())
    gateways.ask(QUEUES, "cancelCase", caseid=case)
    check("an ended case reserves nothing", "There is no running case"
          in save(activity("A", 1, 2, [reservation(anna)])))
    server.stop()


def whole():
    """All entries of all people take a person's time, too."""
    server, gateways = start()
    case = launch(gateways)
    gateways.ask(CALENDAR, "addEntry", group="HumanResources",
                 workload="100", **{"from": FROM, "to": TO})
    answer = gateways.ask(
        CALENDAR, "saveReservations", plan=plan(case, activity(
            "A", 8, 10, [reservation("<Id>PA-anna</Id>")])))
    check("nobody is reserved on a holiday",
          "Specified resource not available" in answer, answer)
    server.stop()


def durations():
    server, gateways = start()
    case = launch(gateways)
    asked = dict(DESK, taskname="Ask", participantid="PA-anna")
    for action, item in (("acceptOffer", ":Ask"), ("startWorkItem", ":Ask"),
                         ("completeWorkItem", ".1:Ask")):
        gateways.ask(QUEUES, action, participantid="PA-anna",
                     workitemid=case + item)
    answer = gateways.ask(QUEUES, "getWorkItemDurationsForParticipant",
                          **asked)
    check("what a participant did, item by item", re.fullmatch(
        '<workitems specID="desk - version 0.1" taskName="Ask" resourceID='
        '"PA-anna"><workitem ID="%s.1:Ask"><event><type>start</type><time>'
        r'\d+</time></event><event><type>complete</type><time>\d+</time>'
        '</event></workitem><workitem ID="%s:Ask"><event><type>offer</type>'
        r'<time>\d+</time></event><event><type>allocate</type><time>\d+</time>'
        "</event></workitem></workitems>" % (case, case), answer), answer)
    for more in ({"taskname": "None"}, {"specversion": "9"},
                 {"participantid": "PA-eve"}):
        answer = gateways.ask(QUEUES, "getWorkItemDurationsForParticipant",
                              **dict(asked, **more))
        check("nothing of %s" % more,
              answer == "<failure>No rows returned.</failure>", answer)
    anna = gateways.login("anna")
    del asked["participantid"]
    check("a participant asks for the own", "<workitems" in gateways.ask(
        QUEUES, "getWorkItemDurationsForParticipant", sessionHandle=anna,
        **asked))
    server.stop()


def passwords():
    server, gateways = start()

    def validate(name, password, **more):
        return gateways.ask(ORG, "validateUserCredentials", userid=name,
                            password=hashed(password), **more)
    invalid = "<failure>Invalid logon credentials</failure>"
    check("a password is right", validate("anna", "pw-anna") == "<success/>")
    check("or not", validate("anna", "x") == validate("nobody", "x")
          == gateways.ask(ORG, "validateUserCredentials") == invalid)
    check("an administrator's", validate("eve", "pw-eve", checkForAdmin="true")
          == "<success/>")
    answer = validate("anna", "pw-anna", checkForAdmin="true")
    check("nobody else's is", answer == "<failure>Administrative privileges "
          "required.</failure>", answer)
    server.stop()


def deputies():
    """Who does an item in the place of another is in the log with it."""
    server, gateways = start()
    client = server.client()
    made = client.post("/v1/people/anna/deputies",
                       {"deputy": "ben", "to": "PT1H"})
    check("ben acts for anna", made.status == 201, made)
    ben = Client(server.port, client.post(
        "/v1/accounts/ben/tokens", {"name": "t"}).json()["token"])
    case = launch(gateways)
    item = case + ":Ask"
    for action in ("accept", "start"):
        answer = ben.post("/v1/items/%s/%s?for=anna" % (item, action))
        check("ben does: " + action, answer.status == 200, answer)
    answer = ben.post("/v1/items/%s.1:Ask/complete?for=anna" % case,
                      {"note": "done"})
    check("and completes it", answer.status == 200, answer)
    rows = re.findall("<event key.*?</event>", gateways.ask(
        LOG, "getCaseEvents", id=case))
    check("the completion has both", [texts(row, "deputyid") for row in rows]
          == [[]] * (len(rows) - 1) + [["PA-ben"]]
          and texts(rows[-1], "resourceid") == ["PA-anna"]
          and texts(rows[-1], "eventtype") == ["complete"], rows)
    check("it is in the history of both", log(
        gateways, "getResourceHistoryForEvent", id="PA-ben",
        eventType="complete") == log(
            gateways, "getResourceHistoryForEvent", id="PA-anna",
            eventType="complete") == [
                (case + ".1:Ask", "PA-anna", "complete")])
    server.stop()


run(reservations, whole, durations, passwords, deputies)
end()
