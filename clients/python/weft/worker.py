# SPDX-License-Identifier: Apache-2.0
"""A worker: claims the items of a service, has a handler do them, and keeps
their leases meanwhile.

    claim ─► handler ─┬─► output ─► complete
                      ├─► Fail ─► fail: the item ends as failed
                      ├─► Release, or another exception ─► release: tried again
                      ├─► what cannot be sent, or does not fit ─► the same
                      └─► the lease is lost ─► nothing: another worker has it

One thread claims, one sends heartbeats, and each item has one of `concurrency`
threads. Claims are for as many items as threads are free.
"""
from __future__ import annotations

import logging
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Set

from .errors import ConnectionFailed, Fail, Problem, Release
from .transport import pause
from .values import ClaimedItem, Data

if TYPE_CHECKING:
    from .client import Client

log = logging.getLogger("weft")

# A handler gets the item and returns its output, or None for an empty one.
Handler = Callable[["WorkItem"], Optional[Data]]
# What the server accepts: bytes of a reason, items of a claim.
REASON_BYTES = 1000
CLAIM_ITEMS = 100


class WorkItem:
    """An item that a worker has under a lease."""

    def __init__(self, worker: Worker, claimed: ClaimedItem) -> None:
        # Its requests belong to the trace of the item.
        self.client = worker.client.with_headers({
            name: value for name, value in (
                ("traceparent", claimed.get("traceparent")),
                ("tracestate", claimed.get("tracestate")))
            if value is not None})
        self.claimed = claimed
        self.id: str = claimed["item"]
        self.case: str = claimed["case"]
        self.task: str = claimed["task"]
        self.data: Dict[str, Any] = claimed.get("data", {})
        self.attempt: int = claimed["attempt"]
        self.fence: int = claimed["fence"]
        self._lost = threading.Event()
        self._next = time.monotonic() + worker.interval

    @property
    def lost(self) -> bool:
        """Whether the lease is lost: what the handler does is in vain."""
        return self._lost.is_set()


