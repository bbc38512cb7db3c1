// SPDX-License-Identifier: Apache-2.0
// The JavaScript client against a server: requests that are sent again, streams,
// and the worker.  Run by test_javascript.py.
import assert from "node:assert/strict";
import {spawn} from "node:child_process";
import {once} from "node:events";
import {createInterface} from "node:readline";
import {test} from "node:test";
import {fileURLToPath} from "node:url";

import {startServer} from "../../clients/javascript/testing.mjs";
import {Client, ConnectionFailed, Fail, Problem, Release, WeftError} from
    "../../clients/javascript/weft.mjs";

const path = name => fileURLToPath(new URL(name, import.meta.url));
const ORDER = path("../../examples/services/order.yawl");
const OFFER = path("../../examples/timer.yawl");
const DATA = {item: "tea", amount: 4};
// What a proxy may answer instead of the server.
const PAGE = {do: "answer", status: 200, text: "<html>",
    headers: {"Content-Type": "application/json"}};
const quiet = {log() {}};

const work = item => item.task === "Price"
    ? {total: 3 * item.data.amount}
    : {parcel: `parcel with ${item.data.item}`};

async function all(iterable) {
    const found = [];
    for await (const one of iterable)
        found.push(one);
    return found;
}

async function until(holds) {
    for (;;) {
        const found = await holds();
        if (found)
            return found;
        await new Promise(resolve => setTimeout(resolve, 20));
    }
}

const refusal = promise => promise.then(
    found => assert.fail(`not refused: ${JSON.stringify(found)}`),
    error => error instanceof WeftError ? error : Promise.reject(error));

/* A test with a server, the proxy before it, and a client that uses the proxy. */
function behindProxy(name, specifications, run, options = []) {
    test(name, async () => {
        const server = await startServer({specifications, options});
        const child = spawn("python3", ["-B", path("proxy.py"), server.url],
            {stdio: ["pipe", "pipe", "inherit"]});
        try {
            const [url] = await once(createInterface({input: child.stdout}),
                "line");
            const control = new Client({url});
            const proxy = {
                url,
                add: (...actions) => control.request("POST", "/proxy",
                    {body: actions}),
                async seen(pattern) {
                    return (await control.request("GET", "/proxy")).filter(r =>
                        new RegExp(`^${pattern}`).test(`${r.method} ${r.path}`));
                },
            };
            await run({server, proxy,
                client: new Client({url, token: server.token})});
        } finally {
            child.kill();
            await server.stop();
        }
    });
}

const orders = client => client.putService("orders", {
    kind: "pull", uri: "urn:example:orders", delay: "PT2M"});

async function whileRunning(worker, run) {
    const ended = worker.run();
    try {
        return await run();
    } finally {
        worker.stop();
        await ended;
    }
}

behindProxy("commands are executed once, however often they are sent", [ORDER],
    async ({proxy, client}) => {
        const cut = {on: "POST /v1/cases", do: "cut"};
        await proxy.add(cut, cut);
        const started = await client.startCase("Order", DATA);
        const sent = await proxy.seen("POST /v1/cases");
        assert.equal(sent.length, 3);
        assert.equal(new Set(sent.map(
            r => r.headers["idempotency-key"])).size, 1);
        assert.ok(started.repeated);
        await client.startCase("Order", DATA, {key: "mine"});
        assert.ok((await client.startCase("Order", DATA, {key: "mine"}))
            .repeated);
        assert.equal((await all(client.listCases())).length, 2);
        await proxy.add({on: "POST /v1/items:claim", do: "cut"});
        assert.ok(await refusal(client.claimItems("urn:example:orders"))
            instanceof ConnectionFailed);
        assert.equal((await proxy.seen("POST /v1/items:claim")).length, 1);
        await orders(client);
        await proxy.add({on: "DELETE", do: "cut"});
        await client.removeService("orders");
        assert.equal((await proxy.seen("DELETE")).length, 2);
        assert.equal((await refusal(client.removeService("orders"))).code,
            "not_found");
    });

