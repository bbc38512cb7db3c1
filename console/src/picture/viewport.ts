// SPDX-License-Identifier: Apache-2.0
// Pan and zoom of a picture.  The canvas is moved by one CSS transform, outside
// of rendering: while one pans, the browser only moves a layer that it has.
// `settled` follows when nothing moved for a while, and then lines are sharp.
import { signal, type Signal } from '@preact/signals';
import { distance, firstView, fitView, isSmall, keepInside, READABLE, reveal, zoomAt, type Box, type Point, type Size, type View } from './geometry';

const SETTLED_MS = 160;
const CLICK = 4;
const PART_OF_WHEEL = 0.0016;
/** In a smaller picture no name can be read, and none is drawn; a phone is held near. */
const FAR = READABLE * 0.8;
const FAR_ON_SMALL = READABLE * 0.5;

export class Viewport {
  view: View = { x: 0, y: 0, scale: 1 };
  screen: Size = { width: 1, height: 1 };
  /** The view for what shows it: the map and the figure of the scale. */
  readonly settled: Signal<View> = signal({ x: 0, y: 0, scale: 1 });
  /** Whether a drag moved the picture: then it is no click. */
  dragged = false;
  /** Whether a pointer may begin to pan at this element. */
  mayPan: (target: globalThis.Element, spaceHeld: boolean) => boolean = () => true;
  private picture: Size = { width: 1, height: 1 };
  private focus: Point = [0, 0];
  /** What the view was made for, and is made again for another screen. */
  private chosen: 'first' | 'whole' | 'own' = 'first';
  private measured = false;
  private frame = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pointers = new Map<number, Point>();
  private pressed: Point = [0, 0];
  private spaceHeld = false;
  private stop: () => void;

  constructor(private readonly root: HTMLElement, private readonly canvas: SVGSVGElement) {
    const listen = <K extends keyof HTMLElementEventMap>(name: K, handler: (event: HTMLElementEventMap[K]) => void, options?: AddEventListenerOptions) => {
      root.addEventListener(name, handler, options);
      return () => root.removeEventListener(name, handler, options);
    };
    const stops = [
      listen('wheel', (event) => this.onWheel(event), { passive: false }),
      listen('pointerdown', (event) => this.onDown(event)),
      listen('pointermove', (event) => this.onMove(event)),
      listen('pointerup', (event) => this.onUp(event)),
      listen('pointercancel', (event) => this.onUp(event)),
      listen('keyup', (event) => { if (event.key === ' ') this.hold(false); }),
      listen('blur', () => this.hold(false)),
    ];
    // Also once before the first frame: measuring earlier would make the browser
    // lay the page out for nothing.
    const observer = new ResizeObserver(() => { this.measured = true; this.resize(); });
    observer.observe(root);
    this.stop = () => { observer.disconnect(); for (const one of stops) one(); };
  }

  close(): void {
    this.stop();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
  }

  /** Another net is shown: the whole of it, or what is around a point. */
  show(picture: Size, focus: Point): void {
    this.picture = { width: Math.max(1, picture.width), height: Math.max(1, picture.height) };
    this.focus = focus;
    this.chosen = 'first';
    if (this.measured) this.resize();
  }

  /** Whether the picture is too large to be read as a whole on this screen. */
  get large(): boolean {
    return fitView(this.picture, this.screen).scale < READABLE;
  }

  private resize(): void {
    this.screen = { width: Math.max(1, this.root.clientWidth), height: Math.max(1, this.root.clientHeight) };
    if (this.chosen === 'whole') this.fit();
    else if (this.chosen === 'first') this.set(firstView(this.picture, this.screen, this.focus), 'first');
    else this.move(this.view);
  }

  fit(): void {
    this.set(fitView(this.picture, this.screen), 'whole');
  }

  /** The scale 1:1, with the middle of the screen staying there. */
  full(): void {
    this.zoom(1 / this.view.scale);
  }

  zoom(factor: number, at: Point = [this.screen.width / 2, this.screen.height / 2]): void {
    this.move(zoomAt(this.view, factor, at));
  }

  /** The first view, which is made when the screen is known, has what is picked in it. */
  reveal(box: Box): void {
    if (!this.measured) return;
    const next = reveal(this.view, box, this.screen);
    if (next.x !== this.view.x || next.y !== this.view.y) this.move(next);
  }

  /** Puts a point of the picture in the middle. */
  centreOn([x, y]: Point): void {
    this.move({ ...this.view, x: this.screen.width / 2 - x * this.view.scale, y: this.screen.height / 2 - y * this.view.scale });
  }

  /** The place on the screen of the picture of what an event points at. */
  at(event: { clientX: number; clientY: number }): Point {
    const box = this.root.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  hold(space: boolean): void {
    this.spaceHeld = space;
    this.root.classList.toggle('space', space);
  }

  move(view: View): void {
    this.set(keepInside(view, this.picture, this.screen), 'own');
  }

  private set(view: View, chosen: 'first' | 'whole' | 'own'): void {
    this.view = view;
    this.chosen = chosen;
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    this.frame = 0;
    const { x, y, scale } = this.view;
    this.root.classList.add('moving');
    this.canvas.style.willChange = 'transform';
    this.canvas.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
    this.root.classList.toggle('far', scale < (isSmall(this.screen) ? FAR_ON_SMALL : FAR));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.root.classList.remove('moving');
      this.canvas.style.willChange = '';
      this.settled.value = this.view;
    }, SETTLED_MS);
  }

  // --- hands ---------------------------------------------------------------------

  private onWheel(event: WheelEvent): void {
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    if (event.shiftKey) this.move({ ...this.view, x: this.view.x - (event.deltaX || event.deltaY) * unit });
    else {
      // A pinch on a touch pad comes as a wheel with ctrl, in smaller steps.
      const part = event.ctrlKey ? PART_OF_WHEEL * 5 : PART_OF_WHEEL;
      this.zoom(Math.exp(-Math.max(-240, Math.min(240, event.deltaY * unit)) * part), this.at(event));
    }
  }

  private onDown(event: PointerEvent): void {
    if (this.pointers.size === 0) this.dragged = false;
    const target = event.target as globalThis.Element;
    if (event.button > 1 || target.closest('.picture-control') || !this.mayPan(target, this.spaceHeld || event.button === 1)) return;
    this.pointers.set(event.pointerId, this.at(event));
    this.pressed = this.at(event);
  }

  private onMove(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = this.at(event);
    if (!this.dragged && distance(this.pressed, now) < CLICK && this.pointers.size === 1) return;
    if (!this.dragged) {
      this.dragged = true;
      this.root.setPointerCapture(event.pointerId);
      this.root.classList.add('panning');
    }
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.pointers.set(event.pointerId, now);
    if (other) this.pinch(other, before, now);
    else this.move({ ...this.view, x: this.view.x + now[0] - before[0], y: this.view.y + now[1] - before[1] });
  }

  private pinch(still: Point, before: Point, now: Point): void {
    const middle: Point = [(still[0] + now[0]) / 2, (still[1] + now[1]) / 2];
    const scaled = zoomAt(this.view, distance(still, now) / Math.max(1, distance(still, before)), middle);
    this.move({ ...scaled, x: scaled.x + (now[0] - before[0]) / 2, y: scaled.y + (now[1] - before[1]) / 2 });
  }

  private onUp(event: PointerEvent): void {
    this.pointers.delete(event.pointerId);
    if (this.pointers.size === 0) this.root.classList.remove('panning');
  }
}
