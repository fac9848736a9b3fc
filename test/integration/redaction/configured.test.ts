import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEngine } from '../../support/enginesUnderTest.ts';
import { RedactedStore } from './redactedStore.ts';
import { eventsWith, secretSets, secretTexts } from './undoing.ts';

const [ours] = secretSets;

describe(onEngine('a redactor that an installation configured'), () => {
  let store: RedactedStore;
  beforeAll(async () => {
    store = await RedactedStore.open(eventsWith(ours), {
      withHotColumns: true,
      isSealed: false,
      settings: {
        redaction: {
          detectors: ['phone'],
          patterns: [{ name: 'ray', pattern: '^8f[0-9a-f]{2}$' }],
          fields: ['request.cf.asn', 'method', 'response.status_code', 'response.origin_time'],
          pseudonymKey: 'a key of this test, not a short one',
        },
      },
    });
  });
  afterAll(async () => {
    await store.close();
  });

  it('is at work in the engine: patterns, members by path, numbers and typed columns included', async () => {
    const rows = await store.rows(
      'select m.request.headers.cf_ray as ray, m.request.cf.asn as asn, m.request.cf as cf, m.request.method as method from logs cross join unnest(metadata) as m order by timestamp limit 1',
    );
    expect(JSON.parse(rows)).toEqual([
      {
        ray: expect.stringMatching(/^\[ray:[0-9a-f]{6}\]$/),
        asn: null,
        cf: {
          latitude: expect.stringMatching(/^\[location:/),
          longitude: null,
          postalCode: expect.stringMatching(/^\[location:/),
          asn: null,
        },
        method: expect.stringMatching(/^\[field:/),
      },
    ]);
  });

  it('is passed by no cast and no JSON function of what a typed column holds', async () => {
    const rows = await store.rows(
      `select distinct safe_cast(m.response.status_code as int64) as a, cast(m.response.status_code as string) as b, lax_float64(m.response.status_code) as c,
         safe_cast(m.response.origin_time as float64) as d, lax_int64(m.response.origin_time) as e, safe.float64(m.response.origin_time) as f,
         cast(m.request.method as string) as g, json_value(m.request.method) as h, lax_string(m.request.method) as i
       from logs cross join unnest(metadata) as m`,
    );
    const mark = expect.stringMatching(/^\[field:/);
    expect(JSON.parse(rows)).toEqual([
      { a: null, b: null, c: null, d: null, e: null, f: null, g: mark, h: mark, i: mark },
    ]);
    const numbers = await store.rows(
      `select min(safe_cast(m.response.origin_time as float64)) as a, sum(cast(m.response.origin_time as float64)) as b,
         countif(safe_cast(m.response.status_code as int64) >= 200) as c, countif(json_value(m.request.method) = 'GET') as d
       from logs cross join unnest(metadata) as m`,
    );
    expect(JSON.parse(numbers)).toEqual([{ a: null, b: null, c: 0, d: 0 }]);
  });

  it('lets rows be grouped and joined by pseudonyms, which say nothing else', async () => {
    const grouped = await store.rows(
      'select m.request.headers.x_real_ip as x, count(*) as n from logs cross join unnest(metadata) as m group by 1 order by 2 desc, 1',
    );
    const [first, ...more] = JSON.parse(grouped) as { readonly x: string; readonly n: number }[];
    expect(first).toEqual({ x: expect.stringMatching(/^\[ip:[0-9a-f]{6}\]$/), n: 3 });
    expect(more.map(({ n }) => n)).toEqual([1, 1]);
    const found = await store.rows(
      `select count(*) as n from logs as a join logs as b on a.event_message = b.event_message where a.event_message like '%${first?.x}%'`,
    );
    expect(JSON.parse(found)).toEqual([{ n: 5 }]);
    for (const secret of secretTexts(ours)) expect(grouped).not.toContain(secret);
  });
});
