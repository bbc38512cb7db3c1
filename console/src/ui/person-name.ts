// SPDX-License-Identifier: Apache-2.0
// What a person is called: the first and the last name, as far as they are known.
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export const personName = (record: Record<string, unknown>): string => `${text(record['firstName'])} ${text(record['lastName'])}`.trim();
/** The name of the participant. */
export const userName = (record: Record<string, unknown>): string => text(record['user']);
