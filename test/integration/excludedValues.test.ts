import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEngine } from '../support/enginesUnderTest.ts';
import { RedactedStore } from './redaction/redactedStore.ts';

// The engine makes a dictionary of one side of a join. It computes functions of which it does not know that they can fail for each of
// its values, also for those that a CASE or the join leaves out.

let store: RedactedStore;
beforeAll(async () => {
  const events = Array.from({ length: 400 }, (_, i) => ({
    id: `e${i}`,
    event_message: i % 3 === 0 ? '(' : 'a',
    metadata: { response: { status_code: i } },
  }));
  store = await RedactedStore.open(events, { withHotColumns: true, isSealed: true });
});
afterAll(async () => await store.close());

it.each([
  ["if(b.event_message = '(', null, regexp_replace('xa', b.event_message, 'y'))", 'a.c = b.c', 'xy'],
  ["if(b.event_message = '(', null, regexp_replace('xa', b.event_message, 'y'))", 'a.id = b.id', 'xy'],
  ["regexp_replace('xa', b.event_message, 'y')", 'a.c = b.c and a.c in (1, 5, 7)', 'xy'],
  ["regexp_replace('xa', b.event_message, 'y')", 'a.c = b.c where mod(a.c, 3) > 0', 'xy'],
  ["left('abc', if(b.c = 0, 1, b.c - 1))", 'a.c = b.c where a.c > 0', 'abc'],
])(onEngine('values that a query leaves out do not make it fail: %s, %s'), async (value, on, expected) => {
  const side = 'select id, event_message, t.metadata.response.status_code as c from logs as t';
  const sql = `select max(${value}) as x from (${side}) as a join (${side}) as b on ${on}`;
  expect(await store.rows(sql, { isRaw: true })).toBe(`[{"x":"${expected}"}]`);
});
