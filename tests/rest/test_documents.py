# SPDX-License-Identifier: Apache-2.0
"""Files of cases: sent and received in blocks, versions, limits, who may, what
refers to them, what is left when a transfer is cut, retiring."""
import http.client
import os
import random
import socket
import subprocess
import urllib.parse

from checks import check, end, run, until
from people import add_people, resourcing
from server import Client, Server, WEFT

chance = random.Random(1)
LARGE = bytes(chance.getrandbits(8) for _ in range(65536)) * 70  # 4.5 MB
XS = "http://www.w3.org/2001/XMLSchema"


# A document in a sequence, in a type inside of that, and among what JSON does
# not express.
CLAIM = """<complexType name="Photo"><sequence>
<element name="text" type="string"/>
<element name="file" type="YDocumentType" minOccurs="0">
<annotation><appinfo><documentTypes>image/*</documentTypes></appinfo>
</annotation></element></sequence></complexType>
<complexType name="Notes"><choice minOccurs="0" maxOccurs="unbounded">
<element name="note" type="string"/>
<element name="file" type="YDocumentType"/></choice></complexType>
<complexType name="Base"><sequence>
<element name="bill" type="YDocumentType" minOccurs="0"/></sequence>
</complexType>
<complexType name="Claim"><complexContent><extension base="Base"><sequence>
<element name="photo" type="Photo" minOccurs="0" maxOccurs="unbounded"/>
<element name="notes" type="Notes" minOccurs="0"/>
</sequence></extension></complexContent></complexType>"""


def specification(name, people="", type="YDocumentType", types=""):
    """Fill in and then See; both know the parameter `file`."""
    def task(id, next, rules=""):
        return """<task id="%s"><flowsInto><nextElementRef id="%s"/></flowsInto>
<join code="xor"/><split code="and"/>
<startingMappings><mapping><expression
query="&lt;file&gt;{/Net/file/*}&lt;/file&gt;"/><mapsTo>file</mapsTo></mapping>
</startingMappings><completedMappings><mapping><expression
query="&lt;file&gt;{/%s/file/*}&lt;/file&gt;"/><mapsTo>file</mapsTo></mapping>
</completedMappings>%s<decomposesTo id="%s"/></task>""" % (
            id, next, id, rules, id)

    def work(id):
        return """<decomposition id="%s" xsi:type="WebServiceGatewayFactsType">
<inputParam optional="true"><index>0</index><name>file</name>
<type>%s</type></inputParam>
<outputParam documentTypes="application/pdf text/*" documentSize="5M">
<index>0</index><name>file</name><type>%s</type></outputParam>
<externalInteraction>manual</externalInteraction></decomposition>""" % (
            id, type, type)

    return """<specificationSet version="4.0"
  xmlns="http://www.yawlfoundation.org/yawlschema"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<specification uri="%s"><metaData><title>Files</title><version>0.1</version>
<identifier>UID_%s</identifier></metaData>
<schema xmlns="%s">%s</schema>
<decomposition id="Net" isRootNet="true" xsi:type="NetFactsType">
<localVariable><index>0</index><name>file</name><type>%s</type>
%s</localVariable>
<processControlElements><inputCondition id="i"><flowsInto>
<nextElementRef id="Fill"/></flowsInto></inputCondition>%s%s
<outputCondition id="o"/></processControlElements></decomposition>%s%s
</specification></specificationSet>""" % (
        name, name, XS, types, type,
        "<initialValue>&lt;name/&gt;</initialValue>" if not types else "",
        task("Fill", "See", people), task("See", "o", people),
        work("Fill"), work("See"))


def put(client, path, content, type="application/octet-stream", name="a.bin",
        headers=None, **more):
    query = urllib.parse.urlencode(dict({"name": name} if name else {}, **more))
    return client.call("POST", path + ("?" + query if query else ""), content,
                       type=type, headers=headers)


def listed(client, of):
    return client.get("/v1/%s/documents" % of).json()["documents"]


