# SPDX-License-Identifier: Apache-2.0
"""Cases and items are found by title, words, state, age, incident and by the
variables that are indexed: what is listed, page by page, and the command line."""
import json
import os
import subprocess
from urllib.parse import quote

from checks import check, end, run, until
from people import add_people
from server import Server, WEFT
from stores import on_each

ORDER = """<specificationSet version="4.0"
  xmlns="http://www.yawlfoundation.org/yawlschema"
  xmlns:xs="http://www.w3.org/2001/XMLSchema"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<specification uri="%s"><metaData><title>Order</title><version>%s</version>
<identifier>UID_%s</identifier></metaData>
<xs:schema><xs:complexType name="Order"><xs:sequence>
<xs:element name="customer" type="xs:string"/>
<xs:element name="day" type="xs:date"/>
<xs:element name="line" type="xs:string" minOccurs="0" maxOccurs="9"/>
</xs:sequence></xs:complexType></xs:schema>
<decomposition id="Net" isRootNet="true" xsi:type="NetFactsType">
<inputParam><index>0</index><name>amount</name><type>decimal</type>
<namespace>http://www.w3.org/2001/XMLSchema</namespace></inputParam>
<inputParam><index>1</index><name>order</name><type>Order</type>
<namespace/></inputParam>
<processControlElements><inputCondition id="i"><flowsInto>
<nextElementRef id="Ask"/></flowsInto></inputCondition>
<task id="Ask"><flowsInto><nextElementRef id="o"/></flowsInto>
<join code="xor"/><split code="and"/>
<completedMappings><mapping>
<expression query="&lt;amount&gt;{number(/DoAsk/amount) + 0.5}&lt;/amount&gt;"/>
<mapsTo>amount</mapsTo></mapping></completedMappings>
<decomposesTo id="DoAsk"/></task>
<outputCondition id="o"/></processControlElements></decomposition>
<decomposition id="DoAsk" xsi:type="WebServiceGatewayFactsType">
<outputParam><index>0</index><name>amount</name><type>decimal</type>
<namespace>http://www.w3.org/2001/XMLSchema</namespace></outputParam>
</decomposition></specification></specificationSet>"""


class Finder:
    def __init__(self, client):
        self.client = client

    def answer(self, of, more, **filters):
        words = "&".join("%s=%s" % (name, quote(str(value), safe=""))
                         for name, value in filters.items())
        return self.client.get("/v1/%s?%s%s" % (of, words, more))

    def all(self, of, member, filters, limit):
        found, after = [], ""
        while True:
            page = self.answer(
                of, "&limit=%d%s" % (limit, after), **filters).json()
            if of not in page:
                return page
            found += [row[member] for row in page[of]]
            if "next" not in page:
                return found
            after = "&after=" + quote(page["next"], safe="")

    def cases(self, **filters):
        """By number, whatever the pages."""
        filters = dict({"order": "oldest"}, **filters)
        found = self.all("cases", "case", filters, 100)
        if self.all("cases", "case", filters, 1) != found:
            return "other cases page by page"
        newest = self.all("cases", "case", dict(filters, order="newest"), 2)
        if isinstance(found, list) and newest != found[::-1]:
            return "other cases, the newest first"
        return found

    def items(self, **filters):
        found = self.all("items", "item", filters, 100)
        if self.all("items", "item", filters, 1) != found:
            return "other items page by page"
        return found

    def refused(self, **filters):
        answer = self.answer("cases", "", **filters)
        return answer.status, answer.json().get("detail", "")


def order(client, key, case, title, amount, customer, day="2026-01-31"):
    start = {"specification": key, "title": title, "data": {
        "amount": amount, "order": {"customer": customer, "day": day}}}
    if case is not None:
        start["case"] = case
    answer = client.post("/v1/cases", start)
    check("%s is started" % case, answer.status == 201, answer)


def index(client, variable, specification="Order", **more):
    return client.post("/v1/indexes", dict(
        {"specification": specification, "variable": variable}, **more))


def indexes(client):
    return {row["variable"]: (row["specification"], row["type"], row["state"])
            for row in client.get("/v1/indexes").json()["indexes"]}


def filled(client):
    return all(row[2] == "ready" for row in indexes(client).values())


