// SPDX-License-Identifier: Apache-2.0
// What of a net never changes: flows, conditions, tasks, names.  It is drawn
// once; what a case does is drawn over it (marks.tsx).
import { memo } from 'preact/compat';
import { t } from '../text/text';
import { arrowHead, bandBox, centre, pointAt, roundPath, shorten, signPath, type Box, type Point, type Side } from './geometry';
import { isTask, type Control, type Element, type Flow, type NetIndex, type Sizes } from './model';
import { orderPlaces } from './order';

const ROUNDING = 8;
const HEAD = 7;
const LETTER = 6.2;

function flowTitle(flow: Flow): string {
  const parts = [
    flow.default ? t('picture.default') : undefined,
    flow.order !== undefined ? t('picture.order', { n: flow.order }) : undefined,
    flow.predicate,
  ];
  return parts.filter((part) => part !== undefined).join('\n');
}

/** A stroke across the beginning of the flow that is taken when no other is. */
function DefaultStroke({ index, flow }: { index: NetIndex; flow: Flow }) {
  const way = index.ways.get(flow)!;
  const [a, b] = [way.points[0]!, way.points[1] ?? way.points[0]!];
  const length = Math.max(0.1, Math.hypot(b[0] - a[0], b[1] - a[1]));
  const [dx, dy] = [((b[0] - a[0]) / length) * 6, ((b[1] - a[1]) / length) * 6];
  const [x, y] = [a[0] + (dx / 6) * 11, a[1] + (dy / 6) * 11];
  return <path class="p-default" d={`M${x - dy - dx / 2} ${y + dx - dy / 2}L${x + dy + dx / 2} ${y - dx + dy / 2}`} />;
}

function FlowLine({ index, flow }: { index: NetIndex; flow: Flow }) {
  const way = index.ways.get(flow)!;
  const title = flowTitle(flow);
  const line = roundPath(shorten(way, HEAD - 1), ROUNDING);
  return (
    <g class="p-flow">
      {title !== '' && <title>{title}</title>}
      {title !== '' && <path class="p-flow-near" d={line} />}
      <path class="p-line" d={line} />
      <path class="p-head" d={arrowHead(way, HEAD, 3.4)} />
      {flow.default && <DefaultStroke index={index} flow={flow} />}
    </g>
  );
}

/** The plate of what a flow asks for. */
function plateOf(index: NetIndex, flow: Flow): Box | undefined {
  if (flow.label === undefined) return undefined;
  const [x, y] = (flow.label_at as Point | undefined) ?? pointAt(index.ways.get(flow)!, 0.2);
  const width = flow.label.length * LETTER + 10;
  return { x: x - width / 2, y: y - 8, width, height: 16 };
}

function FlowLabel({ index, flow }: { index: NetIndex; flow: Flow }) {
  const plate = plateOf(index, flow);
  if (!plate) return null;
  return (
    <g class="p-label">
      <title>{flowTitle(flow)}</title>
      <rect class="p-plate" {...plate} rx={3} />
      <text x={plate.x + plate.width / 2} y={plate.y + 12}>{flow.label}</text>
    </g>
  );
}

/** The places of the flows of a split in its order, beside its band. */
function Order({ index, element }: { index: NetIndex; element: Element }) {
  const flows = (index.out.get(element.id) ?? []).filter((flow) => flow.order !== undefined).sort((a, b) => a.order! - b.order!);
  if (flows.length === 0) return null;
  const waysOf = (some: Flow[]) => some.map((flow) => index.ways.get(flow)!);
  const plates = flows.map((flow) => plateOf(index, flow)).filter((plate) => plate !== undefined);
  const places = orderPlaces(waysOf(flows), waysOf(index.in.get(element.id) ?? []), [...plates, splitBand(index.sizes, element)]);
  return (
    <>
      {flows.map((flow, i) => (
        <g key={i} class="p-order">
          <title>{flowTitle(flow)}</title>
          <text x={places[i]![0]} y={places[i]![1] + 3.5}>{flow.order}</text>
        </g>
      ))}
    </>
  );
}

function ConditionShape({ element }: { element: Element }) {
  const [x, y] = centre(element);
  const r = Math.min(element.width, element.height) / 2;
  return (
    <g class={`p-element ${element.kind}`} data-id={element.id}>
      <title>{describe(element)}</title>
      <circle class="p-body" cx={x} cy={y} r={r} />
      {element.kind === 'input' && <path class="p-input" d={`M${x - r * 0.3} ${y - r * 0.48}L${x + r * 0.52} ${y}L${x - r * 0.3} ${y + r * 0.48}Z`} />}
      {element.kind === 'output' && <rect class="p-output" x={x - r * 0.38} y={y - r * 0.38} width={r * 0.76} height={r * 0.76} />}
    </g>
  );
}

const stackOf = (sizes: Sizes, element: Element): number => (element.instances ? 2 * sizes.stack : 0);
const splitBand = (sizes: Sizes, element: Element): Box => bandBox(element, element.split_side ?? 'east', sizes.decorator, stackOf(sizes, element));

function Band({ element, sizes, side, control, word }: { element: Element; sizes: Sizes; side: Side; control: Control; word: string }) {
  const band = bandBox(element, side, sizes.decorator, stackOf(sizes, element));
  return (
    <g class={`p-band ${control}`}>
      <title>{word}</title>
      <rect x={band.x} y={band.y} width={band.width} height={band.height} rx={3} />
      <path d={signPath(band, side, control)} />
    </g>
  );
}

