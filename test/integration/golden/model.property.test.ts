import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, day, floorTo, hour, iso, minute } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';
import { invocationStats, type StatsInterval, statsIntervals } from './statsModel.ts';

const variantId = '6827ba9b-37ca-425d-8cde-4f10a8dd70f3';
const now = at('2026-05-01T12:34:56.789Z') + 321;
const runs = 100;

let service: WholeService;
beforeAll(async () => {
  // Rotated often, so that answers come from sealed files and the active one together.
  service = await startWholeService({ nowMicros: now, settings: { segmentEvents: 1000 } });
});
afterAll(() => service.close());

let projectCount = 0;
/** A project that no other run has used. */
const newProject = () => `p${projectCount++}`;

/** Few distinct times around the edges that matter, so that ties and exact hits are common. */
const time = fc.oneof(
  fc.integer({ min: -3, max: 3 }).map((offset) => now + offset),
  fc.integer({ min: -3, max: 3 }).map((offset) => now - day + offset),
  fc.integer({ min: -3, max: 3 }).map((offset) => floorTo(now, minute) + offset),
  fc.integer({ min: -3, max: 3 }).map((offset) => floorTo(now - 7 * day, day) + offset),
  fc.integer({ min: now - 8 * day, max: now + hour }),
  fc.integer({ min: now - 2 * hour, max: now }),
);

describe('logs.all', () => {
  const tiers = { FREE: 1, PRO: 7, PAYG: 90, ENTERPRISE: 90, other: 1 } as const;
  const bound = fc.option(time, { nil: undefined });
  const scenario = fc.record({
    events: fc.array(
      fc.record({ timestamp: time, id: fc.constantFrom('a', 'b', 'B', 'aa', 'é', '𝒳', '~', '\uffee') }),
      {
        maxLength: 130,
      },
    ),
    others: fc.array(time, { maxLength: 5 }),
    start: bound,
    end: bound,
    tier: fc.constantFrom(undefined, ...(Object.keys(tiers) as (keyof typeof tiers)[])),
  });

  it('answers as plain code does, for any events, bounds and tier', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ events, others, start, end, tier }) => {
        const project = newProject();
        if (others.length > 0) {
          await service.send(
            'edge_logs',
            others.map((timestamp, i) => ({ id: `other-${i}`, timestamp, project: `${project}-other` })),
          );
        }
        // The message tells twins apart: those of one time come in the order of their arrival, later first.
        const sent = events.map((event, i) => ({ ...event, event_message: `${i}`, project }));
        if (sent.length > 0) await service.send('edge_logs', sent);
        const edge = tier === undefined ? Number.NEGATIVE_INFINITY : now - tiers[tier] * day;
        const expected = sent
          .toReversed()
          .filter(({ timestamp }) => timestamp > edge)
          .filter(
            ({ timestamp }) => (start === undefined || timestamp > start) && (end === undefined || timestamp <= end),
          )
          .sort((a, b) => b.timestamp - a.timestamp);
        const { body } = await service.call(tier === undefined ? 'logs.all' : variantId, {
          project,
          ...(start === undefined ? {} : { iso_timestamp_start: iso(start) }),
          ...(end === undefined ? {} : { iso_timestamp_end: iso(end) }),
          ...(tier === undefined ? {} : { project_tier: tier }),
        });
        expect(body.result.map((row) => [row.timestamp, row.id, row.event_message])).toEqual(
          expected.slice(0, 100).map((event) => [iso(event.timestamp), event.id, event.event_message]),
        );
        expect(body.meta.truncated).toBe(expected.length > 100);
        expect(body.meta.row_count).toBe(Math.min(expected.length, 100));
      }),
      { numRuns: runs },
    );
  });
});

describe('functions.invocation-stats', () => {
  // Quarters add up exactly, so that averages can be compared to the last digit.
  const invocation = fc.record({
    timestamp: time,
    functionId: fc.constantFrom('f', 'g', null),
    ms: fc.option(
      fc.integer({ min: -40, max: 4000 }).map((quarters) => quarters / 4),
      { freq: 4 },
    ),
    status: fc.constantFrom(null, 100, 200, 302, 399, 400, 404, 500, 600),
  });
  const scenario = fc.record({
    invocations: fc.array(invocation, { maxLength: 60 }),
    interval: fc.constantFrom(...(Object.keys(statsIntervals) as StatsInterval[])),
    functionId: fc.constantFrom(undefined, 'f', 'g', 'h'),
    fill: fc.boolean(),
    shiftMicros: fc.oneof(fc.constant(0), fc.integer({ min: -hour, max: 2 * day })),
  });

  it('answers as plain code does, for any records, interval, function, fill and time of the call', async () => {
    try {
      await fc.assert(
        fc.asyncProperty(scenario, async ({ invocations, interval, functionId, fill, shiftMicros }) => {
          const project = newProject();
          if (invocations.length > 0) {
            service.clock.setMicros(now);
            await service.send(
              'function_edge_logs',
              invocations.map(({ timestamp, functionId: function_id, ms, status }, i) => ({
                id: `${i}`,
                timestamp,
                metadata: {
                  project_ref: project,
                  function_id,
                  execution_time_ms: ms,
                  ...(status === null ? {} : { response: { status_code: status } }),
                },
              })),
            );
          }
          service.clock.setMicros(now + shiftMicros);
          const { body } = await service.call('functions.invocation-stats', {
            project,
            interval,
            ...(functionId === undefined ? {} : { function_id: functionId }),
            fill: fill ? 'zero' : 'none',
          });
          expect(body.result).toEqual(
            invocationStats(invocations, interval, now + shiftMicros, {
              fill,
              ...(functionId === undefined ? {} : { functionId }),
            }),
          );
        }),
        { numRuns: runs },
      );
    } finally {
      service.clock.setMicros(now);
    }
  });
});
