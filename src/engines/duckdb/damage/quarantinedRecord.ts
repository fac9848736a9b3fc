import type { SealedFileRecord } from '../../../ports/fileManifest.ts';
import type { ActiveFile } from '../log/activeFile.ts';

/** The known contents of an active segment, as the manifest keeps them for a quarantined one. */
export function damagedRecord(file: ActiveFile, foundMicros: number): SealedFileRecord {
  const sources = file.sources.toSorted().map((source) => {
    const projects = [...file.projectStats(source)].filter(([, { count }]) => count > 0);
    projects.sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      source,
      projects: projects.map(([project]) => project),
      firstMicros: projects.map(([, { firstMicros }]) => firstMicros),
      lastMicros: projects.map(([, { lastMicros }]) => lastMicros),
      counts: projects.map(([, { count }]) => count),
      irregular: [],
    };
  });
  return {
    number: file.number,
    bytes: file.bytes,
    events: file.events,
    sealedMicros: foundMicros,
    sources: sources.filter(({ projects }) => projects.length > 0),
    mergedFrom: [],
    clearedTo: file.clearedTo,
  };
}
