import { z } from 'zod';
import type { Clock } from '../core/clock.ts';
import { type Refusal, readMembers } from '../core/readMembers.ts';
import type { Removals } from '../retention/removals.ts';
import type { RetentionOrigin } from '../retention/retentionRules.ts';
import type { RetentionRuleChange, RetentionStore } from '../retention/retentionStore.ts';
import { unknownSource } from '../sources/unknownSource.ts';

export interface RetentionManagementServices {
  readonly removals: Removals;
  readonly store: RetentionStore;
  /** Of every source that has events, those of the service itself included. */
  readonly sourceNames: () => readonly string[];
  /**
   * Runs changes of rules one after another, and none while events are taken out of files by the rules before. Throws
   * `retention.busy`.
   */
  readonly betweenRemovals: (change: () => Promise<void>) => Promise<void>;
  /** Drops every cached result: they hold what may not be shown any more. */
  readonly dropCached: () => void;
  readonly clock: Clock;
}

/** By whom a change is asked for, and in which request. */
export interface RetentionManager {
  readonly actor: string;
  readonly requestId: string;
}

/** How long events of a source are kept, as far as projects have no rules of their own. */
export interface SourceRetention {
  readonly source: string;
  /** The rule of the source; null where it goes by the default. 0 keeps everything. */
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

const refusal: Refusal = { code: 'retention.invalid', sentence: 'The retention is refused' };
const daysMax = 36_500;
const daysProblem = `is a whole number of days from 0 (keep everything) to ${daysMax}, or null`;
const days = z.number({ error: daysProblem }).int(daysProblem).min(0, daysProblem).max(daysMax, daysProblem);
const sourceInput = z.strictObject({ days: days.nullable() }, { error: 'is no JSON object with the member days' });
const projectInput = z.strictObject(
  { days: days.nullable().default(null), sources: z.record(z.string(), days).default({}) },
  { error: 'is no JSON object with the members days and sources' },
);

/** Settles how long events are kept (streams.md, "Retention"). Who calls has checked the right to do so. */
export class RetentionManagement {
  readonly #services: RetentionManagementServices;

  constructor(services: RetentionManagementServices) {
    this.#services = services;
  }

  /** Throws `source.unknown`. */
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

  /** In force when it resolves. Throws `source.unknown`, `retention.invalid`, `retention.busy`. */
  async setOfSource(source: string, input: unknown, by: RetentionManager): Promise<SourceRetention> {
    this.#requireSource(source);
    const { days } = readMembers(sourceInput, input, refusal);
    await this.#change([{ source, project: null, days }], source, by);
    return this.ofSource(source);
  }

  /**
   * Takes the place of every rule of the project; in force when it resolves. Throws `source.unknown`, `retention.invalid`,
   * `retention.busy`.
   */
  async setOfProject(project: string, input: unknown, by: RetentionManager): Promise<ProjectRetention> {
    const { days, sources } = readMembers(projectInput, input, refusal);
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

  /** What a project takes along is decided by the rules before, and by what was taken out by them. */
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
      dropCached();
    });
  }

  #requireSource(source: string): void {
    const names = this.#services.sourceNames();
    if (!names.includes(source)) throw unknownSource(source, names);
  }
}
