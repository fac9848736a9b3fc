import { JsonSyntaxError } from '../../core/jsonSyntaxError.ts';
import { parseJson } from '../../core/losslessJson.ts';
import { nearestName } from '../../core/nearestName.ts';
import { hasOnlyFiniteNumbers, writeJson } from '../../core/writeJson.ts';
import type { IntegerLiteral, TypedLiteral, TypedLiteralType, TypeNode } from '../syntax/nodes.ts';
import { DATE, DATETIME, FLOAT64, INT64, JSON_TYPE, type SqlType, STRING, TIME, TIMESTAMP } from '../types.ts';
import { textAs } from './coercion.ts';
import { sqlError } from './sqlError.ts';
import type { Expr, LiteralValue } from './tree.ts';

export const literal = (type: SqlType, value: LiteralValue): Expr => ({ kind: 'literal', type, value });

const int64Max = 9_223_372_036_854_775_807n;

/** Resolves an integer literal; `negative` if a minus precedes it. */
export function integerLiteral(node: IntegerLiteral, negative: boolean): Expr {
  const { value } = node;
  if (value > int64Max + (negative ? 1n : 0n)) {
    throw sqlError('sql.type', `${value} does not fit INT64`, node.pos, { token: String(value) });
  }
  return literal(INT64, negative ? -value : value);
}

const typedLiteralTypes: Record<TypedLiteralType, SqlType> = {
  DATE,
  DATETIME,
  TIME,
  TIMESTAMP,
  JSON: JSON_TYPE,
  NUMERIC: FLOAT64,
  BIGNUMERIC: FLOAT64,
};

/** Resolves typed literals such as `timestamp '2026-05-01'`. */
export function typedLiteral(node: TypedLiteral): Expr {
  const type = typedLiteralTypes[node.type];
  const text = node.value.value;
  if (type.kind === 'JSON') return jsonLiteral(node, text);
  if (type.kind === 'FLOAT64') {
    throw sqlError(
      'sql.unsupported',
      `The type ${node.type} is not available; write ${text.slice(0, 40)} or use FLOAT64`,
      node.pos,
    );
  }
  const value = textAs(text, type);
  if (value !== null) return literal(type, value);
  if (type.kind === 'TIMESTAMP' && / [A-Za-z]+\/[A-Za-z_]+$/.test(text)) {
    return { kind: 'cast', type, value: literal(STRING, text), safe: false, pos: node.pos, label: 'the literal' };
  }
  throw sqlError('sql.type', `'${text.slice(0, 80)}' is not a ${type.kind}`, node.pos, {
    token: text.slice(0, 80),
    expected: expectedForm[type.kind] ?? type.kind,
  });
}

const expectedForm: Readonly<Record<string, string>> = {
  TIMESTAMP: '2026-05-01 10:00:00[.ffffff][+02:00]',
  DATETIME: '2026-05-01 10:00:00[.ffffff]',
  DATE: '2026-05-01',
  TIME: '10:00:00[.ffffff]',
};

function jsonLiteral(node: TypedLiteral, text: string): Expr {
  try {
    const value = parseJson(text, { duplicateKeys: 'first' });
    if (hasOnlyFiniteNumbers(value)) return literal(JSON_TYPE, value === null ? null : writeJson(value));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
  }
  throw sqlError('sql.type', 'The JSON literal does not contain valid JSON', node.pos, { token: text.slice(0, 80) });
}

const namedTypes: Readonly<Record<string, SqlType>> = {
  INT64,
  INT: INT64,
  INTEGER: INT64,
  BIGINT: INT64,
  SMALLINT: INT64,
  TINYINT: INT64,
  BYTEINT: INT64,
  INT2: INT64,
  INT4: INT64,
  INT8: INT64,
  FLOAT64,
  FLOAT: FLOAT64,
  DOUBLE: FLOAT64,
  'DOUBLE PRECISION': FLOAT64,
  REAL: FLOAT64,
  NUMERIC: FLOAT64,
  DECIMAL: FLOAT64,
  FLOAT4: FLOAT64,
  FLOAT8: FLOAT64,
  BOOL: { kind: 'BOOL' },
  BOOLEAN: { kind: 'BOOL' },
  STRING,
  TEXT: STRING,
  VARCHAR: STRING,
  'CHARACTER VARYING': STRING,
  CHAR: STRING,
  UUID: STRING,
  BYTES: { kind: 'BYTES' },
  TIMESTAMP,
  TIMESTAMPTZ: TIMESTAMP,
  'TIMESTAMP WITH TIME ZONE': TIMESTAMP,
  'TIMESTAMP WITHOUT TIME ZONE': DATETIME,
  DATETIME,
  DATE,
  TIME,
  INTERVAL: { kind: 'INTERVAL' },
  JSON: JSON_TYPE,
  JSONB: JSON_TYPE,
};

/** The names that GoogleSQL has; only a `::` cast may use the others. */
const googleTypes: ReadonlySet<string> = new Set([
  'INT64',
  'INT',
  'INTEGER',
  'BIGINT',
  'SMALLINT',
  'TINYINT',
  'BYTEINT',
  'FLOAT64',
  'BOOL',
  'BOOLEAN',
  'STRING',
  'BYTES',
  'TIMESTAMP',
  'DATETIME',
  'DATE',
  'TIME',
  'INTERVAL',
  'JSON',
]);

/** GoogleSQL's decimal types. They are refused, because FLOAT64 would round differently. */
const decimalTypes: ReadonlySet<string> = new Set(['NUMERIC', 'DECIMAL', 'BIGNUMERIC', 'BIGDECIMAL']);

/**
 * The type that the text names. After `::`, which is not GoogleSQL, NUMERIC means FLOAT64: clients write it for any
 * number with a decimal point.
 */
export function resolveType(node: TypeNode, isDoubleColon: boolean): SqlType {
  if (node.kind === 'ArrayType') return { kind: 'ARRAY', element: resolveType(node.element, isDoubleColon) };
  if (node.kind === 'StructType') {
    return {
      kind: 'STRUCT',
      fields: node.fields.map((field) => ({
        name: field.name?.name ?? '',
        type: resolveType(field.type, isDoubleColon),
      })),
    };
  }
  const type = namedTypes[node.name];
  if (decimalTypes.has(node.name) && !(isDoubleColon && type !== undefined)) {
    throw sqlError(
      'sql.unsupported',
      `The type ${node.name} is not available; write FLOAT64, or INT64 for integers`,
      node.pos,
      {
        token: node.name,
      },
    );
  }
  if (type !== undefined && (isDoubleColon || googleTypes.has(node.name))) {
    if (node.parameters.length === 0) return type;
    const sentence = `Type parameters are not available; write ${node.name}, and use ROUND or LEFT to shorten values`;
    throw sqlError('sql.unsupported', sentence, node.pos, { token: node.name });
  }
  const allowed = ['INT64', 'FLOAT64', 'BOOL', 'STRING', 'BYTES', 'TIMESTAMP', 'DATETIME', 'DATE', 'TIME', 'JSON'];
  const nearest = type?.kind ?? nearestName(node.name, allowed);
  throw sqlError('sql.type', `Unknown type ${node.name}`, node.pos, {
    token: node.name,
    allowed,
    ...(nearest !== undefined && { nearest }),
  });
}
