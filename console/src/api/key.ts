// SPDX-License-Identifier: Apache-2.0
// Keys of commands, and ids that the page gives.

const BYTES = 16;

/** A key that nobody else has.  crypto.randomUUID() is there with TLS and on loopback only. */
export const newKey = (): string => [...crypto.getRandomValues(new Uint8Array(BYTES))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
