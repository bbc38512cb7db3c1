// SPDX-License-Identifier: Apache-2.0
// Importing and exporting the organisation: what an import would do is said first.
import { useState } from 'preact/hooks';
import { api, type Schema } from '../../api/client';
import { t } from '../../text/text';
import { Action } from '../../ui/control';
import { Dialog, reasonOf, say } from '../../ui/message';
import { State } from '../../ui/state';
import { kindNames, kinds, type Kind } from './kinds';

type Report = Schema['ImportReport'];
const SHOWN = 200;

/** The content type by what the file looks like, as the server finds the format. */
function typeOf(name: string): { type: string; csv: boolean } {
  if (name.endsWith('.csv')) return { type: 'text/csv', csv: true };
  return { type: name.endsWith('.ybkp') || name.endsWith('.xml') ? 'application/xml' : 'application/json', csv: false };
}

export function OrganisationFile({ onDone }: { onDone: () => void }) {
  const [file, setFile] = useState<File>();
  return (
    <>
      <label class="button">
        {t('people.import')}
        <input type="file" class="sr-only" accept=".json,.csv,.ybkp,.xml" onChange={(event) => { setFile(event.currentTarget.files?.[0]); event.currentTarget.value = ''; }} />
      </label>
      <a class="button" href="/v1/organisation" download="organisation.json">{t('people.export')}</a>
      {file && <ImportDialog key={file.name + file.lastModified} file={file} onClose={() => setFile(undefined)} onDone={() => { setFile(undefined); onDone(); }} />}
    </>
  );
}

function ImportDialog({ file, onClose, onDone }: { file: File; onClose: () => void; onDone: () => void }) {
  const { type, csv } = typeOf(file.name);
  const [kind, setKind] = useState<Kind>('people');
  const [update, setUpdate] = useState(false);
  const [report, setReport] = useState<Report>();
  const [refusal, setRefusal] = useState<string>();

  async function run(dry: boolean) {
    setRefusal(undefined);
    try {
      const answer = await api.post('/v1/organisation', {
        query: { update, dry_run: dry, ...(csv ? { kind, format: 'csv' as const } : {}) },
        raw: { type, content: await file.text() },
      });
      if (dry) setReport(answer);
      else {
        say(t('people.imported', { added: answer.added, changed: answer.changed }));
        onDone();
      }
    } catch (error) {
      setReport(undefined);
      setRefusal(reasonOf(error));
    }
  }
  const changed = () => setReport(undefined);
  return (
    <Dialog wide title={t('people.importFile', { name: file.name })} onClose={onClose} foot={
      <>
        <button type="button" class="button" onClick={onClose}>{t('common.cancel')}</button>
        {report
          ? <Action primary label={t('people.importNow')} onDo={() => run(false)} refused={report.added + report.changed === 0 ? t('people.nothingToImport') : undefined} />
          : <Action primary label={t('people.importLook')} onDo={() => run(true)} />}
      </>
    }>
      {csv && (
        <label class="field"><span class="label">{t('people.kind')}</span>
          <select value={kind} onChange={(event) => { setKind(event.currentTarget.value as Kind); changed(); }}>
            {kindNames.map((one) => <option key={one} value={one}>{t(kinds[one].label)}</option>)}
          </select>
        </label>
      )}
      <label class="row"><input type="checkbox" checked={update} onChange={(event) => { setUpdate(event.currentTarget.checked); changed(); }} />{t('people.update')}</label>
      {refusal !== undefined && <div class="notice failed words" role="alert">{refusal}</div>}
      {report && (
        <>
          <div class="strong num">{t('people.wouldImport', { added: report.added, changed: report.changed, skipped: report.skipped })}</div>
          <ul class="entries">
            {report.records.slice(0, SHOWN).map((one, index) => (
              <li key={index} class="row"><State value={one.result === 'skipped' ? 'refused' : 'done'} label={t(`people.result.${one.result}`)} /><span class="grow words" dir="auto">{one.name ?? one.id} <span class="muted">{one.why}</span></span></li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}
