import type { ParameterValue } from '../googlesql/resolve/parameterValue.ts';
import type { ResolvedQuery } from '../googlesql/resolve/tree.ts';
import type { SqlType } from '../googlesql/types.ts';
import type { RunRequest, ValuesProfile } from '../ports/queryEngine.ts';

/** What decides the rows of a run, all but the moment at which it is made. */
export interface CacheKeyInput {
  readonly endpointId: string;
  readonly version: number;
  /** A version has one text for ever. It stands in the key nevertheless, so that none but this text can be answered with these rows. */
  readonly storedText: string;
  /** The caller's own query as it was sent, or null for the stored one. */
  readonly callerQuery: { readonly language: string; readonly text: string } | null;
  /** The columns of the answer. */
  readonly columns: ResolvedQuery['columns'];
  readonly request: Omit<RunRequest, 'query' | 'nowMicros'>;
}

/**
 * The key of a result (contract, section 5): equal for two runs exactly where nothing but the moment
 * can make their rows differ. It is the canonical text of everything that decides, never a hash of it.
 *
 * Whatever is added to `RunRequest` stands in the key by itself, or does not compile here.
 */
export function cacheKey({ endpointId, version, storedText, callerQuery, columns, request }: CacheKeyInput): string {
  const { parameters, projects, profile, ...rest } = request;
  const others: Readonly<Record<string, string | number | boolean | null>> = rest;
  return JSON.stringify([
    endpointId,
    version,
    storedText,
    callerQuery === null ? null : [callerQuery.language, callerQuery.text],
    [...parameters].sort(byName).map(([name, value]) => [name, value.kind, canonicalValue(value)]),
    projects === null ? null : [...projects].sort(),
    profileOf(columns, profile),
    Object.entries(others).sort(byName),
  ]);
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function canonicalValue(value: ParameterValue): string | number | boolean | null {
  switch (value.kind) {
    case 'null':
      return null;
    case 'int64':
      return String(value.value);
    case 'float64':
      // Text keeps apart what JSON writes alike: -0 and 0, and what is no finite number.
      return Object.is(value.value, -0) ? '-0' : String(value.value);
    case 'timestamp':
      return value.micros;
    case 'date':
      return value.days;
    case 'string':
    case 'bool':
      return value.value;
  }
}

/** The values profile where it can change a byte of the rows, else null: most charts are the same in both. */
function profileOf(columns: CacheKeyInput['columns'], profile: ValuesProfile): ValuesProfile | null {
  return columns.some(({ column }) => dependsOnProfile(column.type)) ? profile : null;
}

/** Contract, section 1, "Values": points in time and nested records are written in two ways. */
function dependsOnProfile(type: SqlType): boolean {
  if (type.kind === 'ARRAY') return dependsOnProfile(type.element);
  return type.kind === 'TIMESTAMP' || type.kind === 'JSON' || type.kind === 'STRUCT';
}
