// SPDX-License-Identifier: Apache-2.0
// Processes: all of them, one version of one, and a file before it is loaded.
//
//     /processes                   the list
//     /processes/KEY?tab=..        a version
//     /processes/load              a file; dropping one anywhere leads there
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { go, place } from '../../app/router';
import { mayAnywhere } from '../../app/session';
import { t } from '../../text/text';
import { ProcessList } from './list';
import { LoadFile } from './load';
import './processes.css';
import { Process } from './process';
import { StartOnly } from './start';

/** The file that is to be loaded. */
export const dropped = signal<File | undefined>(undefined);

export function Processes() {
  const [over, setOver] = useState(false);
  const part = place.value.path[1];
  const loads = mayAnywhere('load');
  const files = (event: DragEvent) => loads && (event.dataTransfer?.types.includes('Files') ?? false);
  return (
    <div class={`processes ${over ? 'drop-over' : ''}`}
      onDragOver={(event) => { if (files(event)) { event.preventDefault(); setOver(true); } }}
      onDragLeave={(event) => { if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false); }}
      onDrop={(event) => {
        if (!files(event)) return;
        event.preventDefault();
        setOver(false);
        dropped.value = event.dataTransfer?.files[0];
        if (part !== 'load') go('/processes/load');
      }}>
      {over && <div class="drop-here">{t('processes.dropHere')}</div>}
      {part === undefined ? <ProcessList /> : part === 'load' && loads ? <LoadFile file={dropped} /> : mayAnywhere('read') ? <Process key={part} specification={part} /> : <StartOnly key={part} specification={part} />}
    </div>
  );
}
