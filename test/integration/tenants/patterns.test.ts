import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineUnderTest, onEngine } from '../../support/enginesUnderTest.ts';
import { at, minute } from '../../support/instants.ts';
import { logStreams } from '../../support/logStreams.ts';
import { type Answer, startWholeService, type WholeService } from '../../support/wholeService.ts';
import { callerQueries, oracleQueries } from './callerQueries.ts';
import { alder, birch, failingEvents, plainEvents, poisonedEvents } from './tenantEvents.ts';

// Endpoints whose tables are chosen by something else than equality: nothing but the order in which
// conditions are computed keeps a caller's expression from another tenant's events.

const now = at('2026-05-01T12:34:56.789Z') + 321;
const conditions = {
  pattern: 'regexp_contains(t.project, @chosen)',
  like: "t.project like replace(@chosen, '^', '')",
  computed: "lower(t.project) = lower(replace(@chosen, '^', ''))",
  prefix: "starts_with(t.project, replace(@chosen, '^', ''))",
} as const;
const chosen = `^${alder.project}`;

let service: WholeService;
const seen = ({ status, text }: Answer) =>
  `${status} ${text
    .replace(/"elapsed_ms":[\d.]+/, '')
    .replace(/"request_id":"[^"]*"/, '')
    .replace(/"cache":\{"outcome":"\w+"/, '')}`;

interface Call {
  readonly endpoint: string;
  readonly parameters: Readonly<Record<string, string>>;
}
/** Fails on events of the minute in which others have theirs; the tenant has none there. */
const minuteOfOthers = 20;
const failsInMinute = `1 / (extract(minute from timestamp) - ${minuteOfOthers})`;
const countsQueries = [
  `select timestamp from chart_counts where ${failsInMinute} != 0 order by 1`,
  `select ${failsInMinute} as x from chart_counts order by 1`,
  `select count(*) as n from chart_counts group by ${failsInMinute} order by 1`,
  `select max(${failsInMinute}) as s from chart_counts`,
  `select timestamp from chart_counts order by ${failsInMinute}, timestamp`,
  `select c.timestamp from chart_counts c join dates d on 1 / (extract(minute from c.timestamp) - ${minuteOfOthers}) != 0 order by 1`,
  `select timestamp from chart_counts qualify row_number() over (order by ${failsInMinute}, timestamp) > 0 order by 1`,
  `select timestamp from chart_counts where timestamp in (select timestamp from chart_counts where ${failsInMinute} != 0) order by 1`,
  `select timestamp from chart_counts where extract(minute from timestamp) != ${minuteOfOthers} or cast('x' as int64) > 0 order by 1`,
];
const calls: readonly Call[] = [
  ...Object.keys(conditions).flatMap((kind) =>
    [...oracleQueries, ...(kind === 'pattern' ? callerQueries : [])].map((sql) => ({
      endpoint: `by.${kind}`,
      parameters: { chosen, sql },
    })),
  ),
  ...countsQueries.map((sql) => ({
    endpoint: 'usage.api-counts',
    parameters: { project: `^https://${alder.tag}\\.`, interval: 'minutely', sql },
  })),
];
const alone = new Map<Call, string>();
/** Past the cache: an answer from before others had events would prove nothing. */
const ask = (call: Call) =>
  service.call(call.endpoint, call.parameters, { method: 'POST', headers: { 'cache-control': 'no-cache' } });

async function expectUnchanged(): Promise<void> {
  for (const call of calls) {
    const answer = await ask(call);
    expect(seen(answer), `${call.endpoint} ${call.parameters.sql}`).toBe(alone.get(call));
    // A notice repeats the paths that the caller wrote.
    expect(answer.text.replaceAll(/No row of \w+ has metadata\.only_BIRCH,/g, '')).not.toMatch(/BIRCH/);
  }
}

beforeAll(async () => {
  service = await startWholeService({ nowMicros: now, settings: { segmentEvents: 20_000 } });
  for (const [i, [kind, condition]] of Object.entries(conditions).entries()) {
    const columns = 't.timestamp, t.id, t.event_message, t.metadata';
    const body = logStreams.map(
      (name) => `${name} as (select ${columns} from sources.${name} as t where ${condition})`,
    );
    await service.define({
      id: `00000000-0000-4000-8000-00000000003${i}`,
      name: `by.${kind}`,
      sandbox: true,
      parameters: { chosen: { type: 'string', required: true } },
      query: `with ${body.join(',\n')} select id from edge_logs`,
    });
  }
  for (const [stream, events] of plainEvents(alder, now, 12)) await service.send(stream, events);
  for (const call of calls) alone.set(call, seen(await ask(call)));
});
afterAll(() => service.close());

describe(onEngine('an event that a pattern does not find raises no error and changes no answer'), () => {
  it('in what it is compared with: most of these queries run, and fail on what is poisoned', async () => {
    const statuses = [...alone.values()].map((text) => text.slice(0, 3));
    expect(statuses.filter((status) => status === '200').length).toBeGreaterThan(0.9 * calls.length);
  });

  it('among a few such events', async () => {
    for (const events of [plainEvents, failingEvents, poisonedEvents]) {
      for (const [stream, batch] of events(birch, now, 12)) await service.send(stream, batch);
    }
    const others = { id: 'BIRCH-minute', timestamp: now - (34 - minuteOfOthers) * minute, project: birch.project };
    const request = { url: 'https://BIRCH.example.co/rest', path: '/rest' };
    await service.send('edge_logs', [{ ...others, metadata: { request } }]);
    await expectUnchanged();
    // The same query fails for whoever may see them: the test can fail.
    const own = { project: '^https://BIRCH\\.', interval: 'minutely', sql: countsQueries[0] ?? '' };
    expect((await service.call('usage.api-counts', own, { method: 'POST' })).status).toBe(400);
    const all = { chosen: '^tenant-', sql: oracleQueries[0] ?? '' };
    expect((await service.call('by.pattern', all, { method: 'POST' })).status).toBe(400);
  });

  it(`among many of them${engineUnderTest.states.seals ? ', before and after they are sealed' : ''}`, async () => {
    const filler = (i: number) => ({
      id: `BIRCH-filler-${i}`,
      timestamp: now - (34 - minuteOfOthers) * minute - i,
      event_message: i % 3 === 0 ? '(' : 'BIRCH',
      project: birch.project,
      metadata: {
        n: 0,
        words: 'BIRCH',
        request: i % 2 === 0 ? 'BIRCH' : { url: 'https://BIRCH.example.co', path: '/rest' },
      },
    });
    const batch = (first: number) => Array.from({ length: 8000 }, (_, i) => filler(first + i));
    for (const first of [0, 8000]) await service.send('edge_logs', batch(first));
    await expectUnchanged();
    await service.send('edge_logs', batch(16_000));
    await service.send('edge_logs', [{ id: 'BIRCH-last', timestamp: now, project: birch.project }]);
    const isSealed = () => service.observations.some(({ kind }) => kind === 'file.sealed');
    if (!engineUnderTest.states.seals) return;
    await expect.poll(isSealed).toBe(true);
    await expectUnchanged();
  });
});
