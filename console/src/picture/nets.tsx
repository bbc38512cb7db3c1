// SPDX-License-Identifier: Apache-2.0
// The nets of a specification: read once, and the way from the root net to the
// one that is opened.
import { api } from '../api/client';
import { useResource, type Resource } from '../api/resource';
import { t } from '../text/text';
import type { Net, Pictures } from './model';

// A specification never changes, so its pictures are read once.
const read = new Map<string, Promise<Pictures>>();
const MOST = 20;

/** The pictures of a specification, by its key. */
export function readPictures(specification: string): Promise<Pictures> {
  const known = read.get(specification);
  if (known) return known;
  const made = api.get('/v1/specifications/{specification}/nets', { path: { specification } });
  read.set(specification, made);
  made.catch(() => read.delete(specification));
  if (read.size > MOST) read.delete(read.keys().next().value!);
  return made;
}

export function usePictures(specification: string): Resource<Pictures> {
  return useResource(() => readPictures(specification), [specification]);
}

/** The net with this id; without one, or with an unknown one, the root net. */
export const netOf = (nets: readonly Net[], id: string | undefined): Net | undefined =>
  nets.find((net) => net.id === id) ?? nets.find((net) => net.root) ?? nets[0];

/** The nets from the root to this one, each opened by a task of the one before. */
function pathTo(nets: readonly Net[], id: string): Net[] {
  const root = netOf(nets, undefined);
  if (!root) return [];
  const before = new Map<string, Net>();
  const queue = [root];
  for (let net = queue.shift(); net; net = queue.shift()) {
    if (net.id === id) break;
    for (const element of net.elements) {
      const next = element.net === undefined ? undefined : nets.find((one) => one.id === element.net);
      if (!next || next === root || before.has(next.id)) continue;
      before.set(next.id, net);
      queue.push(next);
    }
  }
  const path: Net[] = [];
  for (let net = nets.find((one) => one.id === id); net; net = before.get(net.id)) path.unshift(net);
  return path[0] === root ? path : [root, ...path];
}

/** The way back from an opened net; nothing at the root net. */
export function NetPath({ nets, id, href }: { nets: readonly Net[]; id: string | undefined; href: (net: string | undefined) => string }) {
  const net = netOf(nets, id);
  if (!net || net.root) return null;
  const path = pathTo(nets, net.id);
  return (
    <nav class="net-path" aria-label={t('picture.path')}>
      <ol>
        {path.map((one, i) => (
          <li key={one.id}>{i === path.length - 1 ? <strong dir="auto">{one.name ?? one.id}</strong> : <a dir="auto" href={href(one.root ? undefined : one.id)}>{one.name ?? one.id}</a>}</li>
        ))}
      </ol>
    </nav>
  );
}
