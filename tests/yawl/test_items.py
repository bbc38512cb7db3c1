# SPDX-License-Identifier: Apache-2.0
"""The life of cases and items over interface B, and what refuses it."""
from client import GOOD, TRIP, Yawl, failure, mask, read, start
from checks import check, end, run


def item(task, case, status, data=None, **fields):
    """A workItem as it is answered."""
    known = {"name": "", "documentation": "", "dynamic": "false",
             "manual": "true", "codelet": "", "attributes": "",
             "choice": False, "timer": "", "fired": status in (
                 "Fired", "Executing", "Complete"),
             "started": status in ("Executing", "Complete")}
    known.update(fields)

    def element(name, text):
        return "<%s>%s</%s>" % (name, text, name) if text else "<%s/>" % name

    def time(name, there=True):
        return "<%sTime>T</%sTime><%sTimeMs>T</%sTimeMs>" % (
            (name,) * 4) if there else ""

    return ("<workItem%s>" % known["attributes"] +
            element("taskid", task) + element("caseid", case) +
            "<uniqueid>U</uniqueid>" + element("taskname", known["name"]) +
            element("documentation", known["documentation"]) +
            "<specidentifier>UID_trip</specidentifier>"
            "<specversion>0.1</specversion><specuri>trip</specuri>" +
            element("status", status) +
            element("allowsdynamiccreation", known["dynamic"]) +
            element("requiresmanualresourcing", known["manual"]) +
            element("codelet", known["codelet"]) +
            ("<deferredChoiceGroupID>C</deferredChoiceGroupID>"
             if known["choice"] else "") +
            (element("data", data) if data else "") +
            time("enablement") + time("firing", known["fired"]) +
            time("start", known["started"]) +
            ("<startedBy>admin</startedBy>" if known["started"] else "") +
            known["timer"] + "</workItem>")


def book(case, status, data=None, who="Ann", **fields):
    return item("Book", case, status, data, name="Book it",
                documentation="for %s" % who, attributes=' color="red"',
                **fields)


def pack(case, status, data=None, **fields):
    return item("Pack", case, status, data, dynamic="true", **fields)


BOOK_DATA = '<Book color="red"><who>Ann</who></Book>'


def response(*parts):
    return "<response>%s</response>" % "".join(parts)


def success(*parts):
    return response("<success>", *parts, "</success>")


def loaded():
    yawl = Yawl(start()).connect()
    yawl.ask("ia", "upload", specXML=read("trip.yawl"))
    return yawl


def expect(yawl, wanted, where, action, **parameters):
    got = mask(yawl.ask(where, action, **parameters))
    return check("%s %s answers as it should" % (action, {
        k: v for k, v in parameters.items() if k not in TRIP}),
        got == wanted, "expected " + wanted, "got      " + got)