def transfer(client):
    added = put(client, "/v1/cases/a/documents", LARGE, name="big.bin")
    document = added.json()
    check("a file of several parts is added", added.status == 201 and
          (document["size"], document["version"], document["name"],
           document["author"]) == (len(LARGE), 1, "big.bin", "admin"), added)
    place = added.headers["location"]
    read = client.get(place + "/content")
    check("and read as it was", read.body == LARGE, len(read.body))
    check("as an attachment that no browser shows or runs",
          read.headers["content-disposition"] ==
          "attachment; filename=\"big.bin\"; filename*=UTF-8''big.bin" and
          read.headers["x-content-type-options"] == "nosniff" and
          "sandbox" in read.headers["content-security-policy"] and
          read.headers["content-length"] == str(len(LARGE)), read.headers)
    head = client.call("HEAD", place + "/content")
    check("HEAD has its size and no body", head.body == b"" and
          head.headers["content-length"] == str(len(LARGE)), head)
    for asked, first, last in (("5-9", 5, 9), ("131070-131075", 131070, 131075),
                               ("4587519-", 4587519, len(LARGE) - 1),
                               ("-3", len(LARGE) - 3, len(LARGE) - 1),
                               ("0-99999999999", 0, len(LARGE) - 1)):
        part = client.get(place + "/content",
                          headers={"Range": "bytes=" + asked})
        check("the bytes %s" % asked, part.status == 206 and
              part.body == LARGE[first:last + 1] and
              part.headers["content-range"] == "bytes %d-%d/%d" % (
                  first, last, len(LARGE)), part.status, part.headers)
    for asked in ("bytes=9-5", "bytes=99999999-", "bytes=-0", "bytes=1-2,4-5",
                  "lines=1-2", "bytes=-", "bytes=x"):
        whole = client.get(place + "/content", headers={"Range": asked})
        check("another range is ignored: " + asked, whole.status == 200 and
              len(whole.body) == len(LARGE), whole.status)
    tag = read.headers["etag"]
    same = client.get(place + "/content", headers={"If-None-Match": tag})
    check("a known version is not sent again", same.status == 304, same.status)
    other = client.get(place + "/content", headers={
        "Range": "bytes=5-9", "If-Range": '"other"'})
    check("a part of another version is not wanted", other.status == 200)
    empty = put(client, "/v1/cases/a/documents", b"", name="empty")
    check("an empty file", empty.status == 201 and client.get(
        empty.headers["location"] + "/content").body == b"", empty)
    return place


def versions(client, place):
    second = put(client, place, b"second", name=None, type="text/plain")
    check("a version has the name of the one before", second.status == 201 and
          (second.json()["version"], second.json()["name"]) == (2, "big.bin"),
          second)
    check("the newest is read", client.get(
        place + "/content").body == b"second")
    check("an older one, too", client.get(
        place + "/content?version=1").body == LARGE)
    shown = client.get(place).json()
    check("all are listed", [(v["version"], v["size"], v["type"])
                             for v in shown["versions"]] == [
        (1, len(LARGE), "application/octet-stream"),
        (2, 6, "text/plain")], shown)
    check("a list has the newest", [(d["version"], d["name"]) for d in
                                    listed(client, "cases/a")] == [
        (2, "big.bin"), (1, "empty")], listed(client, "cases/a"))
    check("a version can be removed", client.call(
        "DELETE", place + "?version=2").status == 204 and
        client.get(place).json()["version"] == 1)
    check("a version that is not there", client.get(
        place + "/content?version=2").status == 404)
    for wrong in ("0", "-1", "x", "4294967296"):
        check("version %s" % wrong, client.get(
            place + "?version=" + wrong).status == 400)
    check("a document can be removed", client.call(
        "DELETE", place).status == 204 and client.get(place).status == 404)


HOSTILE = (
    # the name that is sent, that which is kept (None: refused), the fallback
    ("../../etc/passwd", "passwd", "passwd"),
    ("C:\\temp\\a.txt", "a.txt", "a.txt"),
    ('q"u\'o;te.txt', 'q"u\'o;te.txt', "q_u'o;te.txt"),
    ("Grüße €.pdf", "Grüße €.pdf", "Gr__e _.pdf"),
    ("a%0d%0ab", "a%0d%0ab", "a_0d_0ab"),
    ("\U0001f4a9", "\U0001f4a9", "_"),
    ("x" * 255, "x" * 255, "x" * 255),
    ("x" * 256, None, None), ("", None, None), ("..", None, None),
    ("a/", None, None), ("a\r\nX: y", None, None), ("a\nb", None, None),
    ("a\tb", None, None), ("a\x7fb", None, None), ("cod\u202efdp.exe", None, None),
    ("a\u2028b", None, None), ("a\u0085b", None, None), ("\ufeffa", None, None))


