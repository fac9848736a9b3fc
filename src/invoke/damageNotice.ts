import type { Notice } from '../googlesql/resolve/tree.ts';
import type { QueryResult } from '../ports/queryEngine.ts';

/** The notice that events are missing because their file is damaged. It does not reveal whose events they are. */
export function damageNotice({ isDamaged }: Pick<QueryResult, 'isDamaged'>): readonly Notice[] {
  if (isDamaged !== true) return [];
  return [
    {
      code: 'data.damaged_file',
      message:
        'Some events that this query reads may be missing, because a file that contained such events is damaged and was quarantined. Ask the operator of the service for details.',
    },
  ];
}
