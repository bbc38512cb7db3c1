# SPDX-License-Identifier: Apache-2.0
"""Clients at work, who remember which commands were acknowledged."""
import http.client
import threading
import time

from server import Client


class Worker(threading.Thread):
    """Starts cases of sequence.yawl and completes their first item, until the
    server ends or the client is stopped."""

    def __init__(self, server, key, name):
        super().__init__()
        self.client = Client(server.port, server.token, seconds=300)
        self.key = key
        self.name = name
        self.done = {}       # case: the task that is next; None: no case
        self.unanswered = 0  # the connection was closed before an answer
        self.timeouts = 0
        self.odd = []        # other answers
        self.stopped = False

    def ask(self, path, body):
        """Whether it was done; None when the server is ending."""
        try:
            answer = self.client.post(path, body)
        except (TimeoutError, OSError, http.client.HTTPException) as error:
            if isinstance(error, TimeoutError):
                self.timeouts += 1
            elif not isinstance(error, ConnectionRefusedError):
                self.unanswered += 1
            return None
        if answer.status in (200, 201):
            return True
        if answer.status != 503:
            self.odd.append(answer)
        return None

    def run(self):
        i = 0
        while not self.stopped:
            i += 1
            case = "%s-%d" % (self.name, i)
            self.done[case] = None
            if not self.ask("/v1/cases", {"specification": self.key,
                                          "case": case}):
                return
            self.done[case] = "Ask"
            if not self.ask("/v1/items/%s:Ask/complete" % case, {}):
                return
            self.done[case] = "Book"


def answered(workers):
    """The next task of each case that the server has acknowledged."""
    return {case: task for worker in workers
            for case, task in list(worker.done.items()) if task}


def at_work(workers, cases):
    """Waits until there are more cases than that."""
    limit = time.monotonic() + 600
    while len(answered(workers)) <= cases and time.monotonic() < limit:
        time.sleep(0.02)


def found(client):
    """The next task of each case."""
    tasks = {}
    path = "/v1/items?limit=1000"
    while path:
        answer = client.get(path).json()
        for item in answer["items"]:
            tasks[item["case"]] = item["task"]
        path = answer.get("next") and (
            "/v1/items?limit=1000&after=" + answer["next"])
    return tasks