def names(client):
    for sent, kept, plain in HOSTILE:
        answer = put(client, "/v1/cases/a/documents", b"x", name=sent or "/")
        if kept is None:
            check("the name %r is refused" % sent, answer.status == 400, answer)
            continue
        check("the name %r" % sent, answer.status == 201 and
              answer.json()["name"] == kept, answer)
        read = client.get(answer.headers["location"] + "/content")
        check("the header for %r" % sent, read.headers[
            "content-disposition"] == "attachment; filename=\"%s\"; "
            "filename*=UTF-8''%s" % (plain, urllib.parse.quote(
                kept, safe="!#$&+-.^_`|~")), read.headers)
        client.call("DELETE", answer.headers["location"])
    check("a name is needed", put(
        client, "/v1/cases/a/documents", b"x", name=None).status == 400)


PDF = b"%PDF-1.7 x"
PNG = b"\x89PNG\r\n\x1a\n...."


def types(client):
    for content, sent, kept, served in (
            (PDF, "application/pdf", "application/pdf", "application/pdf"),
            (PDF, "application/octet-stream", "application/pdf",
             "application/pdf"),
            (b"hello", "text/plain; charset=utf-8", "text/plain", "text/plain"),
            (b"<script>", "text/html", "text/html", "application/octet-stream"),
            (PDF, "image/png", None, None), (b"text", "image/png", None, None),
            (PNG, "text/plain", None, None), (PNG, "no type", None, None)):
        answer = put(client, "/v1/cases/a/documents", content, type=sent)
        if kept is None:
            check("%r as %s is refused" % (content, sent),
                  answer.status == (400 if " " in sent else 415), answer)
            continue
        check("%r as %s" % (content, sent), answer.status == 201 and
              answer.json()["type"] == kept, answer)
        read = client.get(answer.headers["location"] + "/content")
        check("%s is served as %s" % (kept, served),
              read.headers["content-type"] == served, read.headers)
        client.call("DELETE", answer.headers["location"])


def raw(server, client, head, body):
    """A request whose body is sent in full or in part; the socket."""
    to = socket.create_connection(("127.0.0.1", server.port))
    to.sendall(("POST /v1/cases/a/documents?name=cut HTTP/1.1\r\nHost: x\r\n"
                "Authorization: Bearer %s\r\n%s\r\n" % (
                    client.token, head)).encode() + body)
    return to


def files(server):
    """Rows of documents and of blocks, whole or not, where SQL can count them."""
    import sqlite3
    with sqlite3.connect(server.db.partition(":")[2]) as db:
        return db.execute("SELECT (SELECT count(*) FROM document), "
                          "(SELECT count(*) FROM document_block)").fetchone()


def limits(server, client):
    before = files(server)
    large = raw(server, client, "Content-Length: 6000000\r\n"
                "Expect: 100-continue\r\n", b"")
    answer = large.recv(4096)
    check("a file that is too large is refused before it is sent",
          b" 413 " in answer.split(b"\r\n")[0] and b"too_large" in answer and
          b"setting document" in answer, answer)
    large.close()
    wrong = put(client, "/v1/cases/a/documents", LARGE, type="image/png")
    check("a wrong type, seen in the first part, after which the rest is "
          "dropped", wrong.status == 415, wrong)
    check("the server still answers", client.get("/healthz").status == 200)
    cut = raw(server, client, "Content-Length: 4000000\r\n", LARGE[:1000000])
    begun = until(lambda: files(server)[1] > before[1])
    check("parts are stored while they come", begun)
    cut.close()
    check("a body that is cut leaves nothing behind",
          until(lambda: files(server) == before), files(server))
    chunked = raw(server, client, "Transfer-Encoding: chunked\r\n",
                  b"3\r\nabc\r\n0\r\n\r\n")
    check("a body of unknown size is refused",
          b" 400 " in chunked.recv(4096).split(b"\r\n")[0])
    chunked.close()
    slow = raw(server, client, "Content-Length: 10\r\nExpect: 100-continue\r\n",
               b"")
    check("the client is asked for the body when it may send it",
          b" 100 " in slow.recv(4096))
    slow.sendall(b"0123456789")
    check("and is answered", b" 201 " in slow.recv(4096))
    slow.close()
    stranger = Client(server.port, "no-token")
    refused = put(stranger, "/v1/cases/a/documents", b"x" * 200000)
    check("without an account nothing is read", refused.status == 401, refused)
    check("a case that is not there", put(
        client, "/v1/cases/none/documents", b"x").status == 404)


