import type { EventChanges } from '../../../ports/eventChanges.ts';
import type { CommittedEvents } from '../../../ports/eventLog.ts';
import type { Removals } from '../../../retention/removals.ts';
import type { DamagedEventFiles, EventFile } from './eventFiles.ts';

/** The segments, and which of their events are hidden. */
export interface ChangingFiles {
  readonly files: readonly EventFile[];
  /** Rises whenever other segments are served. */
  readonly revision: number;
  readonly removals: Removals;
  readonly damaged: DamagedEventFiles;
}

/** Commits of a source, or of a project in it. */
interface Commits {
  begun: number;
  running: number;
}

/** Commits of a source, and by project. */
interface SourceCommits extends Commits {
  readonly projects: Map<string, Commits>;
}

/** Projects whose commits are counted at most. Above that, everything counts as changed, and counting begins again. */
const projectsMax = 50_000;

/** Pairs of project and source that one query looks up at most. Above that, commits of any project count. */
const askedMax = 50;

const minuteMicros = 60_000_000;

/**
 * Counts the changes that queries can see (decision 103). Only commits report their changes, before they are sent.
 * Segments, removals and damage have revisions of their own, so this class cannot miss one of their changes. Every change
 * of segments counts, even if it leaves the events as they are.
 */
export class VisibleChanges implements EventChanges {
  readonly #files: ChangingFiles;
  readonly #isServing: () => boolean;
  readonly #sources = new Map<string, SourceCommits>();
  #projectCount = 0;
  #resets = 0;
  #running = 0;
  #waiting: (() => void)[] = [];
  /** Whether all events of a source have arrival numbers, by source, in the segments of this revision. */
  #numbered = { revision: -1, bySource: new Map<string, boolean>() };

  /** `isServing`: whether there is an engine process, which has opened every segment. */
  constructor(files: ChangingFiles, isServing: () => boolean) {
    this.#files = files;
    this.#isServing = isServing;
  }

  /** Counts everything as changed. Call it before and after an engine process opens the segments. */
  reset(): void {
    this.#resets++;
  }

  /** Call it before events are sent to the engine. Call the returned function once it is known which events are stored. */
  begin(commit: readonly CommittedEvents[]): () => void {
    const counted = commit.flatMap(({ source, projects }) => {
      const ofSource = this.#ofSource(source);
      return [ofSource, ...[...projects.keys()].map((project) => this.#ofProject(ofSource, project))];
    });
    for (const each of counted) {
      each.begun++;
      each.running++;
    }
    this.#running++;
    if (this.#projectCount > projectsMax) this.#forgetProjects();
    return () => {
      for (const each of counted) each.running--;
      if (--this.#running > 0) return;
      for (const resolve of this.#waiting.splice(0)) resolve();
    };
  }

  async settled(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  stateOf(sources: readonly string[], projects: readonly string[] | null, nowMicros: number): string | null {
    if (!this.#isServing()) return null;
    const { revision, removals, damaged } = this.#files;
    const { rules } = removals;
    // The age at which events are removed moves once a minute, and so does `dataBegins`.
    const isAging = sources.some((source) => rules.removesOf(source));
    const minute = isAging ? Math.floor(nowMicros / minuteMicros) : '-';
    let state = `${this.#resets} ${revision} ${removals.revision} ${damaged.files.length} ${damaged.isUnknown} ${minute}`;
    const isListed = projects !== null && projects.length * sources.length <= askedMax;
    for (const source of sources) {
      // Without numbers, equal times are ordered by ids, which can be equal too.
      if (!this.#isNumbered(source)) return null;
      const ofSource = this.#sources.get(source);
      if (ofSource === undefined) {
        state += ' 0';
        continue;
      }
      for (const commits of isListed ? projects.map((each) => ofSource.projects.get(each)) : [ofSource]) {
        if (commits === undefined) {
          state += ' 0';
          continue;
        }
        if (commits.running > 0) return null;
        state += ` ${commits.begun}`;
      }
    }
    return state;
  }

  #ofSource(name: string): SourceCommits {
    const known = this.#sources.get(name);
    if (known !== undefined) return known;
    const made: SourceCommits = { begun: 0, running: 0, projects: new Map() };
    this.#sources.set(name, made);
    return made;
  }

  #ofProject({ projects }: SourceCommits, name: string): Commits {
    const known = projects.get(name);
    if (known !== undefined) return known;
    const made: Commits = { begun: 0, running: 0 };
    projects.set(name, made);
    this.#projectCount++;
    return made;
  }

  /** Keeps the counts of projects with running commits, which end later. */
  #forgetProjects(): void {
    this.#resets++;
    this.#projectCount = 0;
    for (const { projects } of this.#sources.values()) {
      for (const [name, { running }] of projects) if (running === 0) projects.delete(name);
      this.#projectCount += projects.size;
    }
  }

  #isNumbered(source: string): boolean {
    const { revision, files } = this.#files;
    if (this.#numbered.revision !== revision) this.#numbered = { revision, bySource: new Map() };
    const { bySource } = this.#numbered;
    const known = bySource.get(source);
    if (known !== undefined) return known;
    const isNumbered = files.every((file) => !file.hasTable(source) || file.numbered(source) === 'all');
    bySource.set(source, isNumbered);
    return isNumbered;
  }
}
