import * as z from 'zod';
import type { Clock } from '../core/clock.ts';
import { type Refusal, readMembers } from '../core/readMembers.ts';
import type { CachePurge } from '../ports/cachePurge.ts';
import type { Removals } from '../retention/removals.ts';
import type { RetentionOrigin } from '../retention/retentionRules.ts';
import type { RetentionRuleChange, RetentionStore } from '../retention/retentionStore.ts';
import { readOnlySource } from '../sources/readOnlySource.ts';
import { unknownSource } from '../sources/unknownSource.ts';

export interface RetentionManagementServices {
  readonly removals: Removals;
  readonly store: RetentionStore;
  /** The names of all sources that accept events, including those of the service itself. */
  readonly sourceNames: () => readonly string[];
  /** Whether the source reads a table that others fill. */
  readonly isReadOnly: (source: string) => boolean;
  /**
   * Runs changes of rules one after another, and not while events are removed from files under the old rules. Throws
   * `retention.busy`.
   */
  readonly betweenRemovals: (change: () => Promise<void>) => Promise<void>;
  /** Drops every cached result, because results may contain rows that must no longer be shown. */
  readonly dropCached: CachePurge['dropAll'];
  readonly clock: Clock;
}

/** Who asks for a change, and in which request. */
export interface RetentionManager {
  readonly actor: string;
  readonly requestId: string;
}

/** How long events of a source are kept, except those of projects with their own rules. */
export interface SourceRetention {
  readonly source: string;
  /** The rule of the source; null for the default. 0 keeps everything. */
  readonly days: number | null;
  readonly effective: EffectiveView;
}

export interface ProjectRetention {
  readonly project: string;
  readonly days: number | null;
  /** Rules for the project's events of single sources. */
  readonly sources: Readonly<Record<string, number>>;
  /** By source. */
  readonly effective: Readonly<Record<string, EffectiveView>>;
}

interface EffectiveView {
  readonly days: number;
  readonly from: RetentionOrigin;
}

const refusal: Refusal = { code: 'retention.invalid', sentence: 'The retention is not valid' };
const daysMax = 36_500;
const daysProblem = `must be a whole number of days from 0 (keep everything) to ${daysMax}, or null`;
/** Schema of a retention in days. */
export const retentionDays = z
  .number({ error: daysProblem })
  .int(daysProblem)
  .min(0, daysProblem)
  .max(daysMax, daysProblem);
/** The rule of a source. */
export const sourceRetentionInput = z.strictObject(
  { days: retentionDays.nullable() },
  { error: 'must be a JSON object with the member days' },
);
/** The rules of a project. */
export const projectRetentionInput = z.strictObject(
  { days: retentionDays.nullable().default(null), sources: z.record(z.string(), retentionDays).default({}) },
  { error: 'must be a JSON object with the members days and sources' },
);

/** Reads and changes how long events are kept (streams.md, "Retention"). Callers check the permission first. */
export class RetentionManagement {
  readonly #services: RetentionManagementServices;

  constructor(services: RetentionManagementServices) {
    this.#services = services;
  }

  /** Throws `source.unknown`, `source.read_only`. */
  ofSource(source: string): SourceRetention {
    this.#requireSource(source);
    const { rules } = this.#services.removals;
    return { source, days: rules.find(source, null), effective: this.#effective(source, null) };
  }

  ofProject(project: string): ProjectRetention {
    const { rules } = this.#services.removals;
    const names = this.#services.sourceNames();
    const own = names.flatMap((source): [string, number][] => {
      const found = rules.find(source, project);
      return found === null ? [] : [[source, found]];
    });
    return {
      project,
      days: rules.find(null, project),
      sources: Object.fromEntries(own),
      effective: Object.fromEntries(names.map((source) => [source, this.#effective(source, project)])),
    };
  }

  /** The rule applies when this resolves. Throws `source.unknown`, `source.read_only`, `retention.invalid`, `retention.busy`. */
  async setOfSource(source: string, input: unknown, by: RetentionManager): Promise<SourceRetention> {
    this.#requireSource(source);
    const { days } = readMembers(sourceRetentionInput, input, refusal);
    await this.#change([{ source, project: null, days }], source, by);
    return this.ofSource(source);
  }

  /**
   * Replaces all rules of the project. They apply when this resolves. Throws `source.unknown`, `source.read_only`,
   * `retention.invalid`, `retention.busy`.
   */
  async setOfProject(project: string, input: unknown, by: RetentionManager): Promise<ProjectRetention> {
    const { days, sources } = readMembers(projectRetentionInput, input, refusal);
    for (const source of Object.keys(sources)) this.#requireSource(source);
    const { removals } = this.#services;
    const dropped = removals.rules
      .list()
      .filter((rule) => rule.project === project && rule.source !== null && !Object.hasOwn(sources, rule.source))
      .map(({ source }) => ({ source, project, days: null }));
    const set = Object.entries(sources).map(([source, ofSource]) => ({ source, project, days: ofSource }));
    await this.#change([{ source: null, project, days }, ...dropped, ...set], project, by);
    return this.ofProject(project);
  }

  #effective(source: string, project: string | null): EffectiveView {
    const { days, origin } = this.#services.removals.rules.effective(source, project);
    return { days, from: origin };
  }

  /** Applies changes between removals, because the marks of a new project depend on the old rules and on what they removed. */
  async #change(changes: readonly RetentionRuleChange[], target: string, by: RetentionManager): Promise<void> {
    const { removals, store, dropCached, clock, betweenRemovals } = this.#services;
    await betweenRemovals(async () => {
      const projects = new Set(
        changes.flatMap(({ project, days }) => (project === null || days === null ? [] : [project])),
      );
      const marks = [...projects].flatMap((project) => removals.marksOfNew(project));
      const { actor, requestId } = by;
      const action = changes.some(({ project }) => project !== null) ? 'project.retention' : 'source.retention';
      const atMicros = clock.nowMicros();
      await store.change(changes, marks, () => [{ atMicros, actor, action, target, version: null, requestId }]);
      removals.mark(marks);
      for (const { source, project, days } of changes) {
        if (days === null) removals.rules.remove(source, project);
        else removals.rules.set({ source, project, days });
      }
      const concerned = changes.flatMap(({ project }) => (project === null ? [] : [project]));
      await dropCached(concerned.length === changes.length ? concerned : undefined);
    });
  }

  #requireSource(source: string): void {
    if (this.#services.isReadOnly(source)) throw readOnlySource(source);
    const names = this.#services.sourceNames();
    if (!names.includes(source)) throw unknownSource(source, names);
  }
}