def reader_is_slow(server, client, place):
    """Many who read nothing: of each one block is in memory."""
    readers = []
    for _ in range(20):
        to = socket.socket()
        to.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        to.connect(("127.0.0.1", server.port))
        to.sendall(("GET %s/content HTTP/1.1\r\nHost: x\r\nAuthorization: "
                    "Bearer %s\r\n\r\n" % (place, client.token)).encode())
        readers.append(to)
    for to in readers:
        to.recv(100)
    check("others are served meanwhile",
          client.get(place + "/content").body == LARGE)
    held = [line for line in client.get("/metrics").body.decode().split("\n")
            if line.startswith("weft_http_answer_bytes")]
    check("of each one block is held", held and
          float(held[0].split()[-1]) <= 21 * (128 << 10), held)
    for to in readers:
        to.close()


def people(server, client):
    rules = resourcing(people=["PA-1"])
    clients = add_people(server, {"anna": {}, "bert": {}, "carl": {}})
    ids = {p["user"]: p["id"] for p in client.get("/v1/people").json()["people"]}
    key = client.load(specification("forus", resourcing(
        people=[ids["anna"], ids["bert"]])))
    hers = client.load(specification("his", resourcing(people=[ids["carl"]])))
    for case, of in (("p", key), ("q", hers)):
        check("a case of people", client.post("/v1/cases", {
            "specification": of, "case": case}).status == 201)
    anna, bert, carl = (clients[n] for n in ("anna", "bert", "carl"))
    check("who is only offered an item cannot add to it", put(
        anna, "/v1/items/p:Fill/documents", PDF).status == 403)
    check("carl has an item of another case", carl.post(
        "/v1/items/q:Fill/accept").status == 200)
    check("anna has the item", anna.post(
        "/v1/items/p:Fill/accept").status == 200)
    item = [i["item"] for i in anna.get("/v1/worklist").json()["items"]][0]
    if ":" in item and anna.get("/v1/items/" + item).json()[
            "status"] != "executing":
        item = anna.post("/v1/items/%s/start" % item).json().get("item", item)
    added = put(anna, "/v1/items/%s/documents" % item, PDF, name="a.pdf",
                parameter="file")
    check("who has the item adds a file", added.status == 201 and
          added.json()["item"] == item, added)
    place = added.headers["location"]
    for type, content, status in (
            ("image/png", PNG, 415), ("application/pdf", PDF, 201)):
        check("the parameter takes %s: %d" % (type, status), put(
            anna, "/v1/items/%s/documents" % item, content, type=type,
            parameter="file").status == status)
    check("a parameter that is not there", put(
        anna, "/v1/items/%s/documents" % item, PDF,
        parameter="x").status == 400)
    check("she reads it", anna.get(place + "/content").body == PDF)
    for who, name in ((bert, "who was offered it"), (carl, "a stranger")):
        check("%s does not see it" % name, [
            who.get(place).status, who.get(place + "/content").status,
            put(who, place, PDF).status, who.call("DELETE", place).status,
            put(who, "/v1/items/%s/documents" % item, PDF).status] ==
            [404, 404, 404, 404, 404], who.get(place))
        check("nor in a list of the case", listed(who, "cases/p") == [])
    check("only with a right are files added to a case", put(
        anna, "/v1/cases/p/documents", PDF).status == 403)
    number = added.json()["document"]
    other = put(client, "/v1/cases/q/documents", PDF).json()["document"]
    png = put(client, "/v1/cases/p/documents", PNG).json()["document"]
    for wrong, why in ((other, "does not belong to this case"),
                       (999999, "there is no document 999999"),
                       (-1, "expected the number of a document"),
                       (png, "of type image/png")):
        data = {"file": {"id": wrong, "name": "a.pdf"}}
        refused = anna.post("/v1/items/%s/complete" % item, data)
        check("completing with the document %d" % wrong,
              refused.status == 422 and "file" in refused.json()["detail"] and
              why in refused.json()["detail"], refused)
        mistakes = anna.post("/v1/items/%s/form" % item, data).json()["mistakes"]
        check("the form says so: %d" % wrong, [
            (m["path"], m["rule"]) for m in mistakes] == [
            ("file", "document")] and why in mistakes[0]["message"], mistakes)
    form = anna.get("/v1/items/%s/form" % item).json()
    field = [f for f in form["fields"] if f["path"] == "file"][0]
    check("the form says what is taken", (
        field["widget"], field["types"], field["maximum_bytes"]) == (
        "document", ["application/pdf", "text/*"], 5 << 20), field)
    done = anna.post("/v1/items/%s/complete" % item,
                     {"file": {"id": number, "name": "a.pdf"}})
    check("completing with her document", done.status == 200, done)
    check("she has worked on the case, and sees its files", len(
        listed(anna, "cases/p")) == 3, listed(anna, "cases/p"))
    check("but changes none", put(anna, place, PDF).status == 403)
    check("bert accepts the next", bert.post(
        "/v1/items/p:See/accept").status == 200)
    last = [i["item"] for i in bert.get("/v1/worklist").json()["items"]
            if ":See" in i["item"]][0]
    bert.post("/v1/items/%s/start" % last)
    last = [i["item"] for i in bert.get("/v1/worklist").json()["items"]
            if ":See" in i["item"]][0]
    check("who has the item sees what it refers to", [
        d["document"] for d in listed(bert, "items/" + last)] == [number],
        listed(bert, "items/" + last))
    check("and reads it", bert.get(place + "/content").body == PDF)
    check("and makes a version of it", put(
        bert, place, PDF + b"2", type="application/pdf").status == 201)
    check("carl still sees nothing", carl.get(place).status == 404 and
          carl.get("/v1/items/%s/documents" % last).status == 404)
    reader = Client(server.port, server.add_account("reader", "reader", 1))
    check("who may read sees all, and changes nothing", [
        reader.get(place).status, put(reader, place, PDF).status,
        reader.call("DELETE", place).status] == [200, 403, 403])
    foreign = Client(server.port, server.add_account("foreign", "admin", 2))
    check("another namespace has no such document",
          foreign.get(place).status == 404)


