import type { Figure } from '../figure.ts';
import type { PartContext } from '../partContext.ts';
import type { PreparedEvents } from '../preparedEvents.ts';

export async function measureMixedLoad(_context: PartContext, _prepared: PreparedEvents): Promise<readonly Figure[]> {
  return [];
}
