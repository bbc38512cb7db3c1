# SPDX-License-Identifier: Apache-2.0
"""Orders are priced and shipped: Weft pushes its items here.
usage: SECRET=... python3 push.py PORT"""
import hashlib
import hmac
import http.server
import json
import os
import sys

SECRET = os.environ["SECRET"].encode()


class Service(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        signed = self.headers["Weft-Timestamp"].encode() + b"." + body
        good = "sha256=" + hmac.new(SECRET, signed, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(good, self.headers["Weft-Signature"]):
            return self.answer(403, {"reason": "the signature is wrong"})
        item = json.loads(body)
        if item["event"] != "item":  # it is over: nothing to be done
            return self.answer(200, {})
        if item["task"] == "Price":
            return self.answer(200, {"total": 3 * item["data"]["amount"]})
        self.answer(200, {"parcel": "parcel with " + item["data"]["item"]})

    def answer(self, status, content):
        content = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


http.server.ThreadingHTTPServer(
    ("127.0.0.1", int(sys.argv[1])), Service).serve_forever()
