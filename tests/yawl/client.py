# SPDX-License-Identifier: Apache-2.0
"""A server with YAWL's interfaces, and a client that sends forms to it."""
import base64
import hashlib
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "rest"))

from server import Server  # noqa: E402 (the path comes first)

WORKLIST = "http://127.0.0.1:9/ib"
TRIP = {"specidentifier": "UID_trip", "specversion": "0.1", "specuri": "trip"}
ADMIN = "Se4tMaQCi9gr0Q2usp7P56Sk5vM="


def read(name):
    with open(os.path.join(HERE, name)) as file:
        return file.read()


def hashed(password):
    return base64.b64encode(hashlib.sha1(password.encode()).digest()).decode()


def start(*arguments, **named):
    return Server(arguments=("--yawl", "--default-worklist",
                             WORKLIST + "#resource") + arguments, **named)


def failure(reason):
    return "<response><failure><reason>%s</reason></failure></response>" % (
        reason)


GOOD = "<response><success/></response>"
NO_SESSION = failure("Invalid or expired session.")


class Yawl:
    def __init__(self, server, path="/yawl", host="127.0.0.1"):
        self.server = server
        self.path = path
        self.host = host
        self.handle = None
        self.headers = {}

    def send(self, where, form, method=None):
        """Status and body."""
        request = urllib.request.Request(
            "http://%s:%d%s%s" % (self.host, self.server.port, self.path,
                                  where),
            form, self.headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as answer:
            return answer.code, answer.read().decode()

    def ask(self, where, action, **parameters):
        """The body."""
        parameters["action"] = action
        if self.handle and "sessionHandle" not in parameters:
            parameters["sessionHandle"] = self.handle
        parameters = {k: v for k, v in parameters.items() if v is not None}
        return self.send("/" + where,
                         urllib.parse.urlencode(parameters).encode())[1]

    def connect(self, user="admin", password=ADMIN):
        answer = self.ask("ib", "connect", userid=user, password=password)
        self.handle = re.fullmatch(
            "<response>([0-9a-f-]{36})</response>", answer).group(1)
        return self

    def launch(self, data="<Trip><who>Ann</who></Trip>", **more):
        answer = self.ask("ib", "launchCase", caseParams=data,
                          **dict(TRIP, **more))
        return re.fullmatch("<response>([\\w-]+)</response>", answer).group(1)


def mask(text):
    """Times and unique ids."""
    text = re.sub(r"(?<=<uniqueid>)[0-9A-Z]{25}(?=<)", "U", text)
    text = re.sub(r"[A-Z][a-z]{2}:\d\d, \d{4} \d+:\d\d:\d\d", "T", text)
    text = re.sub(r"\b1\d{12}\b", "T", text)
    return re.sub(r"(?<=<deferredChoiceGroupID>)[0-9a-f]{8}(-[0-9a-f]{4}){3}-"
                  r"[0-9a-f]{12}(?=<)", "C", text)
