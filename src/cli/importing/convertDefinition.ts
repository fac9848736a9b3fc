import { createHash } from 'node:crypto';
import { ServiceError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/jsonValue.ts';
import { limits } from '../../core/limits.ts';
import { writeJson } from '../../core/writeJson.ts';
import type { EndpointDefinition } from '../../endpoints/definition.ts';
import { formatDefinition, parseDefinition } from '../../endpoints/parseDefinition.ts';
import { describeEndpoint } from '../../invoke/describe.ts';
import type { Source } from '../../sources/source.ts';
import { inferParameters } from './inferParameters.ts';
import { mapSources } from './mapSources.ts';

/** What became of one member of an exported definition, or of one thing in it. */
export interface Finding {
  readonly kind: 'taken' | 'changed' | 'left_out' | 'needs_person';
  /** Of the export. */
  readonly member: string;
  /** Empty for what was taken as it is. */
  readonly message: string;
}

export interface ConvertedDefinition {
  /** As the export writes it. */
  readonly exportedName: string;
  readonly findings: readonly Finding[];
  /** Null where it cannot be imported before a person has done something. */
  readonly definition: EndpointDefinition | null;
}

export interface ConvertInputs {
  readonly sources: ReadonlyMap<string, Source>;
  /** Streams that were given for tables, by the table's name. */
  readonly given: ReadonlyMap<string, string>;
}

/** A definition of the kind of service that this one replaces, as a definition of this one, and a report of every member. */
export function convertDefinition(exported: JsonObject, { sources, given }: ConvertInputs): ConvertedDefinition {
  const findings: Finding[] = [];
  const add = (kind: Finding['kind'], member: string, message = ''): void => {
    findings.push({ kind, member, message });
  };
  const read = reader(exported, add);
  const exportedName = typeof exported.name === 'string' && exported.name !== '' ? exported.name : '(no name)';
  const name = nameOf(read.text('name') ?? '', add);
  const id = idOf(read, name, add);
  const text = read.text('query') ?? '';
  const description = read.text('description') ?? '';
  if (description !== '') add('taken', 'description');
  const isLanguage = languageOf(read.text('language'), add);
  const { query, mapped, unmapped } = mapSources(text, {
    streams: [...sources.keys()],
    given,
    nameOfId: sourceNames(read.take('source_mapping'), add),
  });
  for (const { from, to } of mapped) add('changed', 'query', `The table ${from} is ${to} here.`);
  for (const { name: table, line, column, candidates } of unmapped) {
    const why = candidates.length === 0 ? 'is no stream of this service' : `could be ${candidates.join(' or ')}`;
    add(
      'needs_person',
      'query',
      `The table ${table} (line ${line}, column ${column}) ${why}; say which with --source.`,
    );
  }
  if (mapped.length === 0 && unmapped.length === 0 && text !== '') add('taken', 'query');
  const parameters = inferParameters(query, sources);
  for (const { name: parameter, type, allowEmpty } of parameters) {
    const empty = allowEmpty ? ' The query compares it with an empty text, so it may be empty.' : '';
    add('changed', 'query', `@${parameter} is declared as ${type}, not required; absent it is NULL.${empty}`);
  }
  const cacheSeconds = cacheOf(read, add);
  const fields = {
    id,
    name,
    description,
    query,
    parameters: Object.fromEntries(
      parameters.map(({ name: parameter, type, allowEmpty }) => [
        parameter,
        { type, ...(allowEmpty ? { allow_empty: true } : {}) },
      ]),
    ),
    max_rows: rowsOf(read, add),
    cache_seconds: cacheSeconds,
    ...warmOf(read, cacheSeconds, add),
    sandbox: read.flag('sandboxable') ?? false,
    redact_pii: read.flag('redact_pii') ?? false,
  };
  authOf(read.take('enable_auth'), add);
  read.rest((member) => add('left_out', member, 'There is nothing like it here.'));
  const checked = isLanguage ? checkedDefinition(fields, sources) : null;
  if (typeof checked === 'string') add('needs_person', 'query', checked);
  return { exportedName, findings, definition: typeof checked === 'string' ? null : checked };
}

/** The definition, or a sentence that says why it is none. */
function checkedDefinition(fields: object, sources: ReadonlyMap<string, Source>): EndpointDefinition | string {
  try {
    const definition = parseDefinition(fields, { label: 'as it is exported' });
    describeEndpoint(definition, sources);
    // What is sent must be read back as the same.
    return parseDefinition(formatDefinition(definition), { label: definition.name });
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
}

type Add = (kind: Finding['kind'], member: string, message?: string) => void;

interface Reader {
  /** The member, which counts as read then; undefined where it is absent or null. */
  take(member: string): JsonValue | undefined;
  text(member: string): string | undefined;
  flag(member: string): boolean | undefined;
  number(member: string): number | undefined;
  /** Members that were not read. */
  rest(see: (member: string) => void): void;
}

function reader(exported: JsonObject, add: Add): Reader {
  const unread = new Set(Object.keys(exported));
  const take = (member: string): JsonValue | undefined => {
    unread.delete(member);
    return Object.hasOwn(exported, member) ? (exported[member] ?? undefined) : undefined;
  };
  const wrong = (member: string, wanted: string): undefined => {
    add('needs_person', member, `It is not ${wanted}, so it was not taken.`);
  };
  return {
    take,
    text(member) {
      const value = take(member);
      return value === undefined || typeof value === 'string' ? value : wrong(member, 'text');
    },
    flag(member) {
      const value = take(member);
      if (value === undefined) return undefined;
      if (typeof value !== 'boolean') return wrong(member, 'true or false');
      add('taken', member);
      return value;
    },
    number(member) {
      const value = take(member);
      if (value === undefined) return undefined;
      return typeof value === 'number' && Number.isInteger(value) ? value : wrong(member, 'a whole number');
    },
    rest(see) {
      for (const member of unread) see(member);
    },
  };
}

function nameOf(exported: string, add: Add): string {
  const name = exported
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/^[.-]+|[.-]+$/g, '');
  if (name === '') add('needs_person', 'name', 'It has no name that can be used here.');
  else if (name === exported) add('taken', 'name');
  else add('changed', 'name', `It is called ${name} here; callers by the old name have to change.`);
  return name;
}

/** Callers by id go on where the export tells the id; else it follows from the name, so that an import can be repeated. */
function idOf(read: Reader, name: string, add: Add): string {
  const token = read.take('token');
  const id = read.take('id');
  if (typeof token === 'string' && isUuid(token)) {
    add('taken', 'token', 'It is the id here.');
    if (id !== undefined) add('left_out', 'id', 'The id here is the token, by which it was called.');
    return token.toLowerCase();
  }
  if (token !== undefined) {
    add('needs_person', 'token', 'It is no UUID and was not taken: "logmill tokens create" makes tokens.');
  }
  if (typeof id === 'string' && isUuid(id)) {
    add('taken', 'id');
    return id.toLowerCase();
  }
  if (id !== undefined) add('left_out', 'id', 'It is no UUID.');
  const hex = createHash('sha256').update(`logmill import ${name}`).digest('hex');
  const made = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  add('changed', 'id', `It has the id ${made} here, which follows from its name.`);
  return made;
}

/** Whether the query is in the language of this service. */
function languageOf(language: string | undefined, add: Add): boolean {
  if (language === undefined) return true;
  if (/^(bq_sql|bigquery|googlesql|sql)$/i.test(language)) {
    add('taken', 'language');
    return true;
  }
  add('needs_person', 'language', `The query is in ${language.slice(0, 40)}; it has to be written in GoogleSQL.`);
  return false;
}

function rowsOf(read: Reader, add: Add): number {
  const rows = read.number('max_limit');
  if (rows === undefined) {
    add('changed', 'max_limit', 'It says none; 1000 rows are the most here.');
    return 1000;
  }
  const kept = Math.min(Math.max(rows, 1), limits.maxRowsMax);
  if (kept === rows) add('taken', 'max_limit');
  else add('changed', 'max_limit', `${rows} is ${kept} here; 1 to ${limits.maxRowsMax} are possible.`);
  return kept;
}

function cacheOf(read: Reader, add: Add): number {
  const seconds = read.number('cache_duration_seconds');
  if (seconds === undefined) return 0;
  const kept = Math.min(Math.max(seconds, 0), limits.cacheSecondsMax);
  if (kept === seconds) add('taken', 'cache_duration_seconds');
  else
    add(
      'changed',
      'cache_duration_seconds',
      `${seconds} is ${kept} here; 0 to ${limits.cacheSecondsMax} are possible.`,
    );
  return kept;
}

/** Results are refreshed at least 5 seconds apart, and before they expire. */
function warmOf(read: Reader, cacheSeconds: number, add: Add): { readonly warm_seconds?: number } {
  const seconds = read.number('proactive_requerying_seconds');
  if (seconds === undefined) return {};
  if (seconds <= 0) {
    add('taken', 'proactive_requerying_seconds');
    return {};
  }
  const kept = Math.min(Math.max(seconds, 5), cacheSeconds - 1);
  if (kept < 5) {
    const why = cacheSeconds === 0 ? 'nothing is cached' : `${cacheSeconds} seconds of caching are too few`;
    add('changed', 'proactive_requerying_seconds', `${seconds} is none here: ${why}.`);
    return {};
  }
  if (kept === seconds) add('taken', 'proactive_requerying_seconds');
  else
    add(
      'changed',
      'proactive_requerying_seconds',
      `${seconds} is ${kept} here; it is at least 5 and less than the ${cacheSeconds} seconds of caching.`,
    );
  return { warm_seconds: kept };
}

function authOf(value: JsonValue | undefined, add: Add): void {
  if (value === false) {
    add(
      'needs_person',
      'enable_auth',
      'It was open to everyone. Nothing is served without a token here: give its callers one.',
    );
  } else if (value !== undefined) add('taken', 'enable_auth');
}

/** Names of sources by their id, from an object of the one by the other. */
function sourceNames(mapping: JsonValue | undefined, add: Add): ReadonlyMap<string, string> {
  if (mapping === undefined) return new Map();
  if (!isJsonObject(mapping)) {
    add('left_out', 'source_mapping', `It is no object: ${writeJson(mapping).slice(0, 40)}.`);
    return new Map();
  }
  add('taken', 'source_mapping', 'It says which tables are meant.');
  return new Map(
    Object.entries(mapping).flatMap(([name, id]) =>
      typeof id === 'string' ? [[id.toLowerCase(), name] as const] : [],
    ),
  );
}
