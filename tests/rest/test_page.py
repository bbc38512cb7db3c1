# SPDX-License-Identifier: Apache-2.0
"""The page for browsers: at which paths, how it is kept and compressed, and
what it may do.  And the page that introduces the server."""
import base64
import gzip
import hashlib
import re

import checks
from checks import check, end, run
from server import Client, Server

POLICY = {
    "default-src": "'none'", "script-src": "'self'", "style-src": "'self'",
    "img-src": "'self' data: blob:", "connect-src": "'self'",
    "font-src": "'self'", "manifest-src": "'self'", "base-uri": "'none'",
    "form-action": "'self'", "frame-ancestors": "'none'"}
HTML = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def browser(server):
    client = Client(server.port, "")
    client.hold = lambda *exchange: None  # most paths are not described

    def call(path, method="GET", **headers):
        return client.call(method, path, headers={
            k.replace("_", "-"): v for k, v in headers.items()})
    return call


def policy_of(answer):
    return dict(part.strip().split(" ", 1) for part in answer.headers.get(
        "content-security-policy", "").split(";"))


def is_guarded(answer):
    headers = answer.headers
    return (headers.get("x-content-type-options") == "nosniff"
            and headers.get("referrer-policy") == "same-origin"
            and headers.get("cross-origin-opener-policy") == "same-origin")


def index(call):
    page = call("/", Accept=HTML)
    check("the page is there", page.status == 200
          and page.type == "text/html", page)
    check("it is read anew each time",
          page.headers.get("cache-control") == "no-store"
          and "etag" not in page.headers and call(
              "/", Accept=HTML, If_None_Match="*").body == page.body,
          page.headers)
    check("it may do what the console does", policy_of(page) == POLICY,
          page.headers)
    check("and is guarded", is_guarded(page), page.headers)
    check("nothing stands in it that the policy forbids", not re.search(
        rb"<style| style=|<script(?![^>]* src=)| on[a-z]+=|"
        rb"(src|href)=.?(https?:)?//",
        page.body), page.body)
    head = call("/", "HEAD", Accept=HTML)
    check("its head is the same", head.status == 200 and head.body == b""
          and head.headers.get("content-length") == str(len(page.body))
          and policy_of(head) == POLICY, head.headers)
    return page


def addresses(call, page):
    for path in ("/work", "/work/7.1:Task", "/cases/", "/cases/7?step=4&x=",
                 "/processes/a%20b/1.2", "/sign-in", "/v2/cases", "/v1x",
                 "/index.html", "/about/us"):
        found = call(path, Accept=HTML)
        check("%s is the page" % path, found.status == 200
              and found.body == page.body and policy_of(found) == POLICY,
              found)
        check("it depends on what the client accepts", found.headers[
            "vary"] == "Accept, Accept-Encoding", found.headers)
        check("its head, too", call(path, "HEAD", Accept=HTML).status == 200)
        for accept in ("*/*", "application/json", "image/avif,image/webp,*/*",
                       "text/html;q=0", "text/htmlx", "x-text/html", ""):
            found = call(path, Accept=accept)
            check("%s is nothing for %s" % (path, accept), found.status == 404
                  and found.type == "application/problem+json"
                  and found.headers["vary"] == "Accept", found)
        for method in ("POST", "PUT", "DELETE"):
            check("nor for %s" % method,
                  call(path, method, Accept=HTML).status == 404, path)
    check("nor for whoever says nothing", call("/work").status == 404)
    for accept in ("TEXT/HTML", "a/b;q=1, text/html;q=0.1", "text/html ;q=1"):
        check("it is for %s" % accept,
              call("/work", Accept=accept).status == 200)
    for path in ("/v1", "/v1/", "/v1/nothing", "/v1/cases/1/nothing",
                 "/assets", "/assets/", "/assets/nothing.js",
                 "/assets/a/b", "/assets/..%2Findex.html",
                 "/assets/%2e%2e/index.html"):
        found = call(path, Accept=HTML)
        check("%s is never the page" % path, found.status == 404
              and found.type == "application/problem+json", found)
    for path in ("/healthz", "/openapi.yaml", "/v1/session", "/metrics"):
        found = call(path, Accept=HTML)
        check("%s is what it is" % path, found.type != "text/html", found)
    found = call("/healthz", "POST", Accept=HTML)
    check("a method that a path does not take is refused",
          found.status == 405, found)
    for path in ("/work?a=1&a=1", "/work/%zz"):
        check("%s makes no sense" % path,
              call(path, Accept=HTML).status == 400)


