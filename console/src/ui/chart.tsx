// SPDX-License-Identifier: Apache-2.0
// Figures as lines.  What a line shows is said in words, too.
import { useState } from 'preact/hooks';
import { figure, t } from '../text/text';
import { roundUp } from './scale';
import { clockTime } from './time';
import './chart.css';

const WIDTH = 240;
const HEIGHT = 40;
/** Lines are not cut at the edge. */
const EDGE = 2;

function points(values: readonly (number | undefined)[], most: number, width: number, height: number): [number, number][] {
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  return values.flatMap((value, index): [number, number][] =>
    value === undefined ? [] : [[index * step, height - EDGE - (value / most) * (height - 2 * EDGE)]]);
}

const path = (line: [number, number][]): string => line.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');

/** A small line without axes, beside its figure; `label` says what it is of. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  if (values.length < 2) return null;
  const most = Math.max(1, ...values);
  const line = points(values, most, WIDTH, HEIGHT);
  const said = t('chart.says', { label, least: figure(Math.min(...values)), most: figure(Math.max(...values)), last: figure(values[values.length - 1]!) });
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={said}>
      <title>{said}</title>
      <path class="area" d={`${path(line)}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`} />
      <path class="line" d={path(line)} />
    </svg>
  );
}

export interface Series {
  label: string;
  /** One for each time; undefined where nothing is known. */
  values: readonly (number | undefined)[];
}

const CHART_WIDTH = 600;
const CHART_HEIGHT = 120;

/** Lines over times; pointing at one says the figures of that time. */
export function LineChart({ title, times, series, format = figure }: {
  title: string; times: readonly number[]; series: readonly Series[]; format?: (value: number) => string;
}) {
  const [pointed, setPointed] = useState<number>();
  const most = roundUp(Math.max(0, ...series.flatMap((one) => one.values.filter((value) => value !== undefined))));
  const at = pointed !== undefined && pointed < times.length ? pointed : times.length - 1;
  const x = times.length > 1 ? (at / (times.length - 1)) * CHART_WIDTH : 0;
  const shown = (one: Series): string => { const value = one.values[at]; return value === undefined ? '–' : format(value); };
  return (
    <figure class="chart">
      <figcaption>
        <span class="strong">{title}</span>
        {pointed !== undefined && times[at] !== undefined && <span class="muted small num">{clockTime(times[at])}</span>}
      </figcaption>
      <div class="chart-legend">
        {series.map((one, index) => (
          <span key={one.label} class={`chart-${index}`}><span class="chart-key" aria-hidden="true" />{one.label} <span class="strong num">{shown(one)}</span></span>
        ))}
      </div>
      <div class="chart-plot" onPointerLeave={() => setPointed(undefined)} onPointerMove={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        setPointed(Math.max(0, Math.min(times.length - 1, Math.round(((event.clientX - box.left) / box.width) * (times.length - 1)))));
      }}>
        <span class="chart-most small muted num">{format(most)}</span>
        <svg viewBox={`0 0 ${CHART_WIDTH} ${CHART_HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <path class="grid" d={`M0 ${EDGE}H${CHART_WIDTH}M0 ${CHART_HEIGHT / 2}H${CHART_WIDTH}M0 ${CHART_HEIGHT - EDGE}H${CHART_WIDTH}`} />
          {series.map((one, index) => <path key={one.label} class={`line chart-${index}`} d={path(points(one.values, most, CHART_WIDTH, CHART_HEIGHT))} />)}
          {pointed !== undefined && <path class="grid pointed" d={`M${x} 0V${CHART_HEIGHT}`} />}
        </svg>
      </div>
    </figure>
  );
}
