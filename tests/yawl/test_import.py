# SPDX-License-Identifier: Apache-2.0
"""weft import-yawl: what a YAWL engine has is taken over, and goes on."""
import difflib
import os
import random
import re
import shutil
import subprocess
import tempfile

from client import Yawl, hashed, read, start
from checks import SOAK, check, end, run, until
from engine import HEADER, Engine, case, element, identifier, item, pretty
from engine import runner, spec_id

WEFT = os.environ.get("WEFT", "./weft")
PARCEL = ("UID_parcel", "0.2", "parcel")
FUTURE = 4102444800000
DATA = ("<Parcel><weight>%s</weight><lines><line>red</line><line>green</line>"
        "<line>blue</line></lines><picked/><urgent/>"
        '<fragile __emptyComplexTypeFlag__="true"/></Parcel>')

LONG = "long " * 2000


def inner(kind, task, *places):
    return ["mi_%s[%s:%s]" % (place, kind, task)
            for place in ("active",) + places]


def busy():
    """Several instances, a sub-net with a timer, a deferred choice."""
    fold = identifier("7.2.1", inner("AtomicTask", "Fold", "executing"))
    pack = inner("CompositeTask", "Pack", "executing") + ["Fold"]
    results = HEADER + pretty("<Picking><line>red</line></Picking>\n")
    tasks = element("task", element("name", "Pack")) + element(
        "task", element("name", "Pick")
        + '<midata uid="7:Pick">%s</midata>' % results)
    return case([
        runner("7.2", "<Packing/>", pack, [fold], "7", "Pack",
               element("task", element("name", "Fold")),
               [("Fold the box", "active")]),
        runner("7", pretty(DATA % 3), ["told", "Pack", "Pick"], [
            identifier("7.1"), identifier("7.2", pack, [fold]),
            identifier("7.3", inner("AtomicTask", "Pick", "complete")),
            identifier("7.4", inner("AtomicTask", "Pick", "executing")),
            identifier("7.5", inner("AtomicTask", "Pick", "entered"))],
            busy=tasks, timers=[("Check it", "closed")],
            observer="http://127.0.0.1:9/parcels/ib"),
    ], [
        item("7:Call", "Enabled", group="one"),
        item("7:Write", "Suspended", previous="Enabled", group="one"),
        item("7:Pick", "Is parent", firing=1767225601000),
        item("7.4:Pick", "Executing", firing=1767225601000,
             start=1767225602000, parent="7:Pick",
             data='<Picking own="x"><line>green</line></Picking>'),
        item("7.5:Pick", "Fired", firing=1767225601000, parent="7:Pick",
             data="<Picking><line>blue</line><what>1</what></Picking>"),
        item("7.2:Fold", "Is parent"),
        item("7.2.1:Fold", "Executing", firing=1767225601000,
             start=1767225602000, expiry=FUTURE, data="<Folding/>"),
    ])


def waiting(number, weight="3", places=("InputCondition:start",), expiry=FUTURE,
            status="Normal", spec=None, items=None, observer=""):
    """Nothing is done yet."""
    if items is None:
        items = [item(number + ":Check", "Enabled", expiry=expiry)]
    return case([runner(number, DATA % weight, places, status=status,
                        timers=[("Check it", "active")], spec=spec,
                        observer=observer)], items)


def checking():
    """Begun, and the timer runs from the enabling on."""
    return case([runner("13", DATA % 3, ["Check"], [identifier(
        "13.1", inner("AtomicTask", "Check", "executing"))], "null",
        busy=element("task", "Check"), timers=[("Check it", "active")],
        observer="null")], [
            item("13:Check", "Is parent", expiry=FUTURE, previous="null"),
            item("13.1:Check", "Executing", expiry=FUTURE, parent="13:Check",
                 firing=1767225601000, start=1767225602000,
                 data="<Checking><weight>3</weight></Checking>")])