behindProxy("503, 502 and 429, with and without Retry-After", [ORDER],
    async ({server, proxy, client}) => {
        const body = {status: 503, code: "unavailable", title: "t"};
        const headers = {"Content-Type": "application/problem+json"};
        await proxy.add(...[
            {status: 503, body, headers: {...headers, "Retry-After": "1"}},
            {status: 429}, {status: 502}, {status: 504}, {status: 503},
        ].map(action => ({on: "POST /v1/cases", do: "answer", ...action})));
        await client.startCase("Order", DATA);
        assert.equal((await proxy.seen("POST /v1/cases")).length, 6);
        assert.equal((await all(client.listCases())).length, 1);
        await proxy.add(...[{status: 503, body, headers}, {status: 502}].map(
            action => ({on: "POST /v1/items:claim", do: "answer", ...action})));
        const failed = await refusal(client.claimItems("urn:example:orders"));
        assert.equal(failed.status, 502);
        assert.equal((await proxy.seen("POST /v1/items:claim")).length, 2);
        const soon = new Client({url: proxy.url, token: server.token,
            retryFor: 0.5});
        await proxy.add({on: "GET /v1/cases", do: "answer", status: 503,
            headers: {"Retry-After": "1"}});
        assert.equal((await refusal(soon.showCase("1"))).status, 503);
        const unknown = await refusal(client.showCase("7"));
        assert.ok(unknown instanceof Problem && unknown.detail);
        assert.equal(unknown.code, "not_found");
        const wrong = await refusal(
            client.loadSpecifications("<specificationSet/>"));
        assert.ok(wrong.problem.diagnostics.length > 0);
        assert.match(wrong.message, /\nerror, line /);
        const nobody = new Client({url: "http://127.0.0.1:9", retryFor: 0.1});
        assert.ok(await refusal(nobody.showCase("1"))
            instanceof ConnectionFailed);
    });

behindProxy("all pages of a list; a stream goes on without gaps", [OFFER],
    async ({proxy, client}) => {
        const names = ["c0", "c1", "c2", "c3", "c4"];
        for (const id of names)
            await client.startCase("Offer", undefined, {case: id});
        assert.deepEqual((await all(client.listCases(
            {order: "oldest", limit: 2}))).map(row => row.case), names);
        const on = "GET /v1/events";
        await proxy.add({on, do: "end", steps: 2},
            {on, do: "answer", status: 503}, {on, do: "end", steps: 1});
        const steps = [];
        for await (const step of client.streamEvents({after: "0"}))
            if (steps.push(step) === names.length)
                break;
        assert.deepEqual(steps.map(step => step.case), names);
        assert.deepEqual((await proxy.seen(on)).map(
            r => r.headers["last-event-id"]),
        ["0", steps[1].id, steps[1].id, steps[2].id]);
        assert.equal((await refusal(client.streamEvents(
            {after: "nonsense"}).next())).status, 400);
        const [ended] = await Promise.all([client.waitCase("c0"),
            client.cancelCase("c0")]);
        assert.equal(ended.status, "cancelled");
        await refusal(client.waitCase("c1", 0.1));
        const stop = new AbortController();
        const rest = all(client.streamEvents({signal: stop.signal}));
        stop.abort();
        assert.deepEqual(await rest, []);
    });

behindProxy("a worker sends the trace of its item", [ORDER],
    async ({proxy, client}) => {
        const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        await orders(client);
        const handler = async item => {
            await item.client.showCase(item.case);
            return work(item);
        };
        let id;
        await whileRunning(client.worker("orders", handler,
            {wait: 0.2, ...quiet}), async () => {
            ({case: id} = await client.withHeaders({
                traceparent: `00-${trace}-00f067aa0ba902b7-01`,
                tracestate: "a=1"}).startCase("Order", DATA));
            await client.waitCase(id);
        });
        const ofItems = [...await proxy.seen("POST /v1/items/.*/complete"),
            ...await proxy.seen(`GET /v1/cases/${id}$`)].map(r => r.headers)
            .filter(headers => headers.traceparent);
        assert.ok(ofItems.length >= 4);
        assert.ok(ofItems.every(headers => headers.traceparent.includes(trace)
            && headers.tracestate === "a=1"));
        assert.ok((await proxy.seen("POST /v1/items:claim")).every(
            r => r.headers.traceparent === undefined));
    }, ["--traces-endpoint", "http://127.0.0.1:9/v1/traces",
        "--allow-address", "127.0.0.1"]);

