import type { JsonValue } from '../core/jsonValue.ts';
import type { ParameterValue } from '../googlesql/resolve/parameterValue.ts';
import type { ResolvedQuery } from '../googlesql/resolve/tree.ts';
import type { SqlType } from '../googlesql/types.ts';
import type { RunRequest, ValuesProfile } from '../ports/queryEngine.ts';

/** Everything that decides the rows of a run, except the time of the run. */
export interface CacheKeyInput {
  readonly endpointId: string;
  readonly version: number;
  /** Redundant with the version, but it guarantees that these rows answer only this text. */
  readonly storedText: string;
  /** The caller query as it was sent, or null for the stored query. */
  readonly callerQuery: { readonly language: string; readonly text: string } | null;
  /** The columns of the answer. */
  readonly columns: ResolvedQuery['columns'];
  readonly request: Omit<RunRequest, 'query' | 'nowMicros'>;
}

/**
 * Builds the key of a result (contract, section 5). Two runs have equal keys if and only if nothing except the
 * time can make their rows differ. The key is the canonical text of its parts, never a hash.
 *
 * A member added to `RunRequest` enters the key automatically, or this function does not compile.
 */
export function cacheKey({ endpointId, version, storedText, callerQuery, columns, request }: CacheKeyInput): string {
  const { parameters, projects, profile, arrivals, ...rest } = request;
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
    ...(arrivals === undefined ? [] : [[arrivals.after, arrivals.to]]),
  ]);
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function canonicalValue(value: ParameterValue): JsonValue {
  switch (value.kind) {
    case 'null':
      return null;
    case 'array':
      return value.elements.map((element) => [element.kind, canonicalValue(element)]);
    case 'int64':
      return String(value.value);
    case 'float64':
      // JSON writes -0 as 0 and non-finite numbers as null; text keeps them distinct.
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

/** The values profile if it can change the rows, else null, so that both profiles share most cached results. */
function profileOf(columns: CacheKeyInput['columns'], profile: ValuesProfile): ValuesProfile | null {
  return columns.some(({ column }) => dependsOnProfile(column.type)) ? profile : null;
}

/** Contract, section 1, "Values": the profiles write timestamps and nested records differently. */
function dependsOnProfile(type: SqlType): boolean {
  if (type.kind === 'ARRAY') return dependsOnProfile(type.element);
  return type.kind === 'TIMESTAMP' || type.kind === 'JSON' || type.kind === 'STRUCT';
}
