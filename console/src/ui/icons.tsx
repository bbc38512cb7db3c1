// SPDX-License-Identifier: Apache-2.0
// Icons: lines in a square of 20, in the colour of the text.
const shapes = {
  overview: 'M3 11h5V3H3zM12 17h5V9h-5zM3 17h5v-3H3zM12 6h5V3h-5z',
  work: 'M3 5h3M9 5h8M3 10h3M9 10h8M3 15h3M9 15h8',
  cases: 'M3 7h14v9H3zM7 7V4h6v3M3 11h14',
  processes: 'M3 4h5v4H3zM12 12h5v4h-5zM8 6h6v6',
  incidents: 'M10 3l8 14H2zM10 8v4M10 14.5v.5',
  services: 'M4 4h12v5H4zM4 11h12v5H4zM7 6.5h.1M7 13.5h.1',
  people: 'M7 9a3 3 0 100-6 3 3 0 000 6zM2 17c0-4 2-5 5-5s5 1 5 5M13 9a2.5 2.5 0 100-5M14 12c3 0 4 2 4 5',
  live: 'M3 10h3l2-6 4 12 2-6h3',
  server: 'M10 7a3 3 0 100 6 3 3 0 000-6zM10 2v3M10 15v3M2 10h3M15 10h3M4.5 4.5l2 2M13.5 13.5l2 2M15.5 4.5l-2 2M6.5 13.5l-2 2',
  search: 'M9 3a6 6 0 100 12A6 6 0 009 3zM13.5 13.5L18 18',
  account: 'M10 10a3.5 3.5 0 100-7 3.5 3.5 0 000 7zM3 18c0-4.500 3-6 7-6s7 1.500 7 6',
  widen: 'M4 5h12M4 10h12M4 15h12',
  close: 'M5 5l10 10M15 5L5 15',
  back: 'M12 4l-6 6 6 6',
  next: 'M8 4l6 6-6 6',
  down: 'M5 8l5 5 5-5',
  copy: 'M7 7h9v9H7zM4 13V4h9',
  check: 'M4 10l4 4 8-9',
  play: 'M6 4l10 6-10 6z',
  pause: 'M7 4v12M13 4v12',
  more: 'M5 10h.1M10 10h.1M15 10h.1',
  plus: 'M10 4v12M4 10h12',
  minus: 'M4 10h12',
  fit: 'M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4',
  refresh: 'M16 6a7 7 0 10.500 7M16 2v4h-4',
  upload: 'M10 14V4M6 8l4-4 4 4M3 14v3h14v-3',
  file: 'M5 2h7l4 4v12H5zM12 2v4h4',
  person: 'M10 9a3 3 0 100-6 3 3 0 000 6zM4 17c0-4 2-5.500 6-5.500s6 1.500 6 5.500',
  question: 'M7 7.500a3 3 0 116 0c0 2-3 2-3 4.500M10 15v.500',
  first: 'M5 4v12M15 4l-7 6 7 6',
  last: 'M15 4v12M5 4l7 6-7 6',
} as const;

export type IconName = keyof typeof shapes;

export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg viewBox="0 0 20 20" width={size} height={size} fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      <path d={shapes[name]} />
    </svg>
  );
}