behindProxy("a worker: items that are done, failed, released, refused", [ORDER],
    async ({server, proxy, client}) => {
        await orders(client);
        await proxy.add(
            {on: "POST /v1/items:claim", do: "answer", status: 503},
            {on: "POST /v1/items:claim", ...PAGE},
            {on: "POST /v1/items/.*/complete", do: "cut"});
        await whileRunning(client.worker("orders", work,
            {concurrency: 3, wait: 0.2, ...quiet}), async () => {
            const started = await Promise.all([1, 2, 3, 4, 5].map(
                () => client.startCase("Order", DATA)));
            for (const {case: id} of started)
                assert.equal((await client.waitCase(id)).status, "completed");
        });
        const done = await proxy.seen("POST /v1/items/.*/complete");
        assert.equal(done.length, 11);
        assert.ok(done.every(r => r.path.includes("fence=")));
        assert.equal(new Set(done.map(
            r => r.headers["idempotency-key"])).size, 10);
        const outcomes = {x: new Error("no paper"),
            y: new Release("later", {delay: "PT5M"}), z: new Release(),
            f: new Fail("never"), r: {total: 0}, d: {total: 10n},
            e: new Release("later", {delay: 10n})};
        const attempts = {x: [], y: [], z: [], f: [], r: [], d: [], e: []};
        const fails = async item => {
            if (item.task !== "Price" ||
                attempts[item.case].push(item.attempt) > 1)
                return work(item);
            const outcome = outcomes[item.case];
            if (outcome instanceof Error)
                throw outcome;
            return outcome;
        };
        await whileRunning(client.worker("orders", fails,
            {wait: 0.2, ...quiet}), async () => {
            for (const id of Object.keys(outcomes))
                await client.startCase("Order", DATA, {case: id});
            for (const id of ["z", "f"])
                await client.waitCase(id);
            const item = async id => (await all(client.listItems(
                {case: id})))[0];
            const answers = {};
            for (const id of ["x", "y", "r", "d", "e"])
                answers[id] = await until(
                    async () => (await item(id)).last_answer);
            assert.match(answers.x, /no paper/);
            assert.equal(answers.y, "later");
            assert.match(answers.d, /BigInt/);
            assert.match(answers.e, /BigInt/);
            await server.clock.advance("PT10M");
            for (const id of ["x", "y", "r", "d", "e"])
                await client.waitCase(id);
        });
        assert.deepEqual(attempts,
            {x: [1, 2], y: [1, 2], z: [1, 1], f: [1], r: [1, 2], d: [1, 2],
                e: [1, 2]});
        assert.deepEqual((await all(client.showHistory("f"))).map(
            step => step.reason).filter(Boolean), ["never"]);
    });

behindProxy("heartbeats keep an item; who has lost it does not complete it",
    [ORDER], async ({server, proxy, client}) => {
        await orders(client);
        const items = [];
        let go;
        const kept = new Promise(resolve => {
            go = resolve;
        });
        const slow = async item => {
            if (items.push(item) === 1) {
                await proxy.add({on: ".*heartbeat", ...PAGE});
                await until(async () =>
                    (await proxy.seen(".*heartbeat")).length > 2);
                go();
                await once(item.signal, "abort");
            }
            return work(item);
        };
        const worker = client.worker("orders", slow,
            {concurrency: 2, wait: 0.2, ...quiet});
        worker.interval = 0.1;
        await whileRunning(worker, async () => {
            const {case: id} = await client.startCase("Order", DATA);
            await kept;
            await server.clock.advance("PT1H");
            await until(() => items[0].lost);
            assert.equal((await client.waitCase(id)).status, "completed");
        });
        assert.deepEqual(items.map(item => item.attempt), [1, 2, 1]);
        assert.deepEqual((await proxy.seen(".*/complete")).map(
            r => r.path.split("/").pop()),
        ["complete?fence=2", "complete?fence=1"]);
        const late = await refusal(client.completeItem(items[0].id,
            {total: 1}, {fence: items[0].fence}));
        assert.ok(["lease", "not_found"].includes(late.code), late);
    });

test("SIGTERM: the item that it has is finished, and no other is claimed",
    async () => {
        const server = await startServer({specifications: [ORDER]});
        try {
            await orders(server.client);
            for (let i = 0; i < 3; i++)
                await server.client.startCase("Order", DATA);
            const module = new URL("../../clients/javascript/weft.mjs",
                import.meta.url);
            const child = spawn("node", ["--input-type=module", "-e", `
                import {once} from "node:events";
                import {Client} from ${JSON.stringify(module.href)};
                process.once("SIGTERM", () => console.log("signal"));
                await new Client().worker("orders", async item => {
                    console.log("began");
                    await once(process.stdin, "data");
                    process.stdin.pause();
                    return {total: 1};
                }, {task: "Price", wait: 0.2}).run();
                console.log("ended");`], {
                env: {...process.env, WEFT_SERVER: server.url,
                    WEFT_TOKEN: server.token},
                stdio: ["pipe", "pipe", "inherit"]});
            const lines = createInterface({input: child.stdout});
            const seen = [];
            const closed = once(child, "close");
            lines.on("line", line => {
                seen.push(line);
                if (line === "began")
                    child.kill("SIGTERM");
            });
            await until(() => seen.includes("signal"));
            child.stdin.write("\n");
            const [code] = await closed;
            assert.equal(code, 0);
            assert.deepEqual(seen, ["began", "signal", "ended"]);
            assert.equal((await all(server.client.listItems(
                {task: "Ship"}))).length, 1);
            assert.deepEqual((await all(server.client.listItems(
                {task: "Price"}))).filter(
                item => item.status !== "enabled"), []);
            const refused = new Client({url: server.url, token: "wrong"})
                .worker("orders", work);
            assert.equal((await refusal(refused.run())).code, "unauthorized");
        } finally {
            await server.stop();
        }
    });
