# SPDX-License-Identifier: Apache-2.0
"""A service to deliver to, whose behaviour a test sets, and its process."""
import hashlib
import hmac
import http.server
import json
import os
import socketserver
import sys
import threading
import time
import xml.sax.saxutils

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "rest"))

SECRET = "a secret of the tests"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        call = Call(self.command, self.path, self.headers, body)
        answer = self.server.fake.take(call)
        if answer is None or isinstance(answer, bytes):
            self.close_connection = True
            self.wfile.write(answer or b"")
            self.connection.close()  # it breaks
            return
        status, content, *more = answer
        data = content if isinstance(content, bytes) else (
            json.dumps(content).encode() if content is not None else b"")
        self.send_response(status)
        for name, value in (more[0] if more else {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_PUT = do_POST

    def log_message(self, *_):
        pass


class Call:
    def __init__(self, method, path, headers, body):
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.at = time.monotonic()

    def json(self):
        return json.loads(self.body)

    def is_signed(self, secret=SECRET):
        time_of = self.headers.get("Weft-Timestamp", "")
        good = hmac.new(secret.encode(), time_of.encode() + b"." + self.body,
                        hashlib.sha256).hexdigest()
        return self.headers.get("Weft-Signature") == "sha256=" + good and \
            abs(time.time() - int(time_of)) < 600


class Listener(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 512
    allow_reuse_address = True

    def handle_error(self, *_):
        pass


class Fake:
    """behave(call) returns (status, body[, headers]), bytes that are sent
    unchanged, or None to hang up."""

    def __init__(self, behave=None, port=0):
        self.behave = behave or (lambda call: (200, {}))
        self.calls = []
        self.lock = threading.Condition()
        self.open(port)

    def open(self, port=0):
        limit = time.monotonic() + 300
        while True:
            try:
                self.listener = Listener(("127.0.0.1", port), Handler)
                break
            except OSError:  # somebody's connection has got this port
                if time.monotonic() > limit:
                    raise
                time.sleep(0.05)
        self.listener.fake = self
        self.port = self.listener.server_address[1]
        threading.Thread(target=self.listener.serve_forever,
                         kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def uri(self):
        return "http://127.0.0.1:%d/x" % self.port

    def take(self, call):
        with self.lock:
            self.calls.append(call)
            self.lock.notify_all()
        return self.behave(call)

    def wait(self, count, seconds=300, of=lambda call: True):
        """The calls, once there are that many."""
        end = time.monotonic() + seconds
        with self.lock:
            while True:
                found = [c for c in self.calls if of(c)]
                if len(found) >= count or time.monotonic() > end:
                    return found
                self.lock.wait(0.1)

    def close(self):
        self.listener.shutdown()
        self.listener.server_close()


def items(call):
    return call.path == "/x" and call.json()["event"] == "item"


def specification(name, net, decompositions):
    return (
        "<specificationSet version='4.0' "
        "xmlns='http://www.yawlfoundation.org/yawlschema' "
        "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"
        "<specification uri='%s'><metaData><version>0.1</version>"
        "<identifier>UID_%s</identifier></metaData>"
        "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'/>"
        "<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>%s"
        "</decomposition>%s</specification></specificationSet>" % (
            name, name, net, decompositions))


def process(*services, more="", name="P"):
    """A process of parallel tasks T0, T1, .. of these services (URIs)."""
    tasks = "".join(
        "<task id='T%d'><flowsInto><nextElementRef id='o'/></flowsInto>"
        "<join code='xor'/><split code='and'/>"
        "<startingMappings><mapping><expression query='&lt;x&gt;{/N/v/text()}"
        "&lt;/x&gt;'/><mapsTo>x</mapsTo></mapping></startingMappings>"
        "<completedMappings><mapping><expression query='&lt;v&gt;{/D%d/y/"
        "text()}&lt;/v&gt;'/><mapsTo>v</mapsTo></mapping></completedMappings>"
        "<decomposesTo id='D%d'/></task>" % (i, i, i)
        for i in range(len(services)))
    parameter = (
        "<index>0</index><name>%s</name><type>%s</type>"
        "<namespace>http://www.w3.org/2001/XMLSchema</namespace>")
    work = "".join(
        "<decomposition id='D%d' xsi:type='WebServiceGatewayFactsType'%s>"
        "<inputParam>%s</inputParam><outputParam>%s</outputParam>"
        "<yawlService id='%s'/></decomposition>" % (
            i, more, parameter % ("x", "string"), parameter % ("y", "integer"),
            uri)
        for i, uri in enumerate(services))
    flows = "".join("<flowsInto><nextElementRef id='T%d'/></flowsInto>" % i
                    for i in range(len(services)))
    return specification(
        name, "<inputParam>%s</inputParam>"
        "<localVariable>%s<initialValue>7</initialValue></localVariable>"
        "<processControlElements><inputCondition id='i'>%s</inputCondition>"
        "%s<outputCondition id='o'/></processControlElements>" % (
            parameter % ("w", "string"),
            parameter.replace("<index>0", "<index>1") % ("v", "string"),
            flows, tasks), work)


def single(uri, inputs, outputs, name="S"):
    """A task of that service: inputs with values, outputs by types."""
    types = "http://www.w3.org/2001/XMLSchema"

    def variable(tag, index, of, type, more=""):
        return ("<%s><index>%d</index><name>%s</name><type>%s</type>"
                "<namespace>%s</namespace>%s</%s>"
                % (tag, index, of, type, types, more, tag))

    escape = xml.sax.saxutils.escape
    locals_ = "".join(
        variable("localVariable", i, "v_" + n, "string",
                 "<initialValue>%s</initialValue>" % escape(v))
        for i, (n, v) in enumerate(inputs.items()))
    locals_ += "".join(
        variable("localVariable", i + 50, "r_" + n, "string",
                 "<initialValue/>") for i, n in enumerate(outputs))
    starting = "".join(
        "<mapping><expression query='&lt;%s&gt;{/N/v_%s/text()}&lt;/%s&gt;'/>"
        "<mapsTo>%s</mapsTo></mapping>" % (n, n, n, n) for n in inputs)
    completed = "".join(
        "<mapping><expression query='&lt;r_%s&gt;{/D/%s/text()}&lt;/r_%s&gt;'"
        "/><mapsTo>r_%s</mapsTo></mapping>" % (n, n, n, n) for n in outputs)
    parameters = "".join(variable("inputParam", i, n, "string")
                         for i, n in enumerate(inputs))
    parameters += "".join(variable("outputParam", i, n, t)
                          for i, (n, t) in enumerate(outputs.items()))
    return specification(
        name, "%s<processControlElements><inputCondition id='i'><flowsInto>"
        "<nextElementRef id='T'/></flowsInto></inputCondition>"
        "<task id='T'><flowsInto><nextElementRef id='o'/></flowsInto>"
        "<join code='xor'/><split code='and'/>"
        "%s%s<decomposesTo id='D'/></task><outputCondition id='o'/>"
        "</processControlElements>" % (
            locals_,
            starting and "<startingMappings>%s</startingMappings>" % starting,
            completed and "<completedMappings>%s</completedMappings>"
            % completed),
        "<decomposition id='D' xsi:type='WebServiceGatewayFactsType'>%s"
        "<yawlService id='%s'/></decomposition>" % (parameters, uri))
