import { checkEnginePattern } from '../../../endpoints/checkEnginePattern.ts';
import type { regexpFunctions } from '../../../googlesql/functions/regexps.ts';
import type { EmitContext, EmitFunction, ScalarEmitters } from './emitContext.ts';
import { alsoOfBytes } from './latin1.ts';
import { scriptedNames } from './scriptedNames.ts';
import {
  argument,
  bind,
  bindInLambda,
  checked,
  constantText,
  failedCall,
  failure,
  grownTextBytesMax,
} from './sqlFragments.ts';

const invalidPattern = 'The regular expression is not valid (RE2 syntax).';

/** Number of capturing groups; parentheses in classes, escapes and (?…) do not count. */
export function capturingGroups(pattern: string): number {
  let groups = 0;
  for (let i = 0; i < pattern.length; i++) {
    if (pattern.startsWith('\\Q', i)) {
      const end = pattern.indexOf('\\E', i + 2);
      i = end === -1 ? pattern.length : end + 1;
    } else if (pattern[i] === '\\') {
      i++;
    } else if (pattern[i] === '[') {
      i = endOfClass(pattern, i);
    } else if (pattern[i] === '(' && (pattern[i + 1] !== '?' || /^\(\?P?<[A-Za-z_]/.test(pattern.slice(i, i + 5)))) {
      groups++;
    }
  }
  return groups;
}

/** A `]` right after the opening bracket, or after its `^`, belongs to the class. */
function endOfClass(pattern: string, start: number): number {
  let i = start + 1;
  if (pattern[i] === '^') i++;
  if (pattern[i] === ']') i++;
  while (i < pattern.length && pattern[i] !== ']') {
    if (pattern[i] === '\\') i++;
    else if (pattern.startsWith('[:', i)) i = Math.max(i, pattern.indexOf(':]', i) + 1);
    i++;
  }
  return i;
}

/** The same count for a pattern that differs by row. */
function groupsOf(pattern: string): string {
  const bare = `regexp_replace(${pattern}, '\\\\.|\\[\\^?\\]?(\\\\.|[^\\]])*\\]', '', 'g')`;
  return `len(regexp_extract_all(${bare}, '\\((?:[^?]|$|\\?P?<[A-Za-z_])'))`;
}

const tooManyGroups = (name: string): string =>
  `${name} takes a regular expression with one group at most; write (?:…) for groups that shall not count.`;

/** All matches, or all values of the only group, as a list that `pick` selects from. */
function matches(
  name: string,
  args: readonly [string, string, ...(readonly string[])],
  context: EmitContext,
  pick: (list: string, ...rest: readonly string[]) => string,
): string {
  const [value, pattern, ...others] = args;
  const text = constantText(context, 1);
  if (text !== undefined) {
    const groups = capturingGroups(text);
    if (groups > 1) return failedCall(context, tooManyGroups(name));
    return bind([value, ...others], (v, ...rest) => pick(`regexp_extract_all(${v}, ${pattern}, ${groups})`, ...rest));
  }
  return bind([value, pattern, ...others], (v, p = '', ...rest) => {
    const isNull = `${v} IS NULL OR ${p} IS NULL`;
    const all = (group: 0 | 1): string => `TRY(regexp_extract_all(${v}, ${p}, ${group}))`;
    const valid = `TRY(regexp_matches('', ${p})) IS NULL`;
    const list = `CASE WHEN ${groupsOf(p)} = 0 THEN ${all(0)} ELSE ${all(1)} END`;
    return `CASE WHEN ${isNull} THEN NULL WHEN ${valid} THEN ${failure(context, invalidPattern)} WHEN ${groupsOf(p)} > 1 THEN ${failure(context, tooManyGroups(name))} ELSE ${pick(`(${list})`, ...rest)} END`;
  });
}

/** Like `matches`, without an empty match at the very end of a text, which the engine finds but GoogleSQL does not. */
function allMatches(
  name: string,
  args: readonly [string, string, ...(readonly string[])],
  context: EmitContext,
  pick: (list: string, ...rest: readonly string[]) => string,
): string {
  const [value, pattern, ...others] = args;
  const found = matches(name, [value, pattern], context, (list) => list);
  if (found.startsWith('CAST(')) return found;
  return bindInLambda([found, value, pattern, ...others], (list = '', v = '', p = '', ...rest) => {
    const atEnd = `regexp_extract(${v}, '(?s)\\A(.*)(?:' || ${p} || ')\\z', 1) = ${v}`;
    const trimmed = `CASE WHEN ${v} <> '' AND len(${list}) > 0 AND coalesce(${list}[-1], '') = '' AND ${atEnd} THEN ${list}[1:-2] ELSE ${list} END`;
    return pick(`(${trimmed})`, ...rest);
  });
}

const extract =
  (name: string): EmitFunction =>
  (args, context) => {
    const [value = '', pattern = '', position, occurrence] = args;
    if (position === undefined) return matches(name, [value, pattern], context, (list) => `${list}[1]`);
    // Also binds the pattern here, because `matches` binds it in a lambda, which may not contain a subquery.
    return bind([value, pattern, position, occurrence ?? '1'], (v = '', p = '', at = '', nth = '') => {
      const wrong = failure(context, `${name} needs a position and an occurrence of 1 or more.`);
      const found = allMatches(name, [`substr(${v}, ${at})`, p, nth], context, (list, n) => `${list}[${n}]`);
      const isNull = [v, p, at, nth].map((name) => `${name} IS NULL`).join(' OR ');
      return `CASE WHEN ${isNull} THEN NULL WHEN ${at} < 1 OR ${nth} < 1 THEN ${wrong} WHEN ${at} > greatest(length(${v}), 1) THEN NULL ELSE ${found} END`;
    });
  };

/** The engine returns matches, but not their positions. */
const instr: EmitFunction = (args, context) => {
  const [value = '', pattern = '', position = '1', occurrence = '1', after = '0'] = args;
  const text = constantText(context, 1);
  if (text !== undefined && capturingGroups(text) > 1) return failedCall(context, tooManyGroups('REGEXP_INSTR'));
  const first = `CAST(${position} AS BIGINT)`;
  return bind([value, pattern, first, `CAST(${occurrence} AS BIGINT)`, `CAST(${after} AS BIGINT)`], (...names) => {
    const [, p = '', at = '', nth = '', end = ''] = names;
    const wrong = failure(
      context,
      'REGEXP_INSTR needs a position and an occurrence of 1 or more, and 0 or 1 as its last argument.',
    );
    const isNull = names.map((name) => `${name} IS NULL`).join(' OR ');
    const isWrong = `${at} < 1 OR ${nth} < 1 OR ${end} NOT IN (0, 1)`;
    const ofPattern = `WHEN TRY(regexp_matches('', ${p})) IS NULL THEN ${failure(context, invalidPattern)} WHEN ${groupsOf(p)} > 1 THEN ${failure(context, tooManyGroups('REGEXP_INSTR'))} `;
    return `CASE WHEN ${isNull} THEN NULL WHEN ${isWrong} THEN ${wrong} ${text === undefined ? ofPattern : ''}ELSE ${scriptedNames.regexpInstr}(${names.join(', ')}) END`;
  });
};

/**
 * Whether each backslash in a replacement precedes a digit or a backslash, and each digit names a group of the pattern.
 */
function isReplacement(replacement: string, groups: number): boolean {
  for (const [, escaped] of replacement.matchAll(/\\(.|$)/gs)) {
    if (escaped !== '\\' && !(escaped !== undefined && /^\d$/.test(escaped) && Number(escaped) <= groups)) return false;
  }
  return true;
}

const replace: EmitFunction = (args, context) => {
  const pattern = constantText(context, 1);
  const replacement = constantText(context, 2);
  if (replacement !== undefined && !isReplacement(replacement, pattern === undefined ? 9 : capturingGroups(pattern))) {
    const sentence =
      'In the replacement of REGEXP_REPLACE, a backslash must precede a group number of the pattern or another backslash.';
    return `CASE WHEN ${argument(args, 0)} IS NOT NULL THEN ${failedCall(context, sentence)} END`;
  }
  const tooLong = failure(context, `The result of REGEXP_REPLACE could be longer than ${grownTextBytesMax} bytes.`);
  // Every match may add the whole replacement, and every group number in it the whole text.
  const bounded = (v = '', text = ''): string =>
    `CASE WHEN (strlen(${v}) + 1) * strlen(${text}) > ${grownTextBytesMax} AND strlen(${v}) + len(regexp_extract_all(${v}, @p)) * (strlen(${text}) + (strlen(${text}) - strlen(replace(${text}, '\\', ''))) * strlen(${v})) > ${grownTextBytesMax} * 4 THEN ${tooLong} ELSE @r END`;
  const body = (v = '', p = '', text = ''): string =>
    bounded(v, text)
      .replaceAll('@p', () => p)
      .replaceAll('@r', () => `regexp_replace(${v}, ${p}, ${text}, 'g')`);
  if (pattern !== undefined) {
    if (replacement !== undefined && replacement.length <= 1) return `regexp_replace(${args.join(', ')}, 'g')`;
    return bind(args, body);
  }
  return bind(args, (v = '', p = '', text = '') => {
    const isNull = `${v} IS NULL OR ${p} IS NULL OR ${text} IS NULL`;
    return `CASE WHEN ${isNull} THEN NULL WHEN TRY(regexp_matches('', ${p})) IS NULL THEN ${failure(context, invalidPattern)} ELSE ${body(v, p, text)} END`;
  });
};

/** The engine compiles a constant pattern while it plans; its errors are reported here, with the position. */
const validPattern = (emit: EmitFunction): EmitFunction =>
  alsoOfBytes((args, context) => {
    const problem = syntaxProblem(constantText(context, 1) ?? '');
    return problem === null ? emit(args, context) : failedCall(context, `The regular expression ${problem}.`);
  });

/** Completes "the pattern …" for a pattern that is not RE2; the engine judges patterns that are only large. */
function syntaxProblem(pattern: string): string | null {
  const check = checkEnginePattern(pattern);
  return check.kind === 'bad' && check.isSyntax === true ? check.problem : null;
}

export const regexpEmitters: ScalarEmitters<typeof regexpFunctions> = {
  regexp_contains: validPattern((args, context) =>
    constantText(context, 1) !== undefined
      ? `regexp_matches(${args.join(', ')})`
      : checked(args, context, invalidPattern, (value, pattern) => `regexp_matches(${value}, ${pattern})`),
  ),
  regexp_extract: validPattern(extract('REGEXP_EXTRACT')),
  regexp_substr: validPattern(extract('REGEXP_SUBSTR')),
  regexp_extract_all: validPattern((args, context) =>
    allMatches(
      'REGEXP_EXTRACT_ALL',
      [argument(args, 0), argument(args, 1)],
      context,
      (list) => `list_transform(${list}, lambda e: coalesce(e, ''))`,
    ),
  ),
  regexp_instr: validPattern(instr),
  regexp_replace: validPattern(replace),
};