def others(server, client):
    """Files of the items of others: a deputy's, the team's."""
    clients = add_people(server, {
        "dori": {}, "ella": {}, "fred": {"administrator": True},
        "gina": {"privileges": ["canViewTeamItems"]}})
    dori, ella, fred, gina = (
        clients[n] for n in ("dori", "ella", "fred", "gina"))
    client.call("PUT", "/v1/positions/PO-top", {"title": "Top"})
    client.call("PUT", "/v1/positions/PO-low", {
        "title": "Low", "reportsTo": "PO-top"})
    for user, position in (("gina", "PO-top"), ("dori", "PO-low")):
        client.call("PATCH", "/v1/people/" + user, {"positions": [position]})
    ids = {p["user"]: p["id"] for p in client.get("/v1/people").json()["people"]}
    key = client.load(specification("hers", resourcing(people=[ids["dori"]])))
    client.post("/v1/cases", {"specification": key, "case": "z"})
    files = "/v1/items/z:Fill/documents"
    check("a stranger has no files", ella.get(files).status == 404)
    made = dori.post("/v1/people/dori/deputies", {"deputy": "ella",
                                                  "to": "P1D"})
    check("ella is the deputy of dori", made.status == 201, made)
    check("who sees the files of what she is offered",
          ella.get(files).status == 200 and put(ella, files, PDF).status == 403)
    done = ella.post("/v1/items/z:Fill/start?for=dori")
    check("she starts it for her", done.status == 200, done)
    item = done.json()["item"]
    files = "/v1/items/%s/documents" % item
    added = put(ella, files, PDF, parameter="file")
    check("adds a file", added.status == 201, added)
    place, number = added.headers["location"], added.json()["document"]
    check("sees it", listed(ella, "items/" + item) == listed(
        dori, "items/" + item) and len(listed(ella, "items/" + item)) == 1)
    check("and makes a version", put(
        ella, place, PDF + b"2", type="application/pdf").status == 201)
    hers = put(dori, files, PDF, parameter="file").headers["location"]
    for who, name in ((ella, "the deputy"), (fred, "an administrator"),
                      (gina, "who sees the team")):
        check("%s sees the files of an item" % name, who.get(hers).status == 200
              and who.get(hers + "/content").body == PDF
              and len(listed(who, "items/" + item)) == 2, who.get(hers))
    for who in (fred, gina):
        check("but does not change them", [
            put(who, files, PDF).status, put(who, hers, PDF).status,
            who.call("DELETE", hers).status] == [403, 403, 403])
    done = ella.post("/v1/items/%s/complete?for=dori" % item, {
        "file": {"id": number, "name": "a.bin"}})
    check("the deputy completes it with the file", done.status == 200, done)


