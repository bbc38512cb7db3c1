// SPDX-License-Identifier: Apache-2.0
/**
 * Client of the workflow engine Weft, for Node from version 18 and for browsers.
 *
 *     import {Client} from "./weft.mjs";
 *
 *     const client = new Client({url: "http://127.0.0.1:8090", token: "..."});
 *     const {case: id} = await client.startCase("Order", {item: "tea", amount: 4});
 *
 *     await client.worker("orders", async item => ({total: 3 * item.data.amount}),
 *         {concurrency: 4}).run();
 *
 * A method has the name of its operation in openapi.yaml. Lists are async
 * iterables over all pages. Every command has an Idempotency-Key, which is new
 * unless the caller gives one (`key`). request() is for all other operations.
 *
 * A request is sent again when it cannot have been executed (no connection could
 * be made, the server refused it with 429, or with 503 and the code
 * "unavailable"), or when it may be executed twice: it reads, replaces or
 * removes, or has an Idempotency-Key. Then it is sent again also after a
 * connection that was cut, and after 502, 503 and 504. Times are in seconds.
 */

const PAUSE = 0.1; // before a request is sent again: the first
const PAUSE_MAXIMUM = 10;
// A stream without a byte for this time is opened again; the server sends a
// comment every 15 seconds (setting keep-alive).
const SILENCE = 60;
const REPEATABLE = ["GET", "HEAD", "PUT", "DELETE"];
// Causes of failures in Node where no connection could be made.
const NOT_SENT = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH",
    "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"];
// A case with another status has ended.
const LIVE = ["running", "suspended", "scheduled"];
// What the server accepts: bytes of a reason, items of a claim.
const REASON_BYTES = 1000;
const CLAIM_ITEMS = 100;

const environment = globalThis.process?.env ?? {};
const now = () => performance.now() / 1000;

/* --- failures ------------------------------------------------------------- */

/** Any failure of a request. */
export class WeftError extends Error {
    get name() {
        return this.constructor.name;
    }
}

/** There was no answer: the request may have been executed or not. */
export class ConnectionFailed extends WeftError {}

/**
 * The server refused the request (RFC 9457). `code` is for programs:
 * docs/REST.md lists the codes. `problem` is the whole answer.
 */
export class Problem extends WeftError {
    constructor(status, problem) {
        super(`${status} ${problem.code ?? ""}: ` +
            (problem.detail || problem.title || "") +
            (problem.diagnostics ?? []).map(({severity, line = "?", element = "",
                text}) => `\n${severity}, line ${line}, ${element}: ${text}`)
                .join(""));
        this.status = status;
        this.problem = problem;
        this.code = problem.code ?? "";
        this.title = problem.title ?? "";
        this.detail = problem.detail ?? "";
    }
}

/**
 * Thrown by a handler: the item is given back. With a reason the attempt has
 * failed, and the item is handed over again by the policy of its service, or
 * after `delay`. Without a reason no attempt is counted.
 */
export class Release extends Error {
    constructor(reason, {delay} = {}) {
        super(reason ?? "released");
        this.reason = reason;
        this.delay = delay;
    }
}

/** Thrown by a handler: the item ends as failed, and its task continues. */
export class Fail extends Error {
    constructor(reason) {
        super(reason);
        this.reason = reason;
    }
}

/* --- values --------------------------------------------------------------- */

const duration = value =>
    typeof value === "number" ? `PT${value.toFixed(3)}S` : value;
const time = value => value instanceof Date ? value.toISOString() : value;
const words = value => Array.isArray(value) ? value.join(",") : value;
const part = value => encodeURIComponent(value).replaceAll("%3A", ":");

/* Node 18, and pages that came without TLS, have no randomUUID(). */
const newKey = () => globalThis.crypto?.randomUUID?.() ?? Array.from(
    {length: 32}, () => Math.floor(Math.random() * 16).toString(16)).join("");

/* Before that attempt: doubled each time, with a random part. */
function pauseBefore(attempt) {
    const longest = Math.min(PAUSE_MAXIMUM, PAUSE * 2 ** Math.min(attempt, 20));
    return longest * (0.5 + Math.random() / 2);
}

