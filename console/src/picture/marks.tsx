// SPDX-License-Identifier: Apache-2.0
// What a case, a check or statistics put on a net: tints below the names, and
// tokens and signs above them.
import { figure, t } from '../text/text';
import { centre, pointAt, roundPath, shorten } from './geometry';
import { flowKey, isTask, nameOf, placeOf, type Element, type Heat, type NetIndex, type TaskMark } from './model';

/** The first letters of the first and the last word of a name. */
export function initials(name: string): string {
  const words = name.split(/[\s._@-]+/u).filter((word) => word !== '');
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => (word === undefined ? '' : [...word][0]!));
  return letters.join('').toLocaleUpperCase();
}

function TaskTint({ element, mark }: { element: Element; mark: TaskMark }) {
  const { x, y, width, height } = element;
  return (
    <g class={`p-mark ${mark.state ?? ''}`}>
      <rect class="p-tint" x={x} y={y} width={width} height={height} rx={6} />
      {mark.state === 'suspended' && <rect x={x} y={y} width={width} height={height} rx={6} fill="url(#p-hatch)" />}
    </g>
  );
}

function HeatTint({ element, heat }: { element: Element; heat: Heat }) {
  if (isTask(element)) return <rect class="p-heat" x={element.x} y={element.y} width={element.width} height={element.height} rx={6} style={{ opacity: heat.share * 0.45 }} />;
  const [x, y] = centre(element);
  return <circle class="p-heat" cx={x} cy={y} r={element.width / 2} style={{ opacity: heat.share * 0.45 }} />;
}

/** Flows by how often they were taken, thicker. */
function Taken({ index, taken }: { index: NetIndex; taken: Readonly<Record<string, number>> }) {
  const most = Math.max(1, ...Object.values(taken));
  return (
    <>
      {index.net.flows.map((flow, i) => {
        const count = taken[flowKey(flow.from, flow.to)] ?? 0;
        if (count === 0) return null;
        const width = 2 + (2.5 * Math.log1p(count)) / Math.log1p(most);
        return <path key={i} class="p-taken" d={roundPath(shorten(index.ways.get(flow)!, 7), 8)} stroke-width={width} />;
      })}
    </>
  );
}

/** What lies between the outlines and the names. */
export function Tints({ index, tasks, heat, taken, members, highlight }: {
  index: NetIndex;
  tasks: Readonly<Record<string, TaskMark>> | undefined;
  heat: Readonly<Record<string, Heat>> | undefined;
  taken: Readonly<Record<string, number>> | undefined;
  members: readonly string[] | undefined;
  highlight: ReadonlySet<string> | undefined;
}) {
  return (
    <>
      {taken && <Taken index={index} taken={taken} />}
      {heat && index.net.elements.map((element) => heat[element.id] && <HeatTint key={element.id} element={element} heat={heat[element.id]!} />)}
      {tasks && index.net.elements.map((element) => tasks[element.id] && <TaskTint key={element.id} element={element} mark={tasks[element.id]!} />)}
      {members?.map((id) => <Outline key={id} index={index} id={id} tone="cancelled" />)}
      {highlight && [...highlight].map((id) => <Outline key={id} index={index} id={id} tone="found" />)}
    </>
  );
}

/** A line around an element, or where an implicit condition is. */
export function Outline({ index, id, tone, by = 3 }: { index: NetIndex; id: string; tone: string; by?: number }) {
  const element = index.elements.get(id);
  if (element && isTask(element)) return <rect class={`p-outline ${tone}`} x={element.x - by} y={element.y - by} width={element.width + 2 * by} height={element.height + 2 * by} rx={6 + by} />;
  const place = placeOf(index, id);
  return place ? <circle class={`p-outline ${tone}`} cx={place[0]} cy={place[1]} r={element ? element.width / 2 + by : 9} /> : null;
}

// --- tokens ----------------------------------------------------------------------

/** The tokens of each condition; those that still are on their way are left out. */
export function Tokens({ index, tokens, arriving, movable }: {
  index: NetIndex; tokens: Readonly<Record<string, number>>; arriving: ReadonlyMap<string, number>; movable: boolean;
}) {
  return (
    <>
      {Object.entries(tokens).map(([condition, count]) => {
        const here = count - (arriving.get(condition) ?? 0);
        const place = here > 0 ? placeOf(index, condition) : undefined;
        if (!place) return null;
        const shown = here > 999 ? '999+' : String(here);
        const r = here === 1 ? 7 : Math.max(10, 5 + shown.length * 3.5);
        return (
          <g key={condition} class={`p-token ${movable ? 'movable' : ''}`} data-id={condition} data-token={condition} transform={`translate(${place[0]} ${place[1]})`}>
            <title>{t('picture.tokens', { n: here, name: conditionName(index, condition) })}</title>
            <circle r={r} />
            {here > 1 && <text y={4}>{shown}</text>}
          </g>
        );
      })}
    </>
  );
}

