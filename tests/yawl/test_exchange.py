# SPDX-License-Identifier: Apache-2.0
"""Recorded exchanges with a YAWL engine, where a corpus has them: what differs
is what docs/YAWL-COMPATIBILITY.md names, and every announcement is made."""
import os
import re
import socket
import subprocess
import sys
import time

from client import HERE, Yawl  # noqa: F401 (it finds the server)
from checks import check, end, run, skip
from server import Server

CORPUS = os.environ.get("WEFT_CORPUS", "")
TOOL = os.path.join(CORPUS, "..", "tools", "exchange")

# Why is in docs/YAWL-COMPATIBILITY.md.
NAMED = {
    "/ib createInstance 3.2:Pack", "/ib getChildren 3:Pack",
    "/ia newYAWLService", "/ix updateWorkItemData",
    "/ib getWorkItem 5.1:Check",
}


def are_free(seconds=600):
    until = time.monotonic() + seconds
    while True:
        try:
            for port in (18081, 18082, 18083):
                with socket.socket() as s:
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    s.bind(("127.0.0.1", port))
            return True
        except OSError:
            if time.monotonic() > until:
                return False
            time.sleep(0.5)


def alone():
    """Waits until no other of these tests runs on this machine; held until it
    is closed."""
    held = socket.socket(socket.AF_UNIX)
    while True:
        try:
            held.bind("\0weft-test-exchange")
            return held
        except OSError:
            time.sleep(0.5)


def replay(wait):
    """What the tool says, who waits so many seconds behind each request."""
    server = Server(arguments=(
        "--yawl", "--allow-address", "127.0.0.0/8", "--default-worklist",
        "http://127.0.0.1:18081/ib#resource"))
    got = subprocess.run(
        [sys.executable, TOOL, "--wait", wait, "--failures", "1000",
         "--base", "http://127.0.0.1:%d/yawl" % server.port],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    server.close()
    return got.stdout.decode()


def exchange():
    if not CORPUS or not os.path.exists(TOOL):
        skip("the recorded exchange", "there is no corpus")
        return
    # The tool listens on ports of its own.
    with alone():
        if not are_free():
            skip("the recorded exchange", "its ports are in use")
            return
        for wait in "0.1", "1", "5":
            text = replay(wait)
            differs = {line[8:].strip() for line in text.splitlines()
                       if line.startswith("DIFFERS ")}
            last = re.search(r"(\d+) / (\d+) made, (\d+) not expected", text)
            whole = last and last.group(1) == last.group(2) and \
                last.group(3) == "0"
            if differs <= NAMED and whole:
                break  # else we were too slow, if this is well the next time
    check("what differs is named", differs <= NAMED, differs - NAMED, text)
    check("every announcement is made, and no other", whole, text)


run(exchange)
end()
