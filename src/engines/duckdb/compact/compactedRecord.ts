import type { SealedFileRecord } from '../../../ports/fileManifest.ts';
import type { SealedFile } from '../files/sealedFile.ts';
import type { EngineCalls } from '../process/protocol.ts';
import { type RemovalPlan, requireRemovable } from '../removal/removalPlan.ts';

/**
 * Returns the manifest record of a segment that others were merged into, or that one was rewritten to.
 *
 * @throws Error if it lacks an event of its inputs that was not to be removed; it must not replace them then
 */
export function compactedRecord(
  number: number,
  inputs: readonly SealedFile[],
  rewritten: EngineCalls['rewrite']['gives'],
  sealedMicros: number,
  plan: RemovalPlan,
): SealedFileRecord {
  requireRemovable(rewritten.removed, plan);
  const removedOf = new Map<string, number>();
  for (const { source, project, events } of rewritten.removed) {
    const key = JSON.stringify([source, project]);
    removedOf.set(key, (removedOf.get(key) ?? 0) + events);
  }
  let removed = 0;
  for (const count of removedOf.values()) removed += count;
  let events = 0;
  const sources = rewritten.sources.map((source) => {
    const irregular: [number, string][] = [];
    for (const [index, project] of source.projects.entries()) {
      let expected = 0;
      const paths = new Set<string>();
      for (const input of inputs) {
        const count = input.stats(source.source, project)?.count ?? 0;
        expected += count;
        if (count > 0) for (const path of input.irregular(source.source, project)) paths.add(path);
      }
      expected -= removedOf.get(JSON.stringify([source.source, project])) ?? 0;
      if (source.counts[index] !== expected) {
        throw new Error(
          `${source.source} of one project would have ${source.counts[index]} events instead of ${expected}`,
        );
      }
      events += expected;
      for (const path of paths) irregular.push([index, path]);
    }
    return { ...source, irregular };
  });
  const expected = inputs.reduce((sum, input) => sum + input.events, -removed);
  if (events !== expected) throw new Error(`merging ${expected} events produced ${events}`);
  return {
    number,
    bytes: rewritten.bytes,
    events,
    sealedMicros,
    sources,
    mergedFrom: inputs.flatMap((input) => [...input.mergedFrom, input.number]).sort((a, b) => a - b),
    clearedTo: plan.clearedTo,
  };
}
