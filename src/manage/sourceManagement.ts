import * as z from 'zod';
import type { AuditAction, AuditEvent } from '../audit/auditTrail.ts';
import type { Clock } from '../core/clock.ts';
import { Mutex } from '../core/concurrency/mutex.ts';
import type { Turns } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';
import { type Refusal, readMembers } from '../core/readMembers.ts';
import type { RejectedEvents } from '../ingest/rejectedEvents.ts';
import { type RejectionCode, rejectionCatalogue } from '../ingest/rejection.ts';
import type { MemberRead, MemberReads } from '../invoke/memberReads.ts';
import { membersOf } from '../sources/existingMembers.ts';
import type { ExistingTable, TableChoice } from '../sources/existingTable.ts';
import type { Source } from '../sources/source.ts';
import {
  aliasProblem,
  formatProjectField,
  parseProjectField,
  type SourceDeclaration,
  sourceNameProblem,
  sourceOf,
} from '../sources/sourceDeclaration.ts';
import type { SourceOrigin, SourceRegistry } from '../sources/sourceRegistry.ts';
import type { SourceStore } from '../sources/sourceStore.ts';
import { unknownSource } from '../sources/unknownSource.ts';

export interface SourceManagementServices {
  readonly registry: SourceRegistry;
  readonly store: SourceStore;
  /** Creates the table for events of a source, if it is missing. Resolves when events can be stored. */
  readonly makeTable: (source: Source) => Promise<void>;
  /** Finds the columns of a table that others fill (ports/storageEngine.ts); absent if no source can read one. */
  readonly describeTable?: ((choice: TableChoice) => Promise<ExistingTable>) | undefined;
  readonly rejectedEvents: Pick<RejectedEvents, 'of'>;
  readonly memberReads: Pick<MemberReads, 'of'>;
  readonly clock: Clock;
}

/** A member that queries read, in the form of the API. */
export interface MemberReadView extends MemberRead {
  /** Whether it is stored as a typed column. */
  readonly typed: boolean;
}

/** Events of a source that were rejected for one reason, in the form of the API. */
export interface RejectionView {
  readonly code: RejectionCode;
  readonly meaning: string;
  readonly count: number;
  readonly last_at: string;
  /** Of a recent one: what its sender was told, and its JSON text if it is short, both redacted. */
  readonly message: string;
  readonly event: string | null;
}

/** A source in the form of the API. */
export interface SourceView {
  readonly name: string;
  readonly description: string;
  /** The member of events that names their project: `project` or `metadata.<member>`. */
  readonly project_field: string;
  readonly aliases: readonly string[];
  readonly origin: SourceOrigin;
  /** Only of a source that reads a table that others fill. Such a source is read only. */
  readonly table?: TableView;
}

/** The table of a source in the form of the API. */
export interface TableView {
  /** `database.table` */
  readonly name: string;
  readonly time: string;
  readonly project: string;
  readonly message: string;
  readonly id: string | null;
  readonly metadata: string | null;
  /** The columns that are members of metadata. */
  readonly members: readonly string[];
}

/** Who asks for a change, and in which request. */
export interface SourceManager {
  readonly actor: string;
  readonly requestId: string;
}

const refusal: Refusal = { code: 'source.invalid', sentence: 'The source is not valid' };
const aliasesMax = 100;
const descriptionCharsMax = 1000;

const aliasList = z
  .array(
    z.string({ error: 'must be text' }).superRefine((alias, context) => {
      const problem = aliasProblem(alias);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    }),
    { error: 'must be a list of texts' },
  )
  .max(aliasesMax, `must have at most ${aliasesMax} names`)
  .transform((aliases) => [...new Set(aliases)]);

const columnName = z.string({ error: 'must be the name of a column' }).min(1, 'must be the name of a column').max(255);

