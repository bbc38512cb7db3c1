// SPDX-License-Identifier: Apache-2.0
/**
 * Types of weft.mjs. The interfaces of answers have the members that
 * schemas/openapi.yaml describes; an answer has those that it has a value for.
 */

/** "P1DT2H", or a number of seconds. */
export type Duration = string | number;
/** "2026-01-31T12:00:00Z", or a Date. */
export type Time = string | Date;
/** The data of a process: docs/REST.md, Formats. */
export type Data = Record<string, unknown>;

export class WeftError extends Error {}
export class ConnectionFailed extends WeftError {}
export class Problem extends WeftError {
    constructor(status: number, problem: Record<string, unknown>);
    readonly status: number;
    readonly problem: Record<string, unknown>;
    readonly code: string;
    readonly title: string;
    readonly detail: string;
}
export class Release extends Error {
    constructor(reason?: string, options?: {delay?: Duration});
    readonly reason?: string;
    readonly delay?: Duration;
}
export class Fail extends Error {
    constructor(reason: string);
    readonly reason: string;
}

export interface Diagnostic {
    severity: string;
    line?: number;
    element?: string;
    text: string;
}

export interface Specification {
    key: string;
    identifier?: string;
    uri: string;
    version: string;
    title?: string;
    loaded: string;
}

export interface SpecificationDetail extends Specification {
    documentation?: string;
    root: string;
    nets: Record<string, unknown>[];
}

export interface Loaded {
    specifications: Specification[];
    diagnostics: Diagnostic[];
}

/** What a command has done; `item`: the item that it made. */
export interface Done {
    case: string;
    status: string;
    start?: number;
    sequence?: number;
    item?: string;
    effect?: string;
    repeated?: boolean;
}

export interface PutOff {
    start: number;
    case: string;
    title?: string;
    owner?: string;
    specification: string;
    at: string;
}

export interface Case {
    case: string;
    title?: string;
    owner?: string;
    specification: string;
    status: string;
    sequence?: number;
    launched: string;
    changed: string;
    set_aside?: boolean;
    incident?: number;
    incident_code?: string;
}

export interface CaseDetail extends Case {
    stuck?: boolean;
    nets: Record<string, unknown>[];
    timers?: Record<string, unknown>[];
    items?: Item[];
    data?: Data;
}

export interface Item {
    item: string;
    case: string;
    specification: string;
    task: string;
    service?: string;
    status: string;
    choice?: number;
    enabled?: string;
    fired?: string;
    started?: string;
    holder?: string;
    assignment?: string;
    priority?: number;
    due?: string;
    until?: string;
    attempt?: number;
    next_try?: string;
    last_answer?: string;
    unserved?: boolean;
    piled_to?: string;
    chained_to?: string;
    offered_to?: Record<string, unknown>;
    actions?: unknown;
    refused?: Record<string, unknown>;
}

export interface WorklistItem extends Item {
    name?: string;
    process?: string;
}

export interface ItemDetail extends Item {
    name?: string;
    documentation?: string;
    expires?: string;
    waits?: string;
    waits_until?: string;
    data?: Data;
    outputs?: Record<string, unknown>[];
}

export interface ClaimedItem {
    item: string;
    case: string;
    specification: string;
    task: string;
    service?: string;
    name?: string;
    documentation?: string;
    fence: number;
    attempt: number;
    until: string;
    data: Record<string, any>;
    traceparent?: string;
    tracestate?: string;
}

export interface Step {
    id: string;
    case: string;
    specification: string;
    sequence: number;
    time: string;
    actor?: string;
    origin?: string;
    incident?: number;
    override?: boolean;
    reason?: string;
    events: Record<string, any>[];
}

export interface Incident {
    incident: number;
    status: string;
    droppedAt?: string;
    droppedBy?: string;
    reason?: string;
    case?: string;
    item?: string;
    code: string;
    text: string;
    attempts: number;
    retryable?: boolean;
    first: string;
    last: string;
}

export interface NewService {
    kind: string;
    uri: string;
    address?: string;
    token_url?: string;
    client?: string;
    scope?: string;
    documentation?: string;
    assignable?: boolean;
    attempts?: number;
    delay?: string;
    backoff?: number;
    cap?: string;
    timeout?: string;
    concurrency?: number;
    secret?: string;
}

