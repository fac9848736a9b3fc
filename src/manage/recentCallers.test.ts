import { describe, expect, it } from 'vitest';
import { ManualClock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import type { Observation } from '../core/observation.ts';
import { parseDefinition } from '../endpoints/parseDefinition.ts';
import type { PlannedChange } from './plannedChange.ts';
import { callersSentence, recentCallers } from './recentCallers.ts';
import { refuseBreaking } from './refuseBreaking.ts';

const dayMicros = 24 * 3_600_000_000;
const ids = ['d9a2e433-3286-44d9-a3b2-96b88c809d76', '6827ba9b-37ca-425d-8cde-4f10a8dd70f3'] as const;

function planned(id: string, name: string, isBreaking: boolean): PlannedChange {
  const breaking = isBreaking ? [{ rule: 'sandbox.closed', name: 'sandbox', message: 'Closed.' } as const] : [];
  return {
    id,
    name,
    outcome: 'changed',
    current: null,
    diff: { query: null, parameters: [], columns: [], settings: [], breaking },
    definition: parseDefinition({ id, name, query: 'select 1' }, { label: name }),
    notices: [],
    isRenamed: false,
    becomesPrimary: false,
    mayShareName: true,
  };
}

const caller = (token: string, calls: number) => ({ token, calls, lastMicros: 1 });

describe('recentCallers', () => {
  it('asks for the last 30 days, and only of endpoints that lose something', async () => {
    const asked: unknown[] = [];
    const callers = await recentCallers([planned(ids[0], 'one', true), planned(ids[1], 'two', false)], null, {
      clock: new ManualClock(100 * dayMicros),
      observe: () => undefined,
      callersOf: async (...of) => {
        asked.push(of);
        return [caller('a', 1)];
      },
    });
    expect(asked).toEqual([[ids[0], 70 * dayMicros]]);
    expect([...callers]).toEqual([[ids[0], [caller('a', 1)]]]);
  });

  it('tells of the calls of one token where no others may be learnt of', async () => {
    const plans = [planned(ids[0], 'one', true), planned(ids[1], 'two', true)];
    const called = new Map([
      [ids[0] as string, [caller('other', 9), caller('own', 2)]],
      [ids[1], [caller('other', 1)]],
    ]);
    const callers = await recentCallers(plans, 'own', {
      clock: new ManualClock(0),
      observe: () => undefined,
      callersOf: async (id) => called.get(id) ?? [],
    });
    expect([...callers]).toEqual([
      [ids[0], [caller('own', 2)]],
      [ids[1], []],
    ]);
    expect(() => refuseBreaking(plans, callers, 'own')).toThrow(
      /one: This token called it 2 times in the last 30 days; which others did is not told .* two: This token called it 0 times/,
    );
  });

  it('goes on without them where usage cannot be read, and tells the log', async () => {
    const observations: Observation[] = [];
    const plans = [planned(ids[0], 'one', true)];
    const callers = await recentCallers(plans, null, {
      clock: new ManualClock(0),
      observe: (observation) => observations.push(observation),
      callersOf: () => Promise.reject(new ServiceError('engine.restarting', 'not now')),
    });
    expect([...callers]).toEqual([[ids[0], null]]);
    expect(observations).toMatchObject([{ kind: 'warning', cause: { code: 'engine.restarting' } }]);
    expect(() => refuseBreaking(plans, callers, null)).toThrow(/could not be read at present. Nothing was changed/);
  });
});

describe('refuseBreaking', () => {
  it('tells of several endpoints which tokens called which', () => {
    const plans = [planned(ids[0], 'one', true), planned(ids[1], 'two', true)];
    const callers = new Map([
      [ids[0], [caller('a', 12)]],
      [ids[1], []],
    ]);
    expect(() => refuseBreaking(plans, callers, null)).toThrow(
      'one: Tokens that called it in the last 30 days: a (12 calls). two: No token called it in the last 30 days.',
    );
  });

  it('refuses nothing where nothing breaks', () => {
    expect(() => refuseBreaking([planned(ids[0], 'one', false)], new Map(), null)).not.toThrow();
  });
});

describe('callersSentence', () => {
  it('names ten, and says how many more there are', () => {
    const many = Array.from({ length: 12 }, (_, n) => caller(`t${n}`, 1));
    expect(callersSentence(many, null)).toMatch(/: t0 \(1 call\), .*, t9 \(1 call\) and 2 more\.$/);
  });
});