def assets(call, page):
    paths = re.findall(r'"(/assets/[^"]+)"', page.body.decode())
    check("the page names a script and a style sheet", {".js", ".css"} <= {
        re.sub(r".*(\.\w+)$", r"\1", path) for path in paths}, paths)
    total = 0
    for path in paths:
        check("%s has a hash in its name" % path,
              re.search(r"-[0-9A-Za-z]{8,}\.\w+$", path))
        plain = call(path)
        check("it is there", plain.status == 200
              and plain.type.split("/")[0] in ("text", "image", "font"), plain)
        check("and kept for a year", plain.headers.get("cache-control")
              == "public, max-age=31536000, immutable", plain.headers)
        check("it is guarded", is_guarded(plain)
              and policy_of(plain) == POLICY, plain.headers)
        check("it depends on what the client takes",
              plain.headers.get("vary") == "Accept-Encoding"
              and "content-encoding" not in plain.headers, plain.headers)
        packed = call(path, Accept_Encoding="gzip, deflate, br")
        total += len(packed.body)
        if packed.headers.get("content-encoding"):
            check("compressed, it is the same", len(packed.body)
                  < len(plain.body) and plain.body == gzip.decompress(
                      packed.body) and packed.headers["content-encoding"]
                  == "gzip" and packed.type == plain.type, packed.headers)
            check("under another tag",
                  packed.headers["etag"] != plain.headers["etag"])
        for encoding in ("gzip;q=0", "br", "identity", "gzip;q=0.000, br",
                         "gzipx", "x;q=1"):
            found = call(path, Accept_Encoding=encoding)
            check("as it is for %s" % encoding, found.body == plain.body
                  and found.headers["etag"] == plain.headers["etag"], found)
        for encoding in ("GZIP", "br;q=1.0, gzip;q=0.8, *;q=0.1", "gzip;x=y"):
            check("compressed for %s" % encoding, call(
                path, Accept_Encoding=encoding).body == packed.body)
        for answer, encoding in ((plain, "identity"), (packed, "gzip")):
            tag = answer.headers["etag"]
            for known in (tag, '"a", %s' % tag, "*", "W/" + tag):
                same = call(path, Accept_Encoding=encoding,
                            If_None_Match=known)
                check("who has it gets nothing for %s" % known,
                      same.status == 304 and same.body == b""
                      and same.headers["etag"] == tag, same)
            head = call(path, "HEAD", Accept_Encoding=encoding)
            check("its head is the same", head.status == 200
                  and head.body == b"" and head.headers["etag"] == tag
                  and head.headers["content-length"]
                  == str(len(answer.body)), head.headers)
        check("another tag gets it", call(
            path, If_None_Match='"a"').body == plain.body)
        check("it takes no arguments", call(path + "?x=1").status == 400)
        check("nor other methods", call(path, "POST").status == 405)
    check("the first load has at most 150 kB", total <= 150000, total)


def about(call):
    page = call("/about")
    check("the server introduces itself", page.status == 200
          and page.type == "text/html" and b"weft case start" in page.body,
          page)
    style = re.search(rb"<style>(.*?)</style>", page.body, re.S).group(1)
    hash = base64.b64encode(hashlib.sha256(style).digest()).decode()
    check("its policy allows its style and nothing else", policy_of(page) == {
        "default-src": "'none'", "style-src": "'sha256-%s'" % hash,
        "base-uri": "'none'", "frame-ancestors": "'none'"}, page.headers)
    check("it is guarded", is_guarded(page))
    return page


def without(call, about):
    """Built without the console: programs and browsers get the same."""
    check("/ introduces the server", call("/", Accept=HTML).body == about.body)
    for path in ("/work", "/assets/a.js"):
        found = call(path, Accept=HTML)
        check("%s is nothing" % path, found.status == 404
              and found.type == "application/problem+json", found)
    checks.skip("the page", "the program was built without it")


def all_of_them():
    server = Server()
    call = browser(server)
    introduction = about(call)
    if call("/", Accept=HTML).body == introduction.body:
        without(call, introduction)
    else:
        page = index(call)
        addresses(call, page)
        assets(call, page)
    server.close()


run(all_of_them)
end()