/* Ends early, without an error, when the signal comes. */
function sleep(seconds, signal) {
    return new Promise(resolve => {
        if (signal?.aborted)
            return resolve();
        const done = () => {
            clearTimeout(timer);
            signal?.removeEventListener("abort", done);
            resolve();
        };
        const timer = setTimeout(done, seconds * 1000);
        signal?.addEventListener("abort", done);
    });
}

/*
 * A signal that comes after that time, or with another one; over() ends both.
 */
function limit(seconds, signal) {
    const controller = new AbortController();
    const abort = () => controller.abort();
    let timer;
    const restart = left => {
        clearTimeout(timer);
        timer = setTimeout(abort, left * 1000);
    };
    restart(seconds);
    signal?.addEventListener("abort", abort);
    if (signal?.aborted)
        abort();
    return {signal: controller.signal, restart, over() {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        abort(); // closes a stream
    }};
}

/* --- answers -------------------------------------------------------------- */

async function contentOf(response) {
    const type = (response.headers.get("Content-Type") ?? "").split(";")[0];
    if (response.status === 204)
        return null;
    if (type.endsWith("json")) {
        const text = await response.text();
        return text === "" ? null : JSON.parse(text);
    }
    if (type.startsWith("text/") || /(xml|yaml)$/.test(type))
        return response.text();
    return new Uint8Array(await response.arrayBuffer());
}

async function problemOf(response) {
    const text = await response.text();
    try {
        return new Problem(response.status, Object(JSON.parse(text)));
    } catch {
        return new Problem(response.status, {
            title: response.statusText, detail: text.slice(0, 200)});
    }
}

/* Whether a refused request was certainly not executed, and may be later. */
const isUndone = problem =>
    problem.status === 429 || problem.code === "unavailable";

const secondsOf = text => /^\d+$/.test(text ?? "") ? Number(text) : 0;

/* The bytes of a body and their type: XML for text that begins with "<". */
function encode(body, contentType) {
    if (body === undefined || body === null)
        return [undefined, contentType];
    if (typeof body === "string")
        return [body, contentType ?? (body.trimStart().startsWith("<")
            ? "application/xml" : "application/json")];
    if (body instanceof Uint8Array || body instanceof ArrayBuffer ||
        globalThis.Blob && body instanceof Blob)
        return [body, contentType ?? "application/octet-stream"];
    return [JSON.stringify(body), contentType ?? "application/json"];
}

/* --- the client ----------------------------------------------------------- */

/**
 * A server, and who uses it. In Node url and token are those of WEFT_SERVER and
 * WEFT_TOKEN if they are not given. Instead of a token: user and password, or in
 * a page of the server `csrfToken` of a session. timeout: how long an answer may
 * take. retryFor: how long a request that may be sent again is sent again.
 */
export class Client {
    constructor({url, token, user, password, csrfToken, timeout = 60,
        retryFor = 60, fetch = globalThis.fetch.bind(globalThis)} = {}) {
        this.url = (url ?? environment.WEFT_SERVER ??
            "http://127.0.0.1:8090").replace(/\/+$/, "");
        this.timeout = timeout;
        this.retryFor = retryFor;
        this.fetch = fetch;
        this.headers = {};
        if (csrfToken !== undefined)
            this.headers["X-CSRF-Token"] = csrfToken;
        else if (user !== undefined)
            this.headers.Authorization = "Basic " + btoa(String.fromCharCode(
                ...new TextEncoder().encode(`${user}:${password ?? ""}`)));
        else if (token ?? environment.WEFT_TOKEN)
            this.headers.Authorization =
                `Bearer ${token ?? environment.WEFT_TOKEN}`;
    }

    /** The same client, of which each request has these headers, too. */
    withHeaders(headers) {
        const other = new Client(this);
        other.headers = {...this.headers, ...headers};
        return other;
    }

    /* --- any operation */

