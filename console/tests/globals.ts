// SPDX-License-Identifier: Apache-2.0
// What browsers have and the oldest Node does not: in each bundle of unit tests,
// before all else.
import { webcrypto } from 'node:crypto';

if (!('crypto' in globalThis)) Object.defineProperty(globalThis, 'crypto', { value: webcrypto, configurable: true });
Object.defineProperty(globalThis, 'navigator', { value: { language: 'en' }, configurable: true });