const tableInput = z.strictObject(
  {
    name: z
      .string({ error: 'must be text' })
      .max(400)
      .regex(/^[A-Za-z_][A-Za-z0-9_-]*\.[A-Za-z_][A-Za-z0-9_-]*$/, 'must be database.table')
      .describe('The table, as `database.table`.'),
    time: columnName.describe('The column with the time of an event.'),
    project: columnName.describe('The column with the project of an event.'),
    message: columnName.describe('The column with the message of an event.'),
    id: columnName.optional().describe('The column with the ID of an event; by default, the ID is a hash.'),
    metadata: columnName
      .optional()
      .describe('The column with the metadata, JSON objects; by default, every other column is a member of metadata.'),
  },
  { error: 'must be a JSON object with the members name, time, project and message' },
);

/** The request for a new source. */
export const sourceInput = z.strictObject(
  {
    name: z.string({ error: 'must be text' }).superRefine((name, context) => {
      const problem = sourceNameProblem(name);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    }),
    project_field: z
      .string({ error: 'must be text' })
      .default('project')
      .transform((text, context) => {
        const field = parseProjectField(text);
        if (field !== undefined) return field;
        context.addIssue({ code: 'custom', message: 'must be project or metadata.<member>' });
        return z.NEVER;
      }),
    description: z
      .string({ error: 'must be text' })
      .max(descriptionCharsMax, `must have at most ${descriptionCharsMax} characters`)
      .default(''),
    aliases: aliasList.default([]),
    table: tableInput.optional().describe('A table in ClickHouse that others fill. The source is read only.'),
  },
  { error: 'must be a JSON object' },
);

/** The request to set the aliases of a source. */
export const aliasesInput = z.strictObject(
  { aliases: aliasList },
  { error: 'must be a JSON object with the member aliases' },
);

/** Lists, adds and changes sources (streams.md, row "unknown source"). Callers check the permission first. */
export class SourceManagement {
  readonly #services: SourceManagementServices;
  /** One change at a time, so that what was checked still holds when the change is made. */
  readonly #changes = new Mutex();

  constructor(services: SourceManagementServices) {
    this.#services = services;
  }

  /** In the order of their declaration. */
  list(): readonly SourceView[] {
    return this.#services.registry.list().map(({ source }) => this.#view(source.name));
  }

