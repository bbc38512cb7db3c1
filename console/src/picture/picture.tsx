// SPDX-License-Identifier: Apache-2.0
// The picture of a net, and what is put on it: tokens and work of a case, a
// step of a witness, figures of statistics.
//
//     nets of the server ──► index ──► Shapes, Names    drawn once
//     tokens, tasks, heat ───────────► Tints, Tokens, Signs
//     moves of a step ───────────────► Motion           frame by frame
//     hands, wheel, keys ────────────► Viewport         one transform
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { language, t } from '../text/text';
import { Icon } from '../ui/icons';
import { dragTokens } from './drag';
import { Elements, said } from './elements';
import { centre, grow, type Point } from './geometry';
import { conditionName, Outline, Signs, Targets, Tints, Tokens } from './marks';
import { Minimap } from './minimap';
import { indexNet, isTask, placeOf, type Heat, type Moves, type Net, type NetIndex, type Sizes, type TaskMark } from './model';
import { Motion } from './motion';
import './picture.css';
import { describe, Names, Shapes } from './shapes';
import { Viewport } from './viewport';
import { walk, type Direction } from './walk';

const NONE: ReadonlyMap<string, number> = new Map();
const arrows: Record<string, Direction> = { ArrowLeft: 'left', ArrowRight: 'right', ArrowUp: 'up', ArrowDown: 'down' };

interface NetPictureProps {
  net: Net;
  /** The Pictures that the net is of, or their sizes. */
  sizes: Sizes;
  /** Tokens by the id of the condition, also of implicit ones. */
  tokens?: Readonly<Record<string, number>> | undefined;
  tasks?: Readonly<Record<string, TaskMark>> | undefined;
  /** How often flows were taken, by flowKey(). */
  taken?: Readonly<Record<string, number>> | undefined;
  /** Whether the numbers of `taken` are shown, too. */
  takenFigures?: boolean;
  heat?: Readonly<Record<string, Heat>> | undefined;
  /** Elements that something is said about, such as those of a finding. */
  highlight?: ReadonlySet<string> | undefined;
  picked?: string | undefined;
  /** An element, or the id of an implicit condition with a token; undefined: none any more. */
  onPick?: (id: string | undefined) => void;
  onOpenNet?: ((task: string, net: string) => void) | undefined;
  /** The mark of an incident or a failure at a task. */
  onIncident?: ((task: string) => void) | undefined;
  moves?: Moves | undefined;
  /** A moment of the past: the frame is tinted. */
  past?: boolean;
  /** Repair: tokens can be dragged; a place of undefined is the stock. */
  onMove?: ((from: string | undefined, to: string | undefined) => void) | undefined;
  /** Shown over the picture, at its upper left corner. */
  children?: ComponentChildren;
}

/** What of the picture an event points at, also while the picture moves. */
function under(event: Event): globalThis.Element | undefined {
  const target = event.target as globalThis.Element;
  if (!(event instanceof MouseEvent) || !target.classList.contains('picture-shield')) return target;
  return document.elementsFromPoint(event.clientX, event.clientY).find((element) => element !== target);
}

