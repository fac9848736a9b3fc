import { ServiceError } from '../../core/errors.ts';
import { isUuid, uuidOfText } from '../../core/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/jsonValue.ts';
import { limits } from '../../core/limits.ts';
import { writeJson } from '../../core/writeJson.ts';
import type { EndpointDefinition } from '../../endpoints/definition.ts';
import { formatDefinition, parseDefinition } from '../../endpoints/parseDefinition.ts';
import { describeEndpoint } from '../../invoke/describe.ts';
import type { Source } from '../../sources/source.ts';
import { inferParameters } from './inferParameters.ts';
import { mapSources } from './mapSources.ts';

/** What the import did with a member of an exported definition, or with a part of it. */
export interface Finding {
  readonly kind: 'taken' | 'changed' | 'left_out' | 'needs_person';
  /** Name of the member in the export. */
  readonly member: string;
  /** Empty for a member that was taken unchanged. */
  readonly message: string;
}

export interface ConvertedDefinition {
  /** The name in the export. */
  readonly exportedName: string;
  readonly findings: readonly Finding[];
  /** Null if a person has to change something before the import. */
  readonly definition: EndpointDefinition | null;
}

export interface ConvertInputs {
  readonly sources: ReadonlyMap<string, Source>;
  /** Sources that `--source` gives for tables, by table name. */
  readonly given: ReadonlyMap<string, string>;
}

/** Converts a definition exported by a similar service, and reports every member of it. */
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
  for (const { from, to } of mapped) add('changed', 'query', `table ${from} becomes ${to}`);
  for (const { name: table, line, column, candidates } of unmapped) {
    const why = candidates.length === 0 ? 'matches no source' : `matches the sources ${candidates.join(' and ')}`;
    add('needs_person', 'query', `table ${table} (line ${line}, column ${column}) ${why}; choose one with --source`);
  }
  if (mapped.length === 0 && unmapped.length === 0 && text !== '') add('taken', 'query');
  const parameters = inferParameters(query, sources);
  for (const { name: parameter, type, allowEmpty } of parameters) {
    const empty = allowEmpty ? ', and can be empty because the query compares it with an empty string' : '';
    add('changed', 'query', `@${parameter} is declared as an optional ${type}; NULL if absent${empty}`);
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
  read.rest((member) => add('left_out', member, 'Logmill has no equivalent'));
  const checked = isLanguage ? checkedDefinition(fields, sources) : null;
  if (typeof checked === 'string') add('needs_person', 'query', checked);
  return { exportedName, findings, definition: typeof checked === 'string' ? null : checked };
}