  /**
   * Adds a source. Events can be sent when it resolves, or, if it reads a table that others fill, queries see the rows.
   * Throws `source.invalid`, `source.conflict`, `ingest.overloaded`, `engine.denied`, `engine.failed`, `engine.restarting`.
   */
  async create(input: unknown, by: SourceManager): Promise<SourceView> {
    const { name, project_field: projectField, description, aliases, table } = readMembers(sourceInput, input, refusal);
    if (table !== undefined && projectField.kind !== 'column') {
      throw invalid(
        'project_field',
        'The column with the project is given in table.project, so project_field must be absent.',
      );
    }
    return await this.#changes.run(async () => {
      const { registry, store, makeTable, clock } = this.#services;
      if (registry.find(name) !== undefined) throw conflict('name', name, 'a source has this name or alias');
      this.#requireFree(aliases, name);
      const existing = table === undefined ? undefined : await this.#describe(table);
      const declaration: SourceDeclaration = { name, projectField, description, existing };
      const source = sourceOf(declaration);
      // The table first, because a known source without a table would refuse its events.
      await makeTable(source);
      await store.add(declaration, aliases, clock.nowMicros(), () => this.#entry('source.create', name, by));
      registry.add({ source, description, origin: 'added' });
      for (const alias of aliases) registry.addAlias(alias, name, 'added');
      return this.#view(name);
    });
  }

  /**
   * Replaces the aliases of a source, except those of the configuration.
   * Throws `source.unknown`, `source.invalid`, `source.conflict`.
   */
  async setAliases(name: string, input: unknown, by: SourceManager): Promise<SourceView> {
    const { aliases } = readMembers(aliasesInput, input, refusal);
    return await this.#changes.run(async () => {
      const { registry, store } = this.#services;
      if (!registry.byName.has(name)) throw unknownSource(name, registry.names());
      const configured = registry.aliasesOf(name, 'configuration');
      const wanted = aliases.filter((alias) => !configured.includes(alias));
      this.#requireFree(wanted, name);
      await store.setAliases(name, wanted, () => this.#entry('source.alias', name, by));
      for (const alias of registry.aliasesOf(name, 'added')) registry.removeAlias(alias);
      for (const alias of wanted) registry.addAlias(alias, name, 'added');
      return this.#view(name);
    });
  }

  /** Members that queries read, most read first. Throws `source.unknown`. */
  membersReadOf(name: string): readonly MemberReadView[] {
    const { registry, memberReads } = this.#services;
    const source = registry.byName.get(name);
    if (source === undefined) throw unknownSource(name, registry.names());
    const columns = source.hotColumns.filter(({ kind }) => kind !== 'presence');
    const typed = new Set(columns.map(({ path }) => ['metadata', ...path].join('.')));
    return memberReads.of(name).map((read) => ({ ...read, typed: typed.has(read.member) }));
  }

  /** Rejected events of a source by reason, most first. Throws `source.unknown`. */
  async rejectionsOf(name: string, turns: Turns): Promise<readonly RejectionView[]> {
    const { registry, rejectedEvents } = this.#services;
    if (!registry.byName.has(name)) throw unknownSource(name, registry.names());
    return (await rejectedEvents.of(name, turns)).map(({ code, count, lastMicros, message, event }) => ({
      code,
      meaning: rejectionCatalogue[code],
      count,
      last_at: new Date(lastMicros / 1000).toISOString(),
      message,
      event,
    }));
  }

  #view(name: string): SourceView {
    const { registry } = this.#services;
    const registered = registry.list().find(({ source }) => source.name === name);
    if (registered === undefined) throw new Error(`the source ${name} is not registered`);
    const { source, description, origin } = registered;
    return {
      name,
      description,
      project_field: formatProjectField(source.projectField),
      aliases: registry.aliasesOf(name),
      origin,
      ...(source.existing === undefined ? {} : { table: tableView(source.existing) }),
    };
  }

  async #describe({ name, id, metadata, ...columns }: z.output<typeof tableInput>): Promise<ExistingTable> {
    const { describeTable } = this.#services;
    if (describeTable === undefined) {
      throw invalid('table', 'A source can read a table of others only with LOGMILL_EVENTS=clickhouse.');
    }
    const [database = '', table = ''] = name.split('.');
    return await describeTable({ ...columns, database, table, id: id ?? null, metadata: metadata ?? null });
  }

  /** Throws `source.conflict` if an alias already means another source. */
  #requireFree(aliases: readonly string[], name: string): void {
    for (const alias of aliases) {
      const found = this.#services.registry.find(alias);
      if (alias === name || (found !== undefined && found.name !== name)) {
        throw conflict('aliases', alias, `it means the source ${found?.name ?? name}`);
      }
      if (this.#services.registry.byName.has(alias)) throw conflict('aliases', alias, 'it is the name of a source');
    }
  }

  #entry(action: AuditAction, target: string, { actor, requestId }: SourceManager): readonly AuditEvent[] {
    return [{ atMicros: this.#services.clock.nowMicros(), actor, action, target, version: null, requestId }];
  }
}

function tableView(existing: ExistingTable): TableView {
  const { database, table, time, project, message, id, metadata } = existing;
  const members = membersOf(existing).map(({ name }) => name);
  return { name: `${database}.${table}`, time, project, message, id, metadata, members };
}

function invalid(parameter: string, sentence: string): ServiceError {
  return new ServiceError('source.invalid', sentence, { errors: [{ parameter }] });
}

function conflict(parameter: string, value: string, why: string): ServiceError {
  return new ServiceError('source.conflict', `The name ${value} is taken: ${why}.`, { errors: [{ parameter, value }] });
}