function TaskShape({ element, sizes }: { element: Element; sizes: Sizes }) {
  const { x, y, width, height } = element;
  const behind = element.instances ? [2, 1] : [];
  return (
    <g class={`p-element p-task ${element.does ?? 'empty'}`} data-id={element.id}>
      <title>{describe(element)}</title>
      {behind.map((i) => <rect key={i} class="p-body" x={x + i * sizes.stack} y={y - i * sizes.stack} width={width} height={height} rx={6} />)}
      <rect class="p-body" x={x} y={y} width={width} height={height} rx={6} />
      {element.net !== undefined && <rect class="p-inner" x={x + 4} y={y + 4} width={width - 8} height={height - 8} rx={3} />}
      {element.join && <Band element={element} sizes={sizes} side={element.join_side ?? 'west'} control={element.join} word={t(`picture.join.${element.join}`)} />}
      {element.split && <Band element={element} sizes={sizes} side={element.split_side ?? 'east'} control={element.split} word={t(`picture.split.${element.split}`)} />}
    </g>
  );
}

const range = (element: Element): string => {
  const { minimum, maximum } = element.instances ?? {};
  const shown = (bound: string | number | undefined, none: string) => (bound === undefined ? none : typeof bound === 'number' ? String(bound) : '?');
  return `${shown(minimum, '1')}–${shown(maximum, '∞')}`;
};

const glyphs = {
  person: 'M0 -1.200a2.2 2.2 0 100 -4.400a2.2 2.2 0 000 4.400zM-4 5c0-3 1.5-4.2 4-4.200s4 1.2 4 4.2',
  service: 'M0 -2a2 2 0 100 4a2 2 0 000 -4M0 -5v2M0 3v2M-5 0h2M3 0h2M-3.5 -3.500l1.4 1.400M2.1 2.100l1.4 1.400M3.5 -3.500l-1.4 1.400M-2.1 2.100l-1.4 1.4',
  automatic: 'M1 -5.500l-4 6h3l-1 5l4 -6h-3z',
  net: 'M-4.5 -4.500h3.500v3h-3.500zM1 1.500h3.500v3h-3.500zM-1 -3h3.500v4.5',
  timer: 'M0 -5a5 5 0 100 10a5 5 0 000 -10M0 -2.500v2.500l1.8 1.2',
  cancels: 'M-3 -3l6 6M3 -3l-6 6',
} as const;

/** A small round sign on the edge of a task. */
function Badge({ x, y, sign, word }: { x: number; y: number; sign: keyof typeof glyphs; word: string }) {
  return (
    <g class={`p-badge ${sign}`} transform={`translate(${x} ${y})`}>
      <title>{word}</title>
      <circle r={9} />
      <path d={glyphs[sign]} />
    </g>
  );
}

function TaskSigns({ element, dynamic }: { element: Element; dynamic: boolean }) {
  const { x, y, width, height } = element;
  const right = element.instances ? 10 : 0;
  return (
    <g data-id={element.id}>
      {element.does && element.does !== 'net' && <Badge x={x + 10} y={y} sign={element.does} word={t(`picture.does.${element.does}`)} />}
      {element.net !== undefined && (
        <g class="p-open" data-open={element.id}><Badge x={x + 10} y={y} sign="net" word={t('picture.openNet', { net: element.net })} /></g>
      )}
      {element.timer && <Badge x={x + 32} y={y} sign="timer" word={t('picture.timer')} />}
      {element.cancels && element.cancels.length > 0 && <Badge x={x + width - 34 + right} y={y} sign="cancels" word={t('picture.cancels')} />}
      {element.instances && !dynamic && (
        <g class="p-note"><title>{t('picture.instances')}</title><text x={x + width / 2} y={y + height + 12}>{range(element)}</text></g>
      )}
    </g>
  );
}

function Name({ element }: { element: Element }) {
  const inside = element.name_at === undefined;
  const height = isTask(element) ? 17 : 14;
  const [cx, cy] = centre(element);
  const [x, y] = inside
    ? [cx, cy - (height * (element.lines.length - 1)) / 2 + 4.5]
    : [element.name_at![0]!, element.name_at![1]! + 11];
  return (
    <text class={isTask(element) ? 'p-name' : 'p-name p-small'} data-id={element.id} direction="inherit">
      {element.lines.map((line, i) => <tspan key={i} x={x} y={y + i * height}>{line}</tspan>)}
    </text>
  );
}

/** An element in words: kind, name, id, joins and splits, documentation. */
export function describe(element: Element): string {
  const named = element.name !== undefined && element.name !== element.id ? `${element.name} (${element.id})` : element.id;
  return [
    `${t(`picture.kind.${element.kind}`)} ${named}`,
    element.join && t(`picture.join.${element.join}`),
    element.split && t(`picture.split.${element.split}`),
    element.service,
    element.documentation,
  ].filter(Boolean).join('\n');
}

/** Flows and outlines, below all marks. */
export const Shapes = memo(function Shapes({ index }: { index: NetIndex; language: string }) {
  return (
    <>
      {index.net.flows.map((flow, i) => <FlowLine key={i} index={index} flow={flow} />)}
      {index.net.elements.map((element) => element.kind === 'task'
        ? <TaskShape key={element.id} element={element} sizes={index.sizes} />
        : <ConditionShape key={element.id} element={element} />)}
    </>
  );
});

/** Names, signs and labels, above the tints of marks. */
export const Names = memo(function Names({ index, dynamic }: { index: NetIndex; dynamic: boolean; language: string }) {
  return (
    <>
      {index.net.elements.map((element) => <Name key={element.id} element={element} />)}
      {index.net.elements.map((element) => element.kind === 'task' && <TaskSigns key={element.id} element={element} dynamic={dynamic && element.instances !== undefined} />)}
      {index.net.flows.map((flow, i) => <FlowLabel key={i} index={index} flow={flow} />)}
      {index.net.elements.map((element) => element.split && <Order key={element.id} index={index} element={element} />)}
    </>
  );
});

