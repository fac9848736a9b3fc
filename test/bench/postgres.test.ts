import { describe, expect, it } from 'vitest';
import { benchedQueries } from '../../bench/benchedQueries.ts';
import { callerQueries } from '../../bench/callerQueries.ts';
import { ofAnswer, ofPostgres } from '../../bench/comparableRows.ts';
import { runStatement } from '../../bench/postgres/statement.ts';
import { callerStatement, storedStatement } from '../../bench/postgres/statements.ts';
import { requireEqualRows } from '../../bench/sameRows.ts';

/** What would be sent to a server. */
async function sentFor(text: string) {
  const sent: { text: string; values: readonly unknown[] }[] = [];
  const client = {
    query: async (query: { text: string; values: readonly unknown[] }) => {
      sent.push(query);
      return { rows: [] };
    },
  };
  const asked = { project: 'plum', now: '2026-05-01T12:30:00Z', after: null };
  await runStatement(client as never, { title: 'test', text }, asked);
  return sent[0];
}

describe('statements for PostgreSQL', () => {
  it('exist for every benched endpoint and query of a caller, and ask for one project', () => {
    const statements = [
      ...benchedQueries.map(storedStatement),
      ...callerQueries.map(({ name }) => callerStatement(name)),
    ];
    expect(statements.length).toBeGreaterThan(30);
    for (const { title, text } of statements) expect(text, title).toContain('{project}');
  });

  it('send each parameter once, however often it stands in the text, and only those that stand there', async () => {
    const sent = await sentFor(
      `SELECT 1 WHERE a = {project} AND b > {after} AND c = {project} AND d#>>'{metadata,x}' = ''`,
    );
    expect(sent?.text).toBe(
      `SELECT 1 WHERE a = $1::text AND b > $2::timestamp AND c = $1::text AND d#>>'{metadata,x}' = ''`,
    );
    expect(sent?.values).toEqual(['plum', null]);
  });
});

describe('rows of PostgreSQL beside those of an answer', () => {
  const body = (rows: readonly unknown[]) => Buffer.from(JSON.stringify({ result: rows }));
  const compare = (answered: readonly unknown[], rows: readonly (readonly (string | null)[])[]) => () => {
    const like = ofAnswer(body(answered));
    requireEqualRows('test', like, ofPostgres(rows, like));
  };

  it('are equal in times, numbers, booleans, NULL and nested records', () => {
    const row = {
      at: '2026-05-01T12:30:00.500000Z',
      bucket: '2026-05-01T12:30:00',
      mean: 0.1 + 0.2,
      is: true,
      none: null,
      metadata: [{ request: [{ path: '/a' }], tags: ['x'] }],
    };
    const texts = [
      '2026-05-01 12:30:00.5',
      '2026-05-01 12:30:00',
      '0.3',
      't',
      null,
      '{"tags": ["x"], "request": {"path": "/a"}}',
    ];
    expect(compare([row], [texts])).not.toThrow();
  });

  it.each([
    ['another number', [{ n: 1 }], [['2']]],
    ['another time', [{ at: '2026-05-01T12:30:00Z' }], [['2026-05-01 12:30:00.000001']]],
    ['another order', [{ n: 1 }, { n: 2 }], [['2'], ['1']]],
    ['a row too few', [{ n: 1 }, { n: 2 }], [['1']]],
    ['a row too many', [{ n: 1 }], [['1'], ['2']]],
    ['another member', [{ m: [{ a: 1 }] }], [['{"a": 1, "b": 2}']]],
    ['NULL for a value', [{ n: 1 }], [[null]]],
  ])('differ by %s', (_, answered, rows) => {
    expect(compare(answered, rows)).toThrow(/answers differently: row \d/);
  });
});
