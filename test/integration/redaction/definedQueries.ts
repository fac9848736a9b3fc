import { expect, vi } from 'vitest';
import type { WholeService } from '../../support/wholeService.ts';

/**
 * Defines an endpoint for each query, by its name, and waits until the first one answers with redaction: on a busy
 * machine, the process that redacts may start too late for the first call.
 */
export async function defineQueries(
  service: WholeService,
  queries: readonly (readonly [name: string, query: string, ...more: unknown[]])[],
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [i, [name, query]] of queries.entries()) {
    await service.define({
      id: `00000000-0000-4000-8000-0000000003${String(i).padStart(2, '0')}`,
      name,
      query,
      parameters: {},
      cache_seconds: 60,
    });
  }
  await vi.waitFor(async () => expect((await service.call(queries[0]?.[0] ?? '', {}, { headers })).status).toBe(200), {
    timeout: 60_000,
    interval: 10,
  });
}
