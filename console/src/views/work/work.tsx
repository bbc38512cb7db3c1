// SPDX-License-Identifier: Apache-2.0
// Work: a list on the left, the chosen item on the right, and what belongs to
// one's work: starting, own cases, absences.
//
//     /work               the list          /work/new[/{specification}]
//     /work/{item}        an item           /work/cases   /work/away
import { session } from '../../api/client';
import { useCrumbs } from '../../app/crumbs';
import { argument, place } from '../../app/router';
import { t } from '../../text/text';
import { Empty } from '../../ui/message';
import { Away } from '../shared/away';
import { workAddress } from './address';
import { ItemView } from './item';
import { useLiveWork } from './live';
import { OwnCases } from './own-cases';
import { Start, Startable } from './start';
import './work.css';
import { Worklist } from './worklist';

const pages = new Set(['new', 'cases', 'away']);

export function Work() {
  useLiveWork();
  const [, chosen, specification] = place.value.path;
  if (chosen !== undefined && pages.has(chosen)) return <Page name={chosen} specification={specification} />;
  return <Lists item={chosen} />;
}

function Lists({ item }: { item: string | undefined }) {
  return (
    <div class={`split work ${item === undefined ? 'none' : 'both'}`}>
      <div class="side"><Worklist current={item} /></div>
      <div class="detail">
        {item === undefined ? <Unchosen /> : <ItemView key={`${item} ${argument('for') ?? ''}`} item={item} inPlaceOf={argument('for')} />}
      </div>
    </div>
  );
}

function Unchosen() {
  useCrumbs({ label: t('frame.work'), href: workAddress() });
  return <div class="unchosen"><Empty>{t('work.unchosen')}</Empty></div>;
}

function Page({ name, specification }: { name: string; specification: string | undefined }) {
  const title = name === 'new' ? t('work.new') : name === 'cases' ? t('work.ownCases') : t('work.away');
  useCrumbs({ label: t('frame.work'), href: '/work' }, { label: title });
  return (
    <div class="view">
      {name === 'new' ? (specification === undefined ? <Startable /> : <Start key={specification} specification={specification} />)
        : name === 'cases' ? <OwnCases /> : session.value?.participant === undefined ? <Empty>{t('work.noParticipant')}</Empty> : (
          <>
            <div class="view-head"><h1>{t('work.away')}</h1></div>
            <Away user={session.value.account} />
          </>
        )}
    </div>
  );
}
