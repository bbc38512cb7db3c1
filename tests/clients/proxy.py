# SPDX-License-Identifier: Apache-2.0
"""A proxy before a server that loses answers and refuses requests, as it is
asked to, and lists the requests that came.

An action is {"on": PATTERN of "METHOD PATH", "do": WHAT, ...}, and is for the
next request that matches:
    cut      has the request executed, and closes the connection without answer
    answer   answers with "status", "headers" and "body" as JSON, or "text",
             without the server
    end      ends a stream behind "steps" steps
POST /proxy adds a list of actions, GET /proxy is the list of requests.

usage: proxy.py URL; prints its own URL
"""
import http.client
import http.server
import json
import re
import sys
import threading
import urllib.parse

CODES = {503: "unavailable", 429: "throttled"}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True

    def do(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/proxy":
            return self.control(body)
        proxy = self.server.proxy
        action = proxy.next("%s %s" % (self.command, self.path))
        with proxy.lock:
            proxy.requests.append({
                "method": self.command, "path": self.path,
                "headers": {k.lower(): v for k, v in self.headers.items()},
                "body": body.decode(), "do": action.get("do")})
        if action.get("do") == "answer":
            return self.answer(action["status"], action.get("headers", {}),
                               json.dumps(action["body"]).encode()
                               if "body" in action
                               else action.get("text", "").encode())
        self.forward(body, action)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do

    def control(self, body):
        proxy = self.server.proxy
        if body:
            proxy.add(*json.loads(body))
        with proxy.lock:
            text = json.dumps(proxy.requests).encode()
        self.answer(200, {"Content-Type": "application/json"}, text)

    def answer(self, status, headers, body):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def forward(self, body, action):
        connection = http.client.HTTPConnection(self.server.proxy.upstream)
        headers = {k: v for k, v in self.headers.items()
                   if k.lower() not in ("host", "content-length")}
        connection.request(self.command, self.path, body or None, headers)
        response = connection.getresponse()
        if (response.getheader("Content-Type") or "").startswith(
                "text/event-stream"):
            self.stream(response, action.get("steps"))
        else:
            content = response.read()
            if action.get("do") == "cut":
                self.close_connection = True
            else:
                self.answer(response.status, {
                    k: v for k, v in response.getheaders() if k.lower() not in
                    ("content-length", "transfer-encoding", "connection")},
                    content)
        connection.close()

    def stream(self, response, steps):
        self.send_response(response.status)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        seen = 0
        while steps is None or seen < steps:
            line = response.readline()
            if not line:
                return
            self.wfile.write(line + (b"\n" if line.startswith(b"data:")
                                     else b""))
            seen += line.startswith(b"data:")

    def log_message(self, *_):
        pass


class Proxy:
    def __init__(self, url):
        self.upstream = urllib.parse.urlsplit(url).netloc
        self.lock = threading.Lock()
        self.actions = []
        self.requests = []
        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.proxy = self
        self.url = "http://127.0.0.1:%d" % self.server.server_port
        threading.Thread(target=self.server.serve_forever,
                         daemon=True).start()

    def add(self, *actions):
        with self.lock:
            self.actions += actions

    def next(self, what):
        with self.lock:
            for i, action in enumerate(self.actions):
                if re.match(action["on"], what):
                    return self.actions.pop(i)
        return {}

    def seen(self, pattern):
        """Requests of which "METHOD PATH" matches."""
        with self.lock:
            return [r for r in self.requests if re.match(
                pattern, "%s %s" % (r["method"], r["path"]))]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


if __name__ == "__main__":
    print(Proxy(sys.argv[1]).url, flush=True)
    sys.stdin.read()
