// SPDX-License-Identifier: Apache-2.0
// The verdict on the nets of a version: findings as a list, and the witness of
// each played on the picture.
import { api, type Schema } from '../../api/client';
import { useResource } from '../../api/resource';
import { argument, setQuery } from '../../app/router';
import { netOf, usePictures } from '../../picture/nets';
import type { Net, Sizes } from '../../picture/model';
import { figure, t } from '../../text/text';
import { Await, Empty } from '../../ui/message';
import { StateMark } from '../../ui/state';
import { Witness } from './witness';

type CheckResult = Schema['Check'];
type CheckOfNet = Schema['CheckOfNet'];
type Finding = Schema['Finding'];

const tones: Record<CheckResult['verdict'], string> = { sound: 'done', 'not sound': 'late', 'not known': 'late' };
const keys = { sound: 'sound', 'not sound': 'notSound', 'not known': 'notKnown' } as const;

export function Check({ specification }: { specification: string }) {
  const pictures = usePictures(specification);
  const check = useResource((signal) => api.get('/v1/specifications/{specification}/check', { path: { specification }, signal }), [specification]);
  return (
    <Await of={check}>{(answer) => (
      <Await of={pictures}>{(data) => <Verdict check={answer.check} nets={data.nets} sizes={data} />}</Await>
    )}</Await>
  );
}

/** A finding, or the way to the end of a net, by its number among all of them. */
interface Entry {
  id: string;
  net: CheckOfNet;
  finding: Finding | undefined;
}

function entriesOf(check: CheckResult): Entry[] {
  return check.nets.flatMap((net) => [
    ...net.findings.map((finding, i) => ({ id: `${net.id}.${i}`, net, finding })),
    ...(net.ending ? [{ id: `${net.id}.end`, net, finding: undefined }] : []),
  ]);
}

export function Verdict({ check, nets, sizes }: { check: CheckResult; nets: readonly Net[]; sizes: Sizes }) {
  const entries = entriesOf(check);
  const chosen = entries.find((one) => one.id === argument('finding')) ?? entries[0];
  const warnings = check.nets.flatMap((net) => net.findings).filter((one) => one.severity === 'warning').length;
  return (
    <>
      <div class={`notice verdict ${tones[check.verdict]}`}>
        <span class="strong row"><StateMark value={tones[check.verdict]} />{t(`processes.verdict.${keys[check.verdict]}`)}</span>
        <span>{t(`processes.verdictWhat.${keys[check.verdict]}`, { n: warnings })}</span>
      </div>
      <div class="check-beside">
        <div class="check-list">
          {check.nets.map((net) => <NetFindings key={net.id} net={net} name={nets.find((one) => one.id === net.id)?.name ?? net.id} entries={entries.filter((one) => one.net === net)} chosen={chosen} />)}
        </div>
        <div class="check-picture">
          {chosen ? <Chosen key={chosen.id} entry={chosen} nets={nets} sizes={sizes} /> : nets[0] && <Empty>{t('processes.noFindings')}</Empty>}
        </div>
      </div>
    </>
  );
}

function NetFindings({ net, name, entries, chosen }: { net: CheckOfNet; name: string; entries: Entry[]; chosen: Entry | undefined }) {
  return (
    <section>
      <h2 class="row"><StateMark value={tones[net.verdict]} /><span class="words" dir="auto">{name}</span></h2>
      <p class="small muted words sentence">{net.text}{net.limit === undefined ? '' : ` – ${net.limit}`} · {t('processes.states', { n: net.states })}</p>
      <ul class="findings">
        {entries.map((entry) => (
          <li key={entry.id}>
            <button type="button" aria-pressed={entry === chosen} onClick={() => setQuery({ finding: entry.id, step: undefined })}>
              <span class={`small strong ${entry.finding?.severity === 'warning' ? 'state-late' : 'muted'}`}>
                {entry.finding ? t(`processes.severity.${entry.finding.severity}`) : t('processes.wayToEnd')}
                {entry.finding && <span class="muted"> · {t('processes.line', { n: entry.finding.line })}</span>}
              </span>
              {entry.finding && <span class="words sentence">{entry.finding.text}</span>}
              {entry.finding?.left !== undefined && <span class="small muted words sentence">{entry.finding.left}</span>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Chosen({ entry, nets, sizes }: { entry: Entry; nets: readonly Net[]; sizes: Sizes }) {
  const net = netOf(nets, entry.net.id);
  if (!net) return null;
  const steps = entry.finding ? (entry.finding.witness ?? []) : (entry.net.ending ?? []);
  const round = entry.finding?.round ?? [];
  return (
    <>
      <Witness net={net} sizes={sizes} steps={steps} round={round} elements={entry.finding?.elements ?? []} />
      {(entry.finding?.omitted_steps ?? entry.net.omitted_steps) !== undefined && steps.length === 0 && (
        <p class="muted small">{t('processes.omitted', { n: figure(entry.finding?.omitted_steps ?? entry.net.omitted_steps ?? 0) })}</p>
      )}
    </>
  );
}