/** The definition, or a sentence that says why it is invalid. */
function checkedDefinition(fields: object, sources: ReadonlyMap<string, Source>): EndpointDefinition | string {
  try {
    const definition = parseDefinition(fields, { label: 'as exported' });
    describeEndpoint(definition, sources);
    // The service parses what is sent, so it must parse back to the same.
    return parseDefinition(formatDefinition(definition), { label: definition.name });
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
}

type Add = (kind: Finding['kind'], member: string, message?: string) => void;

interface Reader {
  /** Returns the member and marks it as read; undefined if it is absent or null. */
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
    add('needs_person', member, `not ${wanted}, so it was not imported`);
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
  if (name === '')
    add('needs_person', 'name', 'no usable name; names consist of a-z, 0-9, dots, underscores and hyphens');
  else if (name === exported) add('taken', 'name');
  else add('changed', 'name', `renamed to ${name}; callers that use the old name must change`);
  return name;
}

/** Keeps an exported id, so that callers by id continue; else derives one from the name, so that an import is repeatable. */
function idOf(read: Reader, name: string, add: Add): string {
  const token = read.take('token');
  const id = read.take('id');
  if (typeof token === 'string' && isUuid(token)) {
    add('taken', 'token', 'becomes the ID');
    if (id !== undefined) add('left_out', 'id', 'callers used the token, so the token becomes the ID');
    return token.toLowerCase();
  }
  if (token !== undefined) {
    add('needs_person', 'token', 'not a UUID, so it was not imported; "logmill tokens create" creates tokens');
  }
  if (typeof id === 'string' && isUuid(id)) {
    add('taken', 'id');
    return id.toLowerCase();
  }
  if (id !== undefined) add('left_out', 'id', 'not a UUID');
  const made = uuidOfText(`logmill import ${name}`);
  add('changed', 'id', `set to ${made}, which is derived from the name`);
  return made;
}

/** Whether the query is in GoogleSQL. */
function languageOf(language: string | undefined, add: Add): boolean {
  if (language === undefined) return true;
  if (/^(bq_sql|bigquery|googlesql|sql)$/i.test(language)) {
    add('taken', 'language');
    return true;
  }
  add('needs_person', 'language', `the query is in ${language.slice(0, 40)}; rewrite it in GoogleSQL`);
  return false;
}

function rowsOf(read: Reader, add: Add): number {
  const rows = read.number('max_limit');
  if (rows === undefined) {
    add('changed', 'max_limit', 'missing, so it is set to 1000 rows');
    return 1000;
  }
  const kept = Math.min(Math.max(rows, 1), limits.maxRowsMax);
  if (kept === rows) add('taken', 'max_limit');
  else add('changed', 'max_limit', `${clamped(rows, kept)} (allowed: 1–${limits.maxRowsMax})`);
  return kept;
}

function cacheOf(read: Reader, add: Add): number {
  const seconds = read.number('cache_duration_seconds');
  if (seconds === undefined) return 0;
  const kept = Math.min(Math.max(seconds, 0), limits.cacheSecondsMax);
  if (kept === seconds) add('taken', 'cache_duration_seconds');
  else add('changed', 'cache_duration_seconds', `${clamped(seconds, kept)} (allowed: 0–${limits.cacheSecondsMax})`);
  return kept;
}

/** Warming is at least 5 seconds apart, and happens before results expire. */
function warmOf(read: Reader, cacheSeconds: number, add: Add): { readonly warm_seconds?: number } {
  const seconds = read.number('proactive_requerying_seconds');
  if (seconds === undefined) return {};
  if (seconds <= 0) {
    add('taken', 'proactive_requerying_seconds');
    return {};
  }
  const kept = Math.min(Math.max(seconds, 5), cacheSeconds - 1);
  if (kept < 5) {
    const caching = cacheSeconds === 0 ? 'the endpoint does not cache' : `the endpoint caches for ${cacheSeconds} s`;
    add('changed', 'proactive_requerying_seconds', `removed: warming needs at least 6 s of caching, and ${caching}`);
    return {};
  }
  if (kept === seconds) add('taken', 'proactive_requerying_seconds');
  else
    add(
      'changed',
      'proactive_requerying_seconds',
      `${clamped(seconds, kept)} (allowed: 5–${cacheSeconds - 1} with ${cacheSeconds} s of caching)`,
    );
  return { warm_seconds: kept };
}

/** Such as `reduced from 1800 to 59`. */
function clamped(from: number, to: number): string {
  return `${to < from ? 'reduced' : 'raised'} from ${from} to ${to}`;
}

function authOf(value: JsonValue | undefined, add: Add): void {
  if (value === false) {
    add(
      'needs_person',
      'enable_auth',
      'it was open to everyone; Logmill always asks for a token, so give its callers one',
    );
  } else if (value !== undefined) add('taken', 'enable_auth');
}

/** Names of sources by id, from an object that maps names to ids. */
function sourceNames(mapping: JsonValue | undefined, add: Add): ReadonlyMap<string, string> {
  if (mapping === undefined) return new Map();
  if (!isJsonObject(mapping)) {
    add('left_out', 'source_mapping', `not an object: ${writeJson(mapping).slice(0, 40)}`);
    return new Map();
  }
  add('taken', 'source_mapping', 'used to find the sources of the tables');
  return new Map(
    Object.entries(mapping).flatMap(([name, id]) =>
      typeof id === 'string' ? [[id.toLowerCase(), name] as const] : [],
    ),
  );
}