def words(client, find):
    check("by a word of the title", find.cases(q="rome") == ["a", "c-1"])
    check("by its beginning", find.cases(q="ROM") == ["a", "b", "c-1"])
    check("by several", find.cases(q="rom tri") == ["a", "b", "c-1"] and
          find.cases(q="rome 7") == ["a"])
    check("by a word of the id", find.cases(q="c") == ["c-1", "cab"] and
          find.cases(q="ca") == ["cab"])
    number = [c for c in find.cases() if c.isdigit()][0]
    check("by an id that is a number", find.cases(q=number) == [number])
    check("by none", find.cases(q="nowhere") == [])
    check("by the title", find.cases(title="trip TO rome, 7") == ["a"] and
          find.cases(title="trip to rome") == [])
    check("by the state", find.cases(status="completed", q="tri") == [] and
          find.cases(status="running", q="tri") == ["a", "b", "c-1"])
    check("by the process", find.cases(q="rom", specification="Order") ==
          ["a", "b", "c-1"] and
          find.cases(q="rom", specification="Other") == [])
    check("items by words of their cases", find.items(q="rome") ==
          ["a:Ask", "c-1:Ask"] and find.items(q="rome", case="a") ==
          ["a:Ask"] and find.items(q="rome", task="No") == [])
    for wrong in ({"q": "-"}, {"q": "x" * 1001}, {"title": "x" * 1025}):
        check("400", find.refused(**wrong)[0] == 400, wrong)


def ended(client, find):
    before = find.cases(ended="P1D")
    live = [case for case in find.cases(status="running")
            if case not in before]
    client.post("/v1/cases/%s/cancel" % live[0])
    found = find.cases(ended="P1D")
    check("ended", sorted(found) == sorted(before + live[:1]), found)
    check("ended in a state", live[0] in find.cases(
        ended="P1D", status="cancelled") and live[0] not in find.cases(
            ended="P1D", status="completed"))
    check("ended since a time", find.cases(ended="2126-01-01T00:00:00Z") == [])
    status, detail = find.refused(ended="soon")
    check("400", status == 400 and "ended: expected a time" in detail, detail)


def ages(client, find):
    every = find.cases()
    later = "2126-01-01T00:00:00Z"
    check("older than a time", find.cases(older=later) == every and
          find.cases(older="2000-01-01T00:00:00Z") == [])
    check("older than a duration", find.cases(older="P1D") == [])
    check("newer", find.cases(newer="P1D") == every and
          find.cases(newer=later) == [])
    check("unchanged", find.cases(unchanged="P1D") == [] and
          find.cases(unchanged=later, q="rome") == ["a", "c-1"])
    check("items by their age", find.items(older=later, q="rome") ==
          ["a:Ask", "c-1:Ask"] and find.items(older="P1D") == [] and
          len(find.items(older=later)) == len(find.items()))
    status, detail = find.refused(older="soon")
    check("400", status == 400 and "older: expected a time" in detail, detail)


def incidents(client, find):
    """Items that nobody gets."""
    every = find.cases()
    check("all have one", until(lambda: find.cases(incident="any") == every))
    check("of that code", find.cases(incident="unoffered") == every and
          find.cases(incident="Unoffered", q="rome") == ["a", "c-1"] and
          find.cases(incident="broken") == [])
    check("items that have one", find.items(incident="unoffered", q="rome") ==
          ["a:Ask", "c-1:Ask"] and find.items(incident="broken") == [])
    number = client.get("/v1/incidents?case=c-1").json()["incidents"][0]
    dropped = client.post("/v1/incidents/%d/drop" % number["incident"],
                          {"reason": "known"})
    check("one is dropped", dropped.status == 200, dropped)
    check("a dropped one does not count", find.cases(
        incident="any", q="rome") == ["a"] and
        find.items(incident="any", q="rome") == ["a:Ask"])


def variables(client, find):
    check("by a number", find.cases(where="amount > 100") == ["a", "b"] and
          find.cases(where="amount >= 100 and amount < 100.5") == ["c-1"] and
          find.cases(where="amount = 1E3") == ["b"])
    check("by a text", find.cases(where='order/customer = "Miller & Co"') ==
          ["a", "c-1"])
    check("by a date", find.cases(where="order/day < '2026-01-01'") == ["b"]
          and find.cases(where="order/day >= xs:date('2026-01-31')") ==
          ["a", "c-1", "cab"])
    check("by several", find.cases(
        where="amount > 100 and order/customer != 'Smith'") == ["a"] and
        find.cases(where="amount < 50 or amount > 500") == ["b", "cab"])
    check("not()", find.cases(where="not(amount > 100)", q="rome") == ["c-1"])
    check("with words", find.cases(where="amount > 1", q="rome") ==
          ["a", "c-1"])
    check("items", find.items(where="amount > 100") == ["a:Ask", "b:Ask"] and
          find.items(where="amount > 100", q="7", status="enabled") ==
          ["a:Ask"])
    for where, why in (
            ("amount >", "at the end, expected a number"),
            ("amount > 'x'", "at character 10, expected a number"),
            ("price > 1", "the variable price is not indexed; these are: "
                          "amount, order/customer, order/day")):
        status, detail = find.refused(where=where)
        check("400 for " + where, status == 400 and why in detail, detail)


