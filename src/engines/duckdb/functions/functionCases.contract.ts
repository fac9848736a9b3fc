import { DuckDBInstance } from '@duckdb/node-api';
import { type FunctionName, functionCatalogue } from '../../../googlesql/functions/catalogue.ts';
import type {
  Argument,
  FunctionDeclaration,
  Signature,
  SignatureType,
} from '../../../googlesql/functions/signature.ts';
import type { LiteralValue } from '../../../googlesql/resolve/tree.ts';
import { NULL_TYPE, type ScalarTypeName, type SqlType, sameType } from '../../../googlesql/types.ts';
import { duckType, emitLiteral } from '../emit/literal.ts';
import { StatementSteps } from '../process/scripted/scriptedFunction.ts';
import { registerScriptedFunctions } from '../process/scripted/scriptedFunctions.ts';
import type { EmitContext, EmitModifiers } from './emitContext.ts';
import { emitFunction } from './emitters.ts';

/** An argument of a case: a typed expression, with its value if it is a literal, or a date part. */
export type CaseArgument =
  | { readonly kind: 'value'; readonly type: SqlType; readonly sql: string; readonly value?: LiteralValue }
  | { readonly kind: 'part'; readonly part: string };

export type Given = CaseArgument | string | bigint | number | boolean;

const literalOf = (type: SqlType, value: LiteralValue): CaseArgument => ({
  kind: 'value',
  type,
  sql: emitLiteral(type, value),
  value,
});

const sql = (type: SqlType, text: string): CaseArgument => ({ kind: 'value', type, sql: text });

export const literal = (kind: ScalarTypeName, value: LiteralValue): CaseArgument => literalOf({ kind }, value);
export const nul = (kind: ScalarTypeName): CaseArgument => literalOf({ kind }, null);
export const nothing: CaseArgument = sql(NULL_TYPE, 'NULL');
export const part = (name: string): CaseArgument => ({ kind: 'part', part: name });
export const ts = (text: string): CaseArgument => sql({ kind: 'TIMESTAMP' }, `TIMESTAMP '${text}'`);
export const dt = (text: string): CaseArgument => sql({ kind: 'DATETIME' }, `TIMESTAMP '${text}'`);
export const d = (text: string): CaseArgument => sql({ kind: 'DATE' }, `DATE '${text}'`);
export const t = (text: string): CaseArgument => sql({ kind: 'TIME' }, `TIME '${text}'`);
export const json = (text: string): CaseArgument => literalOf({ kind: 'JSON' }, text);
export const bytes = (hex: string): CaseArgument => literalOf({ kind: 'BYTES' }, Buffer.from(hex, 'hex'));
export const interval = (text: string): CaseArgument => sql({ kind: 'INTERVAL' }, `INTERVAL '${text}'`);
export const array = (kind: ScalarTypeName, elements: readonly LiteralValue[]): CaseArgument => {
  const type: SqlType = { kind: 'ARRAY', element: { kind } };
  return sql(type, `CAST([${elements.map((e) => emitLiteral({ kind }, e)).join(', ')}] AS ${duckType(type)})`);
};
export const nullArray = (kind: ScalarTypeName): CaseArgument =>
  sql({ kind: 'ARRAY', element: { kind } }, `CAST(NULL AS ${duckType({ kind })}[])`);
export const struct = (fields: readonly (readonly [string, CaseArgument])[]): CaseArgument => {
  const values = fields.flatMap(([name, field]) => (field.kind === 'value' ? [{ name, field }] : []));
  return sql(
    { kind: 'STRUCT', fields: values.map(({ name, field }) => ({ name, type: field.type })) },
    `struct_pack(${values.map(({ field }, i) => `f${i} := ${field.sql}`).join(', ')})`,
  );
};

function asArgument(given: Given): CaseArgument {
  switch (typeof given) {
    case 'string':
      return literalOf({ kind: 'STRING' }, given);
    case 'bigint':
      return literalOf({ kind: 'INT64' }, given);
    case 'number':
      return literalOf({ kind: 'FLOAT64' }, given);
    case 'boolean':
      return literalOf({ kind: 'BOOL' }, given);
    default:
      return given;
  }
}

