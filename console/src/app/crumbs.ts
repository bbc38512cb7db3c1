// SPDX-License-Identifier: Apache-2.0
// Where one is: Process › version › case.  Each view says it.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

interface Crumb {
  label: string;
  href?: string;
}

export const crumbs = signal<Crumb[]>([]);

/** Says where one is, as long as the view is shown. */
export function useCrumbs(...path: (Crumb | undefined)[]): void {
  const key = JSON.stringify(path);
  useEffect(() => {
    crumbs.value = path.filter((part) => part !== undefined);
    document.title = [...crumbs.value.map((part) => part.label).reverse(), 'Weft'].join(' · ');
  }, [key]);
}