def others_index(client, find):
    """That of another process is not needed, while it is being filled."""
    added = index(client, "amount", "Other")
    check("a variable is indexed for another process", added.status == 201 and
          added.json()["state"] == "filling", added)
    check("which does not matter for this one", find.cases(
        where="amount > 100", specification="Order") == ["a", "b"] and
        find.cases(where="amount > 100", specification="Order",
                   version="0.1") == [] and
        find.items(where="amount > 100", specification="Order") ==
        ["a:Ask", "b:Ask"])
    for filters in ({}, {"specification": "Other"}):
        status, detail = find.refused(where="amount > 100", **filters)
        check("but for that one, and for all", status == 409 and
              "amount for Other is being filled" in detail, detail)
    check("it is taken away", client.call(
        "DELETE", "/v1/indexes?specification=Other&variable=amount")
        .status == 200)
    check("and gone in the end", until(lambda: len([
        row for row in client.get("/v1/indexes").json()["indexes"]
        if row["variable"] == "amount"]) == 1))


def changes(client, find):
    """Terms are written with the step."""
    changed = client.call("PATCH", "/v1/cases/cab/data", {"amount": 777})
    check("a variable is changed", changed.status == 200, changed)
    check("and the case found by it", find.cases(where="amount = 777") ==
          ["cab"] and find.cases(where="amount = 12.25") == [])
    item = client.post("/v1/items/cab:Ask/start").json()["item"]
    done = client.post("/v1/items/%s/complete" % item, {"amount": 3})
    check("an item is completed, and with it the case", done.status == 200,
          done)
    check("it is found by the last value", find.cases(where="amount = 3.5",
                                                      status="completed") ==
          ["cab"])
    order(client, "Order", "new", "", 777, "x")
    check("a new case is found", find.cases(where="amount > 700 and amount "
                                            "< 800") == ["new"])
    client.post("/v1/cases/new/cancel")
    check("also once it has ended", find.cases(
        where="amount = 777", status="cancelled") == ["new"])


def refusals(server, client):
    for body, status, why in (
            ({"variable": "none"}, 400, "has no variable none"),
            ({"variable": "order"}, 400, "not of a simple type"),
            ({"variable": "order/line"}, 400, "several times"),
            ({"variable": "order/price"}, 400, "has no element price"),
            ({"variable": "a b"}, 400, "expected the name of a variable"),
            ({"variable": "amount", "specification": "no"}, 404, ""),
            ({"variable": "amount", "type": "x"}, 400, "expected text"),
            ({"variable": "day", "specification": "*"}, 400,
             "of any specification"),
            ({"variable": "amount"}, 409, "indexed already"),
            ({"variable": "amount", "specification": "*", "type": "text"}, 409,
             "indexed already")):
        answer = index(client, **body)
        check("%d for %s" % (status, body), answer.status == status and
              why in answer.json().get("detail", ""), answer)
    reader = server.client(server.add_account("reader", "reader", 1))
    check("a reader adds none", index(reader, "order/day").status == 403 and
          reader.get("/v1/indexes").status == 200)
    for i in range(5):
        answer = index(client, "v%d" % i, "*", type="text")
        check("another one", answer.status == 201, answer)
    answer = index(client, "v9", "*", type="text")
    check("there is a limit", answer.status == 413 or
          "8 are not possible" in answer.json()["detail"], answer)
    for i in range(5):
        answer = client.call(
            "DELETE", "/v1/indexes?specification=*&variable=v%d" % i)
        check("one is removed", answer.status == 200 and
              answer.json()["state"] == "removing", answer)
    gone = client.call("DELETE", "/v1/indexes?specification=*&variable=v9")
    check("404 for another", gone.status == 404, gone)
    check("they are gone in the end",
          until(lambda: len(indexes(client)) == 3), indexes(client))
    other = server.client(server.add_account("far", "admin", 7))
    check("other namespaces have others", indexes(other) == {} and
          Finder(other).cases(q="rome") == [])