    /**
     * Sends a request and returns the content of the answer. body: bytes, text,
     * or what is sent as JSON. repeatable: whether it may be executed twice; else
     * that depends on method and key.
     */
    async request(method, path, {query, body, contentType, headers, key,
        repeatable = REPEATABLE.includes(method) || key !== undefined,
        timeout = this.timeout, retryFor = this.retryFor, signal} = {}) {
        const [content, type] = encode(body, contentType);
        const sent = {...this.headers, ...headers};
        const end = now() + retryFor;
        let unanswered = false;
        if (type !== undefined)
            sent["Content-Type"] = type;
        if (key !== undefined)
            sent["Idempotency-Key"] = key;
        for (let attempt = 0;; attempt++) {
            let wait = 0;
            let again;
            let failure;
            const {signal: both, over} = limit(timeout, signal);
            try {
                const response = await this.fetch(this.#target(path, query), {
                    method, headers: sent, body: content, redirect: "manual",
                    signal: both});
                if (response.ok)
                    return await contentOf(response);
                if (unanswered && method === "DELETE" && response.status === 404)
                    return null; // an earlier attempt has removed it
                failure = await problemOf(response);
                again = isUndone(failure) ||
                    repeatable && [502, 503, 504].includes(failure.status);
                wait = secondsOf(response.headers.get("Retry-After"));
            } catch (error) {
                if (signal?.aborted || error instanceof SyntaxError)
                    throw error;
                failure = this.#failed(error);
                again = repeatable || NOT_SENT.includes(error.cause?.code);
                unanswered ||= !NOT_SENT.includes(error.cause?.code);
            } finally {
                over();
            }
            wait = Math.max(wait, pauseBefore(attempt));
            if (!again || now() + wait > end)
                throw failure;
            await sleep(wait, signal);
        }
    }

    #target(path, query = {}) {
        const given = Object.entries(query)
            .filter(([, value]) => value !== undefined && value !== null)
            .map(([name, value]) => [name, String(time(words(value)))]);
        return this.url + path + (given.length === 0 ? ""
            : "?" + new URLSearchParams(given));
    }

    #failed(error) {
        const cause = error.cause?.code ?? error.cause?.message ??
            error.message;
        return new ConnectionFailed(`${this.url}: no answer: ${cause}`,
            {cause: error});
    }

    #command(path, body, {key = newKey(), ...query} = {}, method = "POST") {
        return this.request(method, path, {body, key, query});
    }

    async* #pages(path, member, {after, ...query} = {}) {
        do {
            const page = await this.request("GET", path,
                {query: {...query, after}});
            yield* page[member];
            after = page.next;
        } while (after !== undefined);
    }

    /* --- specifications */

    /** The same content again changes nothing. */
    loadSpecifications(xml, {replace} = {}) {
        return this.request("POST", "/v1/specifications", {body: xml,
            query: {replace}, contentType: "application/xml",
            repeatable: true});
    }

    async listSpecifications({uri} = {}) {
        return (await this.request("GET", "/v1/specifications",
            {query: {uri}})).specifications;
    }

    /** specification: a key, or a URI, which means the newest version. */
    showSpecification(specification) {
        return this.request("GET", `/v1/specifications/${part(specification)}`);
    }

    removeSpecification(key) {
        return this.request("DELETE", `/v1/specifications/${part(key)}`);
    }

    /* --- cases */

    /** case: the id of the new case; else it is a number. */
    startCase(specification, data, {version, case: id, title, xml, at, delay,
        observer, key} = {}) {
        return this.#command("/v1/cases", {specification, data, version,
            case: id, title, xml, at: time(at), delay: duration(delay),
            observer}, {key});
    }

    listCases(filter) {
        return this.#pages("/v1/cases", "cases", filter);
    }

    showCase(id) {
        return this.request("GET", `/v1/cases/${part(id)}`);
    }

    showCaseData(id) {
        return this.request("GET", `/v1/cases/${part(id)}/data`);
    }

    updateCaseData(id, data, options) {
        return this.#command(`/v1/cases/${part(id)}/data`, data, options,
            "PATCH");
    }

    suspendCase(id, reason, options) {
        return this.#command(`/v1/cases/${part(id)}/suspend`, {reason}, options);
    }

    resumeCase(id, reason, options) {
        return this.#command(`/v1/cases/${part(id)}/resume`, {reason}, options);
    }

    cancelCase(id, reason, options) {
        return this.#command(`/v1/cases/${part(id)}/cancel`, {reason}, options);
    }

    showHistory(id, filter) {
        return this.#pages(`/v1/cases/${part(id)}/history`, "steps", filter);
    }

    /** Why a task of a case is not enabled. */
    async explainTask(id, task) {
        return (await this.request("GET", `/v1/cases/${part(id)}/why`,
            {query: {task}})).reasons;
    }

    /** Waits until the case has ended, at most that many seconds. */
    async waitCase(id, timeout) {
        const end = timeout === undefined ? undefined : now() + timeout;
        for await (const _ of this.#stream("/v1/events", {case: id}, {end})) {
            const found = await this.showCase(id);
            if (!LIVE.includes(found.status))
                return found;
        }
        throw new WeftError(`case ${id} has not ended within ${timeout} s`);
    }

    /** Delayed starts. */
    listStarts(filter) {
        return this.#pages("/v1/starts", "starts", filter);
    }

    withdrawStart(start) {
        return this.request("DELETE", `/v1/starts/${part(start)}`);
    }

    /* --- items; options: key, fence, for, override */

    listItems(filter) {
        return this.#pages("/v1/items", "items", filter);
    }

    showItem(item, options) {
        return this.request("GET", `/v1/items/${part(item)}`, {query: options});
    }

    /** changes: priority and due, a time, or null for no due time. */
    changeItem(item, changes, options) {
        return this.#command(`/v1/items/${part(item)}`, changes, options,
            "PATCH");
    }

    showItemData(item) {
        return this.request("GET", `/v1/items/${part(item)}/data`);
    }

    updateItemData(item, data, options) {
        return this.#command(`/v1/items/${part(item)}/data`, data, options,
            "PATCH");
    }

    #itemCommand(item, verb, body, options) {
        return this.#command(`/v1/items/${part(item)}/${verb}`, body, options);
    }

    /** `item` of the answer is the instance that was started. */
    startItem(item, options) {
        return this.#itemCommand(item, "start", undefined, options);
    }

    /** Starts the item if necessary. fence: that of the lease. */
    completeItem(item, output = {}, options) {
        return this.#itemCommand(item, "complete", output ?? {}, options);
    }

    /** Completes it even if output is missing. */
    forceItem(item, output = {}, options) {
        return this.#itemCommand(item, "force", output ?? {}, options);
    }

    /** Ends the item as failed; its task continues. */
    failItem(item, reason, options) {
        return this.#itemCommand(item, "fail", {reason}, options);
    }

    skipItem(item, reason, options) {
        return this.#itemCommand(item, "skip", {reason}, options);
    }

    suspendItem(item, reason, options) {
        return this.#itemCommand(item, "suspend", {reason}, options);
    }

    resumeItem(item, reason, options) {
        return this.#itemCommand(item, "resume", {reason}, options);
    }

    rollBackItem(item, reason, options) {
        return this.#itemCommand(item, "rollback", {reason}, options);
    }

    cancelItem(item, reason, options) {
        return this.#itemCommand(item, "cancel", {reason}, options);
    }

    /** Adds an instance to the task of an executing item. */
    addInstance(item, data, options) {
        return this.#itemCommand(item, "add", data, options);
    }

    /* --- items of services */

    /**
     * Waits for items and claims them; a worker does this by itself. service: a
     * name or a URI; undefined: the default worklist. A claim whose answer was
     * lost is not sent again: its items come again when their leases end.
     */
    async claimItems(service, {task, count, wait, lease, timeout, retryFor,
        signal} = {}) {
        return (await this.request("POST", "/v1/items:claim", {
            body: {service, task, count, wait: duration(wait),
                lease: duration(lease)},
            repeatable: false, timeout, retryFor, signal})).items;
    }

    /** Extends the lease; returns until when it lasts. */
    async keepItem(item, fence, {lease, retryFor} = {}) {
        return (await this.request("POST", `/v1/items/${part(item)}/heartbeat`,
            {body: {fence, lease: duration(lease)}, repeatable: true,
                retryFor})).until;
    }

    /** Gives the item back: with a reason the attempt has failed. */
    async releaseItem(item, fence, reason, {delay} = {}) {
        await this.request("POST", `/v1/items/${part(item)}/release`,
            {body: {fence, reason, delay: duration(delay)}});
    }

    /** A worker that does the items of a service: see Worker. */
    worker(service, handler, options) {
        return new Worker(this, service, handler, options);
    }

    /* --- items of people; options: key, for, override */

    showWorklist(filter) {
        return this.#pages("/v1/worklist", "items", filter);
    }

    acceptItem(item, options) {
        return this.#itemCommand(item, "accept", undefined, options);
    }

    deallocateItem(item, reason, options) {
        return this.#itemCommand(item, "deallocate", {reason}, options);
    }

    delegateItem(item, to, reason, options) {
        return this.#itemCommand(item, "delegate", {to, reason}, options);
    }

    reallocateItem(item, to, reason, {without_data, ...options} = {}) {
        return this.#itemCommand(item, "reallocate",
            {to, reason, without_data}, options);
    }

    offerItem(item, to, reason, options) {
        return this.#itemCommand(item, "offer", {to, reason}, options);
    }

    allocateItem(item, to, reason, options) {
        return this.#itemCommand(item, "allocate", {to, reason}, options);
    }

    /**
     * Events of one's own worklist as {event, data}; the first is the list
     * ("list"), or "resumed".
     */
    async* streamWorklist({after, signal} = {}) {
        for await (const {event, data} of this.#stream("/v1/worklist/events",
            {}, {after, signal}))
            if (data)
                yield {event, data: JSON.parse(data)};
    }

    /* --- incidents */

    listIncidents(filter) {
        return this.#pages("/v1/incidents", "incidents", filter);
    }

    showIncident(incident) {
        return this.request("GET", `/v1/incidents/${part(incident)}`);
    }

    retryIncident(incident, options) {
        return this.#command(`/v1/incidents/${part(incident)}/retry`, undefined,
            options);
    }

    /**
     * Retries these, or those of a case, with a code, or all; returns how many.
     */
    async retryIncidents(incidents, {case: id, code, all} = {}) {
        return (await this.request("POST", "/v1/incidents:retry",
            {body: {incidents, case: id, code, all}})).retried;
    }

    dropIncident(incident, reason, {cancel, key} = {}) {
        return this.#command(`/v1/incidents/${part(incident)}/drop`,
            {reason, cancel}, {key});
    }

    /* --- services */

    async listServices() {
        return (await this.request("GET", "/v1/services")).services;
    }

    showService(service) {
        return this.request("GET", `/v1/services/${part(service)}`);
    }

    /** members: kind, uri, and others of docs/SERVICES.md. */
    putService(service, members) {
        return this.request("PUT", `/v1/services/${part(service)}`,
            {body: members});
    }

    removeService(service) {
        return this.request("DELETE", `/v1/services/${part(service)}`);
    }

    /* --- events */

    /**
     * All steps from now on, or behind the one with the id `after` ("0": all that
     * are kept). Does not end unless the signal comes, and survives restarts of
     * the server.
     */
    async* streamEvents({after, signal, ...query} = {}) {
        for await (const event of this.#stream("/v1/events", query,
            {after, signal}))
            if (event.data)
                yield JSON.parse(event.data);
    }

    /*
     * Events as {event, id, data}, and {} whenever the stream was opened.  A
     * stream that breaks is opened again behind the last event.
     */
    async* #stream(path, query, {after, end, signal} = {}) {
        const isOver = () => signal?.aborted || end !== undefined && now() >= end;
        let broken; // since when
        for (let attempt = 0; !isOver(); attempt++) {
            let failure = new ConnectionFailed(`${this.url}: the stream ended`);
            try {
                for await (const event of this.#read(path, query, after, end,
                    signal)) {
                    broken = undefined;
                    attempt = 0;
                    after = event.id ?? after;
                    yield event;
                }
            } catch (error) {
                if (error instanceof Problem) {
                    if (!isUndone(error) && error.status < 502)
                        throw error;
                    failure = error;
                } else {
                    failure = this.#failed(error);
                }
            }
            if (isOver())
                return;
            const wait = pauseBefore(attempt);
            broken ??= now();
            if (now() + wait > broken + this.retryFor)
                throw failure;
            await sleep(wait, signal);
        }
    }

    /* The events of one connection. */
    async* #read(path, query, after, end, signal) {
        const left = () => end === undefined ? SILENCE
            : Math.min(SILENCE, Math.max(0, end - now()));
        const silence = limit(left(), signal);
        try {
            const response = await this.fetch(this.#target(path, query), {
                headers: {...this.headers, Accept: "text/event-stream",
                    ...after === undefined ? {} : {"Last-Event-ID": after}},
                redirect: "manual", signal: silence.signal});
            if (!response.ok)
                throw await problemOf(response);
            yield {};
            yield* events(response.body, () => silence.restart(left()));
        } finally {
            silence.over();
        }
    }

    /* --- test mode */

    showTestClock() {
        return this.request("GET", "/v1/test/clock");
    }

    /** Moves the clock of `weft serve --test`; docs/SCENARIOS.md. */
    moveTestClock({advance, to, wait} = {}) {
        return this.request("POST", "/v1/test/clock", {body: {
            advance: duration(advance), to: time(to), wait: duration(wait)}});
    }
}

