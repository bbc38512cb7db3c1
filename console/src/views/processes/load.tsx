// SPDX-License-Identifier: Apache-2.0
// A file before it is loaded: what is wrong with it, line by line, and the
// picture and verdict of what would be loaded.
//
//     no file ──choose, drop──► being checked ──► refused: diagnostics
//                                     └──► checked ──load──► the process
//                                              └─► other content is there: replace
import type { Signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { api, Problem, type Schema } from '../../api/client';
import { useResource } from '../../api/resource';
import { readSpecifications } from '../../app/specifications';
import { useCrumbs } from '../../app/crumbs';
import { argument, go, setQuery, to } from '../../app/router';
import { NetPath, netOf } from '../../picture/nets';
import { NetPicture } from '../../picture/picture';
import { t } from '../../text/text';
import { Action } from '../../ui/control';
import { advised } from '../../ui/advice';
import { Await, complain, Empty, say } from '../../ui/message';
import { StateMark } from '../../ui/state';
import { Verdict } from './check';
import { Source } from './source';

type Diagnostic = Schema['Diagnostic'];
const views = ['source', 'picture', 'verdict'] as const;

export function LoadFile({ file }: { file: Signal<File | undefined> }) {
  const chosen = file.value;
  useCrumbs({ label: t('frame.processes'), href: '/processes' }, { label: t('processes.load') });
  useEffect(() => () => { file.value = undefined; }, []);
  return (
    <div class="view process-view">
      <div class="view-head">
        <h1 class="grow words">{chosen ? <bdi>{chosen.name}</bdi> : t('processes.load')}</h1>
        <Choose label={t(chosen ? 'processes.otherFile' : 'processes.chooseFile')} primary={!chosen} onChoose={(one) => { file.value = one; setQuery({ view: undefined, net: undefined, finding: undefined, step: undefined }); }} />
      </div>
      {chosen ? <Checked key={`${chosen.name}\n${chosen.lastModified}`} file={chosen} /> : <Empty>{t('processes.dropHelp')}</Empty>}
    </div>
  );
}

function Choose({ label, primary, onChoose }: { label: string; primary: boolean; onChoose: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input ref={input} type="file" accept=".yawl,.xml,application/xml,text/xml" hidden aria-label={label} onChange={(event) => {
        const one = event.currentTarget.files?.[0];
        event.currentTarget.value = '';
        if (one) onChoose(one);
      }} />
      <Action label={label} icon="upload" primary={primary} onDo={() => input.current?.click()} />
    </>
  );
}

/** With what was found in a net, each at its line, instead of the one sentence that sums it up. */
function withFindings({ diagnostics, specifications }: { diagnostics: Diagnostic[]; specifications: Schema['CheckedSpecification'][] }): Diagnostic[] {
  const found = specifications.flatMap((one) => one.check.nets).flatMap((net) => net.findings
    .filter((finding) => finding.severity === 'warning')
    .map(({ line, text }): Diagnostic => ({ severity: 'warning', line, element: `net ${net.id}`, text })));
  return [...diagnostics.filter((one) => one.line !== undefined || !found.some((finding) => finding.element === one.element)), ...found];
}

function Checked({ file }: { file: File }) {
  const read = useResource(async (signal) => {
    const text = await file.text();
    const answer = await api.post('/v1/check', { raw: { type: 'application/xml', content: file }, signal });
    return { text, ...answer, diagnostics: withFindings(answer) };
  }, [file]);
  const [chosen, setChosen] = useState<Diagnostic>();
  const [jump, setJump] = useState(0);
  const [replace, setReplace] = useState<string>();
  return (
    <Await of={read}>{({ text, diagnostics, specifications }) => {
      const first = specifications[0];
      const errors = diagnostics.filter((one) => one.severity === 'error').length;
      const wanted = views.find((one) => one === argument('view'));
      const view = first ? (wanted ?? (diagnostics.length > 0 ? 'source' : 'picture')) : 'source';
      const load = async (replacing: boolean) => {
        try {
          const loaded = await api.post('/v1/specifications', { query: replacing ? { replace: true } : {}, raw: { type: 'application/xml', content: file } });
          await readSpecifications();
          say(t('processes.loadedNow', { n: loaded.specifications.length }));
          go(to(['processes', loaded.specifications[0]?.key ?? '']));
        } catch (error) {
          if (error instanceof Problem && error.status === 409 && !replacing) setReplace(error.message);
          else complain(error);
        }
      };
      return (
        <>
          <div class={`notice load-verdict ${errors > 0 ? 'failed' : diagnostics.length > 0 ? 'late' : 'done'}`}>
            <span class="strong row"><StateMark value={errors > 0 ? 'failed' : diagnostics.length > 0 ? 'late' : 'done'} />
              {errors > 0 ? t('processes.loadErrors', { n: errors }) : diagnostics.length > 0 ? t('processes.loadWarnings', { n: diagnostics.length }) : t('processes.loadFine')}</span>
            <span class="grow words" dir="auto">{specifications.map((one) => `${one.name ?? one.uri} ${one.version}`).join(', ')}</span>
            {first && replace === undefined && <Action primary label={t('processes.loadDo')} onDo={() => load(false)} />}
          </div>
          {replace !== undefined && (
            <div class="notice late row wrap" role="alert"><span class="grow words">{replace}</span><Action danger label={t('processes.replace')} onDo={() => load(true)} /></div>
          )}
          {first && (
            <div class="tabs" role="group" aria-label={t('processes.parts')}>
              {views.map((one) => <button key={one} type="button" {...(one === view ? { 'aria-current': 'page' as const } : {})} onClick={() => setQuery({ view: one })}>{t(one === 'verdict' ? 'processes.tab.check' : `processes.tab.${one}`)}</button>)}
            </div>
          )}
          <div class="process-tab">
            {view === 'source' && (
              <div class={`load-beside ${diagnostics.length > 0 ? 'both' : ''}`}>
                {diagnostics.length > 0 && <Diagnostics list={diagnostics} chosen={chosen} onChoose={(one) => { setChosen(one); setJump(jump + 1); }} />}
                <Source text={text} diagnostics={diagnostics} line={chosen?.line} jump={jump} />
              </div>
            )}
            {view === 'picture' && first && <Pictured nets={first.nets} sizes={first} />}
            {view === 'verdict' && first && <Verdict check={first.check} nets={first.nets} sizes={first} />}
          </div>
        </>
      );
    }}</Await>
  );
}

function Pictured({ nets, sizes }: { nets: Schema['PictureOfNet'][]; sizes: { decorator: number; stack: number } }) {
  const net = netOf(nets, argument('net'));
  if (!net) return null;
  return (
    <div class="picture-room">
      <NetPicture net={net} sizes={sizes} onOpenNet={(_, id) => setQuery({ net: id }, 'push')}>
        <NetPath nets={nets} id={net.id} href={(id) => to(['processes', 'load'], { view: 'picture', net: id })} />
      </NetPicture>
    </div>
  );
}

function Diagnostics({ list, chosen, onChoose }: { list: readonly Diagnostic[]; chosen: Diagnostic | undefined; onChoose: (one: Diagnostic) => void }) {
  return (
    <ul class="diagnostics" aria-label={t('processes.diagnostics')}>
      {list.map((one, i) => (
        <li key={i}>
          <button type="button" aria-pressed={one === chosen} disabled={one.line === undefined} onClick={() => onChoose(one)}>
            <span class={`small strong ${one.severity === 'error' ? 'error-text' : one.severity === 'warning' ? 'state-late' : 'muted'}`}>{t(`processes.severity.${one.severity}`)}{one.line !== undefined && <span class="muted"> · {t('processes.line', { n: one.line })}</span>}{one.element !== undefined && <span class="muted"> · <bdi>{one.element}</bdi></span>}</span>
            <span class="words sentence" dir="auto">{advised(one.text)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
