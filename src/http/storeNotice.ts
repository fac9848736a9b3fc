import type { Notice } from '../googlesql/resolve/tree.ts';
import type { StoreContact } from '../ports/storeContact.ts';

/** The notice that changes of other nodes may be missing, because the store does not answer. */
export function storeNotice({ isAway, ageMs }: StoreContact): readonly Notice[] {
  if (!isAway) return [];
  const seconds = Math.max(1, Math.round(ageMs / 1000));
  return [
    {
      code: 'service.store_away',
      message: `The database of definitions and tokens does not answer. This answer uses what this node knew ${seconds === 1 ? '1 second' : `${seconds} seconds`} ago.`,
    },
  ];
}
