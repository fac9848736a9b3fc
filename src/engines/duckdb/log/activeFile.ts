import type { StoredEvent } from '../../../ports/eventLog.ts';
import type { Source } from '../../../sources/source.ts';
import type { EventFile, FileStats } from '../files/eventFiles.ts';
import { lackingPaths } from '../files/tableLayout.ts';
import type { ActiveContents, AttachedFile, IrregularRow } from '../process/protocol.ts';

interface MutableStats {
  firstMicros: number;
  lastMicros: number;
  count: number;
}

/** Facts about one source in one segment; `projects` and `irregular` are keyed by project. */
interface SourceFacts {
  readonly all: MutableStats;
  readonly projects: Map<string, MutableStats>;
  readonly irregular: Map<string, Set<string>>;
}

/** An active segment, as the engine process attaches it. */
export const attachedActive = (number: number, path: string): AttachedFile => ({
  alias: `active_${number}`,
  path,
  kind: 'active',
});

const nothing: ReadonlySet<string> = new Set();
const emptyStats = (): MutableStats => ({ firstMicros: Infinity, lastMicros: -Infinity, count: 0 });

/**
 * A segment that receives events, or that did and waits to be sealed. Facts without which a query would miss events
 * (times, irregular paths) are recorded before a batch is sent; facts that a query may rely on (counts) only once the
 * batch is stored.
 */
export class ActiveFile implements EventFile {
  readonly kind = 'active';
  readonly number: number;
  readonly createdMicros: number;
  readonly attached: AttachedFile;
  /** Stored events, and about how many of their bytes are not in checkpointed blocks. */
  events = 0;
  bytes = 0;
  /** Whether its tables differ from the current sources, so that it can take no more events. */
  isOutdated = false;
  /** The highest arrival number of the events that it had when it was opened; 0 if none has one. */
  lastArrival = 0;
  /** Sources whose table has no arrival numbers. */
  #unnumbered: ReadonlySet<string> = new Set();
  /** Sources some of whose events have no arrival number. */
  readonly #partlyNumbered = new Set<string>();
  /** Sources that were declared after the segment was created. */
  readonly #lackingTables = new Set<string>();
  readonly #sources = new Map<string, SourceFacts>();
  readonly #storedIrregular = new Set<string>();

  constructor(number: number, path: string, createdMicros: number) {
    this.number = number;
    this.createdMicros = createdMicros;
    this.attached = attachedActive(number, path);
  }

  /** A segment found in the folder. `declared` are the current sources. */
  static of(number: number, path: string, contents: ActiveContents, declared: readonly Source[]): ActiveFile {
    const file = new ActiveFile(number, path, contents.createdMicros);
    file.isOutdated = contents.outdated.length > 0;
    file.#unnumbered = new Set(contents.unnumbered);
    file.lastArrival = Math.max(0, ...contents.sources.map(({ arrivals }) => arrivals?.[1] ?? 0));
    for (const source of contents.sources) {
      for (const [index, project] of source.projects.entries()) {
        const count = source.counts[index] ?? 0;
        file.#widen(source.source, project, source.firstMicros[index] ?? 0);
        file.#widen(source.source, project, source.lastMicros[index] ?? 0);
        file.#count(source.source, project, count);
      }
      if (source.arrivals === undefined || source.unnumbered !== undefined) file.#partlyNumbered.add(source.source);
    }
    for (const [name, columns] of contents.outdated) {
      const source = declared.find((each) => each.name === name);
      if (source === undefined) continue;
      const projects = contents.sources.find((each) => each.source === name)?.projects ?? [];
      for (const path of lackingPaths(source, columns)) {
        for (const project of projects) file.#addIrregular(name, project, path);
      }
    }
    for (const row of contents.irregular) {
      file.#addIrregular(...row);
      file.#storedIrregular.add(JSON.stringify(row));
    }
    return file;
  }

  get alias(): string {
    return this.attached.alias;
  }

  hasTable(source: string): boolean {
    return !this.#lackingTables.has(source);
  }

