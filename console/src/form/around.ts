// SPDX-License-Identifier: Apache-2.0
// What all fields of a form share.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Field, Mistake } from './values';

export interface Files {
  /** Adds a file for the parameter at a path; undefined: there is no case yet. */
  add?: (file: File, parameter: string, progress: (part: number) => void) => Promise<{ id: number; name: string }>;
  href: (document: number) => string;
}

export interface Around {
  /** Begins the ids of the form's elements. */
  id: string;
  /** Nothing can be changed at present. */
  busy: boolean;
  groups: ReadonlyMap<string, Field>;
  mistakes: ReadonlyMap<string, Mistake[]>;
  files: Files;
  touch: (path: string) => void;
}

export const AroundContext = createContext<Around | undefined>(undefined);

export function useAround(): Around {
  const around = useContext(AroundContext);
  if (!around) throw new Error('a field outside of a form');
  return around;
}

export const idOf = (around: Around, path: string): string => `${around.id}-${path}`;

export const labelOf = (field: Field): string => field.label ?? field.name;

/** What each control has, whatever it is of. */
export interface Controlled {
  id: string;
  field: Field;
  path: string;
  value: unknown;
  onChange: (value: unknown) => void;
  onBlur: () => void;
  disabled: boolean;
  invalid: boolean;
  describedBy: string | undefined;
}

/** The attributes of a native control. */
export const native = ({ id, disabled, invalid, describedBy, field, onBlur }: Controlled) => ({
  id, disabled, onBlur,
  ...(invalid ? { 'aria-invalid': true as const } : {}),
  ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
  ...(field.required ? { 'aria-required': true as const } : {}),
});
