# SPDX-License-Identifier: Apache-2.0
"""Listeners of the resource service: what people do, and the calendar."""
import http.server
import re
import threading
import urllib.parse

from client import hashed
from checks import check, end, run, skip, until
from gateways import PATHS, QUEUES, Gateways, launch, start
from ports import free_port
from server import Server
from stores import Schema, has_postgresql

CALENDAR = PATHS["CALENDAR"]
LOG = PATHS["LOG"]
SUCCESS = "<success/>"


class Listener:
    """Keeps the forms that it gets; answers with its status, or (silent) not
    until it is released."""

    def __init__(self, port=0):
        listener = self
        self.received = []
        self.tried = 0
        self.status = 200
        self.silent = False
        self.released = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_HEAD(self):
                self.send_response(200)
                self.end_headers()

            def do_POST(self):
                form = dict(urllib.parse.parse_qsl(self.rfile.read(int(
                    self.headers["Content-Length"])).decode()))
                listener.tried += 1
                if listener.silent:
                    listener.released.wait()
                    return
                if listener.status == 200:
                    listener.received.append(form)
                self.send_response(listener.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

        class Threads(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Threads(("127.0.0.1", port), Handler)
        self.port = self.server.server_port
        self.uri = "http://127.0.0.1:%d/x" % self.port
        threading.Thread(target=self.server.serve_forever,
                         daemon=True).start()

    def events(self, case):
        """The events as XML, of that case."""
        return [form["event"] for form in list(self.received)
                if re.search("<caseid>%s[.<]" % case, form["event"])]

    def close(self):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()


def add(gateways, listener, action="addResourceEventListener", path=QUEUES):
    """The server waits a second for a sign of life, which may come later."""
    for _ in range(100):
        answer = gateways.ask(path, action, uri=listener.uri)
        if "does not answer yet" not in answer:
            break
    return answer


def logged(gateways, case):
    """The events of a case as the log gateway has them."""
    answer = gateways.ask(LOG, "getCaseEvents", id=case)
    return re.findall("<event key.*?</event>", answer)


def done(gateways):
    """A case that anna does; what is logged of it."""
    case = launch(gateways)
    for action, item in (("acceptOffer", ":Ask"), ("startWorkItem", ":Ask"),
                         ("completeWorkItem", ".1:Ask")):
        answer = gateways.ask(QUEUES, action, participantid="PA-anna",
                              workitemid=case + item)
        assert "<failure" not in answer, answer
    return case, logged(gateways, case)


def counted(server, result):
    found = re.search(r'weft_listener_posts_total{result="%s"} (\d+)' % result,
                      server.client().get("/metrics").body.decode())
    return int(found.group(1)) if found else 0


def work():
    server, gateways = start("--allow-address", "127.0.0.0/8")
    listener, other = Listener(), Listener()
    case, _ = done(gateways)
    check("a listener is added", add(gateways, listener) == SUCCESS
          and add(gateways, listener) == SUCCESS)
    rows = until(lambda: [row for row in server.client().get(
        "/v1/audit?kind=addResourceEventListener&limit=10").json()["audit"]
        if row["kind"] == "addResourceEventListener"])
    check("the audit has who has added it", rows and rows[0]["account"]
          == "admin" and listener.uri in str(rows[0]), rows)
    nobody = "http://127.0.0.1:%d/" % free_port()
    for uri in (nobody, "nonsense", "file:///etc/passwd"):
        answer = gateways.ask(QUEUES, "addResourceEventListener", uri=uri)
        check("not one that does not answer: " + uri,
              "<failure>Listener unresponsive: " + uri in answer, answer)
    case, events = done(gateways)
    check("the log has it", len(events) > 4, events)
    until(lambda: len(listener.events(case)) >= len(events))
    check("the listener gets what the log has, in its order",
          listener.events(case) == events, listener.events(case), events)
    check("of what was before it came, nothing",
          len(listener.received) == len(events), listener.received)
    form = listener.received[0]
    check("with the specification", form == {
        "action": "1", "specidentifier": "UID_desk", "specversion": "0.1",
        "specuri": "desk", "event": events[0]}, form)

    # A server that starts goes on behind what it has posted.
    until(lambda: counted(server, "sent") >= len(events))
    server.stop()
    server.start()
    gateways = Gateways(server)
    later, events = done(gateways)
    until(lambda: len(listener.events(later)) >= len(events))
    check("a server that starts goes on, and repeats nothing",
          listener.events(later) == events
          and len(listener.events(case)) == len(events), listener.received)

    # What is refused is passed over; one that goes hears nothing more.
    add(gateways, other)
    listener.status = 400
    third, events = done(gateways)
    until(lambda: counted(server, "refused") >= len(events)
          and len(other.events(third)) >= len(events))
    check("what one refuses, others get", other.events(third) == events,
          other.received)
    listener.status = 200
    check("it is removed", gateways.ask(
        QUEUES, "removeResourceEventListener", uri=listener.uri) == SUCCESS
        and gateways.ask(QUEUES, "removeResourceEventListener",
                         uri=listener.uri) == SUCCESS)
    # The thread reads who listens in each round: one round is after it.
    fourth, events = done(gateways)
    until(lambda: len(other.events(fourth)) >= len(events))
    fifth, events = done(gateways)
    until(lambda: len(other.events(fifth)) >= len(events))
    check("then it hears nothing", listener.events(fifth) == [],
          listener.received)
    answers = [gateways.ask(QUEUES, "addResourceEventListener",
                            uri="%s%d" % (other.uri, i)) for i in range(32)]
    check("there are 32 at most", answers[:31].count(SUCCESS) == 31
          and "there are 32 listeners already" in answers[31], answers)
    server.close()
    listener.close()
    other.close()


def again():
    """One that was removed and is added again begins anew."""
    server, gateways = start("--allow-address", "127.0.0.0/8")
    listener = Listener()
    add(gateways, listener)
    _, events = done(gateways)
    until(lambda: counted(server, "sent") >= len(events))
    gateways.ask(QUEUES, "removeResourceEventListener", uri=listener.uri)
    server.stop()
    server.start()
    gateways = Gateways(server)
    between, _ = done(gateways)
    check("it is added again", add(gateways, listener) == SUCCESS)
    later, events = done(gateways)
    until(lambda: len(listener.events(later)) >= len(events))
    check("it hears what happens from then on",
          listener.events(later) == events, listener.received)
    check("and nothing of the time between",
          listener.events(between) == [], listener.received)
    server.close()
    listener.close()


def dead():
    """One that is away and one that does not answer hold up nobody."""
    server, gateways = start("--allow-address", "127.0.0.0/8")
    away, slow, good = Listener(free_port()), Listener(), Listener()
    for listener in (away, slow, good):
        check("it is added", add(gateways, listener) == SUCCESS)
    port = away.port
    away.close()
    slow.silent = True
    cases = [done(gateways) for _ in range(3)]
    for case, events in cases:
        until(lambda: len(good.events(case)) >= len(events))
        check("the others hear all", good.events(case) == events,
              good.received)
    until(lambda: slow.tried > 0)
    check("one that does not answer is tried", slow.tried > 0)
    until(lambda: counted(server, "failed") >= 2)
    check("what failed is counted", counted(server, "failed") >= 2)
    back = Listener(port)
    slow.silent = False
    slow.released.set()
    for listener in (back, slow):
        for case, events in cases:
            until(lambda: len(listener.events(case)) >= len(events))
            check("when it is back it hears what it has missed, in order",
                  listener.events(case) == events, listener.received)
    server.close()
    for listener in (back, slow, good):
        listener.close()


def two():
    """Of two servers one posts; when it stops, the other goes on."""
    if not has_postgresql():
        skip("two servers", "there is no PostgreSQL")
        return
    schema = Schema()
    first, gateways = start("--allow-address", "127.0.0.0/8", db=schema.url)
    second = Server(db=schema.url, arguments=first.arguments,
                    token=first.token)
    others = Gateways(second)
    listener = Listener()
    check("it is added at one", add(others, listener) == SUCCESS)
    case, events = done(gateways)
    until(lambda: counted(first, "sent") + counted(second, "sent")
          >= len(events))
    check("and hears of what is done at the other, once",
          listener.events(case) == events, listener.received)
    leaver, stayer, ask = (first, second, others)
    if counted(second, "sent") > 0:
        leaver, stayer, ask = (second, first, gateways)
    leaver.close()
    later, events = done(ask)
    until(lambda: len(listener.events(later)) >= len(events))
    check("the other goes on, and repeats nothing",
          listener.events(later) == events
          and len(listener.received) == 2 * len(events), listener.received)
    stayer.close()
    listener.close()
    schema.close()


def stopping():
    """A server stops while a listener does not answer."""
    server, gateways = start("--allow-address", "127.0.0.0/8")
    slow = Listener()
    add(gateways, slow)
    slow.silent = True
    done(gateways)
    until(lambda: slow.tried > 0)
    check("a server stops all the same", server.close() == 0)
    slow.close()


def statuses(listener):
    """Resource, old and new status of each post."""
    return [re.findall("<(?:Id|OldStatus|NewStatus)>([^<]*)<", form["xml"])
            for form in list(listener.received)]


def calendar():
    server, gateways = start("--allow-address", "127.0.0.0/8")
    own = Listener()
    gateways.ask(QUEUES, "addExternalClient", name="planner", password="x",
                 doco="")
    planner = Gateways(server)
    planner.handle = planner.ask(CALENDAR, "connect", userid="planner",
                                 password=hashed("x"), sessionHandle=None)
    check("a listener of the calendar is added", add(
        planner, own, "registerStatusChangeListener", CALENDAR) == SUCCESS)
    client = server.client()
    client.post("/v1/people/anna/absences", {"to": "P1D"})
    until(lambda: len(own.received) >= 1)
    check("a change is posted", own.received[0].keys() == {"action", "xml"}
          and own.received[0]["action"] == "0"
          and statuses(own) == [["PA-anna", "nil", "unavailable"]],
          own.received)
    entry = re.search("<ReservationId>([^<]*)<",
                      own.received[0]["xml"]).group(1)
    check("the planner deletes it", planner.ask(
        CALENDAR, "deleteEntry", entryid=entry) == SUCCESS)
    own.status = 500
    client.post("/v1/people/ben/absences", {"to": "P1D"})
    until(lambda: own.tried >= 2)
    own.status = 200
    until(lambda: len(own.received) >= 2)
    check("what failed comes again; nobody hears of what it does itself",
          statuses(own)[1:] == [["PA-ben", "nil", "unavailable"]],
          own.received)
    saved = planner.ask(CALENDAR, "saveReservations", plan=(
        "<ResourceUtilisationPlan><CaseId>%s</CaseId><Activity><ActivityName>"
        "Pack</ActivityName><From>2031-05-05T08:00:00Z</From><To>"
        "2031-05-05T09:00:00Z</To><RequestType>POU</RequestType><Reservation>"
        "<Resource><Id>PA-anna</Id></Resource></Reservation></Activity>"
        "</ResourceUtilisationPlan>" % launch(gateways)))
    entry = re.search("<ReservationId>([^<]*)<", saved).group(1)
    gateways.ask(CALENDAR, "deleteEntry", entryid=entry)
    until(lambda: len(own.received) >= 3)
    check("a reservation that others remove is posted, with its activity",
          own.received[2]["xml"] == (
              "<StatusChange><CaseId>1</CaseId><ActivityName>Pack"
              "</ActivityName><ReservationId>%s</ReservationId><Resource><Id>"
              "PA-anna</Id></Resource><OldStatus>requested</OldStatus>"
              "<NewStatus>nil</NewStatus></StatusChange>" % entry),
          own.received)
    check("it is removed", planner.ask(
        CALENDAR, "removeStatusChangeListener", uri=own.uri) == SUCCESS)
    client.post("/v1/people/eve/absences", {"to": "P1D"})
    server.stop()
    check("and hears no more", len(own.received) == 3, own.received)
    server.close()
    own.close()


run(work, again, dead, two, stopping, calendar)
end()
