import type { SeededRandom } from '../../src/demo/seededRandom.ts';
import { pipePieces } from './pipeTexts.ts';

/** Tokens of SQL, roughly: what the mutations cut at. Not the product's lexer, whose mistakes it would repeat. */
const roughToken = /\s+|[A-Za-z_@][\w]*|\d+|'[^'\n]*'|"[^"\n]*"|`[^`\n]*`|--[^\n]*|[^\w\s]/g;

const hostile: readonly [string, ...string[]] = [
  ';',
  ...pipePieces,
  '; drop table edge_logs',
  '--',
  '/*',
  '*/',
  '#',
  "'",
  '"',
  '`',
  "'''",
  '\\',
  '\u0000',
  '\ud800',
  '\u2028',
  '\ufeff',
  'é',
  '😀',
  '@project',
  '@@x',
  '$1',
  '?',
  ':',
  '::',
  '::int',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '<',
  '>',
  ',',
  '.',
  '..',
  '*',
  '|>',
  '=>',
  '->',
  '->>',
  '0x',
  '1e999',
  '9223372036854775808',
  '-9223372036854775808',
  '1.',
  '.5',
  'null',
  'select',
  'from',
  'with',
  'union all',
  'except distinct',
  'over ()',
  'order by 1',
  'group by 1',
  'limit 9223372036854775807',
  'offset -1',
  'sources.edge_logs',
  'sealed_1.edge_logs',
  "read_csv('/etc/passwd')",
  'pragma_version()',
  "current_setting('memory_limit')",
  "getenv('HOME')",
  'logmill.commits',
  'information_schema.tables',
  'attach',
  'copy',
  'install httpfs',
  'set threads = 1',
  "error('logmill:1:1:x')",
  'unnest',
  'safe.',
  'interval 1 day',
  "timestamp '2026-01-01'",
  "r'\\'",
  "b'\\xff'",
  'cast(x as struct<a array<int64>>)',
  'rollup(1)',
  'case when true then',
  'qualify row_number() over (order by 1) = 1',
  'exists (select 1)',
  'in unnest([1])',
  '/* /* */',
];

/** A text made from some of the given ones by cutting, swapping, repeating and inserting. */
export function mutateText(random: SeededRandom, texts: readonly [string, ...string[]]): string {
  const tokens = random.pick(texts).match(roughToken) ?? [];
  const mutations = random.integer(1, 4);
  for (let n = 0; n < mutations; n++) mutateTokens(random, tokens, texts);
  const text = tokens.join('');
  return random.chance(0.1) ? mutateCharacters(random, text) : text;
}

function mutateTokens(random: SeededRandom, tokens: string[], texts: readonly [string, ...string[]]): void {
  const at = random.integer(0, Math.max(0, tokens.length - 1));
  const length = random.integer(1, random.chance(0.2) ? 20 : 3);
  switch (random.integer(0, 6)) {
    case 0:
      tokens.splice(at, length);
      return;
    case 1:
      tokens.splice(at, 0, ...tokens.slice(at, at + length));
      return;
    case 2: {
      const other = random.integer(0, Math.max(0, tokens.length - 1));
      const [a, b] = [tokens[at], tokens[other]];
      if (a !== undefined && b !== undefined) [tokens[at], tokens[other]] = [b, a];
      return;
    }
    case 3:
      tokens.splice(at, random.integer(0, 2), ' ', random.pick(hostile), ' ');
      return;
    case 4: {
      const donor = random.pick(texts).match(roughToken) ?? [];
      const from = random.integer(0, Math.max(0, donor.length - 1));
      tokens.splice(at, random.integer(0, length), ' ', ...donor.slice(from, from + random.integer(1, 12)), ' ');
      return;
    }
    case 5: {
      // Depth and length far beyond what a person writes.
      const [open, close] = random.pick<readonly [string, string]>([
        ['(', ')'],
        ['[', ']'],
        ['not ', ''],
        ['- ', ''],
        ['case when true then ', ' end'],
        ['(select ', ')'],
        ['concat(', ')'],
        ['', ' + 1'],
        ['', '.a'],
        ['', ' union all select 1'],
      ]);
      const times = random.pick([3, 30, 300, 3000]);
      tokens[at] = `${open.repeat(times)}${tokens[at] ?? '1'}${close.repeat(times)}`;
      return;
    }
    default:
      tokens[at] = random.chance(0.5) ? (tokens[at] ?? '').toUpperCase() : `${tokens[at] ?? ''}x`;
  }
}

function mutateCharacters(random: SeededRandom, text: string): string {
  const units = [...text];
  for (let n = random.integer(1, 5); n > 0; n--) {
    const at = random.integer(0, units.length);
    if (random.chance(0.5)) units.splice(at, 1);
    else units.splice(at, 0, String.fromCharCode(random.pick([random.integer(0, 127), random.integer(0, 0xffff)])));
  }
  return units.join('');
}
