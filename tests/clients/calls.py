# SPDX-License-Identifier: Apache-2.0
"""A call of each named operation of the clients, with all that it can send:
operationId, arguments, options."""

KEY = {"key": "k"}
PAGE = {"after": "5", "limit": 2}
OF = dict(KEY, **{"for": "anna", "override": True})
ITEM = dict(OF, fence=3)
LEASED = dict(KEY, fence=3, override=True)
MEMBERS = {
    "kind": "push", "uri": "urn:x", "address": "http://127.0.0.1:9/",
    "token_url": "https://x/", "client": "c", "scope": "s",
    "documentation": "d", "assignable": True, "attempts": 2, "delay": "PT1S",
    "backoff": 2, "cap": "PT1S", "timeout": "PT1S", "concurrency": 2,
    "secret": "0123456789abcdef"}

CALLS = [
    ("loadSpecifications", ["<x/>"], {"replace": True}),
    ("listSpecifications", [], {"uri": "u"}),
    ("showSpecification", ["http://a/b c"], {}),
    ("removeSpecification", ["0123456789abcdef"], {}),
    ("startCase", ["Order", {"a": 1}], dict(
        KEY, version="1", case="c", title="t", xml="<a/>",
        at="2030-01-01T00:00:00Z", delay="P1D")),
    ("listCases", [], dict(
        PAGE, specification="u", version="1", status=["running", "suspended"],
        mine=False, set_aside=False, order="oldest")),
    ("showCase", ["7"], {}),
    ("showCaseData", ["7"], {}),
    ("updateCaseData", ["7", {"a": 1}], KEY),
    ("suspendCase", ["7", "why"], KEY),
    ("resumeCase", ["7", "why"], KEY),
    ("cancelCase", ["7", "why"], KEY),
    ("showHistory", ["7"], dict(PAGE, names=True)),
    ("explainTask", ["7", "Pay"], {}),
    ("listStarts", [], PAGE),
    ("withdrawStart", [9], {}),
    ("listItems", [], dict(
        PAGE, case="7", task="Pay", status="enabled", service="urn:x",
        specification="u", version="1")),
    ("showItem", ["7:Pay"], {"for": "anna"}),
    ("changeItem", ["7:Pay", {"priority": 5, "due": "P1D"}],
     dict(KEY, **{"for": "anna"})),
    ("showItemData", ["7:Pay"], {}),
    ("updateItemData", ["7.1:Pay", {"a": 1}], ITEM),
    ("startItem", ["7:Pay"], OF),
    ("completeItem", ["7.1:Pay", {"a": 1}], ITEM),
    ("forceItem", ["7.1:Pay", {"a": 1}], LEASED),
    ("failItem", ["7.1:Pay", "why"], LEASED),
    ("skipItem", ["7:Pay", "why"], ITEM),
    ("suspendItem", ["7.1:Pay", "why"], ITEM),
    ("resumeItem", ["7.1:Pay", "why"], ITEM),
    ("rollBackItem", ["7.1:Pay", "why"], LEASED),
    ("cancelItem", ["7.1:Pay", "why"], LEASED),
    ("addInstance", ["7.1:Pay", {"a": 1}], OF),
    ("claimItems", ["urn:x"], {"task": "Pay", "count": 2, "wait": 20,
                               "lease": "PT1M"}),
    ("keepItem", ["7.1:Pay", 3], {"lease": 60}),
    ("releaseItem", ["7.1:Pay", 3, "why"], {"delay": "PT1M"}),
    ("showWorklist", [], dict(
        PAGE, view="offered", case="7", task="Pay", specification="u",
        version="1", state="offered", data="a=1", priority=50, due="P1D",
        older="P1D", order="due", descending=True, **{"for": "anna"})),
    ("acceptItem", ["7:Pay"], dict(KEY, **{"for": "anna"})),
    ("deallocateItem", ["7:Pay", "why"], OF),
    ("delegateItem", ["7:Pay", "ben", "why"], OF),
    ("reallocateItem", ["7:Pay", "ben", "why"], dict(OF, without_data=True)),
    ("offerItem", ["7:Pay", "ben", "why"], OF),
    ("allocateItem", ["7:Pay", "ben", "why"], OF),
    ("streamWorklist", [], {"after": "3-1-1-0"}),
    ("listIncidents", [], dict(PAGE, case="7", code="data", status="open")),
    ("showIncident", [4], {}),
    ("retryIncident", [4], KEY),
    ("retryIncidents", [[4, 5]], {"case": "7", "code": "data", "all": False}),
    ("dropIncident", [4, "why"], dict(KEY, cancel=True)),
    ("listServices", [], {}),
    ("showService", ["x"], {}),
    ("putService", ["x"], MEMBERS),
    ("removeService", ["x"], {}),
    ("streamEvents", [], {"case": "7", "specification": "u", "version": "1",
                          "after": "3-1-1-0"}),
    ("showTestClock", [], {}),
    ("moveTestClock", [], {"advance": "P1D", "to": "2030-01-01T00:00:00Z",
                           "wait": 5}),
]
