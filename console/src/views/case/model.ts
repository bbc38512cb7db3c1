// SPDX-License-Identifier: Apache-2.0
// What the parts of the view of a case share.
import { argument, setQuery } from '../../app/router';
import type { CaseState } from './apply';
import type { LiveCase } from './live';
import type { Names } from './names';
import type { CaseActions } from './actions';

export interface CaseModel {
  id: string;
  /** As it is shown: now, or as it was behind `step`. */
  state: CaseState;
  step: number | undefined;
  /** The steps that the case has made. */
  last: number;
  names: Names;
  live: LiveCase;
  actions: CaseActions;
  /** Whether the account sees only what is its own. */
  reduced: boolean;
  /** Shows an element in the picture. */
  pick: (element: string | undefined) => void;
  /** Reads again, after a command. */
  changed: () => void;
}

export const tabs = ['items', 'data', 'history', 'incidents', 'documents', 'comments', 'timers'] as const;
export type Tab = (typeof tabs)[number];

export function chosenTab(shown: readonly Tab[]): Tab {
  const asked = argument('tab') as Tab | undefined;
  return asked !== undefined && shown.includes(asked) ? asked : shown[0]!;
}

/** The step in the address: a whole number from 1, or the present. */
export function chosenStep(last: number): number | undefined {
  const asked = Number(argument('step'));
  return Number.isInteger(asked) && asked >= 1 && asked <= last ? asked : undefined;
}

type Mode = 'view' | 'repair' | 'migrate' | 'data';
export function chosenMode(): Mode {
  const asked = argument('mode');
  return asked === 'repair' || asked === 'migrate' || asked === 'data' ? asked : 'view';
}

export const setMode = (mode: Mode): void => setQuery({ mode: mode === 'view' ? undefined : mode, step: undefined }, 'push');
