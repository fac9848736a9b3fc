import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { auditTrailContract } from '../../audit/auditTrail.contract.ts';
import { openTwice } from './openTwice.fixture.ts';
import { SqliteAuditTrail } from './sqliteAuditTrail.ts';

auditTrailContract('SqliteAuditTrail', async () => {
  const { first, second, close } = await openTwice();
  return { trail: new SqliteAuditTrail(first), other: new SqliteAuditTrail(second), close };
});

it.each([
  'update audit_trail set actor = null',
  'delete from audit_trail',
  'delete from audit_trail where sequence = 1',
  "insert or replace into audit_trail (sequence, at, action, count) values (1, 0, 'token.create', 1)",
])('refuses, in the database itself: %s', async (statement) => {
  const { first, close } = await openTwice();
  const trail = new SqliteAuditTrail(first);
  const kept = {
    atMicros: 1,
    actor: 'a',
    action: 'token.create',
    target: 'b',
    version: null,
    requestId: null,
  } as const;
  await trail.record(kept);
  await expect(sql.raw(statement).execute(first)).rejects.toThrow(/append-only/);
  expect(await trail.list({ limit: 10, beforeSequence: null, actor: null })).toEqual([
    { ...kept, sequence: 1, code: null, count: 1 },
  ]);
  await close();
});