export interface Service extends Omit<NewService, "secret"> {
    name: string;
    has_secret: boolean;
    /** Whether the server calls it. */
    called: boolean;
}

export interface TestClock {
    now: string;
    settled?: boolean;
}

/** key: the Idempotency-Key, else a new one. */
export interface Keyed {
    key?: string;
}
/** for: the participant in whose name; override: although another has it. */
export interface OfPeople extends Keyed {
    for?: string;
    override?: boolean;
}
/** fence: that of the lease under which the item is. */
export interface OfItem extends OfPeople {
    fence?: number;
}
export interface Page {
    after?: string;
    limit?: number;
}

export interface RequestOptions {
    query?: Record<string, unknown>;
    /** Bytes, text, or what is sent as JSON. */
    body?: unknown;
    contentType?: string;
    headers?: Record<string, string>;
    key?: string;
    /** Whether it may be executed twice; else that depends on method and key. */
    repeatable?: boolean;
    timeout?: number;
    retryFor?: number;
    signal?: AbortSignal;
}

export interface ClientOptions {
    url?: string;
    token?: string;
    user?: string;
    password?: string;
    csrfToken?: string;
    timeout?: number;
    retryFor?: number;
    fetch?: typeof fetch;
}

export class Client {
    constructor(options?: ClientOptions);
    readonly url: string;
    timeout: number;
    retryFor: number;
    /** The same client, of which each request has these headers, too. */
    withHeaders(headers: Record<string, string>): Client;
    request(method: string, path: string, options?: RequestOptions):
        Promise<any>;

    loadSpecifications(xml: string | Uint8Array,
        options?: {replace?: boolean}): Promise<Loaded>;
    listSpecifications(filter?: {uri?: string}): Promise<Specification[]>;
    showSpecification(specification: string): Promise<SpecificationDetail>;
    removeSpecification(key: string): Promise<null>;

    startCase(specification: string, data?: Data, options?: Keyed & {
        version?: string; case?: string; title?: string; xml?: string;
        at?: Time; delay?: Duration; observer?: string}): Promise<Done>;
    listCases(filter?: Page & {specification?: string; version?: string;
        status?: string | string[]; mine?: boolean; set_aside?: boolean;
        order?: string}): AsyncIterableIterator<Case>;
    showCase(id: string): Promise<CaseDetail>;
    showCaseData(id: string): Promise<Record<string, any>>;
    updateCaseData(id: string, data: Data, options?: Keyed): Promise<Done>;
    suspendCase(id: string, reason?: string, options?: Keyed): Promise<Done>;
    resumeCase(id: string, reason?: string, options?: Keyed): Promise<Done>;
    cancelCase(id: string, reason?: string, options?: Keyed): Promise<Done>;
    showHistory(id: string, filter?: Page & {names?: boolean}):
        AsyncIterableIterator<Step>;
    explainTask(id: string, task: string): Promise<unknown[]>;
    waitCase(id: string, timeout?: number): Promise<CaseDetail>;
    listStarts(filter?: Page): AsyncIterableIterator<PutOff>;
    withdrawStart(start: number): Promise<unknown>;

    listItems(filter?: Page & {case?: string; task?: string;
        status?: string | string[]; service?: string; specification?: string;
        version?: string}): AsyncIterableIterator<Item>;
    showItem(item: string, options?: {for?: string}): Promise<ItemDetail>;
    changeItem(item: string, changes: {priority?: number;
        due?: string | null}, options?: Keyed & {for?: string}): Promise<any>;
    showItemData(item: string): Promise<any>;
    updateItemData(item: string, data: Data, options?: OfItem): Promise<Done>;
    startItem(item: string, options?: OfPeople): Promise<Done>;
    completeItem(item: string, output?: Data | null, options?: OfItem):
        Promise<Done>;
    forceItem(item: string, output?: Data | null,
        options?: Omit<OfItem, "for">): Promise<Done>;
    failItem(item: string, reason?: string, options?: Omit<OfItem, "for">):
        Promise<Done>;
    skipItem(item: string, reason?: string, options?: OfItem): Promise<Done>;
    suspendItem(item: string, reason?: string, options?: OfItem):
        Promise<Done>;
    resumeItem(item: string, reason?: string, options?: OfItem): Promise<Done>;
    rollBackItem(item: string, reason?: string,
        options?: Omit<OfItem, "for">): Promise<Done>;
    cancelItem(item: string, reason?: string, options?: Omit<OfItem, "for">):
        Promise<Done>;
    addInstance(item: string, data: Data, options?: OfPeople): Promise<Done>;

