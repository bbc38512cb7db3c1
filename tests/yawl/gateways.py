# SPDX-License-Identifier: Apache-2.0
"""A server with the gateways of the resource service, an organisation, and a
client that asks them."""
import re
import urllib.parse

from client import ADMIN, Yawl, hashed, read
from checks import check
from server import Server

QUEUES = "resourceService/workqueuegateway"
ORG = "resourceService/gateway"
PATHS = {"QUEUES": QUEUES, "ORG": ORG, "LOG": "resourceService/logGateway",
         "CALENDAR": "resourceService/calendarGateway"}
DESK = {"specidentifier": "UID_desk", "specversion": "0.1", "specuri": "desk"}
PEOPLE = """<orgdata>
<participants>%s</participants>
<roles><role id="RO-clerk"><name>Clerk</name></role>
<role id="RO-boss"><name>Boss</name></role></roles>
</orgdata>"""
PERSON = """<participant id="PA-%s"><userid>%s</userid>
<password>%s</password><firstname>%s</firstname><lastname>X</lastname>
<isAdministrator>%s</isAdministrator><roles><role>%s</role></roles>
<privileges>00000000</privileges></participant>"""


def person(name, role="RO-clerk", administrator="false"):
    return PERSON % (name, name, hashed("pw-" + name), name.title(),
                     administrator, role)


class Gateways(Yawl):
    """Asks with the handle of a service, unless another is named."""

    def __init__(self, server):
        super().__init__(server)
        self.handle = self.ask(QUEUES, "connect", userid="admin",
                               password=ADMIN)

    def login(self, name, **more):
        parameters = dict(userid=name, password="pw-" + name, encrypt="true")
        parameters.update(more)
        return self.ask(QUEUES, "userlogin", sessionHandle=None, **parameters)

    def raw(self, path, action, **parameters):
        """Status and body, without a handle but one that is given."""
        handle, self.handle = self.handle, None
        try:
            parameters["action"] = action
            return self.send("/" + path,
                             urllib.parse.urlencode(parameters).encode())
        finally:
            self.handle = handle


def start(*arguments, **named):
    server = Server(arguments=("--yawl", "--people") + arguments, **named)
    gateways = Gateways(server)
    people = (person("anna") + person("ben")
              + person("eve", "RO-boss", "true"))
    report = gateways.ask(ORG, "importOrgData", xml=PEOPLE % people)
    check("the organisation is imported",
          "Participants: 3/3 imported." in report, report)
    gateways.ask(QUEUES, "uploadSpecification", fileContents=read("desk.yawl"),
                 fileName="desk.yawl")
    return server, gateways


def launch(gateways):
    answer = gateways.ask(QUEUES, "launchCase",
                          casedata="<Desk><note>n</note></Desk>", **DESK)
    return re.fullmatch(r"<response>([\w-]+)</response>", answer).group(1)


def queued(gateways, name, queue, **more):
    records = gateways.ask(QUEUES, "getQueuedWorkItems",
                           participantid="PA-" + name, queue=queue, **more)
    return re.findall("<workItemRecord><id>([^<]*)</id>", records)


def log(gateways, action, **parameters):
    """Item, resource and type of each event."""
    return re.findall(
        "<itemid>([^<]*)</itemid><resourceid>([^<]*)</resourceid>"
        "<eventtype>([^<]*)</eventtype>",
        gateways.ask(PATHS["LOG"], action, **parameters).replace(
            "<itemid/>", "<itemid></itemid>"))
