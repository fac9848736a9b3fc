import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEngine } from '../../support/enginesUnderTest.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const nowMicros = Date.UTC(2026, 5, 1, 12) * 1000;
const asked = { 'SVC-ENDPOINT-REDACT-PII': 'true' };

/** Each shows the member `context.tenant`, which a rule names by its path, below a name that the query gave. */
const shown: readonly string[] = [
  'm.context.tenant',
  'm.context',
  'struct(m.context as a)',
  "json_object('a', m.context)",
  "json_object('a', m.context).a",
  "json_object('a', m.context).a.tenant",
  "json_object('a', json_object('b', m.context)).a",
  'json_object(@name, m.context)',
  'json_object(@name, m.context).x.tenant',
  "(select json_object(k, m.context) from unnest(['a']) as k)",
  "(select json_object(k, m.context).a.tenant from unnest(['a']) as k)",
  "json_object([concat(@name, 'y')], [m.context])",
  "format(if(t.id = '', '', '%t'), m.context.tenant)",
  "format(if(t.id = '', '', '%t'), m.context)",
  'to_json(struct(m.context as a))',
  'to_json(struct(m.context as a)).a.tenant',
  'to_json_string(struct(m.context as a))',
  'parse_json(to_json_string(struct(m.context as a))).a',
  "json_value(json_object('a', m.context), '$.a.tenant')",
  "array_last(json_query_array(json_object('a', json_array(m.context)), '$.a'))",
  "(select o.a.tenant from (select json_object('a', m.context) as o))",
  '(select approx_top_count(n.context, 1) from sources.edge_logs as e cross join unnest(e.metadata) as n)',
  '(select to_json(approx_top_count(n.context, 1))[0].value.tenant from sources.edge_logs as e cross join unnest(e.metadata) as n)',
  "json_value(m.payload, '$.context.tenant')",
  "json_query(m.payload, '$.context')",
  "json_query(m.payload, '$').context.tenant",
  "json_value(t.metadata.payload, '$.context.tenant')",
  "(select json_value(any_value(n.payload), '$.context.tenant') from sources.edge_logs as e cross join unnest(e.metadata) as n)",
  "(select any_value(json_object('a', n.context).a) from sources.edge_logs as e cross join unnest(e.metadata) as n)",
];

let service: WholeService;

beforeAll(async () => {
  service = await startWholeService({ nowMicros, settings: { redactFields: 'context.tenant' } });
  await service.send('edge_logs', [
    {
      id: 'a',
      project: 'p',
      timestamp: nowMicros - 1,
      metadata: { context: { tenant: 'acme', n: 1 }, payload: '{"context":{"tenant":"acme"}}' },
    },
    {
      id: 'b',
      project: 'q',
      timestamp: nowMicros - 1,
      event_message: '{"by":{"203.0.113.7":1}}',
      metadata: { payload: '{"by":{"203.0.113.7":[{"jane@example.com":1}]}}' },
    },
  ]);
  for (const [i, expression] of shown.entries()) {
    await service.define({
      id: `00000000-0000-4000-8000-0000000002${String(i).padStart(2, '0')}`,
      name: `shows.${i}`,
      query: `select ${expression} as x from sources.edge_logs as t cross join unnest(t.metadata) as m where t.project = @project`,
      parameters: { project: { type: 'string', required: true }, name: { type: 'enum', allowed: ['x'], default: 'x' } },
    });
  }
});

/** Each shows names of members that a sender wrote in a text. */
const named: readonly string[] = [
  'm.payload',
  "json_query(m.payload, '$')",
  "json_extract(m.payload, '$.by')",
  "json_query(m.payload, '$').by",
  "json_query_array(json_query(json_array(json_query(m.payload, '$')), '$'))",
  "struct([json_query(m.payload, '$.by')] as a)",
  "to_json(struct(json_query(m.payload, '$') as a))",
  'parse_json(t.event_message)',
  "json_object('a', parse_json(t.event_message).by)",
  "(select any_value(json_query(n.payload, '$')) from sources.edge_logs as e cross join unnest(e.metadata) as n where e.project = 'q')",
  "(select x from (select json_query(n.payload, '$') as x from sources.edge_logs as e cross join unnest(e.metadata) as n where e.project = 'q') limit 1)",
];

afterAll(async () => {
  await service.close();
});

describe(onEngine('a member that is personal by its path'), () => {
  it.each(shown.map((expression, i) => [expression, i] as const))('stays so in %s', async (_, i) => {
    const raw = await service.call(`shows.${i}`, { project: 'p' });
    expect([raw.status, raw.text]).toEqual([200, expect.stringContaining('acme')]);
    const redacted = await service.call(`shows.${i}`, { project: 'p' }, { headers: asked });
    expect([redacted.status, redacted.text]).toEqual([200, expect.stringContaining('[REDACTED:field]')]);
    expect(redacted.text).not.toContain('acme');
  });
});

describe(onEngine('a personal value that a sender wrote as a name in a text'), () => {
  it.each(named)('is not shown by %s', async (expression) => {
    const i = named.indexOf(expression);
    await service.define({
      id: `00000000-0000-4000-8000-0000000003${String(i).padStart(2, '0')}`,
      name: `named.${i}`,
      query: `select ${expression} as x from sources.edge_logs as t cross join unnest(t.metadata) as m where t.project = @project`,
      parameters: { project: { type: 'string', required: true } },
    });
    const raw = await service.call(`named.${i}`, { project: 'q' });
    expect([raw.status, raw.text]).toEqual([200, expect.stringContaining('203.0.113.7')]);
    const redacted = await service.call(`named.${i}`, { project: 'q' }, { headers: asked });
    expect([redacted.status, redacted.text]).toEqual([200, expect.stringContaining('[REDACTED:ip]')]);
    expect(redacted.text).not.toContain('203.0.113.7');
    expect(redacted.text).not.toContain('jane');
  });
});
