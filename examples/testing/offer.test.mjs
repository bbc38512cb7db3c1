// SPDX-License-Identifier: Apache-2.0
// Tests of two of the examples: a process with a timer, and a worker.  They take
// milliseconds, because they move the clock of their server.
//
// usage, with weft in the PATH: node --test examples/testing/offer.test.mjs
import assert from "node:assert/strict";
import {test} from "node:test";

import {startServer} from "../../clients/javascript/testing.mjs";
import {work} from "../services/pull.mjs";

const example = name => new URL(`../${name}`, import.meta.url);

/* A test with a server of its own. */
const withServer = (name, specification, run) => test(name, async () => {
    const server = await startServer({specifications: [example(specification)]});
    try {
        await run(server);
    } finally {
        await server.stop();
    }
});

async function offer({client}) {
    const {case: id} = await client.startCase("Offer");
    await client.completeItem(`${id}:Send`, {price: 90});
    return id;
}

async function tasks({client}, id) {
    const found = [];
    for await (const item of client.listItems({case: id}))
        found.push(item.task);
    return found.sort();
}

withServer("an offer lapses after two minutes", "timer.yawl", async server => {
    const id = await offer(server);
    await server.clock.advance("PT1M");
    assert.deepEqual(await tasks(server, id), ["Accept", "Lapse"]);
    await server.clock.advance("PT2M");
    assert.equal((await server.client.showCase(id)).status, "completed");
});

withServer("who accepts in time gets the goods", "timer.yawl", async server => {
    const id = await offer(server);
    await server.client.completeItem(`${id}:Accept`);
    await server.clock.advance("P1D");
    assert.deepEqual(await tasks(server, id), ["Deliver"]);
});

withServer("an order is priced and shipped", "services/order.yawl",
    async ({client}) => {
        await client.putService("orders",
            {kind: "pull", uri: "urn:example:orders"});
        const worker = client.worker("orders", work, {wait: 0.1});
        const ended = worker.run();
        const {case: id} = await client.startCase("Order",
            {item: "tea", amount: 4});
        const found = await client.waitCase(id, 60);
        worker.stop();
        await ended;
        assert.equal(found.data.total, 12);
        assert.equal(found.data.parcel, "parcel with tea");
    });
