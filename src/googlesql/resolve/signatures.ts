import type { CatalogueEntry } from '../functions/catalogue.ts';
import { writtenName } from '../functions/operatorWords.ts';
import type { Argument, Signature, SignatureType } from '../functions/signature.ts';
import type { Position } from '../syntax/nodes.ts';
import { arrayOf, INT64, NESTED_NUMBER, type SqlType, structOf, typeName } from '../types.ts';
import { anyOfType, argumentCost, coerce, commonType } from './coercion.ts';
import { constantTexts } from './constantTexts.ts';
import { elementFunctions } from './session.ts';
import { sqlError } from './sqlError.ts';
import type { CallArgument, Expr } from './tree.ts';

export interface MatchedCall {
  readonly args: readonly CallArgument[];
  readonly type: SqlType;
}

/**
 * Chooses the signature that fits the arguments with the least conversion, and converts them. Throws `sql.type` with the
 * given and the accepted types.
 */
export function matchSignature(fn: CatalogueEntry, args: readonly CallArgument[], pos: Position): MatchedCall {
  let best: { match: Match; cost: number } | null = null;
  for (const signature of fn.signatures) {
    const match = tryMatch(signature, args);
    if (match !== null && (best === null || match.cost < best.cost)) best = { match, cost: match.cost };
    if (best?.cost === 0) break;
  }
  if (best === null) throw mismatch(fn, args, pos);
  const { signature, types, bindings } = best.match;
  const converted = args.map((arg, i) => {
    const type = types[i];
    return arg.kind === 'part' || type === undefined || type === null ? arg : coerce(arg, type, pos);
  });
  checkConstants(fn, signature, converted, pos);
  refuseUnordered(fn, converted, pos);
  const [first] = converted;
  const isElement = elementFunctions.has(fn.name) && first?.kind !== 'part' && first?.type.kind === 'JSON';
  return { args: converted, type: isElement ? first.type : concrete(signature.returns, bindings) };
}

/** Types that functions cannot compare: arrays have neither order nor equality, structs have no order. */
const compared: Readonly<Record<string, readonly SqlType['kind'][]>> = {
  greatest: ['ARRAY', 'STRUCT'],
  least: ['ARRAY', 'STRUCT'],
  min: ['ARRAY', 'STRUCT'],
  max: ['ARRAY', 'STRUCT'],
  nullif: ['ARRAY'],
  approx_count_distinct: ['ARRAY'],
  approx_top_count: ['ARRAY'],
  // An array cannot contain arrays.
  array_agg: ['ARRAY'],
  // Nested values are compared pair by pair, as numbers or as text, which is not an order over several values.
  range_bucket: ['STRUCT', 'JSON'],
};

function refuseUnordered(fn: CatalogueEntry, args: readonly CallArgument[], pos: Position): void {
  const refused = compared[fn.name] ?? [];
  const arg = args.find((each) => each.kind !== 'part' && refused.includes(each.type.kind));
  if (arg === undefined || arg.kind === 'part') return;
  throw sqlError('sql.type', `${shownName(fn)} does not accept a value of type ${typeName(arg.type)}`, pos);
}

interface Match {
  readonly signature: Signature;
  readonly types: readonly (SqlType | null)[];
  readonly bindings: ReadonlyMap<string, SqlType>;
  readonly cost: number;
}

/** The declared argument at each position, or null if the number of arguments does not fit. */
function argumentsFor({ args }: Signature, count: number): readonly Argument[] | null {
  if (count === args.length) return args;
  const required = args.filter((arg) => arg.optional !== true).length;
  if (count < required) return null;
  const repeated = args.filter((arg) => arg.repeated === true);
  const once = args.length - repeated.length;
  if (count <= once) return args.slice(0, count);
  if (repeated.length === 0 || (count - once) % repeated.length !== 0) return null;
  return [...args.slice(0, once), ...Array.from({ length: (count - once) / repeated.length }, () => repeated).flat()];
}

function tryMatch(signature: Signature, args: readonly CallArgument[]): Match | null {
  const declared = argumentsFor(signature, args.length);
  if (declared === null) return null;
  const bindings = new Map<string, SqlType>();
  for (const letter of ['T', 'U', 'NUMBER'] as const) {
    const bound = bindLetter(letter, declared, args);
    if (bound === null) return null;
    if (bound !== undefined) bindings.set(letter, bound);
  }
  let cost = 0;
  const types: (SqlType | null)[] = [];
  for (const [i, arg] of args.entries()) {
    const want = declared[i];
    if (want === undefined) return null;
    if (want.type === 'PART' || arg.kind === 'part') {
      if (want.type !== 'PART' || arg.kind !== 'part') return null;
      if (want.parts !== undefined && !want.parts.includes(arg.part)) return null;
      types.push(null);
      continue;
    }
    const type = want.type === 'ANY' ? arg.type : concrete(want.type, bindings);
    const each = argumentCost(arg, type);
    if (each === null) return null;
    cost += each;
    types.push(type);
  }
  return { signature, types, bindings, cost };
}

