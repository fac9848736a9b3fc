import { describe, expect, it } from 'vitest';
import { statementOf } from './statementOf.fixture.ts';

// In a sealed segment, the engine computes conditions of one WHERE in any order. Those that can fail must not stand next to one that
// chooses the project.

const chosen = "regexp_contains(t.project, '^a$')";
const failing = 'cast(t.event_message as int64) > 0';
/** Whether the SELECT with the pattern ends behind it. */
const areApart = (sql: string) => /'\^a\$'\)+ AS t\d+ /.test(sql);

describe('conditions that can fail', () => {
  it.each([
    `select id from sources.edge_logs as t where ${chosen} and ${failing}`,
    `select id from sources.edge_logs as t where ${failing} and ${chosen}`,
    `select id from (select * from sources.edge_logs as t where ${chosen}) as t where ${failing}`,
    `select t.id from (select * from sources.edge_logs as t where ${chosen}) as t join sources.auth_logs as a on t.id = a.id and ${failing}`,
  ])('are apart from those that choose the project: %s', (sql) => {
    expect(areApart(statementOf(sql, [], null))).toBe(true);
  });

  it('stand beside others if the project is known', () => {
    expect(areApart(statementOf(`select id from sources.edge_logs as t where ${chosen} and ${failing}`))).toBe(false);
  });

  it('keep metadata as text', () => {
    const sql = `select metadata from sources.edge_logs as t where ${chosen} and ${failing}`;
    expect(statementOf(sql, [], null)).not.toContain('AS JSON)');
  });
});
