// SPDX-License-Identifier: Apache-2.0
// The picture of a version with its heat: where cases stand now, how long tasks
// waited and took, which flows were taken; the cases behind a task beside it.
import { api, type Schema } from '../../api/client';
import { useResource, type Resource } from '../../api/resource';
import { argument, setQuery, to } from '../../app/router';
import { may } from '../../app/session';
import { type Net, nameOf as elementName } from '../../picture/model';
import { NetPath, netOf, usePictures } from '../../picture/nets';
import { NetPicture } from '../../picture/picture';
import { describe } from '../../picture/shapes';
import { figure, t } from '../../text/text';
import { Icon } from '../../ui/icons';
import { Await, Failure } from '../../ui/message';
import { State } from '../../ui/state';
import { duration, Time } from '../../ui/time';
import type { Statistic } from './figures';
import { heatOf, isTime, measures, rowsOf, takenOf, type Measure, type Standing } from './heat';
import { period, PeriodChoice, readStatistics } from './statistics';

type Item = Schema['Item'];
const LISTED = 20;

interface Figures {
  tasks: Statistic[];
  flows: Statistic[];
  standing: Map<string, Standing>;
}

/** The live items by task. */
async function readStanding(specification: string, signal: AbortSignal): Promise<Map<string, Standing>> {
  const { tasks, complete } = await api.get('/v1/specifications/{specification}/standing', { path: { specification }, signal });
  return new Map(tasks.map(({ task, items, oldest }) => [task, { items, atLeast: !complete, oldest }]));
}

export function HeatPicture({ specification }: { specification: string }) {
  const pictures = usePictures(specification);
  const from = period('P7D');
  const figures = useResource(async (signal): Promise<Figures> => {
    const [tasks, flows, standing] = await Promise.all([
      readStatistics(specification, 'task', 'period', from, signal),
      readStatistics(specification, 'flow', 'period', from, signal),
      readStanding(specification, signal),
    ]);
    return { tasks: tasks.rows, flows: flows.rows, standing };
  }, [specification, from]);
  return (
    <Await of={pictures} lines={10}>{(data) => {
      const net = netOf(data.nets, argument('net'));
      return net && <Heated specification={specification} nets={data.nets} net={net} sizes={data} figures={figures} />;
    }}</Await>
  );
}

const show = (measure: Measure) => (value: number, atLeast: boolean): string => (isTime(measure) ? duration(value) : figure(value) + (atLeast ? '+' : ''));

function Heated({ specification, nets, net, sizes, figures: read }: {
  specification: string; nets: readonly Net[]; net: Net; sizes: { decorator: number; stack: number }; figures: Resource<Figures>;
}) {
  const measure = measures.find((one) => one === argument('heat')) ?? 'standing';
  const flows = argument('flows') !== undefined;
  const picked = argument('task');
  const figures = read.data.value;
  const href = (id: string | undefined) => to(['processes', specification], { heat: argument('heat'), flows: argument('flows'), period: argument('period'), net: id });
  const rows = rowsOf(figures?.tasks ?? [], net.id);
  const standing = figures?.standing ?? new Map<string, Standing>();
  const { heat, most } = heatOf(net, measure, rows, standing, show(measure), (task) => taskWords(rows.get(task), standing.get(task)));
  const element = net.elements.find((one) => one.id === picked);
  return (
    <>
      <div class="row wrap heat-bar">
        <label class="row choice"><span class="muted small">{t('processes.heat')}</span>
          <select value={measure} onChange={(event) => setQuery({ heat: event.currentTarget.value === 'standing' ? undefined : event.currentTarget.value })}>
            {measures.map((one) => <option key={one} value={one}>{t(`processes.${one}`)}</option>)}
          </select>
        </label>
        <PeriodChoice value={period('P7D')} otherwise="P7D" />
        <label class="row small"><input type="checkbox" checked={flows} onChange={() => setQuery({ flows: !flows })} />{t('processes.flowsTaken')}</label>
        <button type="button" class="button plain icon" aria-label={t('processes.refresh')} title={t('processes.refresh')} onClick={() => void read.reload()}><Icon name="refresh" size={16} /></button>
        <span class="grow" />
        <Legend measure={measure} most={most} />
      </div>
      {read.error.value && <Failure error={read.error.value} again={() => void read.reload()} />}
      <div class={`picture-beside ${element ? 'both' : ''}`}>
        <div class="picture-room">
          <NetPicture net={net} sizes={sizes} heat={heat} {...(flows ? { taken: takenOf(figures?.flows ?? [], net.id), takenFigures: true } : {})}
            picked={picked} onPick={(id) => setQuery({ task: id })} onOpenNet={(_, id) => setQuery({ net: id, task: undefined }, 'push')}>
            <NetPath nets={nets} id={net.id} href={href} />
          </NetPicture>
        </div>
        {element && (
          <aside class="picture-side" aria-label={elementName(element)}>
            <div class="row"><h2 class="grow words" dir="auto">{elementName(element)}</h2>
              <button type="button" class="button plain icon" aria-label={t('common.close')} onClick={() => setQuery({ task: undefined })}><Icon name="close" size={16} /></button>
            </div>
            <p class="muted small words described" dir="auto">{describe(element)}</p>
            {element.kind === 'task' && <TaskFigures row={rows.get(element.id)} standing={standing.get(element.id)} />}
            {element.net !== undefined && <p><a href={href(element.net)}>{t('picture.openNet', { net: element.net })}</a></p>}
            {element.kind === 'task' && may('read') && <Behind specification={specification} task={element.id} />}
          </aside>
        )}
      </div>
    </>
  );
}