/** The type that a letter stands for: undefined if the signature does not use the letter, null if no type fits. */
function bindLetter(
  letter: 'T' | 'U' | 'NUMBER',
  declared: readonly Argument[],
  args: readonly CallArgument[],
): SqlType | null | undefined {
  if (!declared.some((want) => want.type === letter || isArrayOf(want.type, letter))) return undefined;
  const bound: Expr[] = [];
  for (const [i, want] of declared.entries()) {
    const arg = args[i];
    if (arg === undefined || arg.kind === 'part') continue;
    if (want.type === letter) bound.push(arg);
    else if (isArrayOf(want.type, letter)) {
      if (arg.type.kind === 'JSON') bound.push(arg);
      else if (arg.kind === 'array' && arg.elements.length > 0) bound.push(...arg.elements);
      else if (arg.type.kind === 'ARRAY') bound.push(anyOfType(arg.type.element));
      else if (arg.type.kind !== 'NULL') return null;
    }
  }
  const type = commonType(bound);
  if (type === null) return null;
  if (letter === 'NUMBER') {
    if (type.kind === 'JSON') return NESTED_NUMBER;
    return type.kind === 'INT64' || type.kind === 'FLOAT64' ? type : type.kind === 'NULL' ? INT64 : null;
  }
  return type;
}

const isArray = (type: SignatureType): boolean => typeof type === 'object' && 'arrayOf' in type;

function isArrayOf(type: SignatureType, letter: string): boolean {
  return typeof type === 'object' && 'arrayOf' in type && type.arrayOf === letter;
}

function concrete(type: SignatureType, bindings: ReadonlyMap<string, SqlType>): SqlType {
  if (typeof type === 'object') {
    if ('arrayOf' in type) return arrayOf(concrete(type.arrayOf, bindings));
    return structOf(type.structOf.map((field) => ({ name: field.name, type: concrete(field.type, bindings) })));
  }
  if (type === 'T' || type === 'U' || type === 'NUMBER' || type === 'ANY')
    return bindings.get(type) ?? { kind: 'NULL' };
  if (type === 'PART') throw new Error('a part is not a type');
  return { kind: type };
}

function checkConstants(fn: CatalogueEntry, signature: Signature, args: readonly CallArgument[], pos: Position): void {
  const declared = argumentsFor(signature, args.length) ?? [];
  for (const [i, want] of declared.entries()) {
    const arg = args[i];
    if (want.constant !== true || arg === undefined || arg.kind === 'part') continue;
    if (arg.kind !== 'literal' && arg.kind !== 'parameter' && constantTexts(arg) === null) {
      const form = isArray(want.type) ? 'an array of literals' : 'a literal or a parameter';
      throw sqlError('sql.type', `Argument ${want.name} of ${shownName(fn)} must be ${form}`, pos);
    }
  }
}

/** The function as queries write it, in upper case; for an operator its sign or word. */
export const shownName = (fn: CatalogueEntry): string => writtenName(fn.name).toUpperCase();

function mismatch(fn: CatalogueEntry, args: readonly CallArgument[], pos: Position): Error {
  const given = args.map((arg) => (arg.kind === 'part' ? arg.part : typeName(arg.type))).join(', ');
  const allowed = fn.signatures.map((signature) => signatureText(fn, signature));
  const sentence = `${shownName(fn)} does not accept (${given}); it accepts ${allowed.join(' or ')}`;
  return sqlError('sql.type', sentence, pos, { token: writtenName(fn.name), allowed });
}

export function signatureText(fn: CatalogueEntry, signature: Signature): string {
  const textOf = (arg: Argument): string => {
    if (arg.type === 'PART') return partText(arg);
    return `${arg.named === true ? `${arg.name} => ` : ''}${signatureTypeText(arg.type)}`;
  };
  const inBrackets = (text: string, arg: Argument): string => (arg.optional === true ? `[${text}]` : text);
  const args = signature.args.filter((arg) => arg.repeated !== true).map((arg) => inBrackets(textOf(arg), arg));
  const repeated = signature.args.filter((arg) => arg.repeated === true);
  const [first] = repeated;
  if (first !== undefined) args.push(inBrackets(`${repeated.map(textOf).join(', ')}, …`, first));
  const name = fn.name.startsWith('$') ? '' : fn.name.toUpperCase();
  return `${name}(${args.join(', ')})`;
}

/** Lists up to four keywords; longer lists are date parts, shown as `part`. */
const partText = ({ parts }: Argument): string =>
  parts === undefined || parts.length > 4 ? 'part' : parts.join(' | ').toUpperCase();

function signatureTypeText(type: SignatureType): string {
  if (typeof type === 'string') return type;
  if ('arrayOf' in type) return `ARRAY<${signatureTypeText(type.arrayOf)}>`;
  return `STRUCT<${type.structOf.map((field) => `${field.name} ${signatureTypeText(field.type)}`).join(', ')}>`;
}
