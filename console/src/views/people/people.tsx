// SPDX-License-Identifier: Apache-2.0
// People: the organisation, the accounts, their tokens, the audit.
import { useEffect, useState } from 'preact/hooks';
import { go, place, to } from '../../app/router';
import { may } from '../../app/session';
import { t } from '../../text/text';
import { Tabs } from '../../ui/control';
import { Empty } from '../../ui/message';
import { Accounts } from './accounts';
import { Audit } from './audit';
import { kindNames, kinds, type Kind } from './kinds';
import { OrganisationFile } from './organisation-file';
import { Records } from './records';
import { OwnTokens } from './tokens';
import './people.css';

interface Tab {
  id: string;
  label: string;
}

/** What the account may see of it. */
function tabs(): Tab[] {
  const records = may('read') || may('participate') || may('organise');
  return [
    ...(records ? kindNames.filter((kind) => kind !== 'rates' || may('organise')).map((kind) => ({ id: kind, label: t(kinds[kind].label) })) : []),
    ...(may('administer') ? [{ id: 'accounts', label: t('accounts.title') }] : []),
    { id: 'tokens', label: t('accounts.ownTokens') },
    ...(may('audit') ? [{ id: 'audit', label: t('accounts.audit') }] : []),
  ];
}

export function People() {
  const [imported, setImported] = useState(0);
  const [, tab, id] = place.value.path;
  const all = tabs();
  const first = all[0]?.id;
  useEffect(() => {
    if (tab === undefined && first !== undefined) go(to(['people', first]), 'replace');
  }, [tab, first]);
  const isKind = kindNames.includes(tab as Kind);
  return (
    <div class="view people">
      <div class="view-head">
        <h1 class="grow">{t('frame.people')}</h1>
        {isKind && may('organise') && <div class="row"><OrganisationFile onDone={() => setImported(imported + 1)} /></div>}
      </div>
      <Tabs label={t('frame.people')} current={tab ?? ''} tabs={all.map((one) => ({ ...one, href: to(['people', one.id]) }))} />
      <div class="tab-body">
        {!all.some((one) => one.id === tab) ? (tab !== undefined && <Empty>{t('frame.forbidden')}</Empty>)
          : isKind ? <Records key={`${tab} ${imported}`} kind={tab as Kind} id={id} />
          : tab === 'accounts' ? <Accounts name={id} />
          : tab === 'tokens' ? <OwnTokens />
          : <Audit />}
      </div>
    </div>
  );
}
