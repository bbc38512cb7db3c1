// SPDX-License-Identifier: Apache-2.0
// Timers that run, and when they run out.
import { t } from '../../text/text';
import { Empty } from '../../ui/message';
import { Time } from '../../ui/time';
import { taskOf } from '../shared/step';
import type { CaseModel } from './model';
import { Element } from '../shared/words';

export function TimersTab({ of }: { of: CaseModel }) {
  const timers = [...(of.state.timers ?? [])].sort((a, b) => a.expires.localeCompare(b.expires));
  if (timers.length === 0) return <Empty>{t('case.timer.none')}</Empty>;
  return (
    <ul class="case-entries">
      {timers.map((timer) => (
        <li key={`${timer.item} ${timer.expires}`} class="case-entry">
          <div class="grow"><Element id={taskOf(timer.item)} of={of} /> <span class="small mono muted">{timer.item}</span></div>
          <div class="right">
            {of.step === undefined && <div><Time at={timer.expires} /></div>}
            <div class="small muted"><Time at={timer.expires} as="exact" /></div>
          </div>
        </li>
      ))}
    </ul>
  );
}
