import type { SealedFileRecord, SealedSourceRecord } from '../../../ports/fileManifest.ts';
import { pathKey, type Source } from '../../../sources/source.ts';
import type { AttachedFile } from '../process/protocol.ts';
import type { EventFile, FileStats } from './eventFiles.ts';
import { FragmentFilter } from './fragmentFilter.ts';
import { lackingPaths } from './tableLayout.ts';

/** Contents of one source in typed arrays; projects are found by binary search. */
interface SourceIndex {
  readonly record: SealedSourceRecord;
  readonly firstMicros: Float64Array;
  readonly lastMicros: Float64Array;
  readonly counts: Uint32Array;
  readonly all: FileStats;
  /** Paths whose typed columns the file's table lacks. */
  readonly lacking: readonly string[];
  /** By typed column. */
  readonly filters: ReadonlyMap<string, FragmentFilter>;
  /** UTF-16 code units of the longest project name. */
  readonly nameLengthMax: number;
}

const nothing: ReadonlySet<string> = new Set();

/** Characters of names in which a run is searched at most, because each statement searches in each segment. */
const nameCharsSearchedMax = 50_000;

/** A sealed segment, as its manifest record describes it. */
export class SealedFile implements EventFile {
  readonly kind = 'sealed';
  readonly number: number;
  readonly events: number;
  readonly bytes: number;
  readonly mergedFrom: readonly number[];
  readonly clearedTo: number;
  /** The highest arrival number of its events; 0 if none has one. */
  readonly lastArrival: number;
  /** Time of the newest event of any source, microseconds since 1970. */
  readonly lastMicros: number;
  readonly attached: AttachedFile;
  readonly #sources: ReadonlyMap<string, SourceIndex>;

  /** `declared` are the current sources; the file may have been written with older declarations. */
  constructor(record: SealedFileRecord, path: string, declared: readonly Source[]) {
    this.number = record.number;
    this.events = record.events;
    this.bytes = record.bytes;
    this.mergedFrom = record.mergedFrom;
    // A segment sealed directly from an active one holds only events stored while that was the newest.
    this.clearedTo = Math.max(record.clearedTo ?? 0, record.mergedFrom.length === 0 ? record.number : 0);
    this.attached = { alias: `sealed_${record.number}`, path, kind: 'sealed' };
    this.#sources = new Map(
      record.sources.map((source) => [
        source.source,
        indexOf(
          source,
          declared.find(({ name }) => name === source.source),
        ),
      ]),
    );
    this.lastArrival = Math.max(0, ...record.sources.map(({ arrivals }) => arrivals?.[1] ?? 0));
    this.lastMicros = Math.max(...[...this.#sources.values()].map(({ all }) => all.lastMicros));
  }

  get alias(): string {
    return this.attached.alias;
  }

  hasTable(source: string): boolean {
    return this.#sources.has(source);
  }

  /** Sources of its events. */
  get sources(): readonly string[] {
    return [...this.#sources.keys()];
  }

  /** Contents of a source, by project. */
  *projectStats(source: string): Iterable<readonly [project: string, stats: FileStats]> {
    const index = this.#sources.get(source);
    if (index === undefined) return;
    for (const [at, project] of index.record.projects.entries()) {
      const [firstMicros = 0, lastMicros = 0] = [index.firstMicros[at], index.lastMicros[at]];
      yield [project, { firstMicros, lastMicros, count: index.counts[at] ?? 0 }];
    }
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
    const index = this.#sources.get(source);
    if (index === undefined) return nothing;
    const { record, lacking } = index;
    if (record.irregular.length + lacking.length === 0) return nothing;
    const at = project === null ? null : findProject(record.projects, project);
    const paths = record.irregular.filter(([index]) => at === null || index === at).map(([, path]) => path);
    return new Set([...paths, ...lacking]);
  }

  projectsWith(source: Source, path: readonly string[], run: string): readonly string[] | null {
    const index = this.#sources.get(source.name);
    if (index === undefined) return [];
    const key = pathKey(path);
    const hot = source.hotColumns.find((each) => each.kind === 'string' && pathKey(each.path) === key);
    const filter = hot === undefined ? undefined : index.filters.get(hot.column);
    if (filter === undefined || filter.mayContain(run)) return null;
    // The column has not the text of an irregular event.
    const irregular = this.irregular(source.name, null);
    if (path.some((_, i) => irregular.has(pathKey(path.slice(0, i + 1))))) return null;
    // Each run in a text that the filter does not know is the name of the event's project.
    return namesWith(index, run);
  }

  arrivals(source: string): readonly [first: number, last: number] | null {
    return this.#sources.get(source)?.record.arrivals ?? null;
  }

  numbered(source: string): 'all' | 'some' | 'none' {
    const record = this.#sources.get(source)?.record;
    if (record?.arrivals === undefined) return 'none';
    return record.unnumbered === undefined ? 'all' : 'some';
  }

  ordinal(source: string, project: string): number | null {
    const record = this.#sources.get(source)?.record;
    if (record?.ordinals === undefined) return null;
    return record.ordinals[findProject(record.projects, project)] ?? null;
  }
}

function indexOf(record: SealedSourceRecord, declared: Source | undefined): SourceIndex {
  const firstMicros = Float64Array.from(record.firstMicros);
  const lastMicros = Float64Array.from(record.lastMicros);
  const counts = Uint32Array.from(record.counts);
  const all = {
    firstMicros: firstMicros.reduce((a, b) => Math.min(a, b), Infinity),
    lastMicros: lastMicros.reduce((a, b) => Math.max(a, b), -Infinity),
    count: counts.reduce((a, b) => a + b, 0),
  };
  return {
    record: { ...record, firstMicros: [], lastMicros: [], counts: [], filters: [] },
    firstMicros,
    lastMicros,
    counts,
    all,
    filters: new Map((record.filters ?? []).map(([column, filter]) => [column, new FragmentFilter(filter)])),
    nameLengthMax: record.projects.reduce((most, project) => Math.max(most, project.length), 0),
    lacking: declared === undefined ? [] : lackingPaths(declared, record.hotColumns),
  };
}

/** The projects whose names contain the run; null if that would take long to find out. */
function namesWith({ record: { projects }, nameLengthMax }: SourceIndex, run: string): readonly string[] | null {
  const found = findProject(projects, run) < 0 ? [] : [run];
  if (nameLengthMax <= run.length) return found;
  let searched = 0;
  for (const project of projects) {
    const isLonger = project.length > run.length;
    searched += isLonger ? project.length : 1;
    if (searched > nameCharsSearchedMax) return null;
    if (isLonger && project.includes(run)) found.push(project);
  }
  return found;
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
