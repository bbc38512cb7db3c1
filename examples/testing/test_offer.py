# SPDX-License-Identifier: Apache-2.0
"""Tests of two of the examples: a process with a timer, and a worker. They take
milliseconds, because they move the clock of their server.

usage, in the folder above examples/, with weft in the PATH:
PYTHONPATH=clients/python python3 examples/testing/test_offer.py"""
import os
import sys
import unittest

from weft.testing import Server

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.append(os.path.join(EXAMPLES, "services"))
import pull  # noqa: E402  the worker that is tested


class OfferTest(unittest.TestCase):
    def setUp(self):
        self.server = Server(os.path.join(EXAMPLES, "timer.yawl"))
        self.server.start()
        self.addCleanup(self.server.stop)
        self.client = self.server.client
        self.case = self.client.start_case("Offer")["case"]
        self.client.complete_item(self.case + ":Send", {"price": 90})

    def tasks(self):
        return sorted(item["task"] for item in
                      self.client.list_items(case=self.case))

    def test_it_lapses_after_two_minutes(self):
        self.server.clock.advance("PT1M")
        self.assertEqual(self.tasks(), ["Accept", "Lapse"])
        self.server.clock.advance("PT2M")
        self.assertEqual(
            self.client.show_case(self.case)["status"], "completed")

    def test_who_accepts_in_time_gets_the_goods(self):
        self.client.complete_item(self.case + ":Accept")
        self.server.clock.advance("P1D")
        self.assertEqual(self.tasks(), ["Deliver"])


class OrderTest(unittest.TestCase):
    def setUp(self):
        self.server = Server(os.path.join(EXAMPLES, "services", "order.yawl"))
        self.server.start()
        self.addCleanup(self.server.stop)
        self.client = self.server.client
        self.client.put_service(
            "orders", kind="pull", uri="urn:example:orders")

    def work(self, handler):
        """A worker with that handler runs until the end of the test."""
        worker = self.client.worker("orders", handler, wait=0.1)
        thread = worker.start()
        self.addCleanup(thread.join)
        self.addCleanup(worker.stop)

    def order(self):
        return self.client.start_case(
            "Order", {"item": "tea", "amount": 4})["case"]

    def test_an_order_is_priced_and_shipped(self):
        self.work(pull.work)
        case = self.client.wait_case(self.order(), timeout=60)
        self.assertEqual(case["data"]["total"], 12)
        self.assertEqual(case["data"]["parcel"], "parcel with tea")

    def test_a_worker_that_dies_loses_its_item_to_another(self):
        case = self.order()
        [lost] = self.client.claim_items("orders", lease="PT1M", wait=10)
        self.server.clock.advance("PT2M")
        self.work(pull.work)
        self.assertEqual(
            self.client.wait_case(case, timeout=60)["status"], "completed")
        self.assertEqual(lost["attempt"], 1)


if __name__ == "__main__":
    unittest.main()
