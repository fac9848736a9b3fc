import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatSql } from '../../console/src/query/formatSql.ts';
import { tokenize } from '../../src/googlesql/syntax/lexer.ts';
import { LineMap } from '../../src/googlesql/syntax/lineMap.ts';
import { NoticeList } from '../../src/googlesql/syntax/notice.ts';
import { families, queriesOf } from './queryFiles.ts';

const definitions = new URL('../../definitions/', import.meta.url);

/** Queries of the suite, and those that come with the service. */
const queries: readonly string[] = [
  ...families.flatMap((family) => queriesOf(family).map(({ sql }) => sql)),
  ...readdirSync(definitions)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => readFileSync(new URL(file, definitions), 'utf8')),
];

/** The tokens as the service reads them, and what is between them without blanks: the comments. Null if it refuses the text. */
function readingOf(text: string): unknown {
  try {
    const tokens = tokenize(text, new LineMap(text), new NoticeList());
    const comments = tokens.map(({ offset }, index) =>
      text.slice(tokens[index - 1]?.end ?? 0, offset).replace(/\s/g, ''),
    );
    return { tokens: tokens.map(({ kind, text: written, value }) => [kind, written, value]), comments };
  } catch {
    return null;
  }
}

const words =
  'select from where and or between group by order limit with as case when then else end left join on union all except distinct struct x a1 end t';
const symbols =
  "( ) [ ] , . ; + - * / < > = <= >= <> != || |> => :: @p 1 1.5 .5 0xFF 1e3 'a' '' 'it''s' r'\\d' \"b\" `q r` '''l\n  m''' b'x'";
const comments = ['-- to the end\n', '# also\n', '/* in\n  side */'];
const blanks = [' ', '\n', '\n\n', '  \t', ''];
const anyToken = fc.constantFrom(...words.split(' '), ...symbols.split(' '), ...comments);
const soup = fc
  .array(fc.tuple(anyToken, fc.constantFrom(...blanks)), { maxLength: 40 })
  .map((pairs) => pairs.flat().join(''));

describe('the layout of the editor', () => {
  it('of each query changes no token and no comment, and stays when it is laid out again', () => {
    for (const sql of queries) {
      const formatted = formatSql(sql);
      expect(formatted, sql).not.toBeNull();
      expect(readingOf(formatted ?? '')).toEqual(readingOf(sql));
      expect(formatSql(formatted ?? '')).toBe(formatted);
    }
  });

  it('of any tokens changes none of them', () => {
    fc.assert(
      fc.property(soup, (text) => {
        const reading = readingOf(text);
        if (reading === null) return;
        expect(readingOf(formatSql(text) ?? text)).toEqual(reading);
      }),
    );
  });
});
