import type { SqlType } from '../../../googlesql/types.ts';
import { quoteText } from '../emit/literal.ts';
import { jsonText } from './jsonText.ts';
import { grownTextBytesMax } from './sqlFragments.ts';

/** Maximum depth of a JSON value that is written with line breaks, because each level indents every line below it. */
export const prettyLevelsMax = 16;

/**
 * A value as JSON text with line breaks, `null` for NULL: two blanks per level, and nothing inside empty brackets
 * (GoogleSQL, "TO_JSON_STRING"). `wrong` is raised for a JSON value whose text could be too long, before it is made.
 * The value must be an expression that may be written more than once.
 */
export function prettyJsonText(value: string, type: SqlType, wrong: string, level = 0): string {
  const inner = newLine(level + 1);
  switch (type.kind) {
    case 'ARRAY': {
      const element = `p${level}`;
      const items = `list_transform(${value}, lambda ${element}: ${prettyJsonText(element, type.element, wrong, level + 1)})`;
      const joined = `array_to_string(${items}, ${quoteText(`,${inner}`)})`;
      const filled = `${quoteText(`[${inner}`)} || ${joined} || ${quoteText(`${newLine(level)}]`)}`;
      return `CASE WHEN ${value} IS NULL THEN 'null' WHEN len(${value}) = 0 THEN '[]' ELSE ${filled} END`;
    }
    case 'STRUCT': {
      if (type.fields.length === 0) return `CASE WHEN ${value} IS NULL THEN 'null' ELSE '{}' END`;
      const members = type.fields.map(({ name, type: fieldType }, i) => {
        const text = prettyJsonText(`struct_extract(${value}, 'f${i}')`, fieldType, wrong, level + 1);
        return `${quoteText(`${JSON.stringify(name)}: `)} || ${text}`;
      });
      const filled = `${quoteText(`{${inner}`)} || ${members.join(` || ${quoteText(`,${inner}`)} || `)} || ${quoteText(`${newLine(level)}}`)}`;
      return `CASE WHEN ${value} IS NULL THEN 'null' ELSE ${filled} END`;
    }
    case 'JSON':
      return `coalesce(${nestedText(value, level, wrong)}, 'null')`;
    default:
      return jsonText(value, type, 'text');
  }
}

const newLine = (level: number): string => `\n${'  '.repeat(level)}`;

/**
 * The engine indents JSON by four blanks per level, without a limit. Each of its lines has at most `prettyLevelsMax`
 * levels; strings contain no line feeds.
 */
function nestedText(value: string, level: number, wrong: string): string {
  const text = `CAST(${value} AS VARCHAR)`;
  const brackets = String.raw`regexp_replace(regexp_replace(${text}, '"(?:[^"\\]|\\.)*"', '', 'g'), '[^][{},]', '', 'g')`;
  const blanks = quoteText(newLine(level));
  const half = `list_transform(string_split(json_pretty(${value}), chr(10)), lambda w${level}: repeat(' ', (length(w${level}) - length(ltrim(w${level}, ' '))) // 2) || ltrim(w${level}, ' '))`;
  const lines = `length(b${level}.s) + 1`;
  const size = `strlen(${text}) + (${lines}) * ${4 * (prettyLevelsMax + 1) + 1}`;
  const isDeep = `(length(replace(b${level}.s, ',', '')) > ${2 * prettyLevelsMax} AND ${withoutLevels(`replace(b${level}.s, ',', '')`)} <> '')`;
  const written = `CASE WHEN left(${text}, 1) NOT IN ('{', '[') THEN ${text} WHEN ${size} > ${grownTextBytesMax} OR ${isDeep} THEN ${wrong} ELSE array_to_string(${half}, ${blanks}) END`;
  return `list_transform([struct_pack(s := ${brackets})], lambda b${level}: ${written})[1]`;
}

/** The brackets that are left after the innermost pairs were removed this many times: none unless they nest deeper. */
function withoutLevels(brackets: string): string {
  let left = brackets;
  for (let i = 0; i < prettyLevelsMax; i++) left = String.raw`regexp_replace(${left}, '\[\]|\{\}', '', 'g')`;
  return left;
}
