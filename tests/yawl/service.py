# SPDX-License-Identifier: Apache-2.0
"""A service of YAWL that keeps the announcements it receives."""
import http.server
import threading
import time
import urllib.parse

from client import hashed


class Service:
    """Plays a service; keeps the announcements that it receives."""

    def __init__(self):
        service = self
        self.received = []
        self.status = 200

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *arguments):
                pass

            def do_HEAD(self):
                self.send_response(200)
                self.end_headers()

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                form = dict(urllib.parse.parse_qsl(
                    body.decode(), keep_blank_values=True))
                form["key"] = self.headers["Idempotency-Key"]
                service.received.append(form)
                self.send_response(service.status)
                self.end_headers()

        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), Handler)
        self.uri = "http://127.0.0.1:%d/x" % self.server.server_port
        threading.Thread(target=self.server.serve_forever,
                         daemon=True).start()

    def wait(self, action, what="", seconds=300):
        """The first form with that action and that text in it."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for form in list(self.received):
                if form["action"] == action and what in str(form):
                    return form
            time.sleep(0.01)
        return None

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def add_service(yawl, service, name, attempts=100):
    """The server waits a second for a sign of life, which may come later."""
    for _ in range(attempts):
        answer = yawl.ask("ia", "newYAWLService", service=(
            '<yawlService id="%s"><documentation/><servicename>%s'
            '</servicename><servicepassword>%s</servicepassword><assignable>'
            'true</assignable></yawlService>' % (
                service.uri, name, hashed("x"))))
        if "unresponsive" not in answer:
            break
    return answer
