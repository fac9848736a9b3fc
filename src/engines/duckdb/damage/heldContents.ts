import type { SealedFileRecord } from '../../../ports/fileManifest.ts';
import type { HeldSource } from '../process/protocol.ts';

/**
 * Whether a segment that was put back is the one of the record. Numbers are given again after a restore, so a backup can
 * have another segment of the same number, with events that were deleted here or never stored.
 *
 * @param isActive - an active segment may hold more events than were known
 */
export function holdsRecord(record: SealedFileRecord, held: readonly HeldSource[], isActive: boolean): boolean {
  const left = new Map(held.map((source) => [source.source, source]));
  for (const { source, projects, firstMicros, lastMicros, counts, arrivals } of record.sources) {
    if (projects.length === 0) continue;
    const found = left.get(source);
    if (found === undefined) return false;
    left.delete(source);
    const at = new Map(found.projects.map((project, index) => [project, index]));
    for (const [index, project] of projects.entries()) {
      const other = at.get(project);
      if (other === undefined) return false;
      const more = (found.counts[other] ?? 0) - (counts[index] ?? 0);
      const isEqual =
        more === 0 && found.firstMicros[other] === firstMicros[index] && found.lastMicros[other] === lastMicros[index];
      if (!isEqual && !(isActive && more > 0)) return false;
    }
    if (isActive) continue;
    if (found.projects.length !== projects.length) return false;
    if (arrivals !== undefined && JSON.stringify(found.arrivals) !== JSON.stringify(arrivals)) return false;
  }
  return isActive || left.size === 0;
}
