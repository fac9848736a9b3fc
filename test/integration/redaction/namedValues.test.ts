import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEngine } from '../../support/enginesUnderTest.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';
import { defineQueries } from './definedQueries.ts';

const nowMicros = Date.UTC(2026, 5, 1, 12) * 1000;
const asked = { 'SVC-ENDPOINT-REDACT-PII': 'true' };
const from = "from sources.edge_logs as t cross join unnest(t.metadata) as m where t.project = 'p'";

/** Stored queries that return a value without the name beside it: the rows alone do not tell that it is personal. */
const queries: readonly (readonly [name: string, query: string, rest: string])[] = [
  ['elements', `select h.value as shown ${from.replace(' where', ', unnest(m.list) as h where')}`, 'kept'],
  ['renamed', `select h.name as a, h.value as b ${from.replace(' where', ', unnest(m.list) as h where')}`, 'kept'],
  ['records', `select m.one.value as shown ${from}`, ''],
  ['positions', `select m.list[0].value as shown, m.list[1].value as other ${from}`, 'kept'],
  ['paths', `select json_value(t.metadata, '$.list[0].value') as shown ${from}`, ''],
  [
    'texts',
    `select json_value(m.text, '$.list[0].value') as shown, json_value(m.text, '$.list[1].value') as o ${from}`,
    'kept',
  ],
  ['attributes', `select m.attributes[0].value.stringValue as shown ${from}`, ''],
  [
    'structs',
    `select x.a as shown from (select struct(m.one.value as a) as x ${from}) union all select m.one.value ${from}`,
    '',
  ],
];

let service: WholeService;

beforeAll(async () => {
  service = await startWholeService({ nowMicros });
  const list = [
    { name: 'Cookie', value: 'sid=Hunter2' },
    { name: 'Accept', value: 'kept' },
  ];
  const metadata = {
    list,
    one: { name: 'DB_PASSWORD', value: 'Hunter2' },
    text: JSON.stringify({ list }),
    attributes: [{ key: 'client_secret', value: { stringValue: 'Hunter2' } }],
  };
  await service.send('edge_logs', [
    { id: 'e', project: 'p', timestamp: nowMicros - 1_000_000, event_message: 'x', metadata },
  ]);
  await defineQueries(service, queries, asked);
});

afterAll(async () => {
  await service.close();
});

describe(onEngine('a value that the text beside it names as personal'), () => {
  it.each(queries)('is redacted where a stored query returns it alone: %s', async (name, _, rest) => {
    const raw = await service.call(name, {});
    expect(raw.body.detail).toBeUndefined();
    expect(raw.text.toLowerCase()).toContain('hunter2');
    // The second answer comes from the cache.
    for (let call = 0; call < 2; call += 1) {
      const shown = await service.call(name, {}, { headers: asked });
      expect(shown.body.meta.redaction.counts).toHaveProperty('key');
      expect(shown.text.toLowerCase()).not.toContain('hunter2');
      expect(shown.text).toContain(rest);
    }
  });
});
