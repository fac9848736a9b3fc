import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../src/core/clock.ts';
import { systemRandomness } from '../../../src/core/ids.ts';
import { readSettings } from '../../../src/start/readSettings.ts';
import { type RunningService, startService } from '../../../src/start/startService.ts';

let service: RunningService | undefined;
afterEach(async () => await service?.close('end of the test'));

it('gives no pseudonym to a request ID, which a caller could guess with', async () => {
  const { settings } = readSettings({
    environment: { LOGMILL_REDACT_KEY: 'k'.repeat(32), LOGMILL_SLOW_QUERY_MS: '1' },
    flags: { dataDir: join(mkdtempSync(join(tmpdir(), 'logmill-integration-')), 'data'), port: '0' },
  });
  service = await startService({
    settings,
    clock: new ManualClock(Date.UTC(2026, 4, 4) * 1000),
    randomness: systemRandomness,
    observe: () => undefined,
    demo: false,
    progress: () => undefined,
  });
  const { url, adminToken = '' } = service;
  const call = async (path: string, id: string) => {
    const headers = { 'x-api-key': adminToken, 'svc-endpoint-redact-pii': 'true', 'x-request-id': id };
    return await (await fetch(`${url}/api/endpoints/query/${path}`, { headers })).text();
  };
  // A different query for each call: the answer of a repeated one is kept, and to give it again may take less than a
  // millisecond, which is not slow.
  for (const [index, id] of ['nora@example.com', '203.0.113.7', 'plain-id'].entries()) {
    const sql = `select count(*) as n from unnest(generate_array(1, 2000)) as a, unnest(generate_array(1, 2000)) as b where mod(a * b, 7) = ${8 + index}`;
    await call(`logs.all?${new URLSearchParams({ project: 'p', sql })}`, id);
  }
  // The service counts a call when its connection has let go of it, a moment after the caller has the answer.
  const slow = await vi.waitFor(
    async () => {
      const answer = await call('svc.slow', 'reading');
      for (const shown of ['[REDACTED:email]', '[REDACTED:ip]', 'plain-id'])
        expect(answer).toContain(`"request_id":"${shown}"`);
      return answer;
    },
    { timeout: 60_000, interval: 10 },
  );
  expect(slow).not.toMatch(/\[(?:email|ip):[0-9a-f]{6}\]/);
});
