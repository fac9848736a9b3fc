import type { Answers } from '../api/types.ts';
import { countText } from '../text/countText.ts';
import { parseInstant } from '../time/instant.ts';

type AuditEntry = Answers['audit.list']['result'][number];

/** Newest first. The service lists counts of refused calls after their minute, so later entries come before them. */
export function byTime<Entry extends Pick<AuditEntry, 'at' | 'sequence'>>(entries: readonly Entry[]): readonly Entry[] {
  const timed = entries.map((entry) => ({ entry, at: parseInstant(entry.at) ?? 0 }));
  return timed.sort((a, b) => b.at - a.at || b.entry.sequence - a.entry.sequence).map(({ entry }) => entry);
}

/** Of a refused call, its error code, and how many such calls the minute had. */
export function outcomeOf({ code, count }: Pick<AuditEntry, 'code' | 'count'>): string {
  if (code === null) return 'done';
  return count === null || count === 1 ? code : `${code}, ${countText(count, 'call')}`;
}
