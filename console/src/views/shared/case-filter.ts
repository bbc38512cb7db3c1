// SPDX-License-Identifier: Apache-2.0
// The filter of the list of cases, as the address and the interface name it.
import type { Schema } from '../../api/client';

export const filterNames = ['q', 'specification', 'version', 'status', 'incident', 'set_aside', 'older', 'newer', 'unchanged', 'ended', 'title', 'where', 'mine'] as const;
type FilterName = (typeof filterNames)[number];
export type Filter = Partial<Record<FilterName, string>>;

export function readFilter(query: URLSearchParams): Filter {
  const filter: Filter = {};
  for (const name of filterNames) {
    const value = query.get(name);
    if (value !== null && value !== '') filter[name] = value;
  }
  return filter;
}

/** The filter of an operation: that of the list, but only of cases that live. */
export function operationFilter(filter: Filter): Schema['OperationFilter'] {
  const { mine: _mine, ended: _ended, status, set_aside, ...rest } = filter;
  const live = (status ?? '').split(',').filter((one) => one === 'running' || one === 'suspended');
  return {
    ...rest,
    ...(live.length > 0 ? { status: live.join(',') } : {}),
    ...(set_aside === 'true' ? { set_aside: 'true' as const } : {}),
  };
}

/** Why no operation can be started on what the filter selects. */
export function notOperable(filter: Filter): 'mine' | 'status' | undefined {
  if (filter.mine !== undefined) return 'mine';
  const states = (filter.status ?? '').split(',').filter((one) => one !== '');
  if (filter.ended !== undefined) return 'status';
  if (states.length > 0 && !states.some((one) => one === 'running' || one === 'suspended')) return 'status';
  return undefined;
}
