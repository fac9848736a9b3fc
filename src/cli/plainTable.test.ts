import { expect, it } from 'vitest';
import { plainTable } from './plainTable.ts';

it('keeps each cell on one line, without what a terminal obeys', () => {
  const lines = plainTable(
    ['id', 'note'],
    [
      [1, 'a\nb\r\u001b[31m\u202ec\tx'],
      [null, 'd'],
    ],
  ).split('\n');
  expect(lines.map((line) => line.replaceAll(/[─┌┬┐└┴┘├┼┤]/g, '').trim())).toEqual([
    '',
    expect.stringMatching(/^│ id │ note +│$/),
    '',
    String.raw`│ 1  │ a\u000ab\u000d\u001b[31m\u202ec\u0009x │`,
    expect.stringMatching(/^│ +│ d +│$/),
    '',
    '',
  ]);
});
