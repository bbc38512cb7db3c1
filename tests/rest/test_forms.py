# SPDX-License-Identifier: Apache-2.0
"""Forms: fields by type and attributes, conditions, and mistakes that are those
of the completion."""
from checks import check, run, end
from server import Server

XS = "http://www.w3.org/2001/XMLSchema"


def variable(kind, index, name, type, attributes="", more="", own=False):
    space = "" if own else "<namespace>%s</namespace>" % XS
    return "<%s %s><index>%d</index><name>%s</name><type>%s</type>%s%s</%s>" % (
        kind, attributes, index, name, type, space, more, kind)


TYPES = """<xs:schema xmlns:xs="%s" elementFormDefault="qualified">
<xs:simpleType name="Code"><xs:restriction base="xs:string">
<xs:pattern value="[A-Z]{2}"/><xs:pattern value="[0-9]{3}"/>
<xs:maxLength value="9"/></xs:restriction></xs:simpleType>
<xs:simpleType name="Colour"><xs:restriction base="xs:string">
<xs:enumeration value="red"/><xs:enumeration value="blue"/></xs:restriction>
</xs:simpleType>
<xs:simpleType name="Either"><xs:union memberTypes="Colour xs:integer"/>
</xs:simpleType>
<xs:simpleType name="Grade"><xs:restriction base="xs:integer">
<xs:minInclusive value="1"/><xs:maxInclusive value="6"/></xs:restriction>
</xs:simpleType>
<xs:complexType name="Line"><xs:sequence>
<xs:element name="text" type="xs:string"><xs:annotation><xs:appinfo>
<label>What ${string(/Fill/who)} buys</label><textarea>true</textarea>
</xs:appinfo></xs:annotation></xs:element>
<xs:element name="grade" type="Grade" minOccurs="0"/>
<xs:element name="price" default="1.5"><xs:simpleType>
<xs:restriction base="xs:decimal"><xs:fractionDigits value="2"/>
</xs:restriction></xs:simpleType></xs:element>
</xs:sequence></xs:complexType>
<xs:complexType name="Order"><xs:sequence>
<xs:element name="line" type="Line" maxOccurs="3"/>
<xs:choice><xs:element name="card" type="Code"/>
<xs:sequence><xs:element name="bank" type="xs:string"/>
<xs:element name="branch" type="Colour"/></xs:sequence></xs:choice>
<xs:element name="seen"><xs:complexType/></xs:element>
</xs:sequence></xs:complexType>
<xs:complexType name="Part"><xs:sequence><xs:element name="id" type="xs:int"/>
<xs:element name="part" type="Part" minOccurs="0" maxOccurs="unbounded"/>
</xs:sequence></xs:complexType></xs:schema>""" % XS

SPECIFICATION = """<specificationSet version="4.0"
  xmlns="http://www.yawlfoundation.org/yawlschema"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<specification uri="forms"><metaData><title>Forms</title><version>0.1</version>
<identifier>UID_forms</identifier></metaData>%s
<decomposition id="Net" isRootNet="true" xsi:type="NetFactsType">
%s<processControlElements>
<inputCondition id="i"><flowsInto><nextElementRef id="Fill"/></flowsInto>
</inputCondition>
<task id="Fill"><name>Fill in</name>
<flowsInto><nextElementRef id="o"/></flowsInto>
<join code="xor"/><split code="and"/>
<startingMappings><mapping><expression
query="&lt;who&gt;{/Net/who/text()}&lt;/who&gt;"/><mapsTo>who</mapsTo></mapping>
<mapping><expression
query="&lt;limit&gt;{count(/Net/who)}&lt;/limit&gt;"/><mapsTo>limit</mapsTo></mapping>
</startingMappings>
<completedMappings><mapping><expression
query="&lt;who&gt;{/Fill/who/text()}&lt;/who&gt;"/><mapsTo>who</mapsTo></mapping>
<mapping><expression
query="&lt;since&gt;{/Fill/bad/text()}&lt;/since&gt;"/><mapsTo>since</mapsTo>
</mapping></completedMappings>
<customForm>http://forms.example/f?who={/Net/who/text()}&amp;n={1+1}</customForm>
<decomposesTo id="Fill"/></task>
<outputCondition id="o"/></processControlElements></decomposition>
<decomposition id="Fill" xsi:type="WebServiceGatewayFactsType"
  label="For ${string(/Fill/who)}" font-color="navy" hideBanner="true">%s
</decomposition></specification></specificationSet>""" % (
    TYPES,
    variable("inputParam", 0, "who", "string",
             'label="Your name" label-zh="姓名" label-zh-TW="您的姓名"') +
    variable("inputParam", 1, "since", "date", 'optional="true"'),
    variable("inputParam", 0, "who", "string") +
    variable("inputParam", 1, "limit", "integer") +
    variable("outputParam", 0, "who", "string", 'tooltip="First and last"') +
    variable("outputParam", 2, "order", "Order",
             'readOnly="false" alert="The order is wrong"', own=True) +
    variable("outputParam", 3, "code", "Code",
             'hideIf="/Fill/who = &quot;x y&quot;" justify="right"', own=True) +
    variable("outputParam", 4, "colour", "Colour", "", own=True) +
    variable("outputParam", 5, "either", "Either", 'optional="true"', own=True) +
    variable("outputParam", 6, "part", "Part", 'optional="true" hide="true"',
             own=True) +
    variable("outputParam", 7, "ok", "boolean",
             'showIf="/Fill/colour = &quot;blue&quot;" blackout="true"',
             "<defaultValue>false</defaultValue>") +
    variable("outputParam", 8, "bad", "string",
             'optional="true" hideIf="1 +" label="${/nowhere(}"') +
    variable("outputParam", 9, "file", "YDocumentType", 'optional="true"',
             own=True))