def one_item():
    yawl = loaded()
    case = yawl.launch()
    parent, child = case + ":Book", case + ".1:Book"

    expect(yawl, response(book(case, "Enabled")), "ib", "getLiveItems")
    expect(yawl, response(book(case, "Enabled")), "ib", "getWorkItem",
           workItemID=parent)
    expect(yawl, response(BOOK_DATA), "ib", "getStartingDataSnapshot",
           workItemID=parent)
    expect(yawl, failure("WorkItem with ID [%s] is a 'parent' and so may not "
                         "be completed." % parent),
           "ib", "checkin", workItemID=parent, data="<Book/>")
    expect(yawl, success(book(case, "Enabled")), "ib", "unsuspend",
           workItemID=parent)
    for _ in "12":
        expect(yawl, success(book(case, "Suspended")), "ib", "suspend",
               workItemID=parent)
    expect(yawl, failure("Item [%s]: status [Suspended] does not permit "
                         "starting." % parent), "ib", "checkout",
           workItemID=parent)
    expect(yawl, success(book(case, "Enabled")), "ib", "unsuspend",
           workItemID=parent)
    executing = book(case + ".1", "Executing", BOOK_DATA)
    expect(yawl, success(executing), "ib", "checkout", workItemID=parent)
    expect(yawl, response(book(case, "Is parent"), executing), "ib",
           "getLiveItems")
    expect(yawl, failure("Item [%s]: status [Is parent] does not permit "
                         "starting." % parent), "ib", "checkout",
           workItemID=parent)
    for action in ("suspend", "unsuspend"):
        expect(yawl, success(book(case, "Is parent")), "ib", action,
               workItemID=parent)
    expect(yawl, response(executing), "ib", "getChildren", workItemID=parent)
    expect(yawl, failure("This method only accepts work items with 'Enabled' "
                         "status"), "ib", "getStartingDataSnapshot",
           workItemID=child)
    expect(yawl, GOOD, "ib", "rollback", workItemID=child)
    expect(yawl, failure("Work Item[%s] not found." % child), "ib",
           "rollback", workItemID=child)
    expect(yawl, failure("WorkItem with ID [%s] not in executing state." %
                         child), "ib", "checkin", workItemID=child,
           data="<Book/>")
    expect(yawl, success(executing), "ib", "startOne", workItemID=child)
    got = yawl.ask("ib", "checkin", workItemID=child,
                   data="<Book><price>much</price></Book>")
    check("output that does not fit is refused", "<failure><reason>" in got
          and "much" in got, got)
    expect(yawl, GOOD, "ib", "checkin", workItemID=child,
           data="<Book><price>7</price></Book>")
    expect(yawl, failure("WorkItem with ID [%s] not found." % child), "ib",
           "checkin", workItemID=child, data="<Book/>")
    expect(yawl, response("<Trip><bags><bag>red</bag><bag>blue</bag></bags>"
                          "<who>Ann</who><price>7</price></Trip>"),
           "ib", "getCaseData", caseID=case)
    yawl.server.close()


def several_instances():
    yawl = loaded()
    case = yawl.launch()
    parent = case + ":Pack"
    ids = ["%s.%d" % (case, i) for i in range(2, 6)]

    yawl.ask("ib", "skip", workItemID=case + ":Book")
    first = pack(ids[0], "Executing", "<Pack><bag>red</bag></Pack>")
    second = pack(ids[1], "Fired", "<Pack><bag>blue</bag></Pack>")
    expect(yawl, failure("WorkItem[%s] is not in appropriate (executing) state"
                         " for instance adding." % parent),
           "ib", "checkAddInstanceEligible", workItemID=parent)
    expect(yawl, success(first), "ib", "checkout", workItemID=parent)
    expect(yawl, response(first, second), "ib", "getChildren",
           workItemID=parent)
    yawl.ask("ib", "suspend", workItemID=ids[1] + ":Pack")
    yawl.ask("ib", "unsuspend", workItemID=ids[1] + ":Pack")
    expect(yawl, response(first, second), "ib", "getChildren",
           workItemID=parent)
    summary = yawl.ask("ib", "getWorkItemInstanceSummary", caseID=case)
    rows = [row for row in summary.split("<workItemInstance>")
            if "<id>%s:Pack</id>" % ids[1] in row]
    check("an instance that is resumed is what it was, in summaries, too",
          len(rows) == 1 and "<status>statusFired</status>" in rows[0], summary)
    expect(yawl, GOOD, "ib", "checkAddInstanceEligible",
           workItemID=ids[0] + ":Pack")
    third = pack(ids[2], "Fired", "<Pack><bag>old</bag></Pack>")
    expect(yawl, success(third), "ib", "createInstance",
           workItemID=ids[0] + ":Pack",
           paramValueForMICreation="<bag>old</bag>")
    expect(yawl, failure("Adding instances is not possible in current state."),
           "ib", "createInstance", workItemID=ids[0] + ":Pack",
           paramValueForMICreation="<bag>new</bag>")
    expect(yawl, response(
        '<caseState caseID="%s" specID="trip - version 0.1">'
        '<task id="AtomicTask:Pack" name="Pack">' % case +
        "".join('<internalCondition id="mi_%s[AtomicTask:Pack]">%s'
                '</internalCondition>' % (name, "".join(
                    "<identifier>%s</identifier>" % i for i in inside))
                for name, inside in (("active", ids[:3]),
                                     ("entered", ids[1:3]),
                                     ("executing", ids[:1]))) +
        "</task></caseState>"), "ib", "getCaseState", caseID=case)
    for i in ids[1:3]:
        yawl.ask("ib", "checkout", workItemID=i + ":Pack")
    for i in ids[:3]:
        expect(yawl, GOOD, "ib", "checkin", workItemID=i + ":Pack",
               data="<Pack><bag>%s</bag></Pack>" % i)
    ride = item("Ride", case, "Enabled", manual="false", codelet="Rider",
                choice=True)
    walk = item("Walk", case, "Enabled", choice=True)
    expect(yawl, response(ride, walk), "ib", "getLiveItems")
    groups = yawl.ask("ib", "getLiveItems").split("deferredChoiceGroupID>")
    check("both have the same choice", groups[1] == groups[3], groups)
    expect(yawl, success(item("Walk", ids[3], "Complete", "<Walk/>")),
           "ib", "skip", workItemID=case + ":Walk")
    sleep = item("Sleep", case + ".5", "Enabled",
                 timer="<timertrigger>OnEnabled</timertrigger>"
                       "<timerexpiry>4102444800000</timerexpiry>")
    got = yawl.ask("ib", "getLiveItems")
    inner = got.split("<caseid>")[1].split("<")[0]
    expect(yawl, response(sleep.replace(case + ".5", inner)), "ib",
           "getLiveItems")
    expect(yawl, response("<Stay><nights>2</nights></Stay>"), "ib",
           "getCaseData", caseID=inner)
    expect(yawl, response("4102444800000"), "ib", "getWorkItemExpiryTime",
           workItemID=inner + ":Sleep")
    summary = yawl.ask("ib", "getWorkItemInstanceSummary", caseID=case)
    check("a timer's status is shown", summary.count(
        "<timerStatus>Active<") == 1 and "<timerStatus>Nil<" in summary,
        summary)
    expect(yawl, response("<caseState/>"), "ib", "getCaseState", caseID=inner)
    expect(yawl, failure("Case [%s.99] not found." % case), "ib",
           "getCaseState", caseID=case + ".99")
    state = yawl.ask("ib", "getCaseState", caseID=case)
    check("a composite task is busy", (
        '<task id="CompositeTask:Stay" name="Stay"><internalCondition '
        'id="mi_active[CompositeTask:Stay]"><identifier>%s</identifier>' %
        inner in state), state)
    yawl.ask("ib", "skip", workItemID=inner + ":Sleep")
    expect(yawl, response("<AllRunningCases></AllRunningCases>"), "ib",
           "getAllRunningCases")
    expect(yawl, failure("Case [%s] not found." % case), "ib", "getCaseState",
           caseID=case)
    yawl.server.close()