type Bindings = Map<string, SqlType>;

/** Whether a type matches a signature's type exactly; the resolver applies coercions. */
function fits(wanted: SignatureType, type: SqlType, bindings: Bindings): boolean {
  if (typeof wanted === 'object') {
    return 'arrayOf' in wanted && type.kind === 'ARRAY' && fits(wanted.arrayOf, type.element, bindings);
  }
  if (wanted === 'ANY') return true;
  if (wanted === 'T' || wanted === 'U' || wanted === 'NUMBER') {
    if (wanted === 'NUMBER' && type.kind !== 'INT64' && type.kind !== 'FLOAT64') return false;
    const bound = bindings.get(wanted);
    if (bound === undefined || bound.kind === 'NULL') bindings.set(wanted, type);
    return bound === undefined || bound.kind === 'NULL' || type.kind === 'NULL' || sameType(bound, type);
  }
  return wanted === type.kind;
}

function fitsArgument(wanted: Argument, given: CaseArgument, bindings: Bindings): boolean {
  if (given.kind === 'part') return wanted.type === 'PART' && (wanted.parts ?? []).includes(given.part);
  return wanted.type !== 'PART' && fits(wanted.type, given.type, bindings);
}

function matchSignature(signature: Signature, args: readonly CaseArgument[]): SqlType | undefined {
  const bindings: Bindings = new Map();
  const repeated = signature.args.filter((arg) => arg.repeated === true);
  const once = signature.args.length - repeated.length;
  for (const [i, arg] of args.entries()) {
    const wanted = signature.args[i] ?? repeated[(i - once) % repeated.length];
    if (wanted === undefined || !fitsArgument(wanted, arg, bindings)) return undefined;
  }
  const missing = signature.args[args.length];
  if (missing !== undefined && missing.optional !== true) return undefined;
  return instantiate(signature.returns, bindings);
}

function instantiate(type: SignatureType, bindings: Bindings): SqlType {
  if (typeof type === 'object') {
    if ('arrayOf' in type) return { kind: 'ARRAY', element: instantiate(type.arrayOf, bindings) };
    return {
      kind: 'STRUCT',
      fields: type.structOf.map((field) => ({ name: field.name, type: instantiate(field.type, bindings) })),
    };
  }
  if (type === 'T' || type === 'U' || type === 'NUMBER') return bindings.get(type) ?? NULL_TYPE;
  if (type === 'ANY' || type === 'PART') throw new Error(`no result can be ${type}`);
  return { kind: type };
}

interface Matched {
  readonly declaration: FunctionDeclaration & { readonly name: FunctionName };
  readonly signature: Signature;
  readonly returns: SqlType;
}

/** Arguments that repeat together repeat in each round. */
function isDeclaredConstant({ args }: Signature, index: number): boolean {
  const repeated = args.filter((arg) => arg.repeated === true);
  const wanted = args[index] ?? repeated[(index - args.length) % repeated.length];
  return wanted?.constant === true;
}

export function matchCall(name: FunctionName, args: readonly CaseArgument[]): Matched {
  const declaration = functionCatalogue.get(name);
  if (declaration === undefined) throw new Error(`no function ${name}`);
  for (const signature of declaration.signatures) {
    const returns = matchSignature(signature, args);
    if (returns !== undefined) return { declaration, signature, returns };
  }
  throw new Error(`no signature of ${name} fits`);
}

/** The clock of the cases: 2026-05-01 10:20:30.123456 UTC. */
export const caseNowMicros = 1_777_630_830_123_456;

export interface CallOptions {
  readonly safe?: boolean;
  readonly modifiers?: Partial<EmitModifiers>;
}

export function contextOf(
  matched: Matched,
  args: readonly CaseArgument[],
  all: boolean,
  options: CallOptions,
): EmitContext {
  const isConstant = (index: number): boolean => all || isDeclaredConstant(matched.signature, index);
  return {
    argTypes: args.map((arg) => (arg.kind === 'part' ? NULL_TYPE : arg.type)),
    returns: matched.returns,
    constants: args.map((arg, i) => (arg.kind === 'value' && isConstant(i) ? arg.value : undefined)),
    fail: (sentence) => `error('logmill:1:1:${sentence.replaceAll("'", "''")}')`,
    failWith: (sentence) => `error('logmill:1:1:' || ${sentence})`,
    safe: options.safe ?? false,
    modifiers: { distinct: false, nulls: null, orderBy: [], limit: null, ...options.modifiers },
  };
}

