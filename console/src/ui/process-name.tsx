// SPDX-License-Identifier: Apache-2.0
import { nameOf } from '../app/specifications';

/** `process`: its title, of a row that has it; who may not read all knows no versions. */
export function ProcessName({ specification, process }: { specification: string; process?: string | undefined }) {
  const known = nameOf(specification);
  const name = known.uri === undefined && process !== undefined ? { process, version: '' } : known;
  return (
    <span title={`${name.process} ${name.version}`}>
      <span dir="auto">{name.process}</span> <span class="muted">{name.version}</span>
    </span>
  );
}
