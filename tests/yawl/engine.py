# SPDX-License-Identifier: Apache-2.0
"""A YAWL engine that has things to take over, as far as the interfaces show."""
import http.server
import re
import threading
import urllib.parse
from xml.sax.saxutils import escape

HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n'


def element(name, text=""):
    return "<%s>%s</%s>" % (name, text, name) if text != "" else "<%s/>" % name


def spec_id(identifier="UID_parcel", version="0.2", uri="parcel"):
    return element("specificationid", element("identifier", identifier)
                   + element("version", version) + element("uri", uri))


def identifier(name, locations=(), children=()):
    return '<identifier id="%s">%s%s</identifier>' % (
        name,
        element("locations", "".join(element("location", place)
                                     for place in locations)),
        element("children", "".join(children)))


def runner(name, data, locations, children=(), parent="", task="", busy="",
           timers="", status="Normal", observer="", spec=None):
    """A net that runs; busy: <task> elements, timers: of (name, state)."""
    return element("runner", element("parent", parent)
                   + identifier(name, locations, children)
                   + element("netdata", data) + (spec or spec_id())
                   + element("containingtask", task)
                   + element("starttime", "1767225600000")
                   + element("observer", observer)
                   + element("executionstatus", status)
                   + element("enabledtasks") + element("busytasks", busy)
                   + element("timerstates", "".join(
                       element("timerstate", element("taskname", which)
                               + element("state", state))
                       for which, state in timers)))


def item(name, status, data="", enabled=1767225600000, firing=0, start=0,
         previous="", expiry=0, group="", parent=""):
    return element("item", element("id", name + "!" + "0" * 25) + spec_id()
                   + element("enablement", str(enabled))
                   + element("firing", str(firing))
                   + element("start", str(start)) + element("status", status)
                   + element("prevstatus", previous) + element("client")
                   + element("allowsdynamic", "false")
                   + element("manualresourcing", "true")
                   + element("data", data)
                   + element("timerstarted", "true" if expiry else "false")
                   + element("timerexpiry", str(expiry))
                   + element("deferredgroupid", group) + element("codelet")
                   + element("parent", parent))


def case(runners, items=()):
    return element("case", element("runners", "".join(runners))
                   + element("workitems", "".join(items)))


class Engine:
    """Answers on a port of its own; what it has are its members."""

    password = "Se4tMaQCi9gr0Q2usp7P56Sk5vM="

    def __init__(self):
        self.specifications = {}  # (identifier, version, uri): XML
        self.clients = []  # (name, hash, documentation)
        self.services = []  # (uri, name, hash)
        self.cases = []  # (id, XML)
        self.logged = []  # ids
        self.spoilt = False  # the export of all is no XML
        self.asked = []
        engine = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                length = int(self.headers["Content-Length"])
                form = dict(urllib.parse.parse_qsl(
                    self.rfile.read(length).decode()))
                body = engine.answer(self.path, form).encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/xml; charset=UTF-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = "http://127.0.0.1:%d/yawl" % self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, path, form):
        gate = path.rsplit("/", 1)[1]
        action = form.get("action", "")
        self.asked.append((gate, action))
        if action == "connect":
            body = self.connect(gate, form)
        elif form.get("sessionHandle") != "handle-of-" + gate:
            body = failure("Invalid or expired session.")
        else:
            body = getattr(self, gate + "_" + action, lambda _: "")(form)
        return body if gate == "logGateway" else element("response", body)

    def connect(self, gate, form):
        if form.get("userID" if gate == "ia" else "userid") != "admin":
            return element("failure", "Unknown service or client")
        if form.get("password") != self.password:
            return element("failure", "Incorrect Password")
        return "handle-of-" + gate

    def ia_getList(self, _):
        return "".join(element(
            "specificationData", element("uri", uri) + element("id", name)
            + element("version", "4.0") + element("specversion", version)
            + element("status", "loaded"))
            for name, version, uri in self.specifications)

    def ia_getAccounts(self, _):
        return "".join(element(
            "client", element("username", name) + element("password", secret)
            + element("documentation", escape(text)))
            for name, secret, text in self.clients)

    def ia_getYAWLServices(self, _):
        return "".join(
            '<yawlService id="%s">%s%s%s</yawlService>' % (
                uri, element("servicename", name),
                element("servicepassword", secret),
                element("assignable", "true"))
            for uri, name, secret in self.services)

    def ib_getSpecification(self, form):
        key = (form.get("specidentifier", ""), form.get("specversion"),
               form.get("specuri"))
        if key not in self.specifications:
            return failure("Specification with ID (..) not found.")
        return self.specifications[key]

    def ib_exportAllCaseStates(self, _):
        spoil = "<case><runners></case>" if self.spoilt else ""
        return element("cases", spoil + "".join(xml for _, xml in self.cases))

    def ib_exportCaseState(self, form):
        return element("cases", "".join(
            xml for name, xml in self.cases if name == form["caseID"]))

    def ib_getAllRunningCases(self, _):
        return element("AllRunningCases", element("specificationID", "".join(
            element("caseID", name) for name, _ in self.cases)))

    def logGateway_getSpecificationCaseIDs(self, _):
        if not self.logged:
            return element("failure", "No rows returned.")
        return '<cases id="x" key="1">%s</cases>' % "".join(
            element("case", name) for name in self.logged)


def failure(reason):
    return element("failure", element("reason", reason))


def pretty(xml):
    """White space between elements, as pretty printed."""
    return re.sub(r"><", ">\n  <", xml)
