import { assertNever } from '../../../core/assertNever.ts';
import { memberNames } from '../../../googlesql/memberNames.ts';
import type { SqlType } from '../../../googlesql/types.ts';
import type { ValuesProfile } from '../../../ports/queryEngine.ts';
import { intervalText } from '../functions/scalarText.ts';
import { quoteText } from './literal.ts';

export interface EncodedColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly sql: string;
  /** Whether a FLOAT64 is known to be neither NaN nor infinite. */
  readonly isFinite: boolean;
  /** Whether the column of the answer is JSON, although its values may be known to have another type. */
  readonly isJson: boolean;
}

/**
 * Writes one row as JSON text in UTF-8 (BLOB), with members in the order of the select list, and `ending` after it. Records
 * inside JSON values stay as stored; the `records` profile wraps them later (recordsProfile.ts).
 */
export function encodeRow(columns: readonly EncodedColumn[], profile: ValuesProfile, ending: '' | ',' = ''): string {
  const runs = runsOf(columns, profile);
  const parts = runs.flatMap((run, i): readonly string[] => {
    const isFirst = i === 0;
    const isLast = i === runs.length - 1;
    if (run.kind === 'object')
      return [...membersOf(run.sql, isFirst, isLast), ...(isLast && ending !== '' ? [quoteText(ending)] : [])];
    const { name, sql, type } = run.column;
    const begun = quoteText(`${isFirst ? '{' : ','}${JSON.stringify(name)}:`);
    return [begun, encodeValue(sql, type, profile), ...(isLast ? [quoteText(`}${ending}`)] : [])];
  });
  const [whole = quoteText(`{}${ending}`)] = parts;
  return `encode(${parts.length > 1 ? `concat(${parts.join(', ')})` : whole})`;
}

/**
 * Neighbouring columns. Scalars are written as one object, because one call with many arguments is prepared faster than
 * many calls with few.
 */
type Run =
  | { readonly kind: 'object'; readonly sql: string }
  | { readonly kind: 'value'; readonly column: EncodedColumn };

function runsOf(columns: readonly EncodedColumn[], profile: ValuesProfile): readonly Run[] {
  const runs: Run[] = [];
  let members: string[] = [];
  const endObject = () => {
    if (members.length > 0) runs.push({ kind: 'object', sql: `CAST(json_object(${members.join(', ')}) AS VARCHAR)` });
    members = [];
  };
  for (const column of columns) {
    const scalar = column.isFinite ? finiteNumber(column.sql) : scalarOf(column.sql, column.type, profile);
    if (scalar !== null) {
      members.push(`${quoteText(column.name)}, ${scalar}`);
      continue;
    }
    endObject();
    runs.push({ kind: 'value', column });
  }
  endObject();
  return runs;
}

/** Members of an object's text, without the brace on each side where other members follow or precede. */
function membersOf(object: string, isFirst: boolean, isLast: boolean): readonly string[] {
  const begun = isLast ? object : `left(${object}, -1)`;
  return isFirst ? [begun] : ["','", `substr(${begun}, 2)`];
}

/**
 * SQL that the engine's own JSON writer turns into the right text. Null for types that it would write differently: JSON
 * values stay as stored.
 */
export function scalarOf(sql: string, type: SqlType, profile: ValuesProfile): string | null {
  switch (type.kind) {
    case 'STRING':
    case 'INT64':
    case 'BOOL':
      return sql;
    case 'TIMESTAMP':
      return profile === 'records' ? `epoch_us(${sql})` : `strftime(${sql}, '%Y-%m-%dT%H:%M:%S.%fZ')`;
    case 'DATETIME':
      return `CASE WHEN epoch_us(${sql}) % 1000000 = 0 THEN strftime(${sql}, '%Y-%m-%dT%H:%M:%S') ELSE strftime(${sql}, '%Y-%m-%dT%H:%M:%S.%f') END`;
    case 'INTERVAL':
      return intervalText(sql);
    case 'DATE':
    case 'TIME':
      return `CAST(${sql} AS VARCHAR)`;
    case 'BYTES':
      return `base64(${sql})`;
    case 'NULL':
      return 'CAST(NULL AS VARCHAR)';
    case 'FLOAT64':
      return `CASE WHEN isfinite(${sql}) THEN ${finiteNumber(sql)} WHEN isnan(${sql}) THEN to_json('NaN') WHEN ${sql} > 0 THEN to_json('Infinity') WHEN ${sql} < 0 THEN to_json('-Infinity') END`;
    case 'JSON':
    case 'ARRAY':
    case 'STRUCT':
      return null;
    default:
      return assertNever(type);
  }
}

/** JSON text of a value, never NULL (contract, section 1, "Values"). */
function encodeValue(sql: string, type: SqlType, profile: ValuesProfile, depth = 0): string {
  return `coalesce(${encodeKnown(sql, type, profile, depth)}, 'null')`;
}

/** `depth` counts the lambdas around the value, so that each names its element differently. */
export function encodeKnown(sql: string, type: SqlType, profile: ValuesProfile, depth: number): string {
  const scalar = scalarOf(sql, type, profile);
  if (scalar !== null) return `CAST(to_json(${scalar}) AS VARCHAR)`;
  switch (type.kind) {
    case 'ARRAY':
      return `'[' || array_to_string(list_transform(${sql}, lambda x${depth}: ${encodeValue(`x${depth}`, type.element, profile, depth + 1)}), ',') || ']'`;
    case 'STRUCT': {
      const names = memberNames(type.fields);
      const fields = type.fields.map((field, i) => {
        const value = encodeValue(`struct_extract(${sql}, 'f${i}')`, field.type, profile, depth);
        return `${quoteText(`${i === 0 ? '' : ','}${JSON.stringify(names[i])}:`)}, ${value}`;
      });
      return `CASE WHEN ${sql} IS NOT NULL THEN concat('{', ${fields.join(', ')}, '}') END`;
    }
    default:
      return `CAST(${sql} AS VARCHAR)`;
  }
}

/**
 * The shortest digits that represent the number, as JSON. Whole numbers have no point, unless a reader could take the
 * number for a large INT64.
 */
export const finiteNumber = (sql: string): string =>
  `CASE WHEN ${sql} = trunc(${sql}) AND abs(${sql}) < 9007199254740992 THEN to_json(CAST(${sql} AS BIGINT)) ELSE to_json(${sql}) END`;
