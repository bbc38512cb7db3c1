// SPDX-License-Identifier: Apache-2.0
// Repair: a token is dragged from a condition, or from the stock, to a
// condition, or back into the stock.
import { distance, toPicture, type Point } from './geometry';
import { isTask, placeOf, type NetIndex } from './model';
import type { Viewport } from './viewport';

/** Further than this on the screen, a press is a drag and no click. */
const CLICK = 4;
/** How near to a condition a token falls into it, on the screen. */
const REACH = 36;

/** The condition nearest to a point of the picture, not further than `reach`. */
function conditionAt(index: NetIndex, point: Point, reach: number): string | undefined {
  let found: string | undefined;
  let least = reach;
  const conditions = [...index.net.elements.filter((element) => !isTask(element)).map((element) => element.id), ...index.implicit.keys()];
  for (const id of conditions) {
    const away = distance(placeOf(index, id)!, point);
    if (away < least) [found, least] = [id, away];
  }
  return found;
}

interface DragHandlers {
  index: () => NetIndex;
  /** A place of undefined is the stock. */
  moved: (from: string | undefined, to: string | undefined) => void;
  /** Where the token would fall, while it is dragged. */
  over: (condition: string | undefined) => void;
}

/** Lets tokens be dragged; the answer ends that. */
export function dragTokens(root: HTMLElement, viewport: Viewport, ghost: SVGCircleElement, handlers: DragHandlers): () => void {
  let from: string | undefined | null = null;
  let pressed: Point = [0, 0];
  let dragging = false;
  const reach = () => REACH / viewport.view.scale;
  const at = (event: PointerEvent) => toPicture(viewport.view, viewport.at(event));
  const show = (event: PointerEvent) => {
    const [x, y] = at(event);
    ghost.setAttribute('transform', `translate(${x} ${y})`);
    handlers.over(conditionAt(handlers.index(), [x, y], reach()));
  };
  const down = (event: PointerEvent) => {
    const token = (event.target as globalThis.Element).closest('[data-token]');
    if (!token || event.button !== 0) return;
    from = token.getAttribute('data-token') || undefined;
    pressed = viewport.at(event);
    dragging = false;
    event.preventDefault();
  };
  // A pointer that is captured at once would take the click from the token.
  const move = (event: PointerEvent) => {
    if (from === null) return;
    if (!dragging) {
      if (event.buttons === 0) from = null;
      if (from === null || distance(pressed, viewport.at(event)) < CLICK) return;
      dragging = viewport.dragged = true;
      root.setPointerCapture(event.pointerId);
      ghost.classList.add('shown');
    }
    show(event);
  };
  const end = (event: PointerEvent) => {
    if (from === null) return;
    const source = from;
    from = null;
    if (!dragging) return;
    ghost.classList.remove('shown');
    handlers.over(undefined);
    if (event.type === 'pointercancel') return;
    const stock = root.querySelector('.picture-stock')?.getBoundingClientRect();
    const inStock = stock !== undefined && event.clientX >= stock.left && event.clientX <= stock.right && event.clientY >= stock.top && event.clientY <= stock.bottom;
    const to = inStock ? undefined : conditionAt(handlers.index(), at(event), reach());
    if (to !== source && (to !== undefined || inStock)) handlers.moved(source, to);
  };
  root.addEventListener('pointerdown', down);
  root.addEventListener('pointermove', move);
  root.addEventListener('pointerup', end);
  root.addEventListener('pointercancel', end);
  return () => {
    root.removeEventListener('pointerdown', down);
    root.removeEventListener('pointermove', move);
    root.removeEventListener('pointerup', end);
    root.removeEventListener('pointercancel', end);
  };
}
