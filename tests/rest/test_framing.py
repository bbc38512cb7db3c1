# SPDX-License-Identifier: Apache-2.0
"""Requests whose end is doubtful: one answer, 400, and the connection ends, so
that no part of a body is taken for a second request."""
import re

from checks import check, run, end
from server import Server

SECOND = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
LENGTH = b"%d" % len(SECOND)

DOUBTFUL = (
    b"Host: x\r\nContent-Length: 0\r\nContent-Length: " + LENGTH + b"\r\n",
    b"Host: x\r\nContent-Length: " + LENGTH + b"\r\nContent-Length: 0\r\n",
    b"Host: x\r\nContent-Length: 0\r\nContent-Length: 0\r\n",
    b"Host: x\r\nContent-Length : " + LENGTH + b"\r\n",
    b"Host: x\r\nContent-Length\t: " + LENGTH + b"\r\n",
    b"Host: x\r\nContent Length: " + LENGTH + b"\r\n",
    b" Content-Length: " + LENGTH + b"\r\nHost: x\r\n",
    b"Host: x\r\nX: y\r\n Content-Length: " + LENGTH + b"\r\n",
    b"Host: x\r\nX: y\r\n\tTransfer-Encoding: chunked\r\n",
    b"X: y\r\nHost: x\r\n Content-Length: " + LENGTH + b"\r\n",
    b"Host: x\r\nX:\r\n Content-Length:" + LENGTH + b"\r\n",
    b"Host: x\r\nX: y\rContent-Length: " + LENGTH + b"\r\n",
    b"Host: x\r\nX: \x01\r\n",
    b"Host: x\r\nnothing\r\n",
    b"Host: x\r\n: y\r\n",
    b"Host: x\r\n:\r\n",
    b"Host: x\r\n:y\n",
    b"Host: x\r\nX:\r\n: Content-Length: 0\r\n",
    b": y\r\nHost: x\r\n",
    b"Host: x\r\nTransfer-Encoding: cow\r\n",
    b"Host: x\r\nTransfer-Encoding: xchunked\r\n",
    b"Host: x\r\nTransfer-Encoding: chunked \r\n",
    b"Host: x\r\nTransfer-Encoding: chunked, identity\r\n",
    b"Host: x\r\nTransfer-Encoding: identity\r\n",
    b"Host: x\r\nTransfer-Encoding:\r\n chunked\r\n",
    b"Host: x\r\nContent-Length:\r\n " + LENGTH + b"\r\n",
    b"Host: x\r\nContent-Length: 0\r\n 1\r\n",
    b"Host: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
    b"Host: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: cow\r\n",
    b"Host: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n",
    b"Host: x\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n",
    b"Host: x\r\nTransfer-Encoding : chunked\r\nContent-Length: 0\r\n",
    b"",
    b"X: y\r\n",
    b"Host: x\r\nHost: x\r\n",
    b"Host: x\r\nHost: y\r\n",
    b"Host : x\r\n",
    b"Host: x y\r\n",
    b"Host: x, y\r\n",
    b"Host: x/y\r\n",
)
# libmicrohttpd refuses these itself, and sends the head of its answer twice.
LENGTHS = (b"", b"0, 0", b"+0", b"-1", b"0x10", b"1 1", b"0 ")
TARGETS = (b"/healthz x", b"/healthz\tx", b"/v1/cases /healthz")
CLEAR = (
    b"Host: x\r\n",
    b"Host:\r\n",
    b"Host: [::1]:8090\r\n",
    b"host: X\r\nConnection: keep-alive\r\nX:\r\nX: \xff\ty\r\n",
    b"Host: x\r\nContent-Length: 0\r\n",
)


def statuses(answer):
    """Of all answers on a connection."""
    return [int(n) for n in re.findall(rb"HTTP/1\.[01] (\d{3}) ", answer)]