class Worker:
    """lease: seconds that an item is kept without a heartbeat, of which one is
    sent each third; wait: seconds that a claim waits for items, which is also
    how long stop() may take to be noticed."""

    def __init__(self, client: Client, service: Optional[str],
                 handler: Handler, *, concurrency: int = 1,
                 task: Optional[str] = None, lease: float = 60.0,
                 wait: float = 10.0) -> None:
        if concurrency < 1 or lease <= 0 or wait < 0:
            raise ValueError("concurrency and lease are above 0, wait is not "
                             "below 0")
        self.client = client
        self.service = service
        self.handler = handler
        self.concurrency = concurrency
        self.task = task
        self.lease = lease
        self.wait = wait
        self.interval = lease / 3
        self._stopping = threading.Event()
        self._lock = threading.Condition()
        # Two of them may be attempts of one item, with different fences.
        self._items: Set[WorkItem] = set()
        self._free = concurrency
        self._over = False

    # --- running

    def run(self, signals: bool = True) -> None:
        """Works until stop() is called, or SIGTERM or SIGINT comes (signals:
        in the main thread only), and then finishes the items that it has. A
        second signal ends the program as usual. Raises the Problem when the
        server refuses the claims for good, such as those of a wrong token."""
        if signals and threading.current_thread() is threading.main_thread():
            before = {number: signal.signal(number, self._signalled)
                      for number in (signal.SIGTERM, signal.SIGINT)}
        else:
            before = {}
        self._before = before
        beats = threading.Thread(target=self._beat, daemon=True,
                                 name="weft-heartbeats")
        beats.start()
        try:
            with ThreadPoolExecutor(
                    self.concurrency, thread_name_prefix="weft-worker") as pool:
                self._claim_all(pool)
        finally:
            with self._lock:
                self._over = True
                self._lock.notify_all()
            beats.join()
            self._restore()

    def start(self) -> threading.Thread:
        """run() in a thread of its own, for tests and programs with several
        workers."""
        thread = threading.Thread(target=self.run, name="weft-claims")
        thread.start()
        return thread

    def stop(self) -> None:
        """No further claims; run() returns when all items are finished."""
        self._stopping.set()
        with self._lock:
            self._lock.notify_all()

    def _signalled(self, number: int, frame: Any) -> None:
        self._restore()
        self._stopping.set()

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}

    # --- claiming

    def _claim_all(self, pool: ThreadPoolExecutor) -> None:
        attempt = 0
        while not self._stopping.is_set():
            count = self._room()
            if count == 0 or self._stopping.is_set():
                continue
            try:
                claimed = [WorkItem(self, one) for one in
                           self.client.claim_items(
                               self.service, task=self.task, count=count,
                               wait=self.wait, lease=self.lease,
                               timeout=self.wait + 60, retry_for=0)]
            # Also such as what a proxy answers instead of the server.
            except Exception as error:
                if isinstance(error, Problem) and error.status < 500 and \
                        error.status != 429:
                    raise
                log.warning("no items can be claimed: %s", error)
                self._stopping.wait(pause(attempt))
                attempt += 1
                continue
            attempt = 0
            for item in claimed:
                self._take(pool, item)

    def _room(self) -> int:
        """How many items can be taken; waits a little for the first."""
        with self._lock:
            if self._free == 0 and not self._stopping.is_set():
                self._lock.wait(1)
            return min(self._free, CLAIM_ITEMS)

    def _take(self, pool: ThreadPoolExecutor, item: WorkItem) -> None:
        if self._stopping.is_set():  # the claim was on its way
            self._send(item, "release", lambda: item.client.release_item(
                item.id, item.fence))
            return
        with self._lock:
            self._items.add(item)
            self._free -= 1
            self._lock.notify_all()
        pool.submit(self._work, item)

    # --- working

    def _work(self, item: WorkItem) -> None:
        try:
            finish = self._do(item)
            if item.lost:
                log.warning("%s: its lease was lost before it was done",
                            item.id)
            else:
                self._send(item, *finish)
        except BaseException:
            log.exception("%s: the worker failed", item.id)
        finally:
            with self._lock:
                self._items.discard(item)
                self._free += 1
                self._lock.notify_all()

    def _do(self, item: WorkItem) -> Any:
        """Has the handler do it; what is sent, and how."""
        client = item.client
        failure: BaseException
        try:
            output = self.handler(item)
        except Fail as error:
            failed = error
            return "fail", lambda: client.fail_item(
                item.id, _cut(failed.reason), fence=item.fence)
        except Release as error:
            released = error
            return "release", lambda: client.release_item(
                item.id, item.fence, released.reason and _cut(released.reason),
                delay=released.delay)
        except BaseException as error:
            log.exception("%s: its handler failed", item.id)
            failure = error
            return "release", lambda: client.release_item(
                item.id, item.fence, _why(failure))
        return "complete", lambda: client.complete_item(
            item.id, output, fence=item.fence)

    def _send(self, item: WorkItem, what: str, send: Callable[[], Any],
              again: bool = True) -> None:
        """again: what cannot be sent is a reason to release the item."""
        try:
            send()
        except ConnectionFailed as error:
            log.error("%s: cannot %s: %s", item.id, what, error)
        except Exception as error:
            problem = error if isinstance(error, Problem) else None
            reason = _why(error)
            if problem and problem.code in ("lease", "not_found"):
                item._lost.set()
                log.warning("%s: cannot %s: its lease is lost", item.id, what)
                return
            log.error("%s: cannot %s: %s", item.id, what, error)
            # Such as output that does not fit: that attempt has failed.
            if again and (problem is None or problem.status < 500):
                self._send(item, "release", lambda: item.client.release_item(
                    item.id, item.fence, reason), False)

    # --- heartbeats

    def _beat(self) -> None:
        with self._lock:
            while not self._over:
                now = time.monotonic()
                items = [item for item in self._items if not item.lost]
                due = [item for item in items if item._next <= now]
                if not due:
                    self._lock.wait(min(
                        (item._next - now for item in items), default=None))
                    continue
                self._lock.release()
                try:
                    for item in due:
                        self._keep(item)
                finally:
                    self._lock.acquire()

    def _keep(self, item: WorkItem) -> None:
        item._next = time.monotonic() + self.interval
        try:
            self.client.keep_item(item.id, item.fence, lease=self.lease,
                                  retry_for=0)
        except Problem as problem:
            if problem.code in ("lease", "not_found"):
                with self._lock:
                    if item in self._items:
                        item._lost.set()
                return
            item._next = time.monotonic() + min(1.0, self.interval)
        except Exception as error:
            log.debug("%s: no heartbeat: %s", item.id, error)
            item._next = time.monotonic() + min(1.0, self.interval)


def _why(error: BaseException) -> str:
    if isinstance(error, Problem):
        return _cut(error.detail or error.title)
    return _cut("%s: %s" % (type(error).__name__, error))


def _cut(text: str) -> str:
    return text.encode()[:REASON_BYTES].decode(errors="ignore") or "no reason"
