import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkEnginePattern } from '../../../src/endpoints/checkEnginePattern.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect();
});
afterAll(() => connection.closeSync());

/** What the engine says against a pattern; null where it takes it. */
async function engineRefusal(pattern: string): Promise<string | null> {
  try {
    await connection.runAndReadAll('select regexp_matches($1, $2)', ['x', pattern]);
    return null;
  } catch (error) {
    return String(error);
  }
}

async function expectTaken(pattern: string): Promise<void> {
  if (checkEnginePattern(pattern).kind === 'ok')
    expect([pattern, await engineRefusal(pattern)]).toEqual([pattern, null]);
}

const atoms = [
  ...[
    'a',
    'b',
    '.',
    '\\d',
    '\\W',
    '\\pL',
    '\\PL',
    '\\p{Greek}',
    '\\p{^Han}',
    '\\p{Garay}',
    '[a-z]',
    '[^\\s]',
    '[\\pL\\pN]',
    '\\b',
    '^',
    '$',
  ],
  ...[
    '(',
    '(?:',
    '(?i)',
    '(?P<n>',
    '(?<n>',
    ')',
    '|',
    '*',
    '+',
    '?',
    '{2}',
    '{3,}',
    '{,3}',
    '{2,1000}',
    '{300}',
    '??',
    '\\Q',
    '\\E',
  ],
  ...[
    '\\x{e9}',
    'é',
    '😀',
    '[',
    '[[:alpha:]]',
    ']',
    '-',
    '\\C',
    '\\z',
    '\\A',
    '\\',
    '(?s:',
    '{',
    '}',
    '\\x41',
    '[é-ž]',
    '[^é]',
  ],
];

describe('a pattern that is taken', () => {
  it('is taken by the engine as well', { timeout: 300_000 }, async () => {
    const pattern = fc.array(fc.constantFrom(...atoms), { minLength: 1, maxLength: 9 }).map((parts) => parts.join(''));
    await fc.assert(fc.asyncProperty(pattern, expectTaken), { numRuns: 1500 });
  });

  it('is taken by the engine also where it is as large as may be', { timeout: 300_000 }, async () => {
    const classes = [
      '\\pL',
      '\\PL',
      '\\p{Lo}',
      '[\\pL\\pN]',
      '[\\pL\\pN\\pS\\pP\\pM]',
      '\\p{Greek}',
      '.',
      '[^a]',
      '[^é-ž]',
      '(?i:\\pL)',
      '\\W',
    ];
    for (const each of classes) {
      for (const times of [1, 2, 5, 9, 10, 33]) await expectTaken(`(?:${each}){300}`.repeat(times));
      for (const count of [100, 200, 300, 333, 500, 1000]) await expectTaken(`(?:${each}){${count}}`);
    }
  });

  it('has no Unicode class that the engine does not know', { timeout: 300_000 }, async () => {
    const folder = join(import.meta.dirname, '../../../node_modules/re2js/build');
    const texts = readdirSync(folder)
      .filter((file) => /\.c?js$/.test(file))
      .map((file) => readFileSync(join(folder, file), 'utf8'));
    const names = new Set(texts.flatMap((text) => text.match(/\b[A-Z][A-Za-z_]{0,40}\b/g) ?? []));
    const known = [...names].filter((name) => {
      try {
        return RE2JS.compile(`\\p{${name}}`) !== undefined;
      } catch {
        return false;
      }
    });
    expect(known.length).toBeGreaterThan(150);
    for (const name of known)
      for (const form of [name, name.toLowerCase(), `^${name}`]) await expectTaken(`\\p{${form}}`);
  });
});

describe('a pattern that the engine refuses', () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService({ nowMicros: Date.UTC(2026, 4, 1) * 1000 });
  });
  afterAll(() => service.close());

  it.each([
    ['(?<name>a)', '(?P<name>'],
    ['\\p{Garay}', '\\p{Garay}'],
    ['\\pL{1000}', 'repeats too much'],
  ])('is refused before a query runs: %s', async (pattern, told) => {
    const parameter = await service.call('usage.api-counts', { interval: 'hourly', project: pattern });
    expect([parameter.status, parameter.body.code]).toEqual([400, 'parameter.invalid']);
    expect(parameter.body.detail).toContain(told);
    const sql = `select count(*) as n from (select 'x' as x)\nwhere regexp_contains(x, r'${pattern}')`;
    const literal = await service.call('logs.all', { project: 'p', sql });
    expect(literal.status).toBe(400);
    expect(literal.body.errors[0]).toMatchObject({ line: 2 });
    expect(literal.body.detail).toContain(told);
  });

  it('is refused as data where it is only large', async () => {
    const sql = `select regexp_contains(event_message, '${'(?:.{1000})'.repeat(140)}') as a from (select 'x' as event_message)`;
    const answer = await service.call('logs.all', { project: 'p', sql });
    expect(answer.status).toBe(400);
  });
});
