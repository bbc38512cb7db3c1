// SPDX-License-Identifier: Apache-2.0
// The nets of a specification: read once, and the way from the root net to the
// one that is opened.
import { api, there } from '../api/client';
import { useResource, type Resource } from '../api/resource';
import { t } from '../text/text';
import type { Net, Pictures } from './model';

// A specification never changes, so its pictures are read once.
const kept = new Map<string, { asked: Promise<Pictures>; read: Pictures | undefined }>();
const MOST = 20;

export const picturesAddress = (specification: string): string => api.address('/v1/specifications/{specification}/nets', { specification });

function keep(specification: string, asked: Promise<Pictures>, read?: Pictures): void {
  const entry = { asked, read };
  kept.set(specification, entry);
  asked.then((pictures) => { entry.read = pictures; }, () => kept.delete(specification));
  if (kept.size > MOST) kept.delete(kept.keys().next().value!);
}

/** The pictures of a specification, by its key. */
export function readPictures(specification: string): Promise<Pictures> {
  if (!kept.has(specification)) keep(specification, api.get('/v1/specifications/{specification}/nets', { path: { specification } }));
  return kept.get(specification)!.asked;
}

/** The same, if they were read. */
export function knownPictures(specification: string): Pictures | undefined {
  if (!kept.has(specification)) {
    const early = there<Pictures>(picturesAddress(specification));
    if (early !== undefined) keep(specification, Promise.resolve(early), early);
  }
  return kept.get(specification)?.read;
}

export function usePictures(specification: string): Resource<Pictures> {
  return useResource(() => readPictures(specification), [specification], () => knownPictures(specification));
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
