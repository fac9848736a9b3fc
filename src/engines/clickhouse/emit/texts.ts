import { checkEnginePattern } from '../../../endpoints/checkEnginePattern.ts';
import type { FunctionName } from '../../../googlesql/functions/catalogue.ts';
import type { CallExpr } from '../../../googlesql/resolve/tree.ts';
import { quoteText } from '../sqlText.ts';
import { notPushed } from './notPushed.ts';
import { argument, constant, nameOf, type PushedFunction } from './place.ts';

function checkText({ args, fn }: CallExpr): void {
  if (args.some((arg) => arg.kind !== 'part' && arg.type.kind === 'BYTES')) notPushed(`${nameOf(fn)} of BYTES`);
}

const constantText = ({ args, fn }: CallExpr, index: number): string => {
  const text = constant(args[index], 'string') ?? notPushed(`${nameOf(fn)} with a pattern that is not constant`);
  return text.isWellFormed() ? text : notPushed('text with a lone surrogate');
};

/** LIKE, with the pattern written anew: a backslash escapes only the characters that it must. */
const like: PushedFunction = (call, place) => {
  checkText(call);
  const escaping = call.args.length > 2 ? constantText(call, 2) : '\\';
  const pattern = rewritten([...constantText(call, 1)], escaping);
  return `(${argument(call, 0, place)} LIKE ${quoteText(pattern)})`;
};

function rewritten(pattern: readonly string[], escaping: string): string {
  if ([...escaping].length > 1) notPushed('an ESCAPE of several characters');
  let out = '';
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i] ?? '';
    if (escaping !== '' && char === escaping) {
      i += 1;
      const literal = pattern[i] ?? notPushed('a LIKE pattern that ends with its escape character');
      out += escaped(literal);
    } else {
      out += char === '%' || char === '_' ? char : escaped(char);
    }
  }
  return out;
}

const escaped = (char: string): string => (char === '%' || char === '_' || char === '\\' ? `\\${char}` : char);

/** A regular expression in which the dot matches no newline, as in GoogleSQL; ClickHouse's default is the opposite. */
function pattern(call: CallExpr): string {
  const text = constantText(call, 1);
  if (checkEnginePattern(text).kind === 'bad') notPushed('a regular expression that RE2 rejects');
  if (text.includes('\u0000')) notPushed('a regular expression with a NUL');
  return quoteText(`(?-s)${text}`);
}

const matches: PushedFunction = (call, place) => {
  checkText(call);
  const text = constantText(call, 1);
  // As it is, because ClickHouse searches a plain text without the engine of regular expressions.
  const regexp = isPlain(text) ? quoteText(text) : pattern(call);
  return `match(${argument(call, 0, place)}, ${regexp})`;
};

/** Whether a regular expression matches nothing but its own text. */
const isPlain = (text: string): boolean => text !== '' && !/[\\^$.|?*+()[\]{}\0]/.test(text);

/** The first match, or its group. A group that takes no part in a match would be empty instead of NULL. */
const extracted: PushedFunction = (call, place) => {
  checkText(call);
  const text = constantText(call, 1);
  if (
    call.args.length > 2 ||
    !/^(?:[^()|\\]|\\[^QE])*(?:\((?!\?)(?:[^()|\\]|\\[^QE])*\)(?![?*{])(?:[^()|\\]|\\[^QE])*)?$/s.test(text)
  )
    notPushed(`${nameOf(call.fn)} with this pattern`);
  const [value, regexp] = [argument(call, 0, place), pattern(call)];
  return `if(match(${value}, ${regexp}), extract(${value}, ${regexp}), NULL)`;
};

/** Positions are in characters, from 1, and 0 for a text that is not found. */
const position: PushedFunction = (call, place) => {
  checkText(call);
  return `toInt64(positionUTF8(${argument(call, 0, place)}, ${argument(call, 1, place)}))`;
};

const charactersMax = 1_000_000n;

const isCount = (value: bigint | undefined): value is bigint =>
  value !== undefined && value >= 0n && value <= charactersMax;

/** From a constant position of at least 1; the meaning of others differs. */
const part: PushedFunction = (call, place) => {
  checkText(call);
  const from = constant(call.args[1], 'bigint');
  const length = constant(call.args[2], 'bigint');
  if (!isCount(from) || from === 0n || (call.args.length > 2 && !isCount(length)))
    return notPushed(`${nameOf(call.fn)} with these positions`);
  return `substringUTF8(${argument(call, 0, place)}, ${from}${length === undefined ? '' : `, ${length}`})`;
};

const side =
  (name: 'leftUTF8' | 'rightUTF8'): PushedFunction =>
  (call, place) => {
    checkText(call);
    const length = constant(call.args[1], 'bigint');
    if (!isCount(length)) return notPushed(`${nameOf(call.fn)} with this length`);
    return `${name}(${argument(call, 0, place)}, ${length})`;
  };

const plain =
  (name: string): PushedFunction =>
  (call, place) => {
    checkText(call);
    return `${name}(${call.args.map((_, i) => argument(call, i, place)).join(', ')})`;
  };

const length =
  (name: 'lengthUTF8' | 'length'): PushedFunction =>
  (call, place) => {
    checkText(call);
    return `toInt64(${name}(${argument(call, 0, place)}))`;
  };

/** Joined with constants only: two texts of events could exceed the limit of GoogleSQL's CONCAT, which is an error. */
const concat: PushedFunction = (call, place) => {
  checkText(call);
  if (call.type.kind !== 'STRING') notPushed(`${nameOf(call.fn)} of ${call.type.kind}`);
  if (call.args.filter((arg) => arg.kind !== 'literal').length > 1) notPushed(`${nameOf(call.fn)} of several values`);
  if (call.args.length === 1) return argument(call, 0, place);
  return `concat(${call.args.map((_, i) => argument(call, i, place)).join(', ')})`;
};

/** With constants that do not make the text longer. */
const replace: PushedFunction = (call, place) => {
  checkText(call);
  const [from, to] = [constantText(call, 1), constantText(call, 2)];
  if (from === '' || Buffer.byteLength(to) > Buffer.byteLength(from)) notPushed('REPLACE that makes texts longer');
  return `replaceAll(${argument(call, 0, place)}, ${quoteText(from)}, ${quoteText(to)})`;
};

export const textFunctions = {
  $like: like,
  regexp_contains: matches,
  regexp_extract: extracted,
  starts_with: plain('startsWith'),
  ends_with: plain('endsWith'),
  strpos: position,
  length: length('lengthUTF8'),
  char_length: length('lengthUTF8'),
  character_length: length('lengthUTF8'),
  byte_length: length('length'),
  octet_length: length('length'),
  substr: part,
  substring: part,
  left: side('leftUTF8'),
  right: side('rightUTF8'),
  concat,
  $concat_op: concat,
  replace,
} satisfies Partial<Record<FunctionName, PushedFunction>>;
