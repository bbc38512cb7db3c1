// SPDX-License-Identifier: Apache-2.0
const units: [string, number][] = [['GB', 1e9], ['MB', 1e6], ['kB', 1e3]];

/** A number of bytes in words: 4.2 MB. */
export function bytes(count: number): string {
  for (const [name, size] of units) if (count >= size) return `${(count / size).toFixed(count < 10 * size ? 1 : 0)}\u202f${name}`;
  return `${count}\u202fB`;
}
