import type { Notice } from '../googlesql/resolve/tree.ts';
import type { QueryResult } from '../ports/queryEngine.ts';

/** Tells that events are missing from the answer because the file that held them is damaged, and nothing of whose they are. */
export function damageNotice({ isDamaged }: Pick<QueryResult, 'isDamaged'>): readonly Notice[] {
  if (isDamaged !== true) return [];
  return [
    {
      code: 'data.damaged_file',
      message:
        'Part of the events that this query reads may be missing: a file that held such events is damaged and was set aside. Whoever operates the service can tell more.',
    },
  ];
}