def command_line(server, client):
    def weft(*arguments):
        return subprocess.run(
            [WEFT] + list(arguments) + ["--server",
                                        "http://127.0.0.1:%d" % server.port],
            env=dict(os.environ, WEFT_TOKEN=client.token),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    def cases(*arguments):
        done = weft("case", "list", "--json", "--oldest", *arguments)
        return [c["case"] for c in json.loads(done.stdout or b"[]")]

    check("weft case list --where", cases("--where", "amount > 100 and "
                                          "amount < 2000",
                                          "--status", "running") == ["a", "b"])
    check("weft case list --find", cases("--find", "rome") == ["a", "c-1"])
    check("weft case list --title", cases("--title", "trip to rome, 7") ==
          ["a"])
    check("weft case list --incident",
          cases("--incident", "none") == [] and
          cases("--incident", "unoffered", "--find", "rom") == ["a", "b"],
          cases("--incident", "unoffered", "--find", "rom"))
    check("weft case list with ages", cases("--older", "P1D") == [] and
          cases("--newer", "P1D", "--find", "rome") == ["a", "c-1"] and
          cases("--unchanged", "P1D") == [])
    check("ages may be short", cases("--older", "24h") == [] and
          cases("--newer", "1w", "--find", "rome") == ["a", "c-1"] and
          len(cases("--older", "0s")) > 0)
    done = weft("case", "list", "--where", "amount")
    check("what is wrong is said", done.returncode != 0 and
          b"expected one of =" in done.stderr, done)
    done = weft("item", "list", "--where", "amount = 1000", "--json",
                "--older", "2126-01-01", "--find", "romford")
    check("weft item list", [i["item"] for i in json.loads(done.stdout)] ==
          ["b:Ask"], done)
    done = weft("index", "list")
    check("weft index list", b"order/customer" in done.stdout and
          b"number" in done.stdout, done)
    done = weft("index", "add", "*", "city", "--type", "text")
    check("weft index add", done.returncode == 0 and
          b"filling" in done.stdout, done)
    done = weft("index", "remove", "*", "city")
    check("weft index remove", done.returncode == 0, done)


def participants(server):
    anna = add_people(server, {"anna": {}})["anna"]
    answer = anna.get("/v1/cases?mine=true&q=rome")
    check("who takes part lists own cases by words",
          answer.json() == {"cases": []}, answer)
    answer = anna.get("/v1/cases?mine=true&where=amount%3D1")
    check("but not by data", answer.status == 403, answer)


def find(name, db):
    server = Server(db=db, arguments=["--people"])
    client = server.client()
    client.load(ORDER % ("Order", "0.1", "Order"))
    client.load(ORDER % ("Order", "0.2", "Order"))
    client.load(ORDER % ("Other", "0.1", "Other"))
    finder = Finder(client)
    status, detail = finder.refused(where="amount > 1")
    check("no variable is indexed", status == 400 and
          "nor is any other" in detail, detail)
    order(client, "Order", "a", "Trip to Rome, 7", 100.5, "Miller & Co")
    order(client, "Order", "b", "Trip to Romford", 1000, "Smith",
          "2025-12-31")
    for variable in ("amount", "order/customer", "order/day"):
        added = index(client, variable)
        check("%s is indexed" % variable, added.status == 201 and
              added.json()["state"] == "filling", added)
    status, detail = finder.refused(where="amount > 1")
    check("an index that is not complete is not used", status == 409 and
          "being filled" in detail, detail)
    order(client, "Order", "c-1", "A trip: Rome", 100, "Miller & Co")
    order(client, "Order", "cab", "", 12.25, "Jones")
    order(client, "Other", None, "Oslo", 5000, "Olsen")
    words(client, finder)
    ages(client, finder)
    incidents(client, finder)
    check("the indexes are filled", until(lambda: filled(client)),
          indexes(client))
    check("they have types", indexes(client) == {
        "amount": ("Order", "number", "ready"),
        "order/customer": ("Order", "text", "ready"),
        "order/day": ("Order", "date", "ready")}, indexes(client))
    variables(client, finder)
    others_index(client, finder)
    changes(client, finder)
    refusals(server, client)
    command_line(server, client)
    participants(server)
    ended(client, finder)
    removed = client.call(
        "DELETE", "/v1/indexes?specification=Order&variable=amount")
    check("an index is removed", removed.status == 200, removed)
    check("which is in the audit", until(lambda: "Order amount" in [
        act["subject"] for act in client.get(
            "/v1/audit?kind=removeIndex").json()["audit"]]))
    status, detail = finder.refused(where="amount > 1")
    check("nothing is found by it", status == 400 and
          "not indexed" in detail, detail)
    check("its record is gone in the end",
          until(lambda: "amount" not in indexes(client) and
                filled(client)), indexes(client))
    check("and it can be added again", index(client, "amount").status == 201)
    server.close()


run(*on_each(find, "finding"))
end()
