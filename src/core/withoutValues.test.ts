import { expect, test } from 'vitest';
import { withoutValues } from './withoutValues.ts';

test.each([
  [`no function 'it's a secret' of 'that'`, `no function '…'`],
  [`two\n"lines 'of" secret' and "more"`, `two\n"…"`],
  [`don't parse "a'secret" here`, `don'…' here`],
  [`cannot parse 'a secret without an end`, `cannot parse '…`],
  [`it's necessary to have a grant`, `it's necessary to have a grant`],
  ['syntax error\n\nLINE 1: select secret\n        ^', 'syntax error'],
  ['12345 of 999 rows', '# of 999 rows'],
  ['', ''],
])('%j is logged as %j', (text, logged) => {
  expect(withoutValues(text)).toBe(logged);
});
