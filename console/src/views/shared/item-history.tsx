// SPDX-License-Identifier: Apache-2.0
// What happened to an item, in words, the newest first.
import { useMemo } from 'preact/hooks';
import { api } from '../../api/client';
import { t } from '../../text/text';
import { Empty, Failure, Skeleton } from '../../ui/message';
import { usePages } from '../../ui/pages';
import { Time } from '../../ui/time';
import type { Step } from './step';
import { headline } from './events';
import { EventWords, Origin, type Context } from './words';
import { eventsOf } from './item-events';
import './shared.css';
import { readBack } from './steps-back';

/** `name`: of the task. */
export function ItemHistory({ item, of, name }: { item: string; of: string; name: string }) {
  const events = useMemo(() => eventsOf(item), [item]);
  const context: Context = { names: { of: (id) => (item.endsWith(`:${id}`) ? name : id) } };
  const pages = usePages<Step>(async (after, signal) => {
    const last = after === undefined ? ((await api.get('/v1/cases/{case}', { path: { case: of }, signal })).sequence ?? 0) : Number(after);
    return readBack(of, last, signal, { fits: (step) => events.of(step).length > 0, many: true, isFirst: events.isFirst });
  }, [item, of]);
  if (!pages.ready.value) return pages.error.value ? <Failure error={pages.error.value} again={() => void pages.reload()} /> : <Skeleton lines={4} />;
  return (
    <>
      {pages.rows.value.length === 0 && <Empty>{t(pages.whole.value ? 'history.none' : 'history.noneYet')}</Empty>}
      <ol class="item-history" aria-label={t('values.history')}>
        {pages.rows.value.map((step) => (
          <li key={step.sequence}>
            {headline(events.of(step)).said.map((event, index) => <div key={index} class="words"><EventWords event={event} of={context} /></div>)}
            <div class="small muted row wrap"><Time at={step.time} /><Origin step={step} /></div>
          </li>
        ))}
      </ol>
      {pages.error.value && <Failure error={pages.error.value} again={() => void pages.again()} />}
      {!pages.whole.value && <button type="button" class="button" onClick={() => void pages.more()}>{t('history.earlier')}</button>}
    </>
  );
}
