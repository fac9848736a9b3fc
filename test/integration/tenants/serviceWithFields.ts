import { at } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';
import { alder, birch, plainEvents } from './tenantEvents.ts';

/** When the events of the service are sent. */
export const now = at('2026-05-01T12:34:56.789Z') + 321;
export const openId = '00000000-0000-4000-8000-000000000021';

/** A service whose events have fields that only some callers may learn of. */
export interface ServiceWithFields {
  readonly service: WholeService;
  readonly tokens: Readonly<Record<'alder' | 'birch' | 'all' | 'redacted' | 'ingest', string>>;
}

/** Starts it with the events of two projects, among them personal values, and with endpoints on them. Must be closed. */
export async function startServiceWithFields(): Promise<ServiceWithFields> {
  const service = await startWholeService({ nowMicros: now, settings: { redactionRowsMax: 2_000 } });
  for (const tenant of [alder, birch]) {
    for (const [stream, events] of plainEvents(tenant, now, 5)) await service.send(stream, events);
  }
  await service.send('pooler_logs', [
    {
      id: 'personal-1',
      timestamp: now - 1000,
      event_message: 'from 203.0.113.7',
      project: alder.project,
      metadata: {
        client: 'jane@example.com',
        peer: '203.0.113.7',
        user_email: 'jane@example.com',
        latitude: 48.1,
        seen: { 'jane@example.com': 1, 'max@example.com': 2 },
        headers: [{ name: 'Cookie', value: 'very-secret' }],
      },
    },
  ]);
  await service.define({
    id: openId,
    name: 'open.events',
    sandbox: true,
    query: `with edge_logs as (select id, timestamp, project, metadata from sources.edge_logs),
      renamed as (select metadata.user_email as u, metadata.headers[0].value as v, metadata.peer as p from sources.pooler_logs)
      select id from edge_logs`,
  });
  await service.define({
    id: '00000000-0000-4000-8000-000000000025',
    name: 'altered.events',
    sandbox: true,
    query: `with cut as (select timestamp, left(event_message, 12) as start from sources.pooler_logs),
      born as (select timestamp_seconds(cast(metadata.latitude as int64)) as timestamp from sources.pooler_logs),
      mixed as (select timestamp, metadata, cast(id as int64) as broken from sources.pooler_logs)
      select start from cut`,
  });
  await service.define({
    id: '00000000-0000-4000-8000-000000000022',
    name: 'closed.events',
    sandbox: false,
    query: 'select id from sources.edge_logs',
  });
  const tokens = {
    alder: await service.makeToken(['query'], [alder.project]),
    birch: await service.makeToken(['query'], [birch.project]),
    all: await service.makeToken(['query']),
    redacted: await service.makeToken(['query'], undefined, true),
    ingest: await service.makeToken(['ingest']),
  };
  service.clock.advanceMs(1000);
  return { service, tokens };
}
