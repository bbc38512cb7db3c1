// SPDX-License-Identifier: Apache-2.0
// What is printed of a measurement: a line for each figure, with its bound.

export interface Options {
  rounds: number;
  seconds: number;
  steps: number;
  pages: number;
  real: number;
  rate: number;
}

type Bound = { least: number } | { most: number };

/** Prints a figure; one beyond its bound makes the program fail. */
export function report(name: string, value: number, unit: string, bound: Bound, more = ''): void {
  const beyond = 'least' in bound ? !(value >= bound.least) : !(value <= bound.most);
  const words = 'least' in bound ? `at least ${bound.least}` : `at most ${bound.most}`;
  console.log(`${name}: ${value.toFixed(value < 10 ? 3 : 1)} ${unit} (${words})${beyond ? ', BEYOND THE BOUND' : ''}${more === '' ? '' : `; ${more}`}`);
  if (beyond) process.exitCode = 1;
}

/** The value that this share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
