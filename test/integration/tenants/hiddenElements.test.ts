import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEngine } from '../../support/enginesUnderTest.ts';
import { at } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

// Arrays are made of the events that a stored query chooses and of no others, also where it chooses them above its
// UNNEST and by a pattern: what cannot be unnested in another tenant's event would fail, and tell of it.

const now = at('2026-05-01T12:00:00Z');
const chosen = "regexp_contains(t.project, concat('^', @project, '$'))";
const event = (project: string, i: number, message: string, tags: unknown) => ({
  id: `${project}-${i}`,
  timestamp: now - i * 1000,
  project,
  event_message: message,
  metadata: { tags },
});

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros: now });
  await service.define({
    id: '00000000-0000-4000-8000-000000000051',
    name: 'elements',
    sandbox: true,
    parameters: { project: { type: 'string', required: true } },
    query: `with
      nested as (select t.id, e from sources.edge_logs t cross join unnest(t.metadata.tags) e where ${chosen}),
      numbers as (select t.id, n from sources.edge_logs t cross join unnest([cast(t.event_message as int64)]) n where ${chosen}),
      renamed as (select id, e from (select t.id, t.project, e from sources.edge_logs t cross join unnest(t.metadata.tags) e) t where ${chosen}),
      joined as (select t.id, e from sources.auth_logs a join (sources.edge_logs t cross join unnest(t.metadata.tags) e) on a.id = t.id where ${chosen})
    select id from nested`,
  });
  const own = Array.from({ length: 20 }, (_, i) => event('own', i, String(i), ['a', 'b']));
  const others = Array.from({ length: 200 }, (_, i) => event('other', i, 'no number', 'no array'));
  for (const source of ['edge_logs', 'auth_logs']) await service.send(source, [...own, ...others]);
});
afterAll(async () => {
  await service.close();
});

it.each([
  ['select count(*) as n from nested', 40],
  ["select count(*) as n from nested where id <> 'own-0'", 38],
  ['select count(*) as n from numbers where n > 9', 10],
  ['select count(*) as n from renamed', 40],
  ['select count(*) as n from joined', 40],
])(onEngine('%s'), async (sql, n) => {
  const { status, body } = await service.call('elements', { project: 'own', sql }, { method: 'POST' });
  expect({ status, detail: body.detail, rows: body.result }).toEqual({ status: 200, detail: undefined, rows: [{ n }] });
});