def make_engine():
    engine = Engine()
    engine.specifications[PARCEL] = read("parcel.yawl")
    engine.specifications[("UID_bad", "0.1", "bad")] = (
        HEADER + '<specificationSet version="4.0" xmlns="http://www.yawlfound'
        'ation.org/yawlschema"><specification uri="bad"/></specificationSet>')
    engine.clients = [("admin", engine.password, "generic admin user"),
                      ("tester", hashed("secret"), "Tests & more")]
    engine.services = [("http://127.0.0.1:9/parcels/ib", "parcels",
                        hashed("parcels"))]
    engine.cases = [("7", busy()), ("9", waiting(
        "9", observer="http://127.0.0.1:9/seen")),
                    ("12", waiting("12", expiry=1000)), ("13", checking()),
                    ("14", waiting("14").replace("blue", LONG)),
                    ("30", waiting("30", status="Suspended"))]
    engine.logged = ["1", "7", "41", "named"]
    return engine


class Place:
    """A store of its own, and what the command says of it."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="weft-import-")
        self.db = "sqlite:%s/weft.db" % self.folder

    def run(self, *arguments):
        """Exit code and output."""
        done = subprocess.run([WEFT] + list(arguments) + ["--db", self.db],
                              capture_output=True, timeout=600)
        return done.returncode, done.stdout.decode() + done.stderr.decode()

    def content(self):
        with open(self.folder + "/weft.db", "rb") as file:
            return file.read()

    def take(self, engine, *more):
        return self.run("import-yawl", "--engine", engine.address, *more)

    def close(self):
        shutil.rmtree(self.folder)


OBSERVER = ("case 9: note: the observer of its completion is not a registered "
            "service, so all services are notified: http://127.0.0.1:9/seen")


def has_line(what, output, line):
    check("%s: %s" % (what, line), line in output.split("\n"), output)


TAKEN = """specification parcel 0.2: taken
client admin: taken
client tester: taken
service parcels: taken
counter of cases, from 42 on: taken
case 7: taken
case 7: note: item 7.5:Pick: its data has <what>, which is no input: left out
case 9: taken
case 12: taken
case 13: taken
case 14: taken
case 30: taken""".split("\n")


def everything():
    engine = make_engine()
    place = Place()
    place.run("db", "init")
    before = place.content()
    code, output = place.take(engine, "--dry-run")
    check("a dry run that leaves something out ends with 1", code == 1, output)
    for line in TAKEN:
        has_line("dry run", output, re.sub(": taken$", ": would be taken",
                                           line))
    check("a dry run writes nothing", place.content() == before)
    code, output = place.take(engine)
    check("something is not taken", code == 1, output)
    for line in TAKEN + [OBSERVER]:
        has_line("import", output, line)
    check("why a specification is not taken",
          re.search("specification bad 0.1: not taken: line \\d+: ", output),
          output)
    has_line("import", output,
             "taken: 11; there already: 0; not taken: 1; notes: 2")
    del engine.specifications[("UID_bad", "0.1", "bad")]
    code, output = place.take(engine)
    check("again, nothing is taken twice", code == 0 and
          "taken: 1; there already: 10; not taken: 0; notes: 0" in output,
          output)
    code, output = place.run("db", "check")
    check("the store is sound", code == 0 and "nothing is damaged" in output,
          output)
    goes_on(place)
    place.close()
    engine.close()


def goes_on(place):
    """In a server, as the new client of it."""
    server = start(db=place.db)
    yawl = Yawl(server).connect("tester", hashed("secret"))
    items = yawl.ask("ib", "getLiveItems")
    status = dict(re.findall(
        "<caseid>([^<]*)</caseid><uniqueid>[^<]*</uniqueid>.*?<status>([^<]*)<",
        items.replace("</workItem>", "</workItem>\n")))
    check("items that were executing are", status.get("7.4") == "Executing" and
          status.get("7.2.1") == "Executing", status)
    check("one that was fired is", status.get("7.5") == "Fired", status)
    check("when it began is kept",
          "<startTimeMs>1767225602000</startTimeMs>" in items, items)
    check("its timer is kept", "<timerexpiry>%d<" % FUTURE in yawl.ask(
        "ib", "getWorkItem", workItemID="7.2.1:Fold"), items)
    answer = yawl.ask("ib", "getWorkItemExpiryTime", workItemID="13.1:Check")
    check("a timer that runs from the enabling on", answer ==
          "<response>%d</response>" % FUTURE, answer)
    got = yawl.ask("ib", "exportCaseState", caseID="7,9")
    check("the observer of the completion, if it is registered",
          re.findall("<observer>[^<]*<", got) == [
              "<observer>http://127.0.0.1:9/parcels/ib<"], got)
    check("a large value is kept", LONG.strip() in yawl.ask(
        "ib", "getCaseData", caseID="14"))
    for name, data in ("7.5:Pick", "blue"), ("7.4:Pick", "green"):
        if name == "7.5:Pick":
            yawl.ask("ib", "checkout", workItemID=name)
        answer = yawl.ask("ib", "checkin", workItemID=name,
                          data="<Picking><line>%s</line></Picking>" % data)
        check("%s is completed" % name, "<success/>" in answer, answer)
    got = yawl.ask("ib", "getCaseData", caseID="7")
    check("results from before and after are joined",
          "<picked><line>red</line><line>blue</line><line>green</line>"
          "</picked>" in re.sub(r">\s+<", "><", got), got)
    check("a flag is there if it was set, and only then",
          "<fragile" in got and "<urgent" not in got, got)
    for name in "7.2.1:Fold", "7:Call":
        if name == "7:Call":
            yawl.ask("ib", "skip", workItemID=name)
        else:
            yawl.ask("ib", "checkin", workItemID=name, data="<Folding/>")
    check("the other one of the choice is gone", "failure" in yawl.ask(
        "ib", "getWorkItem", workItemID="7:Write"))
    filled = yawl.ask("ib", "getWorkItemsWithIdentifier", idType="case",
                      id="7")
    check("the sub-net goes on with the next number",
          "<caseid>7.2</caseid>" in filled and ">Fill<" in filled, filled)
    yawl.ask("ib", "skip", workItemID="7.2:Fill")
    yawl.ask("ib", "skip", workItemID="7:Send")
    goes_into_log(yawl)
    check("the case comes to its end", "not found" in yawl.ask(
        "ib", "getCaseState", caseID="7"))
    check("a timer that had run out has acted", until(
        lambda: "failure" in yawl.ask("ib", "getWorkItem",
                                      workItemID="12:Check")))
    answer = yawl.ask("ib", "launchCase", caseParams="<Parcel><weight>1"
                      "</weight></Parcel>", specidentifier="UID_parcel",
                      specversion="0.2", specuri="parcel")
    number = re.fullmatch(r"<response>(\d+)</response>", answer)
    check("new cases are counted behind the old ones",
          number and int(number.group(1)) > 41, answer)
    server.close()


def goes_into_log(yawl):
    """What was taken over is in the log of interface E from then on."""
    handle = yawl.handle
    yawl.handle = re.fullmatch("[0-9a-f-]+", yawl.ask(
        "logGateway", "connect", userid="tester",
        password=hashed("secret"))).group(0)
    answer = yawl.ask("logGateway", "getCompleteCaseLog", caseid="7")
    check("the log of the case", '<case id="7"' in answer and
          "<name>Pick</name>" in answer and
          "<descriptor>Complete</descriptor>" in answer, answer)
    answer = yawl.ask("logGateway", "getSpecificationXESLog",
                      identifier="UID_parcel", version="0.2", uri="parcel",
                      withdata="true")
    check("as XES", answer.rstrip().endswith("</log>") and
          'value="Pick"' in answer, answer)
    yawl.handle = handle


BAD = [
    ("19", case([runner("19", DATA % 1, ["Check"], [identifier(
        "19.99999999999", inner("AtomicTask", "Check", "entered"))])]),
     "a number is larger than 2147483647"),
    ("20", waiting("20", places=["nowhere"]),
     "net 20: there is no condition nowhere in net Parcel"),
    ("21", waiting("21", weight="heavy"), "net 21: weight: "),
    ("22", waiting("22", spec=spec_id("UID_none", "0.1", "none")),
     "its specification was not taken: none 0.1"),
    ("24", waiting("24", places=[], items=[]),
     "the case would be over at once"),
    ("25", case([runner("25", DATA % 1, ["Pick"], busy=element(
        "task", element("name", "Pick")))]),
     "task Pick of net 25 is busy, but no instance is in it"),
    ("26", case([runner("26", DATA % 1, ["Nobody"], busy=element(
        "task", element("name", "Nobody")))]),
     "task Nobody of net 26 is busy, but there is no such task"),
    ("27", case([runner("27", DATA % 1, [], [identifier(
        "27.1", inner("AtomicTask", "Gone", "executing"))])]),
     "27.1 is in task Gone, which is not in net Parcel"),
    ("28", case([runner("28", DATA % 1, ["Pack"], [identifier(
        "28.1", inner("CompositeTask", "Pack", "executing"))])]),
     "the net of instance 1 of task Pack is missing"),
    ("29", case([runner("29", DATA % 1, []), runner(
        "29.1", "<Packing/>", [], parent="29", task="Check")]),
     "net 29.1 belongs to no composite task: \"Check\""),
    ("no name", waiting("no name"), "'no name' is no case id"),
    ("", case([]), "its specification was not taken"),
]


def one_by_one():
    """One that is wrong harms no other."""
    engine = make_engine()
    del engine.specifications[("UID_bad", "0.1", "bad")]
    engine.cases = [(name, xml) for name, xml, _ in BAD]
    engine.cases.insert(5, ("40", waiting("40", items=[
        item("40:Check", "Enabled"), item("40:Send", "Enabled"),
        item("40:Ghost", "Complete")])))
    place = Place()
    code, output = place.take(engine)
    check("the exit code is 1", code == 1, output)
    for name, _, reason in BAD:
        check("why case %s is not taken" % name,
              "\ncase %s: not taken: %s" % (name, reason) in output, output)
    has_line("between them", output, "case 40: taken")
    has_line("between them", output, "case 40: note: item 40:Send was Enabled "
             "there and is not here: its task is not enabled")
    code, output = place.run("db", "check")
    check("the store is sound", code == 0, output)
    engine.cases = [("40", waiting("40")), ("41", waiting("41"))]
    engine.spoilt = True
    code, output = place.take(engine)
    check("an export of all that is no XML", code == 0 and
          "cases all at once: note: " in output and
          "case 40: is there already" in output and
          "case 41: taken" in output, output)
    check("is asked for one by one",
          engine.asked.count(("ib", "exportCaseState")) == 2, engine.asked)
    place.close()
    engine.close()


def actions():
    """importCases of interface B."""
    server = start()
    yawl = Yawl(server).connect()

    def put(*cases):
        return yawl.ask("ib", "importCases", xml=element(
            "cases", "".join(cases)))

    start_of = "<response><failure><reason>Failed to import case(s): "
    answer = put(busy())
    check("without its specification", answer == start_of
          + "7: Specification for case is not loaded</reason></failure>"
          "</response>", answer)
    yawl.ask("ia", "upload", specXML=read("parcel.yawl"))
    answer = put(waiting("8"), BAD[1][1], waiting("9"))
    check("one of them is wrong", answer.startswith(start_of + "20: net 20: "),
          answer)
    answer = yawl.ask("ib", "getAllRunningCases")
    check("the others are there", "<caseID>8</caseID>" in answer and
          "<caseID>9</caseID>" in answer and "<caseID>20<" not in answer,
          answer)
    answer = put(busy(), waiting("9"))
    check("they are counted, those that are there as well", answer ==
          "<response><success>2 case(s) imported successfully</success>"
          "</response>", answer)
    answer = yawl.ask("ib", "getWorkItem", workItemID="7.4:Pick")
    check("and go on", "<status>Executing</status>" in answer, answer)
    for wrong in None, "", "<cases", "<other/>", "<cases><case/></cases>":
        answer = yawl.ask("ib", "importCases", xml=wrong)
        check("no export: %s" % wrong, answer.startswith(start_of), answer)
    answer = put()
    check("nothing", "0 case(s) imported" in answer, answer)
    server.close()


def kept():
    """What is there already and differs stays as it is."""
    engine = make_engine()
    del engine.specifications[("UID_bad", "0.1", "bad")]
    place = Place()
    server = start(db=place.db)
    yawl = Yawl(server).connect()
    yawl.ask("ia", "createAccount", userID="tester",
             password=hashed("other"), doco="")
    answer = yawl.ask("ia", "upload", specXML=read("parcel.yawl"))
    check("a specification is there", "UID_parcel" in answer, answer)
    yawl.ask("ib", "launchCase", specidentifier="UID_parcel", caseid="7",
             specversion="0.2", specuri="parcel",
             caseParams="<Parcel><weight>1</weight></Parcel>")
    code, output = place.take(engine)
    check("a store in use is refused", code == 1 and
          "use" in output, output)
    server.close()
    code, output = place.take(engine)
    for line in ("specification parcel 0.2: is there already",
                 "client admin: is there already",
                 "client tester: not taken: there is one with another "
                 "password, which is kept",
                 "case 7: not taken: there is another case with this id",
                 "case 9: taken"):
        has_line("kept", output, line)
    place.close()
    engine.close()


def refused():
    """Engines that are none, and those that do not let us in."""
    engine = make_engine()
    place = Place()
    engine.password = hashed("new")
    code, output = place.take(engine)
    check("a wrong password", code == 1 and
          "the YAWL engine says to connect: Incorrect Password" in output,
          output)
    path = place.folder + "/password"
    with open(path, "w") as file:
        file.write("new\n")
    code, output = place.take(engine, "--password-file", path, "--quiet")
    check("the right one", output.startswith("specification bad 0.1: not"),
          output)
    code, output = place.take(engine, "--password-file", place.folder)
    check("no file", code != 0, output)
    engine.ia_getAccounts = lambda _: "<client>"
    code, output = place.take(engine, "--password-file", path)
    check("what is no XML harms nothing else", code == 1 and
          "clients in all: not taken: the YAWL engine's answer to getAccounts"
          in output and "service parcels: is there already" in output, output)
    for body, message in (
            ("", "gives no session"), ("<html>", "the YAWL engine's answer"),
            ("<a>" * 300, "the YAWL engine's answer"),
            ("<failure>no</failure>", "says to connect: no")):
        engine.connect = lambda *_: body
        code, output = place.take(engine)
        check("an answer to connect: %.20s" % body,
              code == 1 and message in output, output)
    engine.close()
    code, output = place.take(engine)
    check("nobody is there", code != 0, output)
    for arguments in ([], ["--engine"], ["--engine", "x", "y"],
                      ["--engine", "x", "--what"]):
        done = subprocess.run([WEFT, "import-yawl"] + arguments,
                              capture_output=True)
        check("wrong usage: %s" % arguments, done.returncode == 2,
              done.stderr)
    place.close()


def damaged():
    """Whatever an export says, no case is half taken."""
    seed = int(os.environ.get("WEFT_SEED", "1"))
    print("import: WEFT_SEED=%d" % seed)
    chance = random.Random(seed)
    engine = make_engine()
    del engine.specifications[("UID_bad", "0.1", "bad")]
    place = Place()
    xml = busy()
    words = re.findall("<[^>]*>|[^<>]+", xml)
    engine.cases = []
    for number in range(2000 if SOAK else 200):
        parts = list(words)
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(parts))
            other = chance.choice(words)
            if parts[at].startswith("<"):
                parts[at] = "" if chance.random() < 0.3 else parts[at]
            else:
                parts[at] = "" if other.startswith("<") else other
        text = "".join(parts).replace(">7", ">%d" % (100 + number)).replace(
            '"7', '"%d' % (100 + number))
        engine.cases.append((str(100 + number), text))
    good = [one for one in engine.cases if is_whole(one[1])]
    engine.cases = good
    check("some damaged cases can be read", len(good) > 20, len(good))
    code, output = place.take(engine)
    check("damaged cases are reported or taken, none is forgotten",
          code in (0, 1) and len(re.findall("^case .*: (?:taken$|not taken)",
                                            output, re.M)) == len(good),
          output)
    code, output = place.run("db", "check")
    check("the store is sound", code == 0, output)
    place.close()
    engine.close()


def is_whole(xml):
    """Whether it is XML in its form."""
    import xml.etree.ElementTree as tree
    try:
        tree.fromstring(xml.replace(HEADER, ""))
        return True
    except tree.ParseError:
        return False


def work(yawl, chance):
    """Something is done to an item."""
    roots = {"Check": "Checking", "Call": "Telling", "Write": "Telling",
             "Fold": "Folding", "Fill": "Folding", "Pick": "Picking",
             "Send": "Sending"}
    items = [one for one in re.findall(
        "<taskid>([^<]*)</taskid><caseid>([^<]*)<.*?<status>([^<]*)<",
        yawl.ask("ib", "getLiveItems").replace("</workItem>", "</workItem>\n"))
        if one[2] != "Is parent"]
    task, number, status = chance.choice(items)
    name = number + ":" + task
    data = "<%s>%s</%s>" % (roots[task], "<line>%d</line>" % chance.randrange(
        99) if task == "Pick" else "", roots[task])
    action = chance.choice({
        "Enabled": ["checkout", "checkout", "skip", "suspend"],
        "Fired": ["checkout"], "Suspended": ["unsuspend"],
        "Executing": ["checkin", "checkin", "rollback", "suspend"],
    }[status])
    return yawl.ask("ib", action, workItemID=name, data=data)


def plain(text):
    """Without what is another engine's own."""
    text = re.sub("<client>[^<]*</client>", "<client/>", text)
    text = re.sub("![0-9A-Z]{25}<", "!U<", text)
    text = re.sub("<starttime>[^<]*<", "<starttime>T<", text)
    text = re.sub("(?<=<deferredgroupid>)[^<]+<", "C<", text)
    # Of a choice that was made nothing is left.
    return re.sub("(<status>(?!Enabled)[^<]*<(?:(?!</item>).)*<deferredgroupid)"
                  ">[^<]+</deferredgroupid>", "\\1/>", text)