def field(form, path, fields=None):
    for one in form["fields"] if fields is None else fields:
        if one["path"] == path and one["name"]:
            return one
        inner = one.get("fields", []) + sum(one.get("alternatives", []), [])
        found = field(form, path, inner)
        if found:
            return found
    return None


def fields(client):
    form = client.get("/v1/items/a:Fill/form").json()
    check("the form names what it is about",
          (form["item"], form["case"], form["task"], form["name"]) ==
          ("a:Fill", "a", "Fill", "Fill in"), form)
    check("a heading with a query", form["title"] == "For x y", form)
    check("attributes of the whole form", form["attributes"] == {
        "font-color": "navy", "hideBanner": "true"}, form)
    check("the URI of a custom form with queries over the root net's data, "
          "percent-encoded", form["custom_form"] ==
          "http://forms.example/f?who=x%20y&n=2", form)
    check("parameters in the order of their index",
          [f["name"] for f in form["fields"]] == [
              "who", "limit", "order", "code", "colour", "either", "part",
              "ok", "bad", "file"], form)
    who, limit = field(form, "who"), field(form, "limit")
    check("what is input and output can be changed", not who["read_only"] and
          who["required"] and who["tooltip"] == "First and last", who)
    check("what is input only cannot", limit["read_only"] and
          not limit["required"] and limit["widget"] == "number", limit)
    check("values are those of the input, and defaults",
          form["data"] == {"who": "x y", "limit": 1, "ok": False},
          form["data"])
    line = field(form, "order/line")
    check("a group that repeats", line["widget"] == "group" and
          line["repeat"] == {"minimum": 1, "maximum": 3}, line)
    text = field(form, "order/line/text")
    check("what an annotation says, with a query",
          text["label"] == "What x y buys" and text["widget"] == "textarea",
          text)
    grade = field(form, "order/line/grade")
    check("bounds, and an element that may be missing",
          grade["facets"] == {"min_inclusive": "1", "max_inclusive": "6"} and
          not grade["required"] and grade["base"] == "integer", grade)
    price = field(form, "order/line/price")
    check("digits and a default", price["default"] == "1.5" and
          price["facets"] == {"fraction_digits": "2"} and
          price["widget"] == "number", price)
    choice = [f for f in field(form, "order")["fields"]
              if f["widget"] == "choice"]
    check("alternatives", len(choice) == 1 and [
        [f["name"] for f in a] for a in choice[0]["alternatives"]] == [
            ["card"], ["bank", "branch"]], choice)
    check("an alert of a container is that of its fields",
          grade["alert"] == "The order is wrong", grade)
    check("an element without content", field(form, "order/seen")["widget"] ==
          "flag", form)
    code = field(form, "code")
    check("patterns of one derivation are alternatives", code["facets"] == {
        "max_length": "9", "patterns": ["[A-Z]{2}|[0-9]{3}"]}, code)
    check("an attribute of its appearance", code["attributes"]["justify"] == "right" and
          code["attributes"]["font-color"] == "navy", code)
    check("hideIf holds", code["hidden"], code)
    check("showIf does not hold", field(form, "ok")["hidden"], form)
    check("an enumeration", field(form, "colour")["values"] == ["red", "blue"]
          and field(form, "colour")["widget"] == "select", form)
    either = field(form, "either")
    check("a union of an enumeration and others", either["open"] and
          either["values"] == ["red", "blue"] and not either["required"],
          either)
    part = field(form, "part/part")
    check("a type that contains itself is there once", part["like"] == "part"
          and "fields" not in part and "maximum" not in part["repeat"] and
          part["hidden"], part)
    bad = field(form, "bad")
    check("what cannot be evaluated hides nothing, and is said",
          not bad["hidden"] and bad["label"] == "n/a" and
          [p["path"] for p in form["problems"]] == ["bad", "bad"], form)
    check("a document", field(form, "file")["widget"] == "document", form)


