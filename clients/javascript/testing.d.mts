// SPDX-License-Identifier: Apache-2.0
/** Types of testing.mjs. */
import type {Client, Duration, Time} from "./weft.mjs";

export class Clock {
    constructor(client: Client);
    now(): Promise<Date>;
    /** Everything that becomes due meanwhile is done when this is fulfilled. */
    advance(by: Duration, options?: {wait?: Duration}): Promise<void>;
    to(time: Time, options?: {wait?: Duration}): Promise<void>;
}

export interface TestServer {
    readonly url: string;
    readonly token: string;
    readonly client: Client;
    readonly clock: Clock;
    log(): Promise<string>;
    clientOf(user: string, password: string): Client;
    stop(): Promise<void>;
}

export function startServer(options?: {
    specifications?: (string | URL)[];
    options?: string[];
    weft?: string;
}): Promise<TestServer>;
