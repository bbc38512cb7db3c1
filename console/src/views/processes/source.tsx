// SPDX-License-Identifier: Apache-2.0
// XML with line numbers and marks at lines.  Only the lines that are seen are
// drawn: a file may have many thousands.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { api, type Schema } from '../../api/client';
import { useResource } from '../../api/resource';
import { t } from '../../text/text';
import { Await } from '../../ui/message';
import type { Specification } from './figures';

type Diagnostic = Schema['Diagnostic'];
const LINE = 20;
const AROUND = 30;

/** The diagnostics by their line. */
function byLine(diagnostics: readonly Diagnostic[]): Map<number, Diagnostic[]> {
  const lines = new Map<number, Diagnostic[]>();
  for (const one of diagnostics) if (one.line !== undefined) lines.set(one.line, [...(lines.get(one.line) ?? []), one]);
  return lines;
}

/** `line` is the one that is shown, and marked; each `jump` shows it again. */
export function Source({ text, diagnostics = [], line, jump = 0 }: { text: string; diagnostics?: readonly Diagnostic[]; line?: number | undefined; jump?: number }) {
  const root = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const lines = useMemo(() => text.split(/\r\n|\n|\r/), [text]);
  const marks = useMemo(() => byLine(diagnostics), [diagnostics]);
  const longest = useMemo(() => lines.reduce((most, one) => Math.max(most, one.length), 0), [lines]);
  useEffect(() => {
    const observer = new ResizeObserver(() => setHeight(root.current?.clientHeight ?? 600));
    observer.observe(root.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (line !== undefined) root.current?.scrollTo({ top: Math.max(0, (line - 1) * LINE - root.current.clientHeight / 3), left: 0 });
  }, [line, jump, text]);
  const first = Math.max(0, Math.floor(top / LINE) - AROUND);
  const last = Math.min(lines.length, Math.ceil((top + height) / LINE) + AROUND);
  const gutter = String(lines.length).length;
  return (
    <div class="source" ref={root} role="region" aria-label={t('processes.tab.source')} tabIndex={0} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
      <div class="source-lines" style={{ height: `${lines.length * LINE}px`, width: `calc(${Math.min(longest, 2000) + gutter + 6}ch + 16px)` }}>
        {lines.slice(first, last).map((one, i) => {
          const number = first + i + 1;
          const here = marks.get(number);
          const severity = here?.some((mark) => mark.severity === 'error') ? 'error' : here ? 'warning' : '';
          return (
            <div key={number} class={`source-line ${severity} ${number === line ? 'here' : ''}`} style={{ top: `${(number - 1) * LINE}px` }} title={here?.map((mark) => mark.text).join('\n')}>
              <span class="source-number" style={{ width: `${gutter + 3}ch` }}>{severity !== '' && <span aria-hidden="true">{severity === 'error' ? '✕' : '!'} </span>}{number}</span>
              <span>{one}</span>
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** The text of the file that a specification was loaded from. */
const readSource = (specification: string, signal: AbortSignal): Promise<string> =>
  api.get('/v1/specifications/{specification}', { path: { specification }, headers: { Accept: 'application/xml' }, signal }) as Promise<unknown> as Promise<string>;

export function SourceTab({ of }: { of: Specification }) {
  const read = useResource((signal) => readSource(of.key, signal), [of.key]);
  return (
    <Await of={read} lines={16}>{(text) => (
      <div class="column">
        <div class="row end">
          <Download text={text} name={`${of.uri.replace(/[^\w.-]+/g, '_')}-${of.version}.yawl`} />
        </div>
        <Source text={text} />
      </div>
    )}</Await>
  );
}

function Download({ text, name }: { text: string; name: string }) {
  const address = useMemo(() => URL.createObjectURL(new Blob([text], { type: 'application/xml' })), [text]);
  useEffect(() => () => URL.revokeObjectURL(address), [address]);
  return <a class="button" href={address} download={name}>{t('processes.download')}</a>;
}
