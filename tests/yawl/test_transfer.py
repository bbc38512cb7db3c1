# SPDX-License-Identifier: Apache-2.0
"""Running cases exported from one engine, taken in by another: they are the
same there, and go on."""
import re

from client import GOOD, Yawl, failure, read, start
from checks import check, end, run


def loaded():
    yawl = Yawl(start()).connect()
    yawl.ask("ia", "upload", specXML=read("trip.yawl"))
    return yawl


def children(yawl, parent):
    return re.findall("<caseid>([^<]*)<", yawl.ask("ib", "getChildren",
                                                   workItemID=parent))


def pack(yawl, case):
    yawl.ask("ib", "skip", workItemID=case + ":Book")
    yawl.ask("ib", "checkout", workItemID=case + ":Pack")
    return children(yawl, case + ":Pack")


def walk(yawl, case):
    for child in pack(yawl, case):
        yawl.ask("ib", "skip", workItemID=child + ":Pack")
        yawl.ask("ib", "checkin", workItemID=child + ":Pack",
                 data="<Pack><bag>x</bag></Pack>")


def plain(text):
    """Without who started an item, unique ids, and the numbers of choices."""
    text = re.sub("<client>[^<]*</client>", "<client/>", text)
    text = re.sub("![0-9A-Z]{25}<", "!U<", text)
    text = re.sub("<starttime>[^<]*<", "<starttime>T<", text)
    return re.sub("<deferredgroupid>[^<]+<", "<deferredgroupid>C<", text)


def transfer():
    one = loaded()
    cases = [one.launch() for _ in range(6)]
    one.ask("ib", "suspend", workItemID=cases[1] + ":Book")
    one.ask("ib", "checkout", workItemID=cases[2] + ":Book")
    first = pack(one, cases[3])[0]
    one.ask("ib", "checkin", workItemID=first + ":Pack",
            data="<Pack><bag>done</bag></Pack>")
    walk(one, cases[4])
    walk(one, cases[5])
    one.ask("ib", "skip", workItemID=cases[5] + ":Walk")
    exported = one.ask("ib", "exportAllCaseStates")
    check("all are exported", exported.count("<case>") == 6, exported)
    ids = re.findall('<identifier id="([^"]*)">', exported)
    nets = exported.count("<runner>")
    check("each identifier is listed with its parts, and once except for nets",
          len(ids) == exported.count("<identifier id=") ==
          exported.count("<locations") == exported.count("<children") and
          len(ids) - len(set(ids)) == nets - 6, ids)
    for place in ("<location>InputCondition:start</location>",
                  "<location>mi_executing[AtomicTask:Book]</location>",
                  "<location>mi_complete[AtomicTask:Pack]</location>",
                  "<location>mi_entered[AtomicTask:Pack]</location>",
                  "<location>ways</location>",
                  "<location>mi_executing[CompositeTask:Stay]</location>",
                  "<containingtask>Stay</containingtask>",
                  "<taskname>Sleep</taskname><state>active</state>",
                  "<bag>done</bag></Pack></midata>",
                  "<prevstatus>Enabled</prevstatus>"):
        check("the export has %s" % place, place in exported, exported)
    some = one.ask("ib", "exportCaseState", caseID="%s,%s-%s,none" % (
        cases[0], cases[2], cases[3]))
    check("some are exported", re.findall(
        "<parent/><identifier id=\"([^\"]*)\">", some) == [
            cases[0], cases[2], cases[3]], some)
    check("none is not", one.ask("ib", "exportCaseState", caseID="none") ==
          failure("Case [none] not found."))
    xml = exported[len("<response>"):-len("</response>")]
    check("there already: refused", one.ask(
        "ib", "importCases", xml=xml).startswith(
            "<response><failure><reason>Failed to import case(s): %s: there "
            "is another case with this id; " % cases[0]))

    two = Yawl(start()).connect()
    got = two.ask("ib", "importCases", xml=xml)
    check("without the specification: refused", got.startswith(
        "<response><failure><reason>Failed to import case(s): "), got)
    two.ask("ia", "upload", specXML=read("trip.yawl"))
    check("no export: refused", two.ask(
        "ib", "importCases", xml="<x/>").startswith(
            "<response><failure><reason>Failed to import case(s): "))
    check("taken in", two.ask("ib", "importCases", xml=xml) ==
          "<response><success>6 case(s) imported successfully</success>"
          "</response>")
    again = two.ask("ib", "exportAllCaseStates")
    here, there = (plain(t).replace("><", ">\n<").split("\n")
                   for t in (exported, again))
    check("they are the same there", here == there,
          [p for p in zip(here, there) if p[0] != p[1]][:20])
    here, there = (re.split("(?=<)", each.ask(
        "ib", "getCaseData", caseID=cases[3])) for each in (one, two))
    check("data, too, but for the order of assignments",
          sorted(here) == sorted(there), here, there)
    for child in children(two, cases[3] + ":Pack"):
        two.ask("ib", "checkout", workItemID=child + ":Pack")
        check("items go on", two.ask(
            "ib", "checkin", workItemID=child + ":Pack",
            data="<Pack><bag>later</bag></Pack>") == GOOD)
    got = two.ask("ib", "getCaseData", caseID=cases[3])
    check("and what was done before counts", "<bags><bag>done</bag>"
          "<bag>later</bag></bags>" in got, got)
    inner = re.search("<caseid>(%s\\.[0-9]+)</caseid>" % cases[5],
                      two.ask("ib", "getLiveItems")).group(1)
    two.ask("ib", "skip", workItemID=inner + ":Sleep")
    check("a case comes to its end", two.ask(
        "ib", "getCaseState", caseID=cases[5]) ==
        failure("Case [%s] not found." % cases[5]))
    one.server.close()
    two.server.close()


def cancelled():
    """A case that was exported and cancelled can be had again."""
    yawl = loaded()
    cases = [yawl.launch(), yawl.launch()]
    yawl.ask("ib", "checkout", workItemID=cases[0] + ":Book")
    exported = yawl.ask("ib", "exportCaseState", caseID=cases[0])
    xml = exported[len("<response>"):-len("</response>")]
    yawl.ask("ib", "cancelCase", caseID=cases[0])
    got = yawl.ask("ib", "importCases", xml=xml)
    check("it is taken in under a new number", got == "<response><success>"
          "1 case(s) imported successfully: 1 as 3, whose old numbers are used"
          "</success></response>", got)
    live = yawl.ask("ib", "getLiveItems")
    check("its work goes on", "<caseid>3.1</caseid>" in live, live)
    check("with the new number", yawl.ask(
        "ib", "checkin", workItemID="3.1:Book",
        data="<Book><price>7</price></Book>") == GOOD and
        "<price>7</price>" in yawl.ask("ib", "getCaseData", caseID="3"))
    check("while the case lives it is not", "there is another case with this "
          "id" in yawl.ask("ib", "importCases", xml=yawl.ask(
              "ib", "exportCaseState", caseID=cases[1])))
    yawl.server.close()


run(transfer, cancelled)
end()
