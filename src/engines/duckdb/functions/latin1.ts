import type { SqlType } from '../../../googlesql/types.ts';
import { quoteText } from '../emit/literal.ts';
import type { EmitContext, EmitFunction } from './emitContext.ts';
import { bind, failure, grownTextBytesMax } from './sqlFragments.ts';

/**
 * Lets an emitter for texts accept BYTES. It gets a text with one character per byte (ISO 8859-1), so positions,
 * lengths, patterns and character sets count bytes, and its result becomes bytes again. RE2 reads BYTES in the same way
 * (GoogleSQL, "Regular expressions").
 */
export const alsoOfBytes =
  (emit: EmitFunction): EmitFunction =>
  (args, context) => {
    if (!context.argTypes.some((type) => holdsBytes(asElement(type)))) return emit(args, context);
    const texts = args.map((arg, i) => argumentText(arg, i, context));
    const made = emit(texts, {
      ...context,
      argTypes: context.argTypes.map(asText),
      returns: asText(context.returns),
      constants: context.constants.map((value) => (value instanceof Uint8Array ? latin1(value) : value)),
    });
    return bytesOf(made, context.returns);
  };

const holdsBytes = (type: SqlType): boolean => type.kind === 'BYTES';

function asText(type: SqlType): SqlType {
  if (type.kind === 'ARRAY') return { kind: 'ARRAY', element: asText(type.element) };
  return holdsBytes(type) ? { kind: 'STRING' } : type;
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

const asElement = (type: SqlType): SqlType => (type.kind === 'ARRAY' ? type.element : type);

function argumentText(arg: string, index: number, context: EmitContext): string {
  const type = context.argTypes[index];
  if (type === undefined || !holdsBytes(asElement(type))) return arg;
  if (type.kind === 'ARRAY') return `list_transform(${arg}, lambda lb: ${checkedText('lb', context)})`;
  const constant = context.constants[index];
  if (constant instanceof Uint8Array) return quoteText(latin1(constant));
  if (constant === null) return 'CAST(NULL AS VARCHAR)';
  return bind([arg], (bytes = '') => checkedText(bytes, context));
}

function checkedText(bytes: string, context: EmitContext): string {
  const tooLong = failure(context, `A byte string must not have more than ${grownTextBytesMax} bytes here.`);
  return `CASE WHEN octet_length(${bytes}) > ${grownTextBytesMax} THEN ${tooLong} ELSE ${textOfBytes(bytes)} END`;
}

function bytesOf(made: string, type: SqlType): string {
  if (holdsBytes(type)) return bytesOfText(made);
  if (type.kind !== 'ARRAY' || !holdsBytes(type.element)) return made;
  return `list_transform(${made}, lambda lb: ${bytesOfText('lb')})`;
}

/**
 * The bytes that UTF-8 begins with for each byte beyond ASCII, in hexadecimal digits (RFC 3629): 80 is C2 80, C0 is
 * C3 80. Each step finds what none before it has made.
 */
const toUtf8: readonly (readonly [string, string])[] = [
  [' F', '_C3B'],
  [' E', '_C3A'],
  [' D', '_C39'],
  [' C', '_C38'],
  [' B', '_C2B'],
  [' A', '_C2A'],
  [' 9', '_C29'],
  [' 8', '_C28'],
  [' ', ''],
  ['_', ''],
];

const fromUtf8: readonly (readonly [string, string])[] = [
  [' C2', ' '],
  [' C38', ' C'],
  [' C39', ' D'],
  [' C3A', ' E'],
  [' C3B', ' F'],
  [' ', ''],
];

const replaced = (text: string, steps: readonly (readonly [string, string])[]): string =>
  steps.reduce((made, [from, to]) => `replace(${made}, '${from}', '${to}')`, text);

/** Byte strings as texts with one character per byte, with functions of the engine only, in linear time. */
const textOfBytes = (bytes: string): string =>
  `decode(unhex(${replaced(`regexp_replace(hex(${bytes}), '(..)', ' \\1', 'g')`, toUtf8)}))`;

/** The inverse of `textOfBytes`. */
const bytesOfText = (text: string): string =>
  `unhex(${replaced(`regexp_replace(hex(${text}), '([0-7].|C[23]..)', ' \\1', 'g')`, fromUtf8)})`;
