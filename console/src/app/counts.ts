// SPDX-License-Identifier: Apache-2.0
// What is to be done: counts on sections, by the id of the section.
import { signal } from '@preact/signals';

export const counts = signal<Record<string, number>>({});
