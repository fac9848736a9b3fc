import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { decisionProblems } from '../../scripts/docs/checkDocs.ts';

const folder = mkdtempSync(join(tmpdir(), 'decisions-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the index of decisions', () => {
  it('lists every record', () => {
    expect(decisionProblems(join(import.meta.dirname, '..', '..', 'docs', 'decisions'))).toEqual([]);
  });

  it('is refused if a record is missing or listed twice, or two have one number', () => {
    for (const file of ['0001-a.md', '0001-d.md', '0002-b.md', '0003-c.md']) writeFileSync(join(folder, file), '');
    writeFileSync(join(folder, 'README.md'), '[a](0001-a.md) [d](0001-d.md) [b](0002-b.md) [b](0002-b.md)');
    expect(decisionProblems(folder)).toEqual([
      'docs/decisions/README.md lists 0002-b.md 2 times; list it once, under its topic',
      'docs/decisions/README.md lists 0003-c.md 0 times; list it once, under its topic',
      'docs/decisions/0001-d.md has the number of 0001-a.md; give it the next free one',
    ]);
  });
});