/* Server-sent events: lines "name: value", and an empty one behind each. */
async function* events(body, received) {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let text = "";
    let event = {};
    for (;;) {
        const {done, value} = await reader.read();
        if (done)
            return;
        received();
        text += decoder.decode(value, {stream: true});
        const lines = text.split("\n");
        text = lines.pop();
        for (const line of lines) {
            const colon = line.indexOf(":");
            const name = colon < 0 ? line : line.slice(0, colon);
            const content = colon < 0 ? "" : line.slice(colon + 1)
                .replace(/^ /, "");
            if (name === "data" && event.data !== undefined)
                event.data += "\n" + content;
            else if (["event", "id", "data"].includes(name))
                event[name] = content;
            else if (line === "" && Object.keys(event).length > 0) {
                yield event;
                event = {};
            }
        }
    }
}

/* --- the worker ----------------------------------------------------------- */

/** An item that a worker has under a lease. */
export class WorkItem {
    constructor(worker, claimed) {
        const {traceparent, tracestate} = claimed;
        // Its requests belong to the trace of the item.
        this.client = worker.client.withHeaders({
            ...traceparent && {traceparent}, ...tracestate && {tracestate}});
        this.claimed = claimed;
        this.id = claimed.item;
        this.case = claimed.case;
        this.task = claimed.task;
        this.data = claimed.data ?? {};
        this.attempt = claimed.attempt;
        this.fence = claimed.fence;
        this.abort = new AbortController();
    }

