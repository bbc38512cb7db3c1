// SPDX-License-Identifier: Apache-2.0
// A large net as a whole, with what of it is shown; pressing there goes there.
import { memo } from 'preact/compat';
import { t } from '../text/text';
import { isSmall, mapScale, shown } from './geometry';
import type { NetIndex } from './model';
import type { Viewport } from './viewport';

/** From so many elements on there is a map; also if they are far apart. */
const MAPPED = 150;
const ROOM = { width: 200, height: 120 };

const Dots = memo(function Dots({ index }: { index: NetIndex }) {
  return <>{index.net.elements.map((element) => <rect key={element.id} class="p-dot" x={element.x} y={element.y} width={element.width} height={element.height} />)}</>;
});

export function Minimap({ index, viewport }: { index: NetIndex; viewport: Viewport }) {
  const { net } = index;
  const scale = mapScale(net, ROOM);
  const seen = shown(viewport.settled.value, viewport.screen);
  // On a small screen it would cover what it shows the way to.
  if (isSmall(viewport.screen) || (net.elements.length < MAPPED && !viewport.large)) return null;
  const go = (event: PointerEvent) => {
    const box = (event.currentTarget as SVGSVGElement).getBoundingClientRect();
    viewport.centreOn([(event.clientX - box.left) / scale, (event.clientY - box.top) / scale]);
  };
  return (
    <svg class="picture-map picture-control" aria-hidden="true" width={net.width * scale} height={net.height * scale} viewBox={`0 0 ${net.width} ${net.height}`}
      onPointerDown={(event) => { event.currentTarget.setPointerCapture(event.pointerId); go(event); }}
      onPointerMove={(event) => { if (event.buttons === 1) go(event); }}>
      <title>{t('picture.map')}</title>
      <Dots index={index} />
      <rect class="p-seen" x={seen.x} y={seen.y} width={seen.width} height={seen.height} stroke-width={1.5 / scale} />
    </svg>
  );
}
