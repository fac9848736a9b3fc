import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEngine } from '../../support/enginesUnderTest.ts';
import { everyWay, letStream } from '../../support/everyWay.ts';
import { everyTail, tailOf } from '../../support/tailing.ts';
import { type Answer, startWholeService, type WholeService } from '../../support/wholeService.ts';
import { eventsWith, secretSets, secretTexts } from './undoing.ts';

const [ours] = secretSets;
const nowMicros = Date.UTC(2026, 5, 1, 12) * 1000;
const asked = { 'SVC-ENDPOINT-REDACT-PII': 'true' };
const range = { project: 'p', iso_timestamp_start: '2026-06-01T11:00:00Z', project_tier: 'PRO' };

/** Contract, section 6: marks of each kind that stand in the rows. */
function marksIn(answer: Answer): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [, kind = ''] of JSON.stringify(answer.body.result).matchAll(/\[REDACTED:(\w+)\]/g)) {
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

function expectNoSecret(answer: Answer): void {
  for (const secret of secretTexts(ours)) expect(answer.text).not.toContain(secret);
}

let service: WholeService;

beforeAll(async () => {
  service = await startWholeService({ nowMicros });
  await service.send(
    'edge_logs',
    eventsWith(ours).map((event, i) => ({
      ...event,
      project: 'p',
      timestamp: new Date(nowMicros / 1000 - 60_000 + i * 1000).toISOString(),
    })),
  );
  const common = { sandbox: true, parameters: { project: { type: 'string', required: true } } };
  const tables =
    'with logs as (select id, timestamp, event_message, metadata from sources.edge_logs where project = @project)';
  await letStream(service, ['d9a2e433-3286-44d9-a3b2-96b88c809d76']);
  await service.define({
    id: '00000000-0000-4000-8000-000000000001',
    name: 'always',
    redact_pii: true,
    ...common,
    stream: true,
    query: `${tables} select * from logs order by timestamp`,
  });
  await service.define({
    id: '00000000-0000-4000-8000-000000000004',
    name: 'cached',
    ...common,
    stream: true,
    cache_seconds: 60,
    query: `${tables} select id, event_message, metadata from logs order by timestamp`,
  });
  await service.define({
    id: '00000000-0000-4000-8000-000000000002',
    name: 'renamed',
    ...common,
    query: `${tables} select m.user_email as who, concat('<', m.user_email, '>') as written, json_value(l.metadata, '$.user_email') as read,
      m.request.cf.longitude as number, r.headers.x_real_ip as x, r.cf as place, count(distinct m.user_email) over () as people,
      struct(m.user_email as a) as s, [m.user_email] as list, upper((select max(cast(i.user_email as string)) from logs cross join unnest(logs.metadata) as i)) as below
      from logs as l cross join unnest(l.metadata) as m cross join unnest(m.request) as r order by l.timestamp limit 1`,
  });
  await service.define({
    id: '00000000-0000-4000-8000-000000000003',
    name: 'matched',
    sandbox: false,
    parameters: { project: { type: 'string', required: true }, pattern: { type: 'regex', required: true } },
    query:
      'select count(*) as n from sources.edge_logs as t cross join unnest(t.metadata) as m where t.project = @project and regexp_contains(m.request.url, @pattern)',
  });
});

afterAll(async () => {
  await service.close();
});

describe(onEngine('redaction of a stored query'), () => {
  it('is switched on by the header, and says in meta what it did', async () => {
    const raw = await service.call('logs.all', range);
    expect(raw.body.meta.redaction).toEqual({ applied: false, counts: {} });
    expect(raw.text).toContain(ours.ips[0]);
    const redacted = await service.call('logs.all', range, { headers: asked });
    expectNoSecret(redacted);
    expect(redacted.body.meta.row_count).toBe(5);
    expect(redacted.body.meta.redaction).toEqual({ applied: true, counts: marksIn(redacted) });
    expect(Object.keys(redacted.body.meta.redaction.counts)).toEqual(['email', 'ip', 'key', 'location']);
    expect(redacted.headers.get('etag')).not.toBe(raw.headers.get('etag'));
    expect(redacted.headers.get('server-timing')).toMatch(/\bredact;dur=/);
  });

  it('is switched on by the definition, and by no header off', async () => {
    for (const headers of [{}, { 'SVC-ENDPOINT-REDACT-PII': 'false' }, asked]) {
      const answer = await service.call('always', { project: 'p' }, { headers });
      expectNoSecret(answer);
      expect(answer.body.meta.redaction).toEqual({ applied: true, counts: marksIn(answer) });
    }
  });

  it('is switched on by the token, and by no header off', async () => {
    const token = await service.makeToken(['query'], ['p'], true);
    const unbound = await service.makeToken(['query'], undefined, true);
    for (const key of [token, unbound]) {
      const headers = { 'x-api-key': key, 'SVC-ENDPOINT-REDACT-PII': 'false' };
      for (const more of [{}, { sql: 'select reverse(event_message) as x from edge_logs' }]) {
        const answer = await service.call('logs.all', { ...range, ...more }, { headers });
        expectNoSecret(answer);
        expect(answer.text).not.toContain([...(ours.ips[0] ?? '')].reverse().join(''));
        expect(answer.body.meta.redaction).toEqual({ applied: true, counts: marksIn(answer) });
        expect(answer.body.meta.row_count).toBe(5);
      }
    }
  });

  it.each(everyWay)('holds in $title, whoever switches it on', async (way) => {
    const token = await service.makeToken(['query'], ['p'], true);
    const sql = 'select id, metadata, event_message, reverse(event_message) as x, 1 as n from edge_logs';
    // A stream is refused if redaction must come before the query.
    const own = way.isStream ? {} : { sql };
    const ask = (endpoint: string, parameters: Readonly<Record<string, string>>, headers = {}) =>
      way.ask(service, { endpoint, parameters, headers });
    const answers = await Promise.all([
      ask('logs.all', { ...range, ...own }, asked),
      ask('logs.all', { ...range, ...own }, { 'x-api-key': token }),
      ask('always', {
        project: 'p',
        ...(way.title.endsWith('prometheus') ? { sql: 'select id, event_message as x, 1 as n from logs' } : {}),
      }),
    ]);
    const open = await ask('logs.all', { ...range, ...own });
    for (const { status, shown, headers, rows } of answers) {
      expect(status).toBe(200);
      expect(shown).toContain('REDACTED:');
      for (const secret of secretTexts(ours)) {
        expect(shown).not.toContain(secret);
        expect(shown).not.toContain([...secret].reverse().join(''));
      }
      const tag = headers.get('etag');
      if (tag !== null) expect(tag).not.toBe(open.headers.get('etag'));
      if (rows !== null) expect(rows.length).toBe(open.rows?.length);
    }
    expect(open.shown).toContain(ours.ips[0]);
  });

  it.each(everyTail)('holds in a tail of %s, whoever switches it on', async (format) => {
    const project = `tailed-${format}`;
    const token = await service.makeToken(['query'], [project], true);
    const sql = 'select event_message, metadata, reverse(event_message) as x from edge_logs';
    const tail = (endpoint: string, more: object, by = service.adminToken, headers = {}) =>
      tailOf(service.url, endpoint, by, { format, project, ...more }, headers);
    const tails = await Promise.all([
      tail('always', {}),
      tail('logs.all', { project_tier: 'PRO' }, token),
      tail('logs.all', { sql }, token),
      tail('logs.all', { sql }, service.adminToken, asked),
    ]);
    const events = eventsWith(ours).map((event) => ({
      ...event,
      project,
      timestamp: new Date(nowMicros / 1000).toISOString(),
    }));
    await service.send('edge_logs', events);
    for (const opened of tails) {
      await expect.poll(() => opened.rows().length).toBe(events.length);
      expect(opened.shown).toContain('[REDACTED:');
      for (const secret of secretTexts(ours)) {
        expect(opened.shown).not.toContain(secret);
        expect(opened.shown).not.toContain([...secret].reverse().join(''));
      }
      opened.leave();
    }
  });

  it('is kept apart from open rows where all formats share a cached result', async () => {
    const call = { endpoint: 'cached', parameters: { project: 'p' } };
    for (const round of [1, 2]) {
      for (const way of everyWay.filter(({ title }) => /csv|arrow|ndjson/.test(title))) {
        const open = await way.ask(service, call);
        const redacted = await way.ask(service, { ...call, headers: asked });
        expect([round, way.title, open.shown.includes(ours.ips[0] ?? '')]).toEqual([round, way.title, true]);
        for (const secret of secretTexts(ours)) expect(redacted.shown).not.toContain(secret);
        expect(redacted.shown).toContain('REDACTED:');
      }
    }
  });

  it('holds in the records profile, with the same marks', async () => {
    const plain = await service.call('logs.all', range, { headers: asked });
    const records = await service.call('logs.all', range, { headers: { ...asked, 'SVC-ENDPOINT-VALUES': 'records' } });
    expectNoSecret(records);
    expect(records.body.meta.redaction).toEqual(plain.body.meta.redaction);
  });

  it('knows personal members under other names and in expressions', async () => {
    const answer = await service.call('renamed', { project: 'p' }, { headers: asked });
    expect(answer.body.detail).toBeUndefined();
    expectNoSecret(answer);
    const [row] = answer.body.result;
    expect(row).toMatchObject({
      who: '[REDACTED:email]',
      written: '[REDACTED:email]',
      read: '[REDACTED:email]',
      number: null,
      x: '[REDACTED:ip]',
      place: { latitude: '[REDACTED:location]', longitude: null, postalCode: '[REDACTED:location]', asn: 1234 },
      people: 1,
      s: { a: '[REDACTED:email]' },
      list: ['[REDACTED:email]'],
      below: '[REDACTED:email]',
    });
  });

  it('shows redacted and raw rows side by side, each to those who asked for them', async () => {
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, i) => service.call('logs.all', range, { headers: i % 2 === 0 ? asked : {} })),
    );
    for (const [i, answer] of answers.entries()) {
      if (i % 2 === 0) expectNoSecret(answer);
      else expect(answer.text).toContain(ours.ips[0]);
    }
  });

  it("matches a caller's pattern against redacted text", async () => {
    const ask = async (pattern: string, headers: Readonly<Record<string, string>>) => {
      const answer = await service.call('matched', { project: 'p', pattern }, { headers });
      expect(answer.status).toBe(200);
      return answer.body.result[0]?.n;
    };
    expect(await ask('203\\.0\\.113\\.7', {})).toBe(3);
    expect(await ask('203\\.0\\.113\\.7', asked)).toBe(0);
    expect(await ask('^https://example\\.com/lookup/2', asked)).toBe(0);
    expect(await ask('REDACTED:ip', asked)).toBe(5);
  });

  it('of usage.api-counts matches the pattern against the redacted url', async () => {
    const chart = async (headers: Readonly<Record<string, string>>) => {
      const answer = await service.call('usage.api-counts', { project: 'lookup/203', interval: '1day' }, { headers });
      expect(answer.status).toBe(200);
      return answer.body.result;
    };
    expect(JSON.stringify(await chart({}))).toMatch(/[1-9]/);
    expect(await chart(asked)).not.toEqual(await chart({}));
  });
});

