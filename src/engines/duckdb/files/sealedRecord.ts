import type { SealedFileRecord } from '../../../ports/fileManifest.ts';
import type { ActiveFile } from '../log/activeFile.ts';
import type { EngineCalls } from '../process/protocol.ts';
import { type RemovalPlan, requireRemovable } from '../removal/removalPlan.ts';

/**
 * Returns the manifest record of a segment that was rewritten from `file`.
 *
 * @throws Error if the rewritten segment lacks an event that was not to be removed; it must not replace the file then
 */
export function sealedRecord(
  file: ActiveFile,
  rewritten: EngineCalls['rewrite']['gives'],
  sealedMicros: number,
  plan: RemovalPlan,
): SealedFileRecord {
  requireRemovable(rewritten.removed, plan);
  const irregular = [...file.irregularFacts()];
  const sources = rewritten.sources.map((source) => {
    const positions = new Map(source.projects.map((project, index) => [project, index]));
    return {
      ...source,
      irregular: irregular.flatMap(([name, project, pathKey]): [number, string][] => {
        const index = name === source.source ? positions.get(project) : undefined;
        return index === undefined ? [] : [[index, pathKey]];
      }),
    };
  });
  const events = sources.flatMap(({ counts }) => counts).reduce((sum, count) => sum + count, 0);
  const removed = rewritten.removed.reduce((sum, each) => sum + each.events, 0);
  if (events + removed !== file.events) {
    throw new Error(`${file.alias} holds ${file.events} events, rewritten ${events} without ${removed}`);
  }
  const { clearedTo } = plan;
  return { number: file.number, bytes: rewritten.bytes, events, sealedMicros, sources, mergedFrom: [], clearedTo };
}