    claimItems(service?: string, options?: {task?: string; count?: number;
        wait?: Duration; lease?: Duration; timeout?: number;
        retryFor?: number; signal?: AbortSignal}): Promise<ClaimedItem[]>;
    keepItem(item: string, fence: number, options?: {lease?: Duration;
        retryFor?: number}): Promise<string>;
    releaseItem(item: string, fence: number, reason?: string,
        options?: {delay?: Duration}): Promise<void>;
    worker(service: string | undefined, handler: Handler,
        options?: WorkerOptions): Worker;

    showWorklist(filter?: Page & {view?: string; case?: string; task?: string;
        specification?: string; version?: string; state?: string | string[];
        data?: string; priority?: number; due?: Time; older?: Time;
        order?: string; descending?: boolean; for?: string}):
        AsyncIterableIterator<WorklistItem>;
    acceptItem(item: string, options?: Omit<OfPeople, "override">):
        Promise<Done>;
    deallocateItem(item: string, reason?: string, options?: OfPeople):
        Promise<Done>;
    delegateItem(item: string, to: string, reason?: string,
        options?: OfPeople): Promise<Done>;
    reallocateItem(item: string, to: string, reason?: string,
        options?: OfPeople & {without_data?: boolean}): Promise<Done>;
    offerItem(item: string, to: unknown, reason?: string, options?: OfPeople):
        Promise<Done>;
    allocateItem(item: string, to: string, reason?: string,
        options?: OfPeople): Promise<Done>;

    streamWorklist(options?: {after?: string; signal?: AbortSignal}):
        AsyncIterableIterator<{event: string; data: any}>;

    listIncidents(filter?: Page & {case?: string; code?: string;
        status?: string}): AsyncIterableIterator<Incident>;
    showIncident(incident: number): Promise<Incident>;
    retryIncident(incident: number, options?: Keyed): Promise<any>;
    retryIncidents(incidents?: number[], options?: {case?: string;
        code?: string; all?: boolean}): Promise<number>;
    dropIncident(incident: number, reason: string,
        options?: Keyed & {cancel?: boolean}): Promise<any>;

    listServices(): Promise<Service[]>;
    showService(service: string): Promise<Service>;
    putService(service: string, members: NewService): Promise<Service>;
    removeService(service: string): Promise<null>;

    streamEvents(options?: {after?: string; case?: string;
        specification?: string; version?: string; signal?: AbortSignal}):
        AsyncIterableIterator<Step>;

    showTestClock(): Promise<TestClock>;
    moveTestClock(options: {advance?: Duration; to?: Time; wait?: Duration}):
        Promise<TestClock>;
}

/** Gets the item and returns its output, or nothing for an empty one. */
export type Handler = (item: WorkItem) =>
    Data | void | null | Promise<Data | void | null>;

export class WorkItem {
    /** Its requests belong to the trace of the item. */
    readonly client: Client;
    readonly claimed: ClaimedItem;
    readonly id: string;
    readonly case: string;
    readonly task: string;
    readonly data: Record<string, any>;
    readonly attempt: number;
    readonly fence: number;
    /** Comes when the lease is lost: what the handler does is in vain. */
    readonly signal: AbortSignal;
    readonly lost: boolean;
}

export interface WorkerOptions {
    concurrency?: number;
    task?: string;
    /** Seconds that an item is kept without a heartbeat. */
    lease?: number;
    /** Seconds that a claim waits for items. */
    wait?: number;
    log?: (text: string) => void;
}

export class Worker {
    constructor(client: Client, service: string | undefined, handler: Handler,
        options?: WorkerOptions);
    /** Seconds between two heartbeats: a third of the lease. */
    interval: number;
    run(options?: {signals?: boolean}): Promise<void>;
    stop(): void;
}