def skipping():
    """An output that nothing is known for needs a default value."""
    yawl = Yawl(start()).connect()
    price = "<name>price</name>\n        <type>integer</type>"
    spec = read("trip.yawl")
    at = spec.index(price, spec.index("<outputParam>"))
    spec = spec[:at] + price.replace("integer", "BagsType").replace(
        "price", "all") + spec[at + len(price):].replace(
        "<namespace>http://www.w3.org/2001/XMLSchema</namespace>", "", 1)
    spec = spec.replace("&lt;price&gt;{/Book/price/text()}&lt;/price&gt;",
                        "&lt;price&gt;7&lt;/price&gt;")
    got = yawl.ask("ia", "upload", specXML=spec)
    check("the specification is good", "<failure>" not in got, got)
    case = yawl.launch()
    expect(yawl, failure(
        "Could not skip work item [%s:Book]: Output-Only parameter [all] "
        "requires a default value." % case), "ib", "skip",
        workItemID=case + ":Book")
    expect(yawl, response(book(case, "Enabled")), "ib", "getLiveItems")
    yawl.server.close()


def long_documentation():
    """The items of a list share the work of the queries in their texts."""
    yawl = Yawl(start()).connect()
    query = "${count(for $i in 1 to 400000 return $i)}"
    yawl.ask("ia", "upload",
             specXML=read("trip.yawl").replace("for ${/Trip/who/text()}", query))
    for _ in range(20):
        yawl.launch()
    got = yawl.ask("ib", "getLiveItems")
    filled = got.count("<documentation>400000<")
    check("the first items have it, the last ones have none",
          0 < filled < 20 and
          filled + got.count("<documentation>n/a<") == 20, got)
    yawl.server.close()


run(one_item, several_instances, skipping, long_documentation)
end()