type Shape = 'literals' | 'columns' | 'long' | 'correlated';

/** The ways in which the arguments of a call reach an emitter. All must give the same result. */
export const shapes: readonly Shape[] = ['literals', 'columns', 'long', 'correlated'];

/** A SELECT of one row with column `v`, which calls a scalar function. */
export function selectScalar(
  name: FunctionName,
  given: readonly Given[],
  shape: Shape,
  options: CallOptions = {},
): string {
  const args = given.map(asArgument);
  const matched = matchCall(name, args);
  const isConstant = (i: number): boolean => isDeclaredConstant(matched.signature, i);
  const inTable = args.flatMap((arg, i) =>
    arg.kind === 'value' && shape !== 'literals' && !isConstant(i) && arg.type.kind !== 'NULL'
      ? [{ i, sql: arg.sql }]
      : [],
  );
  const texts = args.map((arg, i) => {
    if (arg.kind === 'part') return arg.part;
    if (!inTable.some((column) => column.i === i)) return arg.sql;
    return shape === 'long' ? `coalesce(c${i}, ${Array.from({ length: 40 }, () => `c${i}`).join(', ')})` : `c${i}`;
  });
  const emitted = emitFunction(name, texts, contextOf(matched, args, shape === 'literals', options));
  const call = typeof emitted === 'string' ? emitted : emitted.wrap(emitted.call);
  const result = `CAST(${call} AS VARCHAR) AS v, typeof(${call}) AS t`;
  if (inTable.length === 0) return `SELECT ${result}`;
  const table = `(SELECT ${inTable.map((column) => `${column.sql} AS c${column.i}`).join(', ')}) AS given`;
  if (shape !== 'correlated') return `SELECT ${result} FROM ${table}`;
  return `SELECT (SELECT CAST(${call} AS VARCHAR) FROM (SELECT 1 AS one) AS inner_one WHERE inner_one.one = inner_one.one) AS v, typeof(${call}) AS t FROM ${table}`;
}

export const expectedEngineType = (name: FunctionName, given: readonly Given[]): string =>
  duckType(matchCall(name, given.map(asArgument)).returns);

/** A separate database with the settings of the engine process. */
export async function openCaseDatabase(): Promise<(text: string) => Promise<readonly (readonly unknown[])[]>> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    enable_external_access: 'false',
  });
  const connection = await instance.connect();
  registerScriptedFunctions(connection, new StatementSteps());
  // Results must not depend on the session's zone.
  await connection.run("SET TimeZone = 'Asia/Tokyo'");
  return async (text) => (await connection.runAndReadAll(text)).getRowsJson();
}

/** A SELECT with an aggregate over rows, as column `v` with its type `t`; `over` makes it a window call. */
export function selectAggregate(
  name: FunctionName,
  given: readonly Given[],
  rows: string,
  options: CallOptions & { readonly over?: string } = {},
): string {
  const args = given.map(asArgument);
  const matched = matchCall(name, args);
  const texts = args.map((arg) => (arg.kind === 'part' ? arg.part : arg.sql));
  const emitted = emitFunction(name, texts, contextOf(matched, args, true, options));
  const over = options.over === undefined ? '' : ` OVER (${options.over})`;
  const call = typeof emitted === 'string' ? `${emitted}${over}` : emitted.wrap(`${emitted.call}${over}`);
  return `SELECT CAST(${call} AS VARCHAR) AS v, typeof(${call}) AS t FROM (VALUES ${rows}) AS given(x, y)`;
}

/** A column of the rows of `selectAggregate`. */
export const column = (type: SqlType | ScalarTypeName, name: 'x' | 'y' = 'x'): CaseArgument =>
  sql(typeof type === 'string' ? { kind: type } : type, name);
