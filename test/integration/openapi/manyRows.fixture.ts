import { second } from '../../support/instants.ts';
import type { WholeService } from '../../support/wholeService.ts';

/** Defines the endpoint `many.rows`, whose answers have at most four rows, and sends an event for each text, which is its `v`. */
export async function defineManyRows(
  service: WholeService,
  nowMicros: number,
  texts: readonly string[],
): Promise<void> {
  await service.define({
    id: '33333333-3333-4333-8333-333333333333',
    name: 'many.rows',
    sandbox: true,
    max_rows: 4,
    query:
      'with logs as (select timestamp, event_message from sources.pooler_logs) select event_message as v from logs order by timestamp',
  });
  const events = texts.map((text, i) => ({ timestamp: nowMicros - second + i, project: 'own', event_message: text }));
  await service.send('pooler_logs', events);
}