def between_wefts():
    """Cases somewhere on their way are the same in another store."""
    seed = int(os.environ.get("WEFT_SEED", "1"))
    chance = random.Random(seed)
    server = start()
    yawl = Yawl(server).connect()
    yawl.ask("ia", "upload", specXML=read("parcel.yawl"))
    for _ in range(200 if SOAK else 12):
        yawl.ask("ib", "launchCase", specidentifier="UID_parcel",
                 specversion="0.2", specuri="parcel",
                 caseParams="<Parcel><weight>1</weight></Parcel>")
    for _ in range(2000 if SOAK else 120):
        work(yawl, chance)
    place = Place()
    code, output = place.run(
        "import-yawl", "--engine", "http://127.0.0.1:%d/yawl" % server.port)
    check("all is taken (WEFT_SEED=%d)" % seed, code == 0 and
          "note" not in output.replace("notes: 0", ""), output)
    other = start(db=place.db)
    two = Yawl(other).connect()
    before = plain(yawl.ask("ib", "exportAllCaseStates"))
    after = plain(two.ask("ib", "exportAllCaseStates"))
    check("there are cases", before.count("<case>") > 3, before)
    check("they are the same (WEFT_SEED=%d)" % seed, before == after,
          "\n".join(difflib.unified_diff(pretty(before).split("\n"),
                                         pretty(after).split("\n"),
                                         lineterm="", n=9)))
    answers = []
    for one in yawl, two:
        chance.seed(seed)
        answers.append([re.sub("!U", "", plain(work(one, chance)))
                        .startswith("<response><success") for _ in range(20)])
    check("they go on in the same way (WEFT_SEED=%d)" % seed,
          answers[0] == answers[1], answers)
    other.close()
    server.close()
    place.close()


run(everything, one_by_one, actions, kept, refused, damaged,
    between_wefts)
end()