def doubtful():
    server = Server()
    token = b"Authorization: Bearer " + server.token.encode() + b"\r\n"
    for lines in (b"GET /healthz", b"POST /v1/cases", b"POST /yawl/ia",
                  b"OPTIONS *", b"XYZ /nowhere"):
        for head in DOUBTFUL:
            request = (lines + b" HTTP/1.1\r\n" + head + token + b"\r\n" +
                       SECOND + SECOND)
            found = statuses(server.raw(request, half=True))
            check("one answer, 400", found == [400], request, found)
    for length in LENGTHS:
        answer = server.raw(b"POST /v1/cases HTTP/1.1\r\nHost: x\r\n"
                            b"Content-Length: " + length + b"\r\n\r\n" +
                            SECOND, half=True)
        check("no answer but 400", set(statuses(answer)) == {400} and
              answer.count(b"<html>") == 1, length, answer)
    for target in TARGETS:
        found = statuses(server.raw(
            b"GET " + target + b" HTTP/1.1\r\nHost: x\r\n\r\n" + SECOND,
            half=True))
        check("a target has no blanks", found == [400], target, found)
    request = b"POST /v1/cases HTTP/1.0\r\nHost: x\r\n" \
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SECOND
    found = statuses(server.raw(request, half=True))
    check("HTTP/1.0 has no chunks", found == [400], found)
    answer = server.raw(b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n"
                        b"Content-Length: 0\r\n\r\n")
    check("the answer says what is wrong",
          b"Content-Length or Transfer-Encoding" in answer, answer)
    check("and that the connection ends",
          b"\r\nconnection: close\r\n" in answer.lower(), answer)
    server.close()


def chunks():
    """A body in chunks that is not well-formed is never followed by another
    answer than that to the first request."""
    server = Server()
    head = (b"POST /v1/cases HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " +
            server.token.encode() + b"\r\nTransfer-Encoding: chunked\r\n\r\n")
    for body in (b"0x2\r\n{}\r\n0\r\n\r\n", b"+2\r\n{}\r\n0\r\n\r\n",
                 b"-2\r\n{}\r\n0\r\n\r\n", b" 2\r\n{}\r\n0\r\n\r\n",
                 b"\r\n2\r\n{}\r\n0\r\n\r\n", b"2\r\n{}0\r\n\r\n",
                 b"2\r\n{}xx0\r\n\r\n", b"g\r\n{}\r\n0\r\n\r\n",
                 b"10000000000000002\r\n{}\r\n0\r\n\r\n"):
        found = statuses(server.raw(head + body + SECOND, half=True))
        check("at most one answer, and it refuses",
              len(found) <= 1 and 200 not in found, body, found)
    server.close()


def pipelined():
    """What is clear is answered, each request once and in order."""
    server = Server()
    last = SECOND.replace(b"Host: x", b"Host: x\r\nConnection: close")
    for head in CLEAR:
        request = b"GET /healthz HTTP/1.1\r\n" + head + b"\r\n"
        found = statuses(server.raw(request + SECOND + last))
        check("three answers", found == [200] * 3, request, found)
    token = b"Authorization: Bearer " + server.token.encode() + b"\r\n"
    bodies = (b"Content-Length: " + LENGTH + b"\r\n\r\n" + SECOND,
              b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (
                  len(SECOND), SECOND))
    for body in bodies:
        found = statuses(server.raw(
            b"POST /v1/cases HTTP/1.1\r\nHost: x\r\n" + token + body + last))
        check("a request within a body is a body", found == [400, 200], body,
              found)
    lines = b"GET /healthz HTTP/1.1\nHost: x\nX: y\n\n"
    found = statuses(server.raw(lines + last))
    check("lines may end without a return", found == [200, 200], found)
    many = b"GET /healthz HTTP/1.1\r\nHost: x\r\nCookie: a=b; c=d\r\n" + \
        b"".join(b"X-%d:%s%s\r\n" % (i, b" " * (i % 4), b"y" * i)
                 for i in range(100)) + b"\r\n"
    found = statuses(server.raw(many * 3 + last))
    check("a head may be large", found == [200] * 4, found)
    answer = server.raw(b"GET /healthz HTTP/1.0\r\n\r\n" + SECOND)
    check("HTTP/1.0 needs no Host", answer.startswith(b"HTTP/1.1 200 ") and
          len(statuses(answer)) == 1, answer)
    server.close()


if __name__ == "__main__":
    run(doubtful, chunks, pipelined)
    end()
