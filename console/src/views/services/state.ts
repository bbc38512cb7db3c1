// SPDX-License-Identifier: Apache-2.0
// How a service does, in one word.
import type { Schema } from '../../api/client';

type ServiceWord = 'paused' | 'failing' | 'active';

/** A pause of a person says more than what calls have met. */
export function stateOf(service: Schema['Service'], state: Schema['ServiceState'] | undefined = service.state): ServiceWord {
  if (service.paused) return 'paused';
  const node = state?.node;
  return node !== undefined && (node.breaker !== 'closed' || node.failing_since !== undefined) ? 'failing' : 'active';
}