/** The name of a condition; an implicit one is between two tasks. */
export function conditionName(index: NetIndex, id: string): string {
  const element = index.elements.get(id);
  if (element) return nameOf(element);
  const flow = index.implicit.get(id);
  if (!flow) return id;
  const [from, to] = [index.elements.get(flow.from), index.elements.get(flow.to)];
  return `${from ? nameOf(from) : flow.from} → ${to ? nameOf(to) : flow.to}`;
}

/** In repair: where a token can be put that no circle shows. */
export function Targets({ index }: { index: NetIndex }) {
  return (
    <>
      {[...index.implicit.keys()].map((id) => {
        const [x, y] = placeOf(index, id)!;
        return <circle key={id} class="p-target" data-id={id} cx={x} cy={y} r={7}><title>{conditionName(index, id)}</title></circle>;
      })}
    </>
  );
}

// --- signs ------------------------------------------------------------------------

function Plate({ x, y, text, tone = '', title }: { x: number; y: number; text: string; tone?: string; title: string }) {
  const width = Math.max(16, text.length * 6.6 + 8);
  return (
    <g class={`p-sign ${tone}`} transform={`translate(${x} ${y})`}>
      <title>{title}</title>
      <rect x={-width / 2} y={-8} width={width} height={16} rx={8} />
      <text y={4}>{text}</text>
    </g>
  );
}

function TaskMarks({ element, mark }: { element: Element; mark: TaskMark }) {
  const { x, y, width, height } = element;
  const failed = mark.incident === true || mark.state === 'failed';
  return (
    <g data-id={element.id}>
      {mark.done !== undefined && mark.done > 0 && <Plate x={x + 16} y={y + height} text={`✓${figure(mark.done)}`} title={t('picture.doneTimes', { n: mark.done })} />}
      {mark.instances && <Plate x={x + width / 2} y={y + height} tone="active" text={t('picture.nOfM', { n: mark.instances.done, m: mark.instances.of })} title={t('picture.instancesOver', { n: mark.instances.done, m: mark.instances.of })} />}
      {mark.holder !== undefined && mark.holder !== '' && <Plate x={x + width - 14} y={y + height} tone="holder" text={initials(mark.holder)} title={mark.holder} />}
      {failed && (
        <g class="p-incident" data-incident={element.id} transform={`translate(${x + width - 4} ${y + 2})`}>
          <title>{t('picture.incident')}</title>
          <circle r={10} />
          <path d="M0 -5v6M0 4v.5" />
        </g>
      )}
      {mark.state === 'here' && <path class="p-here" d={`M${x + width / 2} ${y - 4}l-6 -10h12z`}><title>{t('picture.here')}</title></path>}
    </g>
  );
}

function HeatFigures({ element, heat }: { element: Element; heat: Heat }) {
  const [x] = centre(element);
  const y = element.name_at && !isTask(element) ? element.y - 4 : element.y + element.height + 2;
  return <Plate x={x} y={y} tone="heat" text={heat.figures} title={heat.title} />;
}

/** What lies above the names. */
export function Signs({ index, tasks, heat, taken, figures }: {
  index: NetIndex;
  tasks: Readonly<Record<string, TaskMark>> | undefined;
  heat: Readonly<Record<string, Heat>> | undefined;
  taken: Readonly<Record<string, number>> | undefined;
  figures: boolean;
}) {
  return (
    <>
      {figures && taken && index.net.flows.map((flow, i) => {
        const count = taken[flowKey(flow.from, flow.to)] ?? 0;
        if (count === 0) return null;
        const [x, y] = pointAt(index.ways.get(flow)!, flow.label_at ? 0.75 : 0.5);
        return <Plate key={i} x={x} y={y} tone="flow" text={figure(count)} title={t('picture.takenTimes', { n: count })} />;
      })}
      {tasks && index.net.elements.map((element) => tasks[element.id] && <TaskMarks key={element.id} element={element} mark={tasks[element.id]!} />)}
      {heat && index.net.elements.map((element) => heat[element.id] && heat[element.id]!.figures !== '' && <HeatFigures key={element.id} element={element} heat={heat[element.id]!} />)}
    </>
  );
}