describe(onEngine("redaction of a caller's query"), () => {
  const sql = async (text: string, headers: Readonly<Record<string, string>> = asked) =>
    service.call('logs.all', { ...range, sql: text }, { headers });

  it('shows the query redacted tables', async () => {
    const answer = await sql(
      'select reverse(event_message) as x, m.request.path as p from edge_logs cross join unnest(metadata) as m',
    );
    expect(answer.status).toBe(200);
    expectNoSecret(answer);
    expect(answer.text).toContain('[REDACTED:ip]'.split('').reverse().join(''));
    expect(answer.body.meta.redaction).toEqual({ applied: true, counts: marksIn(answer) });
  });

  it('holds for LQL', async () => {
    const found = async (headers: Readonly<Record<string, string>>) =>
      (await service.call('logs.all', { ...range, lql: 'f:edge_logs "203.0.113.7"' }, { headers })).body.meta.row_count;
    expect(await found({})).toBe(3);
    expect(await found(asked)).toBe(0);
    const all = await service.call('logs.all', { ...range, lql: 'f:edge_logs' }, { headers: asked });
    expect(all.body.meta.row_count).toBe(5);
    expectNoSecret(all);
  });

  it('redacts a second time: texts that a query puts together are checked again', async () => {
    const answer = await sql("select concat('203', '.0.113', '.7') as x, 'jane' as user_email from edge_logs limit 1");
    expect(answer.body.result).toEqual([{ x: '[REDACTED:ip]', user_email: '[REDACTED:email]' }]);
  });

  it('shows no personal name of a member that was parsed from a text', async () => {
    const metadata = { raw: '{"jane@keys.example":{"a":1}}', user_email: { 'jane keys': 1 } };
    await service.send('auth_logs', [{ project: 'keys', event_message: 'm', metadata }]);
    const asKeys = (text: string) =>
      service.call('logs.all', { ...range, project: 'keys', sql: text }, { headers: asked });
    const keys = 'json_keys(parse_json(m.raw))';
    const answer = await asKeys(
      `select ${keys} as k, reverse(${keys}[offset(0)]) as r, json_keys(m.user_email) as e from auth_logs cross join unnest(metadata) as m`,
    );
    expect(answer.body.result).toEqual([
      {
        k: ['[REDACTED:email]', '[REDACTED:email].a'],
        r: '[REDACTED:email]'.split('').reverse().join(''),
        e: ['[REDACTED:email]'],
      },
    ]);
  });

  it('shows no value in an error', async () => {
    for (const text of [
      'select cast(event_message as int64) as x from edge_logs',
      "select parse_timestamp('%Y', event_message) as x from edge_logs",
      'select parse_json(event_message) as x from edge_logs',
      'select 1 / (length(m.user_email) - 16) as x from edge_logs cross join unnest(metadata) as m',
    ]) {
      const answer = await sql(text);
      expect([text, answer.status]).toEqual([text, 400]);
      expectNoSecret(answer);
    }
  });
});
