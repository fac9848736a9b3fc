import fc from 'fast-check';
import { lqlText } from './texts.ts';

/** What means something in LQL, and what means something in languages that a text must never reach. */
const pieces: readonly string[] = [
  '"',
  '\\',
  '\\"',
  ':',
  '::',
  ':>',
  ':~',
  ':@>',
  ':@>~',
  '~',
  '-',
  '--',
  '..',
  '...',
  '.',
  '*',
  '(',
  ')',
  '{',
  '}',
  '{1..2}',
  '@',
  '@x',
  'm.',
  'm.x:',
  't:',
  's:',
  'f:',
  'c:',
  'c:count(',
  'last@',
  'this@d',
  'now',
  'NULL',
  'true',
  '9'.repeat(30),
  '9'.repeat(400),
  `-${'9'.repeat(400)}x`,
  ` m.n:~${'9'.repeat(400)} `,
  '1e5',
  "'",
  "' or 1=1 --",
  '; drop table edge',
  '/*',
  '`',
  '$rows_max',
  '@project',
  'sources.edge_logs',
  'f:sources.edge_logs',
  'f:information_schema.tables',
  '\u0000',
  '\u00a0',
  '\u2028',
  '\ufeff',
  '\ud83d',
  'é',
  '😀',
  ' ',
  '\n',
  '\t',
  '(?i)',
  '[[:alpha:]]',
  '\\p{L}',
  'a{1001}',
  '(a*)*b',
  '((((((((((x',
];

const mutation = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.constantFrom(0, 0, 1, 1, 2, 5, 20),
  piece: fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...pieces) }, { weight: 1, arbitrary: fc.string() }),
  times: fc.constantFrom(1, 1, 1, 1, 2, 30),
  isCut: fc.boolean(),
});

/** Texts that were LQL until something was cut out of them, put into them or repeated in them. */
export const hostileText: fc.Arbitrary<string> = fc
  .tuple(lqlText, fc.array(mutation, { minLength: 1, maxLength: 4 }))
  .map(([text, mutations]) =>
    mutations.reduce((mutated, { at, length, piece, times, isCut }) => {
      const from = Math.floor(at * (mutated.length + 1));
      return mutated.slice(0, from) + (isCut ? '' : piece.repeat(times)) + mutated.slice(from + length);
    }, text),
  );
