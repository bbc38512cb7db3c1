// SPDX-License-Identifier: Apache-2.0
// The view of a picture before and after its place on the screen is known.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstView, READABLE } from '../src/picture/geometry';
import { Viewport } from '../src/picture/viewport';

/** A viewport, and what is called when its place is measured. */
function opened(width: number, height: number): { viewport: Viewport; measure: () => void } {
  let measure: () => void = () => undefined;
  Object.assign(globalThis, {
    ResizeObserver: class {
      constructor(measured: () => void) { measure = measured; }
      observe() {}
    },
    requestAnimationFrame: () => 1,
  });
  const root = { clientWidth: width, clientHeight: height, addEventListener: () => undefined };
  return { viewport: new Viewport(root as unknown as HTMLElement, {} as SVGSVGElement), measure: () => measure() };
}

test('what is picked before the place is measured does not spoil the first view', () => {
  const picture = { width: 6000, height: 400 };
  const screen = { width: 800, height: 600 };
  const { viewport, measure } = opened(screen.width, screen.height);
  viewport.show(picture, [5000, 200]);
  viewport.reveal({ x: 4940, y: 176, width: 120, height: 48 });
  measure();
  assert.deepEqual(viewport.view, firstView(picture, screen, [5000, 200]));
  viewport.reveal({ x: 0, y: 176, width: 120, height: 48 });
  assert.equal(viewport.view.x, 32);
});

test('a picture that is not shown as a whole at first has a map', () => {
  const picture = { width: 6000, height: 400 };
  const { viewport, measure } = opened(800, 600);
  viewport.show(picture, [0, 0]);
  measure();
  assert.equal(viewport.view.scale, READABLE);
  assert.ok(viewport.large);
});