def field(fields, path):
    """The field at the path, which may lie in groups."""
    for one in fields:
        found = one if one["path"] == path else field(one.get("fields", []),
                                                      path)
        if found:
            return found
    return None


def nested(server, client):
    """Documents inside of a parameter, wherever its type allows them."""
    clients = add_people(server, {"dora": {}, "emil": {}})
    ids = {p["user"]: p["id"] for p in client.get("/v1/people").json()["people"]}
    key = client.load(specification("claims", resourcing(
        people=[ids["dora"], ids["emil"]]), "Claim", CLAIM))
    for case in ("n", "m"):
        client.post("/v1/cases", {"specification": key, "case": case})
    dora, emil = clients["dora"], clients["emil"]
    dora.post("/v1/items/n:Fill/accept")
    item = dora.post("/v1/items/n:Fill/start").json()["item"]
    form = dora.get("/v1/items/%s/form" % item).json()["fields"]
    bill, photo = field(form, "file/bill"), field(form, "file/photo/file")
    check("the form knows the documents inside of a group", (
        bill["widget"], bill["types"], bill["maximum_bytes"]) == (
        "document", ["application/pdf", "text/*"], 5 << 20) and (
        photo["widget"], photo["types"], photo["maximum_bytes"]) == (
        "document", ["image/*"], 5 << 20), bill, photo)
    check("a group is none", "types" not in field(form, "file/photo"), form)
    items = "/v1/items/%s/documents" % item

    def add(content, type, path, status=201):
        added = put(dora, items, content, type=type, parameter=path)
        check("%s takes %s: %d" % (path, type, status),
              added.status == status, added)
        return added.json().get("document")

    pdf = add(PDF, "application/pdf", "file/bill")
    png = add(PNG, "image/png", "file/photo/file")
    text = add(b"text", "text/plain", "file/notes/file")
    for path, type, content, status in (
            ("file/bill", "image/png", PNG, 415),
            ("file/photo/file", "application/pdf", PDF, 415),
            ("file/photo", "image/png", PNG, 400),
            ("file/x", "image/png", PNG, 400), ("file", "image/png", PNG, 400),
            ("filebill", "image/png", PNG, 400)):
        add(content, type, path, status)
    other = put(client, "/v1/cases/m/documents", PDF).json()["document"]

    def data(bill, *photos, notes=""):
        return {"file": {
            "bill": {"id": bill, "name": "b"},
            "photo": [{"text": "p", "file": {"id": p, "name": "p"}} if p else
                      {"text": "none"} for p in photos],
            "notes": notes}}

    noted = "<note/><file><id>%d</id><name>n</name></file>"
    for wrong, path, why in (
            (data(other), "file/bill", "does not belong to this case"),
            (data(999999), "file/bill", "there is no document 999999"),
            (data(png), "file/bill", "of type image/png"),
            (data(pdf, 0, pdf), "file/photo[2]/file",
             "of type application/pdf"),
            (data(pdf, -1), "file/photo/file",
             "expected the number of a document"),
            (data(pdf, notes=noted % other), "file/notes/file",
             "does not belong to this case"),
            (data(pdf, notes=noted % text + noted % 999998),
             "file/notes/file[2]", "there is no document 999998"),
            (data(pdf, notes='<f:file xmlns:f="f"><f:id>1</f:id><f:name/>'
                  '</f:file>'), "file/notes/file", "in no namespace")):
        refused = dora.post("/v1/items/%s/complete" % item, wrong)
        check("completing with a wrong document at " + path,
              refused.status == 422 and path + ": " in
              refused.json()["detail"] and why in refused.json()["detail"],
              refused)
        mistakes = dora.post("/v1/items/%s/form" % item,
                             wrong).json()["mistakes"]
        check("the form says where: " + path, [
            (m["path"], m["rule"]) for m in mistakes] == [
            (path, "document")] and why in mistakes[0]["message"], mistakes)
    both = dora.post("/v1/items/%s/form" % item,
                     data(other, 999999)).json()["mistakes"]
    check("all mistakes are said", [m["path"] for m in both] == [
        "file/bill", "file/photo/file"], both)
    many = dora.post("/v1/items/%s/complete" % item, data(
        pdf, notes=noted % text * 1001))
    check("a value with too many documents is refused", many.status == 413 and
          "more than 1000 documents" in many.json()["detail"], many)
    lost = put(client, "/v1/cases/n/documents", PDF).headers["location"]
    places = ["/v1/documents/%d" % d for d in (pdf, png, text)]
    check("emil does not see them", [
        emil.get(place).status for place in places] == [404] * 3)
    done = dora.post("/v1/items/%s/complete" % item, data(
        pdf, png, notes=noted % text))
    check("completing with right ones", done.status == 200, done)
    emil.post("/v1/items/n:See/accept")
    last = emil.post("/v1/items/n:See/start").json()["item"]
    check("who has the item sees what it refers to, however deep", sorted(
        d["document"] for d in listed(emil, "items/" + last)) == sorted(
        [pdf, png, text]), listed(emil, "items/" + last))
    check("and reads it", [emil.get(place + "/content").body
                           for place in places] == [PDF, PNG, b"text"])
    client.post("/v1/items/m:Fill/start")
    wrong = client.call("PATCH", "/v1/cases/m/data", data(pdf))
    check("an update of data is checked, too", wrong.status == 422 and
          "file/bill" in wrong.json()["detail"], wrong)
    check("a file that nothing refers to", client.get(lost).status == 200)


