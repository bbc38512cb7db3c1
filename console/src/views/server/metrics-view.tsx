// SPDX-License-Identifier: Apache-2.0
// Measurements of this node as lines.  A reading is taken each five seconds
// while the view is seen; those of the last half hour are kept with the page.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, Problem } from '../../api/client';
import { figure, t, type Key } from '../../text/text';
import { LineChart, type Series } from '../../ui/chart';
import { Failure, Skeleton } from '../../ui/message';
import { duration } from '../../ui/time';
import { quantile, rate, readMetrics, type Sample } from './metrics';

const EACH_MS = 5000;
const KEPT = 360;

const samples = signal<readonly Sample[]>([]);
const failure = signal<Problem | undefined>(undefined);

async function take(): Promise<void> {
  try {
    const text = await api.get('/metrics');
    samples.value = [...samples.value, readMetrics(String(text), Date.now())].slice(-KEPT);
    failure.value = undefined;
  } catch (error) {
    failure.value = Problem.of(error, 'GET /metrics');
  }
}

function useSamples(): void {
  useEffect(() => {
    const read = () => { if (document.visibilityState === 'visible') void take(); };
    read();
    const timer = setInterval(read, EACH_MS);
    return () => clearInterval(timer);
  }, []);
}

type Measure = (before: Sample, now: Sample) => number | undefined;
const perSecond = (name: string): Measure => (before, now) => rate(before, now, name);
const part = (name: string, of: number): Measure => (before, now) => quantile(before, now, name, of);
const level = (name: string): Measure => (_, now) => now.values.get(name);

const rates = (value: number): string => figure(value < 10 ? Math.round(value * 10) / 10 : Math.round(value));

const charts: { title: Key; format: (value: number) => string; lines: [Key, Measure][] }[] = [
  { title: 'metrics.requests', format: rates, lines: [['metrics.perSecond', perSecond('weft_http_requests_total')]] },
  { title: 'metrics.answer', format: duration, lines: [['metrics.half', part('weft_http_request_seconds', 0.5)], ['metrics.most', part('weft_http_request_seconds', 0.95)], ['metrics.worst', part('weft_http_request_seconds', 0.99)]] },
  { title: 'metrics.commits', format: rates, lines: [['metrics.steps', perSecond('weft_steps_total')], ['metrics.batches', perSecond('weft_batch_seconds_count')]] },
  { title: 'metrics.commit', format: duration, lines: [['metrics.half', part('weft_batch_seconds', 0.5)], ['metrics.most', part('weft_batch_seconds', 0.95)], ['metrics.worst', part('weft_batch_seconds', 0.99)]] },
  { title: 'metrics.queues', format: figure, lines: [['metrics.commands', level('weft_commands_waiting')], ['metrics.outbox', level('weft_outbox_messages')], ['metrics.due', level('weft_due_commands')]] },
  { title: 'metrics.lag', format: duration, lines: [['metrics.dueLag', level('weft_due_lag_seconds')], ['metrics.outboxLag', level('weft_outbox_lag_seconds')]] },
  { title: 'metrics.cases', format: figure, lines: [['metrics.open', level('weft_cases_open')], ['metrics.cached', level('weft_cases_cached')], ['metrics.incidents', level('weft_incidents_open')]] },
  { title: 'metrics.connections', format: figure, lines: [['metrics.clients', level('weft_http_connections')], ['metrics.readers', level('weft_event_readers')]] },
];

export function Metrics() {
  useSamples();
  const taken = samples.value;
  if (taken.length === 0) return failure.value ? <Failure error={failure.value} again={() => void take()} /> : <Skeleton lines={8} />;
  // The first reading alone has no rate.
  const pairs = taken.slice(1).map((now, index) => [taken[index]!, now] as const);
  const times = pairs.map(([, now]) => now.at);
  return (
    <>
      {failure.value && <Failure error={failure.value} again={() => void take()} />}
      <p class="small muted">{t(pairs.length === 0 ? 'metrics.first' : 'metrics.about')} <a href="/metrics" target="_blank" rel="noreferrer">{t('metrics.all')}</a></p>
      <div class="charts">
        {charts.map((chart) => (
          <LineChart key={chart.title} title={t(chart.title)} times={times} format={chart.format}
            series={chart.lines.map(([label, measure]): Series => ({ label: t(label), values: pairs.map(([before, now]) => measure(before, now)) }))} />
        ))}
      </div>
    </>
  );
}
