import type { SealedFileRecord, SealedSourceRecord } from '../ports/fileCatalogue.ts';
import type { EventFile, FileStats } from './eventFiles.ts';
import type { AttachedFile } from './process/protocol.ts';

/** Numbers of one source in typed arrays; projects are found by binary search. */
interface SourceIndex {
  readonly record: SealedSourceRecord;
  readonly firstMicros: Float64Array;
  readonly lastMicros: Float64Array;
  readonly counts: Uint32Array;
  readonly all: FileStats;
}

const nothing: ReadonlySet<string> = new Set();

/** An immutable file, as its catalogue record describes it. */
export class SealedFile implements EventFile {
  readonly kind = 'sealed';
  readonly number: number;
  readonly events: number;
  readonly attached: AttachedFile;
  readonly #sources: ReadonlyMap<string, SourceIndex>;

  constructor(record: SealedFileRecord, path: string) {
    this.number = record.number;
    this.events = record.events;
    this.attached = { alias: `sealed_${record.number}`, path, kind: 'sealed' };
    this.#sources = new Map(record.sources.map((source) => [source.source, indexOf(source)]));
  }

  get alias(): string {
    return this.attached.alias;
  }

  stats(source: string, project: string | null): FileStats | null {
    const index = this.#sources.get(source);
    if (index === undefined) return null;
    if (project === null) return index.all;
    const at = findProject(index.record.projects, project);
    if (at < 0) return null;
    return {
      firstMicros: index.firstMicros[at] ?? 0,
      lastMicros: index.lastMicros[at] ?? 0,
      count: index.counts[at] ?? 0,
    };
  }

  irregular(source: string, project: string | null): ReadonlySet<string> {
    const record = this.#sources.get(source)?.record;
    if (record === undefined || record.irregular.length === 0) return nothing;
    const at = project === null ? null : findProject(record.projects, project);
    return new Set(record.irregular.filter(([index]) => at === null || index === at).map(([, pathKey]) => pathKey));
  }
}

function indexOf(record: SealedSourceRecord): SourceIndex {
  const firstMicros = Float64Array.from(record.firstMicros);
  const lastMicros = Float64Array.from(record.lastMicros);
  const counts = Uint32Array.from(record.counts);
  const all = {
    firstMicros: firstMicros.reduce((a, b) => Math.min(a, b), Infinity),
    lastMicros: lastMicros.reduce((a, b) => Math.max(a, b), -Infinity),
    count: counts.reduce((a, b) => a + b, 0),
  };
  return { record: { ...record, firstMicros: [], lastMicros: [], counts: [] }, firstMicros, lastMicros, counts, all };
}

/** Position in the ascending list, or -1. */
function findProject(projects: readonly string[], project: string): number {
  let low = 0;
  let high = projects.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const at = projects[middle] ?? '';
    if (at === project) return middle;
    if (at < project) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
