// SPDX-License-Identifier: Apache-2.0
// The same net as a list, for who cannot see the picture or wants to search it.
import { useState } from 'preact/hooks';
import { t } from '../text/text';
import { Icon } from '../ui/icons';
import { conditionName } from './marks';
import { nameOf, neighbours, type Element, type Heat, type NetIndex, type TaskMark } from './model';

/** What is at an element now, in words. */
export function said(index: NetIndex, element: Element, tokens: Readonly<Record<string, number>> | undefined, mark: TaskMark | undefined, heat: Heat | undefined): string[] {
  const count = tokens?.[element.id] ?? 0;
  return [
    count > 0 ? t('picture.tokensHere', { n: count }) : undefined,
    mark?.state && t(`picture.mark.${mark.state}`),
    mark?.holder,
    mark?.instances && t('picture.instancesOver', { n: mark.instances.done, m: mark.instances.of }),
    mark?.done ? t('picture.doneTimes', { n: mark.done }) : undefined,
    mark?.incident ? t('picture.incident') : undefined,
    heat?.title,
    ...(tokens ? (index.out.get(element.id) ?? []).flatMap((flow) => {
      const waiting = flow.condition === undefined ? 0 : (tokens[flow.condition] ?? 0);
      return waiting > 0 ? [t('picture.tokens', { n: waiting, name: conditionName(index, flow.condition!) })] : [];
    }) : []),
  ].filter((part) => part !== undefined && part !== '') as string[];
}

export function Elements({ index, tokens, tasks, heat, picked, onPick, onClose }: {
  index: NetIndex;
  tokens: Readonly<Record<string, number>> | undefined;
  tasks: Readonly<Record<string, TaskMark>> | undefined;
  heat: Readonly<Record<string, Heat>> | undefined;
  picked: string | undefined;
  onPick: (id: string) => void;
  onClose: () => void;
}) {
  const [word, setWord] = useState('');
  const sought = word.trim().toLocaleLowerCase();
  const listed = index.net.elements
    .filter((element) => sought === '' || nameOf(element).toLocaleLowerCase().includes(sought) || element.id.toLocaleLowerCase().includes(sought))
    .sort((a, b) => a.x - b.x || a.y - b.y);
  return (
    <div class="picture-list picture-control">
      <div class="row">
        <input type="search" aria-label={t('common.filter')} placeholder={t('common.filter')} value={word} onInput={(event) => setWord(event.currentTarget.value)} />
        <button type="button" class="button plain icon" aria-label={t('common.close')} onClick={onClose}><Icon name="close" size={16} /></button>
      </div>
      {listed.length === 0 && <p class="muted small">{t('picture.noElement')}</p>}
      <ul aria-label={t('picture.list')}>
        {listed.map((element) => {
          const { after } = neighbours(index, element.id);
          const state = said(index, element, tokens, tasks?.[element.id], heat?.[element.id]);
          return (
            <li key={element.id}>
              <button type="button" aria-pressed={picked === element.id} onClick={() => onPick(element.id)}>
                <span class="small muted">{t(`picture.kind.${element.kind}`)}</span> <bdi class="words">{nameOf(element)}</bdi>
                {state.length > 0 && <span class="small">{state.join(' · ')}</span>}
                {after.length > 0 && <span class="small muted">{t('picture.then')} <bdi>{after.map(nameOf).join(', ')}</bdi></span>}
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
