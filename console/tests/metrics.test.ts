// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';
import { quantile, rate, readMetrics } from '../src/views/server/metrics';
import { roundUp } from '../src/ui/scale';

const at = (seconds: number, requests: number, fast: number, slow: number) => readMetrics(`# HELP a b
requests_total{status="200"} ${requests}
requests_total{status="404"} 2
open 7
seconds_bucket{le="0.1"} ${fast}
seconds_bucket{le="0.2"} ${fast + slow}
seconds_bucket{le="+Inf"} ${fast + slow}
seconds_sum 1
`, seconds * 1000);

test('values are summed over their labels', () => {
  const sample = at(0, 3, 0, 0);
  assert.equal(sample.values.get('requests_total'), 5);
  assert.equal(sample.values.get('open'), 7);
});

test('a rate is of the time between', () => {
  assert.equal(rate(at(0, 3, 0, 0), at(5, 13, 0, 0), 'requests_total'), 2);
  assert.equal(rate(at(0, 13, 0, 0), at(5, 3, 0, 0), 'requests_total'), undefined, 'the node has started again');
  assert.equal(rate(at(0, 3, 0, 0), at(5, 13, 0, 0), 'nothing'), undefined);
});

test('a quantile is of what came between', () => {
  const before = at(0, 0, 1000, 0);
  const now = at(5, 0, 1050, 50);
  assert.equal(quantile(before, now, 'seconds', 0.5), 0.1);
  assert.ok(Math.abs(quantile(before, now, 'seconds', 0.75)! - 0.15) < 1e-9);
  assert.equal(quantile(now, now, 'seconds', 0.5), undefined, 'nothing came');
});

test('the top of a chart is round and above all', () => {
  assert.deepEqual([0, 1, 1.1, 3, 7, 10, 1284].map(roundUp), [1, 1, 2, 5, 10, 10, 2000]);
});
