import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEngine } from '../../support/enginesUnderTest.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';
import { defineQueries } from './definedQueries.ts';

const nowMicros = Date.UTC(2026, 5, 1, 12) * 1000;
const asked = { 'SVC-ENDPOINT-REDACT-PII': 'true' };
const range = { project: 'p', iso_timestamp_start: '2026-06-01T11:00:00Z', project_tier: 'PRO' };
const from = "from sources.edge_logs as t cross join unnest(t.metadata) as m where t.project = 'p'";
const also = (unnest: string): string => from.replace(' where', `, ${unnest} where`);

/** Queries that return elements of lists in which the element before tells that they are secrets. */
const queries: readonly (readonly [name: string, query: string])[] = [
  ['position', `select m.pairs[0][1] as shown, m.pairs[1][1] as other ${from}`],
  ['offset', `select m.pairs[safe_offset(0)][safe_ordinal(2)] as shown, m.pairs[1][1] as other ${from}`],
  ['elements', `select p[1] as shown ${also('unnest(m.pairs) as p')}`],
  ['both', `select x as shown ${also('unnest(m.pairs) as p, unnest(p) as x')}`],
  ['flat', `select h as shown ${also('unnest(m.raw) as h')}`],
  ['flatted', `select m.raw[3] as shown, m.raw[1] as other ${from}`],
  ['whole', `select m.raw as a, m.pairs as b ${from}`],
  ['text', `select to_json_string(m.raw) as shown, m.pairs[1][1] as other ${from}`],
  ['path', `select json_value(t.metadata, '$.pairs[0][1]') as a, json_value(m.pairs, '$[1][1]') as b ${from}`],
  ['query', `select json_query(m.pairs, '$[0]') as a, json_query(t.metadata, '$.pairs[1][1]') as b ${from}`],
  ['arrays', `select json_value_array(m.raw) as a ${from}`],
  ['joined', `select array_to_string(json_value_array(m.raw), '|') as a ${from}`],
  ['sliced', `select json_value_array(m.raw)[offset(3)] as a, json_query_array(m.pairs)[offset(1)] as b ${from}`],
  ['grouped', `select string_agg(string(h), ', ' order by string(h)) as a ${also('unnest(m.raw) as h')}`],
  ['windows', `select lead(h) over (order by i) as a ${also('unnest(m.raw) as h with offset as i')}`],
  ['stored', `select json_value(m.text, '$[0][1]') as a, json_value(m.text, '$[1][1]') as b ${from}`],
  [
    'message',
    `select json_value(t.event_message, '$[0][1]') as a, json_value(t.event_message, '$[1][1]') as b ${from}`,
  ],
  ['parsed', `select parse_json(t.event_message)[0][1] as a, parse_json(t.event_message)[1][1] as b ${from}`],
];

let service: WholeService;

beforeAll(async () => {
  service = await startWholeService({ nowMicros });
  const pairs = [
    ['Authorization', 'Hunter2'],
    ['accept', 'kept'],
  ];
  const metadata = { pairs, raw: ['Host', 'kept', 'Cookie', 'sid=Hunter2'], text: JSON.stringify(pairs) };
  await service.send('edge_logs', [
    {
      id: 'e',
      project: 'p',
      timestamp: nowMicros - 1_000_000,
      event_message: JSON.stringify(pairs),
      metadata,
    },
  ]);
  await defineQueries(service, queries, asked);
});

afterAll(async () => {
  await service.close();
});

describe(onEngine('an element that the element before it names as a secret'), () => {
  it.each(queries)('is redacted where a stored query returns it alone: %s', async (name) => {
    const raw = await service.call(name, {});
    expect(raw.body.detail).toBeUndefined();
    expect(raw.text).toContain('Hunter2');
    // The second answer comes from the cache.
    for (let call = 0; call < 2; call += 1) {
      const shown = await service.call(name, {}, { headers: asked });
      expect(shown.text).not.toContain('Hunter2');
      expect(shown.body.meta.redaction.counts).toHaveProperty('key');
      expect(shown.text).toContain('kept');
    }
  });

  it.each(queries)('is redacted in a query of a caller: %s', async (_, query) => {
    const sql = query.replace('sources.edge_logs', 'edge_logs').replace(" where t.project = 'p'", '');
    const shown = await service.call('logs.all', { ...range, sql }, { headers: asked });
    expect(shown.body.detail).toBeUndefined();
    expect(shown.text).not.toContain('Hunter2');
    expect(shown.text).toContain('kept');
  });
});
