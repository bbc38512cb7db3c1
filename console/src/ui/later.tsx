// SPDX-License-Identifier: Apache-2.0
// A view whose program is fetched when it is needed, so that the first load has
// little more than what it shows; those that are opened first are in it.
import { signal } from '@preact/signals';
import { h, type ComponentType, type FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import { Problem } from '../api/client';
import { t } from '../text/text';
import { Failure, Skeleton } from './message';

export type LaterView = FunctionComponent & {
  /** Fetches it, if that was not done. */
  begin(): void;
  /** Asks for what it reads first, while it is not known yet who has signed in. */
  askFirst(): void;
};

const nothing = () => undefined;

/** A view that is a part of the page. */
export const here = (view: FunctionComponent, askFirst: () => void): LaterView => Object.assign(() => h(view, {}), { begin: nothing, askFirst });

export function later(name: string, load: () => Promise<ComponentType>): LaterView {
  const view = signal<ComponentType | undefined>(undefined);
  const failed = signal(false);
  let begun = false;
  const begin = () => {
    if (begun) return;
    begun = true;
    load().then((found) => { view.value = found; }, () => { failed.value = true; });
  };
  const Later = () => {
    useEffect(begin, []);
    if (view.value) return h(view.value, {});
    // The files of a server that has another page now have other names: only
    // loading the page again helps.
    if (failed.value) return <div class="view"><Failure error={new Problem(0, { title: t('error.view'), code: 'page' }, name)} again={() => location.reload()} /></div>;
    return <div class="view"><Skeleton lines={10} /></div>;
  };
  return Object.assign(Later, { begin, askFirst: nothing });
}