function taskWords(row: Statistic | undefined, standing: Standing | undefined): string {
  return taskFacts(row, standing).map(([name, value]) => `${name}: ${value}`).join('\n');
}

function taskFacts(row: Statistic | undefined, standing: Standing | undefined): [string, string][] {
  const facts: [string, string][] = [[t('processes.standing'), figure(standing?.items ?? 0) + (standing?.atLeast ? '+' : '')]];
  if (row?.completed !== undefined) facts.push([t('processes.completedCount'), figure(row.completed)]);
  if (row?.waited) facts.push([t('processes.waitedMedian'), duration(row.waited.median)], [t('processes.waitedP95'), duration(row.waited.p95)]);
  if (row?.took) facts.push([t('processes.tookMedian'), duration(row.took.median)], [t('processes.tookP95'), duration(row.took.p95)]);
  return facts;
}

function TaskFigures({ row, standing }: { row: Statistic | undefined; standing: Standing | undefined }) {
  return (
    <dl class="facts">
      {taskFacts(row, standing).map(([name, value]) => <><dt>{name}</dt><dd class="num">{value}</dd></>)}
      {standing?.oldest !== undefined && <><dt>{t('processes.oldest')}</dt><dd><Time at={standing.oldest} /></dd></>}
    </dl>
  );
}

function Legend({ measure, most }: { measure: Measure; most: number }) {
  if (most === 0) return <span class="muted small">{t('processes.noHeat')}</span>;
  return (
    <span class="legend small" role="img" aria-label={t('processes.legend', { measure: t(`processes.${measure}`), most: show(measure)(most, false) })}>
      <span class="num">0</span><span class="legend-scale" /><span class="num">{show(measure)(most, false)}</span>
    </span>
  );
}

/** The open items of a task, each with its case. */
function Behind({ specification, task }: { specification: string; task: string }) {
  const read = useResource((signal) => api.get('/v1/items', { query: { specification, task, limit: LISTED }, signal }), [specification, task]);
  return (
    <section>
      <h3>{t('processes.behind')}</h3>
      <Await of={read} lines={3}>{({ items, next }) => items.length === 0 ? <p class="muted">{t('processes.noneBehind')}</p> : (
        <>
          <ul class="behind">{items.map((item) => <li key={item.item}><BehindRow item={item} /></li>)}</ul>
          {next !== undefined && <p class="muted small">{t('processes.moreBehind', { n: LISTED })}</p>}
        </>
      )}</Await>
    </section>
  );
}

function BehindRow({ item }: { item: Item }) {
  return (
    <a href={to(['cases', item.case])}>
      <span class="mono cut">{item.case}</span>
      <span class="small"><State value={item.assignment ?? item.status} /></span>
      {item.enabled !== undefined && <span class="muted small"><Time at={item.enabled} /></span>}
    </a>
  );
}