export function NetPicture(props: NetPictureProps) {
  const { net, sizes, tokens, tasks, taken, heat, highlight, picked, moves, onMove } = props;
  const index = useMemo(() => indexNet(net, { decorator: sizes.decorator, stack: sizes.stack }), [net, sizes.decorator, sizes.stack]);
  const root = useRef<HTMLDivElement>(null);
  const canvas = useRef<SVGSVGElement>(null);
  const ghosts = useRef<SVGGElement>(null);
  const dragged = useRef<SVGCircleElement>(null);
  const [viewport, setViewport] = useState<Viewport>();
  const [motion, setMotion] = useState<Motion>();
  const [current, setCurrent] = useState<string>();
  const [listed, setListed] = useState(false);
  const pointed = useSignal<string | undefined>(undefined);
  const over = useSignal<string | undefined>(undefined);
  const latest = useRef({ index, props });
  latest.current = { index, props };
  const movable = onMove !== undefined;

  useLayoutEffect(() => {
    const made = new Viewport(root.current!, canvas.current!);
    setViewport(made);
    setMotion(new Motion(ghosts.current!));
    return () => made.close();
  }, []);
  useLayoutEffect(() => { viewport?.show(net, focusOf(index, latest.current.props)); }, [viewport, net]);
  useEffect(() => setCurrent(undefined), [net]);
  useEffect(() => {
    if (!viewport || !movable) return;
    viewport.mayPan = (target, space) => space || !target.closest('[data-token]');
    return dragTokens(root.current!, viewport, dragged.current!, {
      index: () => latest.current.index,
      moved: (from, to) => latest.current.props.onMove?.(from, to),
      over: (condition) => { over.value = condition; },
    });
  }, [viewport, movable]);
  useEffect(() => { if (moves && motion) motion.play(latest.current.index, moves); }, [motion, moves?.key]);
  useEffect(() => () => motion?.end(), [motion, net]);
  useEffect(() => {
    if (picked === undefined) return;
    setCurrent(picked);
    const box = boxOf(index, picked);
    if (viewport && box) viewport.reveal(box);
  }, [viewport, index, picked]);

  const go = (id: string | undefined) => {
    setCurrent(id);
    const box = id === undefined ? undefined : boxOf(index, id);
    if (box) viewport?.reveal(box);
  };
  const open = (id: string | undefined) => {
    const element = id === undefined ? undefined : index.elements.get(id);
    if (element?.net !== undefined) props.onOpenNet?.(element.id, element.net);
  };
  const onKey = (event: KeyboardEvent) => {
    if (!viewport || event.ctrlKey || event.metaKey || event.altKey || event.target !== root.current) return;
    const element = current === undefined ? undefined : index.elements.get(current);
    const condition = element && !isTask(element) ? element.id : undefined;
    if (arrows[event.key]) go(walk(index, current, arrows[event.key]!));
    else if (event.key === 'Enter') { if (current !== undefined && current === picked) open(current); else props.onPick?.(current); }
    else if (event.key === 'o') open(current);
    else if (event.key === 'Escape' && picked !== undefined) props.onPick?.(undefined);
    else if (event.key === ' ') viewport.hold(true);
    else if (event.key === 'f') viewport.fit();
    else if (event.key === '1') viewport.full();
    else if (event.key === '+' || event.key === '=') viewport.zoom(1.25);
    else if (event.key === '-') viewport.zoom(0.8);
    else if (event.key === 'a' && movable && condition !== undefined) onMove(undefined, condition);
    else if (event.key === 'Delete' && movable && condition !== undefined && (tokens?.[condition] ?? 0) > 0) onMove(condition, undefined);
    else return;
    event.preventDefault();
  };
  const hit = (event: Event, name: string) => under(event)?.closest(`[data-${name}]`)?.getAttribute(`data-${name}`) ?? undefined;
  const onClick = (event: MouseEvent) => {
    if (viewport?.dragged || (event.target as globalThis.Element).closest('.picture-control')) return;
    const incident = hit(event, 'incident');
    const opened = hit(event, 'open');
    if (incident !== undefined && props.onIncident) props.onIncident(incident);
    else if (opened !== undefined && props.onOpenNet) open(opened);
    else {
      const id = hit(event, 'id');
      setCurrent(id);
      props.onPick?.(id);
    }
  };
  const cancelled = (id: string | undefined) => (id === undefined ? undefined : index.elements.get(id)?.cancels);
  const members = cancelled(pointed.value) ?? cancelled(current);
  const now = current === undefined ? undefined : index.elements.get(current);
  const label = t('picture.of', { net: net.name ?? net.id });

  return (
    <div class={`picture ${props.past ? 'past' : ''} ${movable ? 'repair' : ''}`}>
      <div class="picture-stage">
        <div class={`picture-view ${cancelled(pointed.value)?.length ? 'cancelling' : ''}`} ref={root} tabIndex={0} role="application" aria-label={label} aria-description={t('picture.keys')}
          onKeyDown={onKey} onClick={onClick} onDblClick={(event) => open(hit(event, 'id'))}
          onPointerOver={(event) => { pointed.value = (event.target as globalThis.Element).closest('[data-id]')?.getAttribute('data-id') ?? undefined; }} onPointerLeave={() => { pointed.value = undefined; }}>
          <svg ref={canvas} class="picture-canvas" width={Math.max(1, net.width)} height={Math.max(1, net.height)} aria-hidden="true">
            <defs>
              <pattern id="p-hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="p-hatch" d="M0 0v7" /></pattern>
            </defs>
            <g class="p-below"><Shapes index={index} language={language.value} /></g>
            <g><Tints index={index} tasks={tasks} heat={heat} taken={taken} members={members} highlight={highlight} /></g>
            <g class="p-above"><Names index={index} dynamic={tasks !== undefined || heat !== undefined} language={language.value} /></g>
            {movable && <g><Targets index={index} /></g>}
            <g>{tokens && <Tokens index={index} tokens={tokens} arriving={motion?.arriving.value ?? NONE} movable={movable} />}</g>
            <g><Signs index={index} tasks={tasks} heat={heat} taken={taken} figures={props.takenFigures ?? false} /></g>
            {current !== undefined && current !== picked && <Outline index={index} id={current} tone="current" by={5} />}
            {picked !== undefined && <Outline index={index} id={picked} tone="picked" by={5} />}
            {over.value !== undefined && <Outline index={index} id={over.value} tone="over" by={7} />}
            <g ref={ghosts} />
            <circle ref={dragged} class="p-ghost p-dragged" r="8" />
          </svg>
          <div class="picture-shield" aria-hidden="true" />
          {movable && (
            <div class="picture-stock" data-token="" title={t('picture.stockHelp')}>
              <span class="picture-stock-token" aria-hidden="true" />{t('picture.stock')}
            </div>
          )}
          {viewport && <Minimap index={index} viewport={viewport} />}
          {net.elements.length === 0 && <p class="picture-none">{t('picture.tooLarge')}</p>}
        </div>
        {props.children && <div class="picture-over">{props.children}</div>}
        {viewport && <Controls viewport={viewport} listed={listed} onList={() => setListed(!listed)} />}
      </div>
      {listed && <Elements index={index} tokens={tokens} tasks={tasks} heat={heat} picked={picked} onPick={(id) => { go(id); props.onPick?.(id); }} onClose={() => setListed(false)} />}
      <div class="sr-only" role="status" aria-live="polite">
        {now ? [describe(now), ...said(index, now, tokens, tasks?.[now.id], heat?.[now.id])].join('. ') : current !== undefined ? conditionName(index, current) : ''}
      </div>
    </div>
  );
}

