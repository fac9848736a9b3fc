import { duckType } from '../emit/literal.ts';
import type { EmitContext, EmittedCall } from './emitContext.ts';

/** The error of this call, NULL under SAFE. */
export const failure = (context: EmitContext, sentence: string): string =>
  context.safe ? 'NULL' : context.fail(sentence);

/** The error of this call as its whole result, with the type of the result. */
export const failedCall = (context: EmitContext, sentence: string): string =>
  `CAST(${failure(context, sentence)} AS ${duckType(context.returns)})`;

/** Like `failedCall`, for an aggregate: raised once for each group or window, with a call for OVER. */
export const failedAggregate = (context: EmitContext, sentence: string): EmittedCall => ({
  call: 'count(*)',
  wrap: (count) => `CASE WHEN ${count} >= 0 THEN ${failedCall(context, sentence)} END`,
});

/** A JSON value, NULL for JSON null. It stays JSON, because a cast of text to JSON would parse it again. */
export const withoutJsonNull = (json: string): string => `nullif(${json}, 'null')`;

const repeatableCharsMax = 160;

/**
 * Whether an expression may be repeated in the text: short, so that nesting cannot inflate the text, and deterministic.
 */
const isRepeatable = (sql: string): boolean =>
  sql.length <= repeatableCharsMax && !/\b(?:random|uuid|error|select)\b/i.test(sql);

/** Literals as the emitter writes them, and date parts: lambdas may contain them unchanged. */
const isLiteral = (sql: string): boolean =>
  /^(?:-?\d+(?:\.\d+)?|'(?:[^']|'')*'|NULL|TRUE|FALSE|CAST\((?:NULL|'(?:[^']|'')*') AS [A-Z]+\)|[a-z]+(?:\([a-z]+\))?)$/.test(
    sql,
  );

/** Functions that are macros in the engine, as far as we use them. */
const beginsWithMacro = /^\(*(?:nullif|array_to_string|list_reverse|list_sum)\(/i;

/**
 * A field for STRUCT_PACK. The engine loses the name of a macro that reads an outer column, and fails; inside a CASE it
 * does not.
 */
export const namedField = (name: string, sql: string): string =>
  `${name} := ${beginsWithMacro.test(sql) ? `CASE WHEN TRUE THEN ${sql} END` : sql}`;

/**
 * Gives each argument a name that `body` may use any number of times. Long arguments are computed once, as fields of a
 * struct that a lambda takes. Inside the lambda only these names may refer to the row, because a lambda cannot see the
 * columns of an outer query.
 */
export function bind(args: readonly string[], body: (...names: readonly string[]) => string): string {
  return args.every(isRepeatable) ? `(${body(...args)})` : bindInLambda(args, body);
}

/**
 * Like `bind`, for a body with its own lambda that uses these names: arguments are evaluated outside all lambdas,
 * whatever their length.
 */
export function bindInLambda(args: readonly string[], body: (...names: readonly string[]) => string): string {
  const names = args.map((arg, i) => (isLiteral(arg) ? arg : `lm.a${i}`));
  const fields = args.flatMap((arg, i) => (isLiteral(arg) ? [] : [namedField(`a${i}`, arg)]));
  if (fields.length === 0) return `(${body(...names)})`;
  return `(list_transform([struct_pack(${fields.join(', ')})], lambda lm: ${body(...names)})[1])`;
}

/**
 * An expression that can fail in the engine on its data. Under SAFE such an error becomes NULL; errors of the arguments
 * stay errors.
 */
export function attempt(
  args: readonly string[],
  context: EmitContext,
  body: (...names: readonly string[]) => string,
): string {
  if (!context.safe) return bind(args, body);
  const simple = args.every((arg) => /^(?:\w+|"[^"]*")(?:\.(?:\w+|"[^"]*"))*$/.test(arg) || isLiteral(arg));
  const guarded = (...names: readonly string[]): string => `TRY(${body(...names)})`;
  return simple ? guarded(...args) : bindInLambda(args, guarded);
}

/** Like `attempt`, with our sentence instead of the engine's error; NULL if an argument is NULL. */
export function checked(
  args: readonly string[],
  context: EmitContext,
  sentence: string,
  body: (...names: readonly string[]) => string,
): string {
  return bind(args, (...names) => {
    const isNull = names.map((name) => `${name} IS NULL`).join(' OR ');
    const value = `TRY(${body(...names)})`;
    return context.safe
      ? `CASE WHEN ${isNull} THEN NULL ELSE ${value} END`
      : `CASE WHEN ${isNull} THEN NULL ELSE coalesce(${value}, ${context.fail(sentence)}) END`;
  });
}

/** The argument at `index`; the resolver has checked that it is there. */
export function argument(args: readonly string[], index: number): string {
  const arg = args[index];
  if (arg === undefined) throw new Error(`call without argument ${index}`);
  return arg;
}

/** A constant whole number; undefined if the argument is not one. */
export function constantNumber(context: EmitContext, index: number): number | undefined {
  const value = context.constants[index];
  return typeof value === 'bigint' || typeof value === 'number' ? Number(value) : undefined;
}

/** A constant text; undefined if the argument is not one. */
export function constantText(context: EmitContext, index: number): string | undefined {
  const value = context.constants[index];
  return typeof value === 'string' ? value : undefined;
}

/** Larger texts and lists are rejected before a function makes them. */
export const grownTextBytesMax = 4 * 1024 * 1024;
export const grownElementsMax = 100_000;

/** A larger joined array is rejected; unlike a generated one, it may come from rows. */
const joinedElementsMax = 1_000_000;

/** A text of the call, rejected beyond the limit. */
export function notLonger(text: string, context: EmitContext, label: string): string {
  const tooLong = failure(context, `The result of ${label} has more than ${grownTextBytesMax} bytes.`);
  return bind([text], (json) => `CASE WHEN strlen(${json}) > ${grownTextBytesMax} THEN ${tooLong} ELSE ${json} END`);
}

/** Joins texts; NULL if one is NULL. Two texts that are not constant can double in every step of a query. */
export function joinedText(pieces: readonly string[], context: EmitContext, label: string): string {
  // The engine's type of `x || NULL` is that of a bare NULL, which no function accepts as a text.
  if (pieces.filter((piece) => !isLiteral(piece)).length <= 1) return `CAST(${pieces.join(' || ')} AS VARCHAR)`;
  return `CAST(${joinedWithin(pieces, 'strlen', grownTextBytesMax, 'bytes', context, label)} AS VARCHAR)`;
}

/** Like `joinedText`, for byte strings. */
export const joinedBytes = (pieces: readonly string[], context: EmitContext, label: string): string =>
  `CAST(${joinedWithin(pieces, 'octet_length', grownTextBytesMax, 'bytes', context, label)} AS BLOB)`;

/** Like `joinedText`, for arrays. */
export const joinedLists = (pieces: readonly string[], context: EmitContext, label: string): string =>
  joinedWithin(pieces, 'len', joinedElementsMax, 'elements', context, label);

function joinedWithin(
  pieces: readonly string[],
  size: string,
  sizeMax: number,
  unit: string,
  context: EmitContext,
  label: string,
): string {
  if (pieces.length === 1) return `(${pieces.join()})`;
  return bind(pieces, (...names) => {
    const total = names.map((name) => `${size}(${name})`).join(' + ');
    const tooMuch = failure(context, `The result of ${label} would have more than ${sizeMax} ${unit}.`);
    return `CASE WHEN ${total} > ${sizeMax} THEN ${tooMuch} ELSE ${names.join(' || ')} END`;
  });
}
