import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { parseLql } from './parse.ts';
import { printLql } from './print.ts';
import { queryText } from './testing/queryTexts.ts';
import { withoutPlaces } from './testing/withoutPlaces.ts';

describe('parsing what was printed gives the same query', () => {
  it.each([
    ['f:edge_logs error', 'f:edge_logs error'],
    ['from:edge_logs  -"two words"\n~^x', 'f:edge_logs -"two words" ~^x'],
    ['m.status:5xx', 'metadata.status:5xx'],
    // Text that would read as something else is quoted.
    [
      'm.x:"5" m.x:"NULL" m.x:(true) m.x:"a b" m.x:""',
      'metadata.x:"5" metadata.x:"NULL" metadata.x:"true" metadata.x:"a b" metadata.x:""',
    ],
    ['"-x" "~x" --x', '"-x" "~x" -"-x"'],
    ['timestamp:(now) t:"today" m.level:"info".."error"', 'timestamp:"now" t:"today" metadata.level:info..error'],
    // Columns that are called as clauses are.
    ['f:"red" from:(a) s:"x" select:"a".."b"', 'f:"red" from:"a" s:"x" select:"a".."b"'],
    // In quotes a backslash stays unless a quote or a backslash follows.
    ['~"\\d\\\\ \\"x\\""', '~"\\\\d\\\\ \\"x\\""'],
    ['t:2026-04-{07..09}T00:{00..40}:00Z', 'timestamp:2026-04-07T00:00:00Z..2026-04-09T00:40:00Z'],
    ['t:last@h t:last@15m t:this@mm', 'timestamp:last@1hour timestamp:last@15minute timestamp:this@month'],
    ['c:p95(m.a) c:group_by(t::h)', 'c:p95(metadata.a) c:group_by(timestamp::hour)'],
    ['s:m.request.path@p select:*', 's:metadata.request.path@p s:*'],
    // Only a double quote is a quote.
    ["it's", "it's"],
  ])('%s', (text, printed) => {
    const query = parseLql(text);
    expect(printLql(query)).toBe(printed);
    expect(withoutPlaces(parseLql(printed))).toEqual(withoutPlaces(query));
  });

  it('for random queries', () => {
    let parsed = 0;
    fc.assert(
      fc.property(queryText, (text) => {
        let query: ReturnType<typeof parseLql>;
        try {
          query = parseLql(text);
        } catch (error) {
          // Two random clauses can refuse each other; nothing but a refusal is allowed.
          expect(error).toBeInstanceOf(ServiceError);
          return;
        }
        parsed++;
        const printed = printLql(query);
        expect(withoutPlaces(parseLql(printed))).toEqual(withoutPlaces(query));
        expect(printLql(parseLql(printed))).toBe(printed);
      }),
      { numRuns: 3000 },
    );
    expect(parsed).toBeGreaterThan(2000);
  });
});
