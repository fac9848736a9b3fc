import { duckType } from '../emit/literal.ts';
import type { EmitContext, EmittedCall } from './emitContext.ts';

/** The error of this call, NULL under SAFE. */
export const failure = (context: EmitContext, sentence: string): string =>
  context.safe ? 'NULL' : context.fail(sentence);

/** The error of this call as its whole result: with the type that the result would have. */
export const failedCall = (context: EmitContext, sentence: string): string =>
  `CAST(${failure(context, sentence)} AS ${duckType(context.returns)})`;

/** As `failedCall`, for an aggregate: raised once for each group or window, and OVER has a call to follow. */
export const failedAggregate = (context: EmitContext, sentence: string): EmittedCall => ({
  call: 'count(*)',
  wrap: (count) => `CASE WHEN ${count} >= 0 THEN ${failedCall(context, sentence)} END`,
});

/** A JSON value, NULL for the JSON null. It stays JSON: a cast of text to JSON would read it once more. */
export const withoutJsonNull = (json: string): string => `nullif(${json}, 'null')`;

const repeatableCharsMax = 160;

/**
 * Whether an expression may stand in the text more than once: short, so that nesting cannot make
 * the text grow beyond all bounds, and the same at every evaluation.
 */
const isRepeatable = (sql: string): boolean =>
  sql.length <= repeatableCharsMax && !/\b(?:random|uuid|error|select)\b/i.test(sql);

/** Literals as the emitter writes them, and date parts: they can stand inside a lambda as they are. */
const isLiteral = (sql: string): boolean =>
  /^(?:-?\d+(?:\.\d+)?|'(?:[^']|'')*'|NULL|TRUE|FALSE|CAST\((?:NULL|'(?:[^']|'')*') AS [A-Z]+\)|[a-z]+(?:\([a-z]+\))?)$/.test(
    sql,
  );

/** Functions of the engine that are macros there, as far as they are written here. */
const beginsWithMacro = /^\(*(?:nullif|array_to_string|list_reverse|list_sum)\(/i;

/**
 * A field for STRUCT_PACK. Of a macro that reads a column of the query around it the engine forgets the
 * name, and fails; inside a CASE it does not.
 */
export const namedField = (name: string, sql: string): string =>
  `${name} := ${beginsWithMacro.test(sql) ? `CASE WHEN TRUE THEN ${sql} END` : sql}`;

/**
 * Gives each argument a name that can stand any number of times in `body`. Long arguments are
 * computed once, as fields of a struct that a lambda takes; inside the lambda nothing but these
 * names may refer to the row, since a lambda cannot see the columns of an outer query.
 */
export function bind(args: readonly string[], body: (...names: readonly string[]) => string): string {
  return args.every(isRepeatable) ? `(${body(...args)})` : bindInLambda(args, body);
}

/**
 * As `bind`, for a body with a lambda of its own that uses these names: arguments are evaluated
 * outside of all lambdas, whatever their length.
 */
export function bindInLambda(args: readonly string[], body: (...names: readonly string[]) => string): string {
  const names = args.map((arg, i) => (isLiteral(arg) ? arg : `lm.a${i}`));
  const fields = args.flatMap((arg, i) => (isLiteral(arg) ? [] : [namedField(`a${i}`, arg)]));
  if (fields.length === 0) return `(${body(...names)})`;
  return `(list_transform([struct_pack(${fields.join(', ')})], lambda lm: ${body(...names)})[1])`;
}

/**
 * An expression that the engine itself may refuse on its data. Under SAFE such an error becomes
 * NULL, those of the arguments stay errors.
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

/** As `attempt`, with our sentence in place of the engine's error; NULL where an argument is NULL. */
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

/** A constant whole number, or undefined where the argument is no constant number. */
export function constantNumber(context: EmitContext, index: number): number | undefined {
  const value = context.constants[index];
  return typeof value === 'bigint' || typeof value === 'number' ? Number(value) : undefined;
}

/** A constant text, or undefined where the argument is no constant text. */
export function constantText(context: EmitContext, index: number): string | undefined {
  const value = context.constants[index];
  return typeof value === 'string' ? value : undefined;
}

/** Texts and lists that a function makes are refused beyond this size, before they are made. */
export const grownTextBytesMax = 4 * 1024 * 1024;
export const grownElementsMax = 100_000;

/** An array that others are joined to is refused beyond this size; it may be made of rows, unlike a generated one. */
const joinedElementsMax = 1_000_000;

/** A text of the call, refused beyond the bound. */
export function notLonger(text: string, context: EmitContext, label: string): string {
  const tooLong = failure(context, `The result of ${label} has more than ${grownTextBytesMax} bytes.`);
  return bind([text], (json) => `CASE WHEN strlen(${json}) > ${grownTextBytesMax} THEN ${tooLong} ELSE ${json} END`);
}

/** Texts one after another, NULL if one is NULL. Two that are not constant can double in every step of a query. */
export function joinedText(pieces: readonly string[], context: EmitContext, label: string): string {
  // The engine's type of `x || NULL` is that of a bare NULL, which no function takes for a text.
  if (pieces.filter((piece) => !isLiteral(piece)).length <= 1) return `CAST(${pieces.join(' || ')} AS VARCHAR)`;
  return `CAST(${joinedWithin(pieces, 'strlen', grownTextBytesMax, 'bytes', context, label)} AS VARCHAR)`;
}

/** As `joinedText`, for byte strings. */
export const joinedBytes = (pieces: readonly string[], context: EmitContext, label: string): string =>
  `CAST(${joinedWithin(pieces, 'octet_length', grownTextBytesMax, 'bytes', context, label)} AS BLOB)`;

/** As `joinedText`, for arrays. */
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