    /** Comes when the lease is lost: what the handler does is in vain. */
    get signal() {
        return this.abort.signal;
    }

    get lost() {
        return this.abort.signal.aborted;
    }
}

/**
 * Claims the items of a service, has a handler do them, and keeps their leases
 * meanwhile.
 *
 *     claim ─► handler ─┬─► output ─► complete
 *                       ├─► Fail ─► fail: the item ends as failed
 *                       ├─► Release, or another error ─► release: tried again
 *                       ├─► what cannot be sent, or does not fit ─► the same
 *                       └─► the lease is lost ─► nothing: another worker has it
 *
 * concurrency: handlers at a time. lease: seconds that an item is kept without a
 * heartbeat, of which one is sent each third. wait: seconds that a claim waits
 * for items, which is also how long stop() may take to be noticed. log: gets a
 * sentence about what went wrong.
 */
export class Worker {
    #stopping = new AbortController();
    #running = new Map(); // items to the promises of their ends
    #wake = () => {};

    constructor(client, service, handler, {concurrency = 1, task, lease = 60,
        wait = 10, log = text => console.warn(`weft: ${text}`)} = {}) {
        if (!(concurrency >= 1 && lease > 0 && wait >= 0))
            throw new RangeError(
                "concurrency and lease are above 0, wait is not below 0");
        Object.assign(this, {client, service, handler, concurrency, task, lease,
            wait, log, interval: lease / 3});
    }

