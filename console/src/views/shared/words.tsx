// SPDX-License-Identifier: Apache-2.0
// An event in words; tasks and conditions in them point into the picture.
import type { ComponentChildren } from 'preact';
import { t, tOr } from '../../text/text';
import { Name, Phrase } from '../../ui/phrase';
import { Time } from '../../ui/time';
import type { CaseEvent, Step } from './step';

/** Where words are: how elements are called, and the picture, if there is one. */
export interface Context {
  names: { of(id: string): string };
  pick?: (id: string) => void;
}

/** The name of an element; pressing it shows the element in the picture. */
export function Element({ id, of }: { id: string; of: Context }) {
  if (!of.pick) return <Name value={of.names.of(id)} title={id} />;
  return (
    <button type="button" class="element" onClick={() => of.pick?.(id)}>
      <Name value={of.names.of(id)} />
    </button>
  );
}

function list(items: ComponentChildren[]): ComponentChildren {
  return items.map((item, index) => <span key={index}>{index > 0 && ', '}{item}</span>);
}

interface Audience {
  all?: boolean;
  people?: string[];
  roles?: string[];
  count?: number;
}

/** Whether it is said whose: a participant does not see the others. */
const isNamed = (of: Audience | undefined): boolean => of?.all === true || (of?.people?.length ?? 0) + (of?.roles?.length ?? 0) + (of?.count ?? 0) > 0;

function audience(of: Audience | undefined): ComponentChildren {
  if (!of) return '';
  if (of.all) return t('history.everybody');
  const names = [...(of.people ?? []), ...(of.roles ?? [])];
  const more = (of.count ?? 0) - names.length;
  return <>{list(names.map((name) => <Name key={name} value={name} />))}{more > 0 && <> {t('history.more', { n: more })}</>}</>;
}

function specification(of: Record<string, unknown> | undefined): string {
  return of ? [of['uri'], of['version']].filter((part): part is string => typeof part === 'string').join(' ') : '';
}

const instance = (item: string | undefined): string => item ?? '';

/** The text of an event: some are said in another way by their members. */
function keyOf(event: CaseEvent): string {
  const key = `event.${event.event}`;
  if (event.event === 'NET_STARTED' && event.task === undefined) return `${key}.root`;
  if (event.event === 'TASK_EXITED' || event.event === 'INSTANCE_ENDED') return event.status === 'complete' || event.status === undefined ? key : `${key}.other`;
  if (event.event === 'ITEM_OFFERED' && !isNamed(event.audience as Audience | undefined)) return `${key}.hidden`;
  if (event.event === 'OR_JOIN_DECIDED' && event.number === 0) return `${key}.waits`;
  return key;
}

export function EventWords({ event, of }: { event: CaseEvent; of: Context }) {
  const key = keyOf(event);
  if (tOr(key, '') === '') return <span>{event.event}</span>;
  return (
    <Phrase
      of={key}
      values={{ n: event.number ?? 0 }}
      parts={{
        task: event.task === undefined ? '' : <Element id={event.task} of={of} />,
        condition: event.condition === undefined ? '' : <Element id={event.condition} of={of} />,
        item: <span class="mono small">{instance(event.item)}</span>,
        net: <span class="mono small">{event.net}</span>,
        variables: list(Object.keys(event.values ?? {}).map((name) => <code key={name}>{name}</code>)),
        who: <Name value={event.participant ?? ''} />,
        audience: audience(event.audience as Audience | undefined),
        reason: <Name value={event.reason ?? ''} />,
        text: <Name value={event.text ?? ''} />,
        action: <Name value={event.action ?? ''} />,
        service: <Name value={event.service ?? ''} />,
        cost: event.cost ?? '',
        status: tOr(`event.status.${event.status ?? ''}`, event.status ?? ''),
        time: <Time at={event.time} as="exact" />,
        to: <Name value={specification(event.to)} />,
      }}
    />
  );
}

/** Who has done a step, and how the command came. */
export function Origin({ step }: { step: Step }) {
  return (
    <>
      {step.actor !== undefined && <Name value={step.actor} />}
      {step.origin !== undefined && step.origin !== 'rest' && <span>{tOr(`history.origin.${step.origin}`, step.origin)}</span>}
      {step.override && <span class="state-late">{t('history.override')}</span>}
    </>
  );
}
