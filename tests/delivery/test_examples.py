# SPDX-License-Identifier: Apache-2.0
"""The services of examples/services do the work of order.yawl."""
import os
import shutil
import signal
import subprocess
import time

from fake import SECRET
from checks import check, end, run, skip
from ports import free_port
from server import ROOT, WEFT, Server, die_with_parent

FOLDER = os.path.join(ROOT, "examples", "services")
URI = "urn:example:orders"


def order(server, name, service, command, **environment):
    """Whether that service does an order."""
    client = server.client()
    client.call("PUT", "/v1/services/orders", {"uri": URI, **service})
    environment = dict(
        os.environ, WEFT_SERVER="http://127.0.0.1:%d" % server.port,
        WEFT_TOKEN=server.token, **environment)
    process = subprocess.Popen(
        command, cwd=FOLDER, env=environment, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, preexec_fn=die_with_parent,
        start_new_session=True)
    try:
        client.post("/v1/cases", {
            "specification": "Order", "case": name,
            "data": {"item": "green tea", "amount": 4}})
        limit = time.monotonic() + 300
        while time.monotonic() < limit:
            case = client.get("/v1/cases/" + name).json()
            if case["status"] == "completed":
                break
            time.sleep(0.05)
        check("an order is done by " + name, case["status"] == "completed" and
              case["data"] == {"item": "green tea", "amount": 4, "total": 12,
                               "parcel": "parcel with green tea"}, case)
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # with its children
        process.wait()


def all_of_them():
    server = Server(arguments=("--yawl", "--allow-address", "127.0.0.1"))
    with open(os.path.join(FOLDER, "order.yawl")) as file:
        server.client().load(file.read())
    if shutil.which("curl"):
        done = subprocess.run(
            [os.path.join(FOLDER, "interface-b.sh")], stdout=subprocess.PIPE,
            env=dict(os.environ,
                     WEFT_SERVER="http://127.0.0.1:%d" % server.port))
        check("an order is done by hand over interface B", done.stdout.decode()
              == "case 1\n1.1:Price <success/>\n1.2:Ship <success/>\n"
              "<AllRunningCases></AllRunningCases>\n", done.stdout)
        order(server, "shell", {"kind": "pull"},
              [os.path.join(FOLDER, "pull.sh")])
    else:
        skip("shell", "there is no curl")
    port = free_port()
    order(server, "python", {"kind": "push", "secret": SECRET,
                             "delay": "PT0.2S",
                             "cap": "PT1S", "attempts": 1000,
                             "address": "http://127.0.0.1:%d/" % port},
          ["python3", "push.py", str(port)], SECRET=SECRET)
    order(server, "python-pull", {"kind": "pull"}, ["python3", "-B", "pull.py"],
          PYTHONPATH=os.path.join(ROOT, "clients", "python"))
    if shutil.which("node"):
        order(server, "javascript-pull", {"kind": "pull"}, ["node", "pull.mjs"])
    else:
        skip("javascript", "there is no node")
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "libcurl", "jansson"],
        stdout=subprocess.PIPE).stdout.decode().split()
    program = os.path.join(server.folder, "pull")
    if not flags:
        skip("c", "there is no libcurl")
    elif check("the service in C compiles", subprocess.run(
            ["cc", "-o", program, "pull.c"] + flags,
            cwd=FOLDER).returncode == 0):
        order(server, "c", {"kind": "pull"}, [program])
    server.close()


run(all_of_them)
end()