    /**
     * Works until stop() is called, or in Node SIGTERM or SIGINT comes (signals),
     * and then finishes the items that it has. A second signal ends the program
     * as usual. Throws the Problem when the server refuses the claims for good,
     * such as those of a wrong token.
     */
    async run({signals = true} = {}) {
        const process = signals ? globalThis.process : undefined;
        const names = ["SIGTERM", "SIGINT"];
        const stop = () => {
            names.forEach(name => process.off(name, stop));
            this.stop();
        };
        names.forEach(name => process?.on?.(name, stop));
        try {
            await this.#claimAll();
        } finally {
            await Promise.all(this.#running.values());
            names.forEach(name => process?.off?.(name, stop));
        }
    }

    /** No further claims; run() ends when all items are finished. */
    stop() {
        this.#stopping.abort();
        this.#wake();
    }

    async #claimAll() {
        const stopping = this.#stopping.signal;
        let attempt = 0;
        while (!stopping.aborted) {
            const count = Math.min(CLAIM_ITEMS,
                this.concurrency - this.#running.size);
            if (count === 0) {
                await new Promise(resolve => {
                    this.#wake = resolve;
                });
                continue;
            }
            try {
                const claimed = await this.client.claimItems(this.service, {
                    task: this.task, count, wait: this.wait, lease: this.lease,
                    timeout: this.wait + 60, retryFor: 0});
                const items = claimed.map(one => new WorkItem(this, one));
                attempt = 0;
                items.forEach(item => this.#take(item));
            } catch (error) {
                if (error.status < 500 && error.status !== 429)
                    throw error;
                // Also such as what a proxy answers instead of the server.
                this.log(`no items can be claimed: ${error.message}`);
                await sleep(pauseBefore(attempt++), stopping);
            }
        }
    }

    #take(item) {
        const end = (this.#stopping.signal.aborted // the claim was on its way
            ? this.#send(item, "release", () => item.client.releaseItem(
                item.id, item.fence))
            : this.#work(item)).finally(() => {
            this.#running.delete(item);
            this.#wake();
        });
        this.#running.set(item, end);
    }

    async #work(item) {
        const over = new AbortController();
        const beats = this.#beat(item, over.signal);
        try {
            const [what, send] = await this.#do(item);
            if (item.lost)
                this.log(`${item.id}: its lease was lost before it was done`);
            else
                await this.#send(item, what, send);
        } finally {
            over.abort();
            await beats;
        }
    }

    /* Has the handler do it; what is sent, and how. */
    async #do(item) {
        const {client} = item;
        let output;
        try {
            output = await this.handler(item);
        } catch (error) {
            if (error instanceof Fail)
                return ["fail", () => client.failItem(item.id,
                    cut(error.reason), {fence: item.fence})];
            if (error instanceof Release)
                return ["release", () => client.releaseItem(item.id, item.fence,
                    error.reason && cut(error.reason), {delay: error.delay})];
            this.log(`${item.id}: its handler failed: ` +
                (error?.stack ?? textOf(error)));
            return ["release", () => client.releaseItem(item.id, item.fence,
                cut(textOf(error)))];
        }
        return ["complete", () => client.completeItem(item.id, output ?? {},
            {fence: item.fence})];
    }

    /* again: what cannot be sent is a reason to release the item. */
    async #send(item, what, send, again = true) {
        try {
            await send();
        } catch (error) {
            if (["lease", "not_found"].includes(error.code)) {
                item.abort.abort();
                this.log(`${item.id}: cannot ${what}: its lease is lost`);
                return;
            }
            this.log(`${item.id}: cannot ${what}: ${textOf(error)}`);
            // Such as output that does not fit: that attempt has failed.
            if (again && !(error instanceof ConnectionFailed) &&
                !(error.status >= 500))
                await this.#send(item, "release", () => item.client.releaseItem(
                    item.id, item.fence,
                    cut(error.detail || error.title || textOf(error))), false);
        }
    }

    /* Heartbeats, each third of the lease; after a failure soon again. */
    async #beat(item, over) {
        let next = this.interval;
        for (;;) {
            await sleep(next, over);
            if (over.aborted || item.lost)
                return;
            next = this.interval;
            try {
                await this.client.keepItem(item.id, item.fence,
                    {lease: this.lease, retryFor: 0});
            } catch (error) {
                if (!["lease", "not_found"].includes(error.code))
                    next = Math.min(1, this.interval);
                else if (!over.aborted)
                    item.abort.abort();
            }
        }
    }
}

/* Anything may be thrown. */
function textOf(error) {
    try {
        return String(error);
    } catch {
        return "an exception without a text";
    }
}

/* A reason of at most so many bytes. */
function cut(text) {
    const bytes = new TextEncoder().encode(text).slice(0, REASON_BYTES);
    return new TextDecoder().decode(bytes).replace(/\ufffd$/, "") || "no reason";
}
