// SPDX-License-Identifier: Apache-2.0
// The choice of a process, as filters take it, shown by its title.
import { processes } from '../app/specifications';

/** `first` is what comes before the processes: what is chosen when none is, and the like. */
export function ProcessSelect({ id, value, first, onChoose }: { id: string; value: string; first: { value: string; label: string }[]; onChoose: (process: string) => void }) {
  const offered = [...first, ...processes().map((one) => ({ value: one.id, label: one.title }))];
  // What is not known yet, or no more, is chosen all the same.
  if (!offered.some((one) => one.value === value)) offered.push({ value, label: value });
  return (
    <select id={id} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      {offered.map((one) => <option key={one.value} value={one.value}>{one.label}</option>)}
    </select>
  );
}