def mistakes(client):
    def fill(values, path="/v1/items/a:Fill/form"):
        return client.post(path, values).json()

    form = fill({"who": "z", "colour": "blue"})
    check("conditions are those of the values that are given",
          not field(form, "code")["hidden"] and
          not field(form, "ok")["hidden"] and form["title"] == "For z", form)
    check("what is missing is said, all of it",
          not form["valid"] and [(m["path"], m["rule"])
                                 for m in form["mistakes"]] == [
              ("order", "required"), ("code", "required")], form["mistakes"])
    wrong = {"who": "z", "code": "x", "colour": "green", "ok": "maybe",
             "order": {"line": [{"text": "a", "grade": 7, "price": 1.234},
                                {"text": "b", "price": "x"}],
                       "card": "", "seen": ""}}
    form = fill(wrong)
    rules = {m["path"]: m["rule"] for m in form["mistakes"]}
    check("each mistake has its field and its facet", rules == {
        "ok": "type", "code": "pattern",
        "colour": "enumeration", "order/line[1]/grade": "max_inclusive",
        "order/line[1]/price": "fraction_digits",
        "order/line[2]/price": "type", "order/card": "pattern"},
          form["mistakes"])
    check("with the alert of the specification", all(
        (m.get("alert") == "The order is wrong") == m["path"].startswith(
            "order") for m in form["mistakes"]), form["mistakes"])
    complete = dict(wrong)
    del complete["ok"]
    answer = client.post("/v1/items/a:Fill/complete", complete)
    check("the completion refuses the first of these", answer.status == 422
          and form["mistakes"][2]["message"] in answer.json()["detail"] or
          "order" in answer.json()["detail"], answer)
    form = fill(dict(wrong, ok=True, code="AB", colour="red", order=7))
    check("a mistake is said once", [m["path"] for m in form["mistakes"]] ==
          ["order"], form["mistakes"])
    for path in ("/v1/items/a:Fill/form", "/v1/specifications/forms/form"):
        answer = client.post(path, {"extra": 1})
        check("what no field has is refused", answer.status == 422 and
              "extra" in answer.json()["detail"], answer)
    good = {"who": "z", "code": "AB", "colour": "red", "ok": True,
            "order": {"line": [{"text": "a", "grade": 6, "price": 1.23}],
                      "bank": "b", "branch": "red", "seen": ""}}
    form = fill(good)
    check("nothing is refused", form["valid"] and form["mistakes"] == [], form)
    check("and nothing was done",
          client.get("/v1/items/a:Fill").json()["status"] == "enabled")
    started = client.post("/v1/items/a:Fill/start").json()["item"]
    path = "/v1/items/%s/form" % started
    check("the form of an item that was started",
          client.get(path).json()["item"] == started)
    check("and its check", fill(good, path)["valid"] and
          len(fill(wrong, path)["mistakes"]) == 7)
    form = fill(dict(good, bad="tomorrow"), path)
    check("what is not about a field is said, too", not form["valid"] and
          form["mistakes"][0]["rule"] == "completion" and
          form["mistakes"][0]["path"] == "", form["mistakes"])
    answer = client.post("/v1/items/%s/complete" % started, good)
    check("what is valid is completed", answer.status == 200, answer)
    check("an item that has ended has no form",
          client.get(path).status == 404)


def starts(client, key):
    path = "/v1/specifications/%s/form" % key
    form = client.get(path).json()
    check("a form to start a case", [
        (f["name"], f["label"], f["widget"], f["required"])
        for f in form["fields"]] == [
            ("who", "Your name", "text", True),
            ("since", "since", "date", False)] and form["name"] == "Forms",
          form)
    for language, header, label in (
            ("zh", None, "姓名"), ("zh-TW", None, "您的姓名"),
            ("ZH-hk", None, "姓名"), ("en", "zh", "Your name"),
            (None, "zh-TW,zh;q=0.9", "您的姓名"), (None, "zh", "姓名"),
            (None, "*", "Your name"), ("x" * 35, None, "Your name")):
        form = client.get(
            path + ("?language=" + language if language else ""),
            headers={"Accept-Language": header} if header else None).json()
        check("its texts in %s, %s" % (language, header), [
            f["label"] for f in form["fields"]] == [label, "since"], form)
    check("a check has the language, too", client.post(
        path + "?language=zh", {}).json()["fields"][0]["label"] == "姓名")
    for language in ("", "zh_CN", "-zh", "x" * 36, "zh%00"):
        check("%r is no language" % language, client.get(
            path + "?language=" + language).status == 400)
    form = client.post(path, {"since": "yesterday"}).json()
    check("what a start would refuse", [
        (m["path"], m["rule"]) for m in form["mistakes"]] == [
            ("since", "type"), ("who", "required")], form["mistakes"])
    form = client.post(path, {"since": "2026-01-31", "who": "a"}).json()
    check("and what not", form["valid"], form)
    check("nothing was started",
          len(client.get("/v1/cases").json()["cases"]) == 1)
    check("by URI", client.get("/v1/specifications/forms/form").json()[
        "specification"] == key)
    check("of none", client.get("/v1/specifications/none/form").status == 404)