def weft(server, client, *arguments):
    done = subprocess.run([WEFT, "document"] + list(arguments),
                          capture_output=True, timeout=600, env=dict(
        os.environ, WEFT_TOKEN=client.token,
        WEFT_SERVER="http://127.0.0.1:%d" % server.port))
    return done.returncode, done.stdout, done.stderr


def command_line(server, client):
    name = os.path.join(server.folder, "cli.bin")
    with open(name, "wb") as file:
        file.write(LARGE)
    code, out, err = weft(server, client, "put", "a", name, "--json")
    check("weft document put", code == 0 and b'"cli.bin"' in out, out, err)
    number = str(listed(client, "cases/a")[-1]["document"])
    code, out, err = weft(server, client, "list", "a")
    check("weft document list", code == 0 and b"cli.bin" in out, out, err)
    code, out, err = weft(server, client, "get", number)
    check("weft document get", code == 0 and out == LARGE, len(out), err)
    code, out, err = weft(server, client, "update", number, name,
                          "--name", "new", "--type", "text/plain")
    check("weft document update", code == 0 and client.get(
        "/v1/documents/" + number).json()["version"] == 2, out, err)
    code, out, err = weft(server, client, "remove", number)
    check("weft document remove", code == 0 and client.get(
        "/v1/documents/" + number).status == 404, out, err)
    code, out, err = weft(server, client, "get", number, "--output", name)
    check("what is not there is said, and no part of it is left",
          code != 0 and b"document" in err and not os.path.exists(name), err)


def retired(server):
    done = subprocess.run([WEFT, "db", "check", "--db", server.db],
                          capture_output=True, timeout=600)
    check("the store is in order", done.returncode == 0, done.stdout,
          done.stderr)
    check("there are files", files(server)[1] > 0)
    done = subprocess.run([WEFT, "db", "retire", "--db", server.db,
                           "--older-than", "0h"], capture_output=True, timeout=600)
    check("retiring removes the files with their cases",
          done.returncode == 0 and files(server) == (0, 0), done.stdout,
          done.stderr, files(server))


def everything():
    server = Server(arguments=["--people", "--document", "5M"])
    client = server.client()
    key = client.load(specification("files"))
    for case in ("a", "b"):
        client.post("/v1/cases", {"specification": key, "case": case})
    place = transfer(client)
    reader_is_slow(server, client, place)
    versions(client, place)
    names(client)
    types(client)
    limits(server, client)
    command_line(server, client)
    people(server, client)
    others(server, client)
    nested(server, client)
    for case in client.get("/v1/cases").json()["cases"]:
        if case["status"] == "running":
            client.post("/v1/cases/%s/cancel" % case["case"])
    server.stop()
    retired(server)
    server.close()


run(everything)
end()
