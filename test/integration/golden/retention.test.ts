import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, day, hour, iso } from '../../support/instants.ts';
import { logStreams } from '../../support/logStreams.ts';
import { type Answer, allowedNames, startWholeService, type WholeService } from '../../support/wholeService.ts';

const variantId = '6827ba9b-37ca-425d-8cde-4f10a8dd70f3';
const now = at('2026-05-01T12:34:56.789Z') + 321;

const windows = [1, 7, 90];
/** One event before, on and after the edge of each window, named by its place. */
const events = windows.flatMap((days) =>
  [-1, 0, 1].map((offset) => ({
    id: `${days}d${offset}`,
    timestamp: now - days * day + offset,
    event_message: '',
    project: 'alpha',
  })),
);

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros: now });
  for (const stream of logStreams) await service.send(stream, events);
});
afterAll(() => service.close());

const call = (parameters: Record<string, string>) => service.call(variantId, { project: 'alpha', ...parameters });
const ids = ({ body }: Answer) => body.result.map((row) => row.id);
const codes = ({ body }: Answer) => body.meta.notices.map(({ code }) => code);

/** What plain code says is later than the window's edge, newest first. */
const within = (days: number, at: number) =>
  events
    .filter(({ timestamp }) => timestamp > at - days * day)
    .sort((a, b) => b.timestamp - a.timestamp)
    .map(({ id }) => id);

describe('the retention variant', () => {
  it.each([
    ['FREE', 1, ['1d1']],
    ['PRO', 7, ['1d1', '1d0', '1d-1', '7d1']],
    ['PAYG', 90, ['1d1', '1d0', '1d-1', '7d1', '7d0', '7d-1', '90d1']],
    ['ENTERPRISE', 90, ['1d1', '1d0', '1d-1', '7d1', '7d0', '7d-1', '90d1']],
  ] as const)('returns for %s what is strictly later than now minus %i days', async (tier, days, expected) => {
    const answer = await call({ project_tier: tier });
    expect(ids(answer)).toEqual(expected);
    expect(ids(answer)).toEqual(within(days, now));
    expect(codes(answer)).toEqual([]);
  });

  it.each(['free', 'pro', 'Payg', 'enterprise', 'TEAM', 'PRO ', '7', "PRO' or 1=1"])(
    'answers the unknown tier %s as one day, with a notice',
    async (tier) => {
      const answer = await call({ project_tier: tier });
      expect(ids(answer)).toEqual(['1d1']);
      expect(answer.body.meta.notices).toEqual([expect.objectContaining({ parameter: 'project_tier' })]);
    },
  );

  it('answers an absent and an empty tier as one day, without a notice', async () => {
    for (const parameters of [{}, { project_tier: '' }]) {
      const answer = await call(parameters);
      expect(ids(answer)).toEqual(['1d1']);
      expect(codes(answer)).toEqual([]);
    }
  });

  it('says when an explicit start lies before the window, and answers from the window on', async () => {
    const clamped = await call({ project_tier: 'PRO', iso_timestamp_start: iso(now - 8 * day) });
    expect(ids(clamped)).toEqual(within(7, now));
    expect(clamped.body.meta.notices).toEqual([
      expect.objectContaining({
        code: 'retention.clamped',
        parameter: 'iso_timestamp_start',
        message: expect.stringContaining(iso(now - 7 * day)),
      }),
    ]);
    for (const start of [now - 7 * day, now - 7 * day + 1]) {
      expect(codes(await call({ project_tier: 'PRO', iso_timestamp_start: iso(start) }))).toEqual([]);
    }
    expect(codes(await call({ project_tier: 'PRO', iso_timestamp_start: iso(now - 7 * day - 1) }))).toEqual([
      'retention.clamped',
    ]);
  });

  it('gives both notices where an unknown tier also clamps', async () => {
    const answer = await call({ project_tier: 'gold', iso_timestamp_start: iso(now - 2 * day) });
    expect(codes(answer)).toHaveLength(2);
    expect(codes(answer)).toContain('retention.clamped');
  });

  it('applies the bounds of the caller inside the window', async () => {
    const answer = await call({
      project_tier: 'PAYG',
      iso_timestamp_start: iso(now - 7 * day - 1),
      iso_timestamp_end: iso(now - day),
    });
    expect(ids(answer)).toEqual(['1d0', '1d-1', '7d1', '7d0']);
  });

  it('holds every one of the nine tables to the window, whatever a caller query asks', async () => {
    for (const stream of logStreams) {
      for (const sql of [
        `select id from ${stream} order by timestamp desc`,
        `select id from ${stream} where timestamp > timestamp '2000-01-01' or true order by timestamp desc`,
        `with ${stream} as (select * from ${stream}) select id from ${stream} order by timestamp desc`,
      ]) {
        expect(ids(await call({ sql }))).toEqual(['1d1']);
        expect(ids(await call({ sql, project_tier: 'PRO' }))).toEqual(within(7, now));
      }
    }
  });

  it('shows the same tables as logs.all and nothing more', async () => {
    const tables = async (endpoint: string) => {
      const { body } = await service.call(endpoint, { project: 'alpha', sql: 'select 1 from none_such' });
      return allowedNames(body);
    };
    expect(await tables(variantId)).toEqual(await tables('logs.all'));
    expect(await tables(variantId)).toEqual([...logStreams].sort());
  });

  it('does not answer by the name, which means the base definition', async () => {
    const answer = await service.call('logs.all', { project: 'alpha', project_tier: 'FREE' });
    expect(ids(answer)).toHaveLength(events.length);
    expect(answer.body.meta.notices).toEqual([
      expect.objectContaining({ code: 'parameter.unknown', parameter: 'project_tier' }),
    ]);
  });

  it('moves with the clock', async () => {
    const later = now + 6 * day;
    service.clock.setMicros(later);
    try {
      expect(ids(await call({ project_tier: 'FREE' }))).toEqual([]);
      expect(ids(await call({ project_tier: 'PRO' }))).toEqual(within(7, later));
      expect(ids(await call({ project_tier: 'PRO' }))).toEqual(['1d1']);
      service.clock.setMicros(later - hour);
      expect(ids(await call({ project_tier: 'PRO' }))).toEqual(['1d1', '1d0', '1d-1']);
    } finally {
      service.clock.setMicros(now);
    }
  });
});
