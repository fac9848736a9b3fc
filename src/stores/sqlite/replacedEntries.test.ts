import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { SqlAuditTrail } from '../sql/sqlAuditTrail.ts';
import { openTwice } from './openTwice.fixture.ts';

it('refuses to replace an entry of the audit trail, which would remove it without firing the trigger', async () => {
  const { first, close } = await openTwice();
  const trail = new SqlAuditTrail(first);
  await trail.record({ atMicros: 1, actor: 'a', action: 'token.create', target: 'b', version: null, requestId: null });
  const replacing = sql`insert or replace into audit_trail (sequence, at, action, count) values (1, 0, 'token.create', 1)`;
  await expect(replacing.execute(first)).rejects.toThrow(/append-only/);
  expect(await trail.list({ limit: 10, beforeSequence: null, actor: null })).toMatchObject([
    { sequence: 1, atMicros: 1 },
  ]);
  await close();
});