/** What one wants to see first: what is chosen, what goes on, the start. */
function focusOf(index: NetIndex, { picked, tasks, tokens }: NetPictureProps): Point {
  const ids = [picked, ...Object.keys(tasks ?? {}), ...Object.keys(tokens ?? {}), index.net.elements.find((element) => element.kind === 'input')?.id];
  for (const id of ids) {
    const box = id === undefined ? undefined : boxOf(index, id);
    if (box) return centre(box);
  }
  return [0, 0];
}

/** The box of an element with its bands, or of an implicit condition. */
function boxOf(index: NetIndex, id: string) {
  const element = index.elements.get(id);
  if (element) return grow(element, 12 + (isTask(element) ? index.sizes.decorator : 0));
  const place = placeOf(index, id);
  return place && grow({ x: place[0], y: place[1], width: 0, height: 0 }, 24);
}

function Controls({ viewport, listed, onList }: { viewport: Viewport; listed: boolean; onList: () => void }) {
  const part = Math.round(viewport.settled.value.scale * 100);
  return (
    <div class="picture-controls picture-control" role="group" aria-label={t('picture.view')}>
      <button type="button" class="button plain icon" aria-pressed={listed} aria-label={t('picture.list')} title={t('picture.list')} onClick={onList}><Icon name="work" size={16} /></button>
      <button type="button" class="button plain icon" aria-label={t('picture.smaller')} title={t('picture.smaller')} onClick={() => viewport.zoom(0.8)}><Icon name="minus" size={16} /></button>
      <button type="button" class="button plain num picture-scale" aria-label={t('picture.full', { n: part })} title={t('picture.full', { n: part })} onClick={() => viewport.full()}>{part} %</button>
      <button type="button" class="button plain icon" aria-label={t('picture.larger')} title={t('picture.larger')} onClick={() => viewport.zoom(1.25)}><Icon name="plus" size={16} /></button>
      <button type="button" class="button plain icon" aria-label={t('picture.fit')} title={t('picture.fit')} onClick={() => viewport.fit()}><Icon name="fit" size={16} /></button>
    </div>
  );
}
