# SPDX-License-Identifier: Apache-2.0
"""A server that is notified of events."""
import hashlib
import hmac
import http.server
import json
import threading
import time

from checks import LIMIT


class Receiver:
    """answers: path -> statuses of the next requests, then 204; "hang": the
    request is answered when the receiver is closed."""

    def __init__(self, port=0):
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                receiver.take(self)

            do_GET = do_HEAD = do_POST

            def log_message(self, *_):
                pass

        self.answers = {}
        self.bodies = {}  # path -> the body of its answers, JSON
        self.held = None  # a semaphore: each answer waits for it
        self.methods = []  # of the requests
        self.requests = []  # (path, headers, bytes, status)
        self.changed = threading.Condition()
        self.released = threading.Event()
        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_port
        self.url = "http://127.0.0.1:%d" % self.port
        threading.Thread(target=self.server.serve_forever,
                         daemon=True).start()

    def take(self, handler):
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        with self.changed:
            answers = self.answers.get(handler.path)
            status = answers.pop(0) if answers else 204
            self.methods.append(handler.command)
            self.requests.append(
                (handler.path, dict(handler.headers), body, status))
            self.changed.notify_all()
        if self.held is not None:
            self.held.acquire(timeout=LIMIT)
        if status == "hang":
            self.released.wait(LIMIT)
            status = 204
        try:
            handler.send_response(status)
            answer = self.bodies.get(handler.path, b"")
            handler.send_header("Content-Length", str(len(answer)))
            handler.end_headers()
            handler.wfile.write(answer)
        except OSError:  # the client is gone
            pass

    def wait(self, holds):
        """Until holds() of all requests; whether it does."""
        with self.changed:
            return self.changed.wait_for(lambda: holds(self), LIMIT)

    def notifications(self, path=None, status=204):
        """The bodies that were answered so."""
        return [json.loads(body) for at, _, body, given in self.requests
                if given == status and path in (None, at)]

    def events(self, path=None):
        """Those that have arrived, in their order."""
        return [event for one in self.notifications(path)
                for event in one["events"]]

    def wait_for(self, count, path=None):
        self.wait(lambda _: len(self.events(path)) >= count)
        return self.events(path)

    def close(self):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()


def is_signed(request, secret):
    """As a receiver checks it: the time first, then the signature."""
    _, headers, body, _ = request
    at = headers.get("Weft-Timestamp", "")
    given = headers.get("Weft-Signature", "")
    mac = hmac.new(secret.encode(), at.encode() + b"." + body, hashlib.sha256)
    return (at.isdigit() and abs(time.time() - int(at)) < 3600 and
            hmac.compare_digest(given, "sha256=" + mac.hexdigest()))