def drafts(client, key):
    client.post("/v1/cases", {"specification": key, "case": "d",
                              "data": {"who": "x y"}})
    answer = client.call("PUT", "/v1/items/d:Fill/draft", {"code": "A"})
    check("an item that is not started has no draft", answer.status == 409 and
          "start it first" in answer.json()["detail"], answer)
    check("nor shows one", client.get("/v1/items/d:Fill/draft").status == 404)
    item = client.post("/v1/items/d:Fill/start").json()["item"]
    path = "/v1/items/%s/draft" % item
    wrong = {"who": "z", "code": "not yet", "order": {"line": [{}]}}
    first = client.call("PUT", path, wrong)
    check("what is not right yet is saved", first.status == 200 and
          first.json()["data"] == wrong and first.json()["by"] == "admin",
          first)
    check("and read", client.get(path).body == first.body and
          client.get(path).headers["etag"] == first.headers["etag"])
    form = client.get("/v1/items/%s/form" % item).json()
    check("the form shows it", form["draft"] == {
        "saved": first.json()["saved"], "by": "admin",
        "etag": first.headers["etag"]} and
        form["data"]["code"] == "not yet" and form["data"]["limit"] == 1, form)
    check("a check does not", "draft" not in
          client.post("/v1/items/%s/form" % item, {}).json())
    check("the item itself is as it was", client.get(
        "/v1/items/%s/data" % item).json()["who"] == "x y")
    old = {"If-Match": first.headers["etag"]}
    second = client.call("PUT", path, {"code": "AB"}, headers=old)
    check("the draft that was read is replaced", second.status == 200, second)
    answer = client.call("PUT", path, {"code": "CD"}, headers=old)
    check("another one is not", answer.status == 409 and
          "If-Match" in answer.json()["detail"], answer)
    check("nor removed", client.call("DELETE", path, headers=old).status == 409)
    check("the last one counts", client.call("PUT", path, {"code": "EF"}).status == 200
          and client.get(path).json()["data"] == {"code": "EF"})
    for body, status in (({"extra": 1}, 422), ([], 400), (None, 400),
                         ({"bad": "x" * (257 << 10)}, 413)):
        answer = client.call("PUT", path, body)
        check("refused: %.20r" % body, answer.status == status, answer)
    check("and kept", client.get(path).json()["data"] == {"code": "EF"})
    check("it is removed", client.call("DELETE", path).status == 204 and
          client.get(path).status == 404 and
          client.call("PUT", path, {}, headers={"If-Match": "*"}).status == 409)
    client.call("PUT", path, {"code": "GH"})
    answer = client.post("/v1/items/%s/suspend" % item)
    check("suspended", answer.status == 200, answer)
    check("a suspended item keeps it", client.get(path).json()["data"] ==
          {"code": "GH"} and client.call("PUT", path, {"code": "IJ"}).status == 200)
    client.post("/v1/items/%s/resume" % item)
    answer = client.post("/v1/items/%s/rollback" % item)
    check("rolled back", answer.status == 200, answer)
    again = client.post("/v1/items/%s/start" % item).json()["item"]
    check("what is rolled back has none",
          client.get("/v1/items/%s/draft" % again).status == 404)
    path = "/v1/items/%s/draft" % again
    check("saved", client.call("PUT", path, {"code": "KL"}).status == 200)
    check("it goes with the item", client.post("/v1/cases/d/cancel").status ==
          200 and client.get(path).status == 404)


def forms():
    server = Server()
    client = server.client()
    key = client.load(SPECIFICATION)
    client.post("/v1/cases", {"specification": key, "case": "a",
                              "data": {"who": "x y"}})
    fields(client)
    starts(client, key)
    mistakes(client)
    drafts(client, key)
    server.close()


run(forms)
end()