  /** Sources of its events, or of events on the way. */
  get sources(): readonly string[] {
    return [...this.#sources.keys()];
  }

  /** Known contents of a source, by project. */
  *projectStats(source: string): Iterable<readonly [project: string, stats: FileStats]> {
    for (const [project, stats] of this.#sources.get(source)?.projects ?? []) yield [project, { ...stats }];
  }

  /** Notes that the file was made before a source was declared. The next start gives it the table. */
  lackTable(source: string): void {
    this.#lackingTables.add(source);
  }

  stats(source: string, project: string | null): FileStats | null {
    const facts = this.#sources.get(source);
    const stats = project === null ? facts?.all : facts?.projects.get(project);
    return stats === undefined ? null : { ...stats };
  }

  /** A deletion starts a new segment, whose number is its boundary. */
  get clearedTo(): number {
    return this.number;
  }

  /** Its texts are not known, because it is being written to. */
  projectsWith(): null {
    return null;
  }

  numbered(source: string): 'all' | 'some' | 'none' {
    if (this.#unnumbered.has(source)) return 'none';
    return this.#partlyNumbered.has(source) ? 'some' : 'all';
  }

  /** It is being written to, so its last number is unknown. */
  arrivals(source: string): readonly [first: number, last: number] | null {
    return this.#unnumbered.has(source) ? null : [1, Number.MAX_SAFE_INTEGER];
  }

  ordinal(): null {
    return null;
  }

  irregular(source: string, project: string | null): ReadonlySet<string> {
    const irregular = this.#sources.get(source)?.irregular;
    if (irregular === undefined || irregular.size === 0) return nothing;
    if (project === null) return new Set([...irregular.values()].flatMap((paths) => [...paths]));
    return new Set(irregular.get(project));
  }

  /** Records what a batch is about to bring. Returns the irregular facts to store with it. */
  expect(source: string, events: readonly StoredEvent[], hasNumbers = true): readonly IrregularRow[] {
    if (!hasNumbers) this.#partlyNumbered.add(source);
    const fresh = new Map<string, IrregularRow>();
    for (const event of events) {
      this.#widen(source, event.project, event.timestampMicros);
      for (const pathKey of event.irregular) {
        this.#addIrregular(source, event.project, pathKey);
        const row: IrregularRow = [source, event.project, pathKey];
        const key = JSON.stringify(row);
        if (!this.#storedIrregular.has(key)) fresh.set(key, row);
      }
    }
    return [...fresh.values()];
  }

  /** Records that a batch is stored, with the irregular facts of its commit. */
  settle(source: string, events: readonly StoredEvent[], bytes: number): void {
    for (const event of events) this.#count(source, event.project, 1);
    this.bytes += bytes;
  }

  settleIrregular(rows: readonly IrregularRow[]): void {
    for (const row of rows) this.#storedIrregular.add(JSON.stringify(row));
  }

  /** Sources with irregular facts, each with [project, pathKey] pairs. */
  *irregularFacts(): Iterable<IrregularRow> {
    for (const [source, facts] of this.#sources) {
      for (const [project, paths] of facts.irregular) for (const path of paths) yield [source, project, path];
    }
  }

  #facts(source: string): SourceFacts {
    const known = this.#sources.get(source);
    if (known !== undefined) return known;
    const facts: SourceFacts = { all: emptyStats(), projects: new Map(), irregular: new Map() };
    this.#sources.set(source, facts);
    return facts;
  }

  #stats(facts: SourceFacts, project: string): MutableStats {
    const known = facts.projects.get(project);
    if (known !== undefined) return known;
    const stats = emptyStats();
    facts.projects.set(project, stats);
    return stats;
  }

  #widen(source: string, project: string, micros: number): void {
    const facts = this.#facts(source);
    for (const stats of [facts.all, this.#stats(facts, project)]) {
      if (micros < stats.firstMicros) stats.firstMicros = micros;
      if (micros > stats.lastMicros) stats.lastMicros = micros;
    }
  }

  #count(source: string, project: string, count: number): void {
    const facts = this.#facts(source);
    facts.all.count += count;
    this.#stats(facts, project).count += count;
    this.events += count;
  }

  #addIrregular(source: string, project: string, pathKey: string): void {
    const { irregular } = this.#facts(source);
    const paths = irregular.get(project) ?? new Set();
    irregular.set(project, paths.add(pathKey));
  }
}
