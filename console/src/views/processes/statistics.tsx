// SPDX-License-Identifier: Apache-2.0
// What was counted of a version: cases by day as bars, tasks as a table.
import { api } from '../../api/client';
import { useResource } from '../../api/resource';
import { argument, setQuery } from '../../app/router';
import { usePictures } from '../../picture/nets';
import { figure, language, t } from '../../text/text';
import { Await, Empty } from '../../ui/message';
import { duration } from '../../ui/time';
import { daysOf, type Day, type Statistic } from './figures';

const periods = ['P1D', 'P7D', 'P30D', 'P90D'] as const;
type Period = (typeof periods)[number];

/** The period of the address. */
export const period = (otherwise: Period): Period => periods.find((one) => one === argument('period')) ?? otherwise;

export function PeriodChoice({ value, otherwise }: { value: Period; otherwise: Period }) {
  return (
    <label class="row choice"><span class="muted small">{t('processes.period')}</span>
      <select value={value} onChange={(event) => setQuery({ period: event.currentTarget.value === otherwise ? undefined : event.currentTarget.value })}>
        {periods.map((one) => <option key={one} value={one}>{t(`processes.period.${one}`)}</option>)}
      </select>
    </label>
  );
}

/** All pages of a statistic, at most 10,000 rows. */
export async function readStatistics(specification: string, by: 'case' | 'task' | 'flow', per: 'day' | 'period', from: string, signal: AbortSignal): Promise<{ from: string; to: string; complete: boolean; rows: Statistic[] }> {
  const rows: Statistic[] = [];
  let after: string | undefined;
  for (let page = 0; ; page++) {
    const answer = await api.get('/v1/statistics', { query: { specification, by, per, from, limit: 1000, after }, signal });
    rows.push(...answer.statistics);
    after = answer.next;
    if (after === undefined || page === 9) return { from: answer.from, to: answer.to, complete: answer.complete, rows };
  }
}

export function Statistics({ specification }: { specification: string }) {
  const from = period('P30D');
  const read = useResource(async (signal) => {
    const [cases, whole, tasks] = await Promise.all([
      readStatistics(specification, 'case', 'day', from, signal),
      readStatistics(specification, 'case', 'period', from, signal),
      readStatistics(specification, 'task', 'period', from, signal),
    ]);
    return { days: daysOf(cases.rows, cases.from, cases.to), whole: whole.rows[0], tasks: tasks.rows, complete: cases.complete };
  }, [specification, from]);
  return (
    <div class="column statistics">
      <div class="row wrap"><PeriodChoice value={from} otherwise="P30D" /></div>
      <Await of={read}>{(data) => (
        <>
          {!data.complete && <p class="muted small">{t('processes.notComplete')}</p>}
          <Summary whole={data.whole} />
          <Bars days={data.days} />
          <h2>{t('processes.tasks')}</h2>
          {data.tasks.length === 0 ? <Empty>{t('processes.noneCounted')}</Empty> : <Tasks specification={specification} rows={data.tasks} />}
        </>
      )}</Await>
    </div>
  );
}

function Summary({ whole }: { whole: Statistic | undefined }) {
  const facts: [string, string][] = [
    [t('processes.startedCount'), figure(whole?.started ?? 0)],
    [t('processes.completedCount'), figure(whole?.completed ?? 0)],
    [t('processes.cancelledCount'), figure(whole?.cancelled ?? 0)],
    [t('processes.tookMedian'), whole?.took ? duration(whole.took.median) : '–'],
    [t('processes.tookP95'), whole?.took ? duration(whole.took.p95) : '–'],
  ];
  return <dl class="summary">{facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd class="num">{value}</dd></div>)}</dl>;
}

function Bars({ days }: { days: Day[] }) {
  const most = Math.max(1, ...days.flatMap((day) => [day.started, day.completed]));
  const shown = new Intl.DateTimeFormat(language.value, { month: 'short', day: 'numeric', timeZone: 'UTC' });
  const label = (day: Day) => t('processes.dayCounts', { day: shown.format(Date.parse(day.day)), started: day.started, completed: day.completed });
  return (
    <figure class="bars-figure">
      <figcaption class="row wrap small"><span class="bar-key started" />{t('processes.startedCount')}<span class="bar-key completed" />{t('processes.completedCount')}<span class="muted">{t('processes.byDay')}</span></figcaption>
      <div class="bars" role="img" aria-label={days.map(label).join('; ')}>
        <span class="bars-most num small muted" aria-hidden="true">{figure(most)}</span>
        {days.map((day) => (
          <div key={day.day} class="day-bar" title={label(day)}>
            <span class="started" style={{ height: `${(day.started / most) * 100}%` }} />
            <span class="completed" style={{ height: `${(day.completed / most) * 100}%` }} />
          </div>
        ))}
      </div>
      <div class="row small muted" aria-hidden="true"><span class="grow">{shown.format(Date.parse(days[0]!.day))}</span><span>{shown.format(Date.parse(days.at(-1)!.day))}</span></div>
    </figure>
  );
}

function Tasks({ specification, rows }: { specification: string; rows: Statistic[] }) {
  // As long as the nets are not there, or where they cannot be read, ids are the names.
  const { nets } = usePictures(specification).data.value ?? { nets: [] };
  const nameOf = (row: Statistic) => nets.find((net) => net.id === row.net)?.elements.find((one) => one.id === row.task)?.name ?? row.task;
  const time = (times: Statistic['took'], which: 'median' | 'p95') => (times ? duration(times[which]) : '–');
  return (
    <div class="table-wrap">
      <table class="list" aria-label={t('processes.tasks')}>
        <thead>
          <tr>
            <th scope="col">{t('processes.task')}</th>
            {(['enabledCount', 'completedCount', 'waitedMedian', 'waitedP95', 'tookMedian', 'tookP95'] as const).map((one) => <th key={one} scope="col" class="right">{t(`processes.${one}`)}</th>)}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.net}\n${row.task}`}>
              <td title={`${row.task} · ${row.net}`}><bdi>{nameOf(row)}</bdi> <span class="muted small"><bdi>{row.net}</bdi></span></td>
              <td class="right num">{figure(row.enabled ?? 0)}</td>
              <td class="right num">{figure(row.completed ?? 0)}</td>
              <td class="right num">{time(row.waited, 'median')}</td>
              <td class="right num">{time(row.waited, 'p95')}</td>
              <td class="right num">{time(row.took, 'median')}</td>
              <td class="right num">{time(row.took, 'p95')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
