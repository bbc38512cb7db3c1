// SPDX-License-Identifier: Apache-2.0
/**
 * A server for tests of processes, whose clock the test moves; for Node.
 *
 *     import {startServer} from "./testing.mjs";
 *
 *     const server = await startServer({specifications: ["offer.yawl"]});
 *     const {case: id} = await server.client.startCase("Offer");
 *     await server.clock.advance("P3D");
 *     assert.equal((await server.client.showCase(id)).status, "completed");
 *     await server.stop();
 *
 * It is `weft serve --test`, with the program that WEFT names, else `weft`.
 */
import {spawn} from "node:child_process";
import {once} from "node:events";
import {mkdtemp, open, readFile, rm} from "node:fs/promises";
import {devNull, tmpdir} from "node:os";
import {join} from "node:path";
import {createInterface} from "node:readline";

import {Client, WeftError} from "./weft.mjs";

// Runs a program, and kills it when its own standard input is closed: no server
// outlives a test that was killed.
const KEEPER = `exec 3<&0 </dev/null
"$@" 3<&- & program=$!
{ read -r _ <&3; kill -9 $program; } >/dev/null 2>&1 & reader=$!
exec 3<&-
wait $program; code=$?
kill $reader 2>/dev/null
exit $code`;

/** The clock of a server in test mode (docs/SCENARIOS.md). */
export class Clock {
    constructor(client) {
        this.client = client;
    }

    async now() {
        return new Date((await this.client.showTestClock()).now);
    }

    /** Everything that becomes due meanwhile is done when this is fulfilled. */
    advance(by, {wait} = {}) {
        return this.#move({advance: by, wait});
    }

    to(time, {wait} = {}) {
        return this.#move({to: time, wait});
    }

    async #move(how) {
        const moved = await this.client.moveTestClock(how);
        if (!moved.settled)
            throw new WeftError(
                `what was due is not done, the clock shows ${moved.now}`);
    }
}

class TestServer {
    constructor(process, folder) {
        this.process = process;
        this.folder = folder;
    }

    /** What the server has logged. */
    log() {
        return readFile(join(this.folder, "log"), "utf8");
    }

    /** A client of another account. */
    clientOf(user, password) {
        return new Client({url: this.url, user, password});
    }

    /** Ends the server at once, since nothing of it is to be kept. */
    async stop() {
        const {exitCode, signalCode} = this.process;
        const hadEnded = (exitCode ?? signalCode) !== null;
        const log = hadEnded ? await this.log() : "";
        await end(this);
        if (hadEnded)
            throw new WeftError(`the server had ended, with ${
                exitCode ?? signalCode}: ${log}`);
    }
}

async function end({process, folder}) {
    if (process.exitCode === null && process.signalCode === null) {
        const ended = once(process, "exit");
        process.stdin.end();
        await ended;
    }
    await rm(folder, {recursive: true, force: true});
}

async function begin(server, specifications) {
    const lines = createInterface({input: server.process.stdout});
    const [line] = await Promise.race([once(lines, "line"),
        once(server.process, "close").then(() => [""])]);
    const url = /https?:\/\/\S+$/.exec(line)?.[0];
    if (url === undefined)
        throw new WeftError(
            `the server did not start: ${await server.log()}`);
    server.url = url;
    server.token = (await readFile(join(server.folder, "weft.token"), "utf8"))
        .trim();
    server.client = new Client({url, token: server.token});
    server.clock = new Clock(server.client);
    for (const path of specifications)
        await server.client.loadSpecifications(await readFile(path));
    return server;
}

/**
 * One server, in memory, on a free port. specifications: files to load. options:
 * more of `weft serve`, such as "--people".
 */
export async function startServer({specifications = [], options = [],
    weft = process.env.WEFT || "weft"} = {}) {
    const folder = await mkdtemp(join(tmpdir(), "weft-test-"));
    const log = await open(join(folder, "log"), "w");
    const child = spawn("sh", ["-c", KEEPER, "sh", weft, "serve", "--test",
        "--config", devNull,
        "--db", "memory:", "--listen", "127.0.0.1:0",
        "--token-file", join(folder, "weft.token"),
        "--allow-address", "127.0.0.1", ...options],
    {stdio: ["pipe", "pipe", log.fd]});
    const server = new TestServer(child, folder);
    try {
        return await begin(server, specifications);
    } catch (error) {
        await end(server);
        throw error;
    } finally {
        await log.close();
    }
}
