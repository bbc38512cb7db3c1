// SPDX-License-Identifier: Apache-2.0
// What a node measures (/metrics): its text read, and rates and quantiles made
// of two readings, as counters only grow.

export interface Sample {
  at: number;
  /** The sum over all labels, by name. */
  values: Map<string, number>;
  /** The counts up to each bound, by the name of the histogram. */
  buckets: Map<string, [bound: number, count: number][]>;
}

const line = /^(\w+)(?:\{(.*)\})? (\S+)$/;
const bound = /(?:^|,)le="([^"]*)"/;

export function readMetrics(text: string, at: number): Sample {
  const sample: Sample = { at, values: new Map(), buckets: new Map() };
  for (const row of text.split('\n')) {
    const found = line.exec(row);
    if (!found) continue;
    const [, name, labels, digits] = found as unknown as [string, string, string | undefined, string];
    const value = Number(digits);
    const up = labels === undefined ? null : bound.exec(labels);
    if (name.endsWith('_bucket') && up) {
      const key = name.slice(0, -'_bucket'.length);
      const to = up[1] === '+Inf' ? Infinity : Number(up[1]);
      const all = sample.buckets.get(key) ?? [];
      const same = all.find(([one]) => one === to);
      if (same) same[1] += value;
      else all.push([to, value]);
      sample.buckets.set(key, all);
    } else sample.values.set(name, (sample.values.get(name) ?? 0) + value);
  }
  return sample;
}

/** How often a second; undefined when the node has started between the two. */
export function rate(before: Sample, now: Sample, name: string): number | undefined {
  const from = before.values.get(name);
  const to = now.values.get(name);
  return from === undefined || to === undefined || to < from || now.at <= before.at ? undefined : (to - from) / ((now.at - before.at) / 1000);
}

/** The quantile of what was counted between the two, in its bucket by proportion. */
export function quantile(before: Sample, now: Sample, name: string, part: number): number | undefined {
  const old = new Map(before.buckets.get(name) ?? []);
  const counts = (now.buckets.get(name) ?? []).map(([to, count]): [number, number] => [to, count - (old.get(to) ?? 0)]);
  const total = counts[counts.length - 1]?.[1] ?? 0;
  if (total <= 0) return undefined;
  let low = 0;
  let below = 0;
  for (const [to, count] of counts) {
    if (count >= total * part) return to === Infinity ? low : low + (to - low) * ((total * part - below) / (count - below || 1));
    low = to;
    below = count;
  }
  return undefined;
}
