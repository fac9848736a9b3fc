import { describe, expect, it } from 'vitest';
import { ManualClock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import type { Observation } from '../core/observation.ts';
import { type BrokenEndpoint, type CallersQuery, callersSentence, recentCallers } from './recentCallers.ts';
import { refuseBreaking } from './refuseBreaking.ts';

const dayMicros = 24 * 3_600_000_000;
const third = '77eeb93b-4d5e-467a-96f7-53c59097216c';
const ids = ['d9a2e433-3286-44d9-a3b2-96b88c809d76', '6827ba9b-37ca-425d-8cde-4f10a8dd70f3'] as const;

function broken(id: string, name: string, isBreaking: boolean): BrokenEndpoint {
  return { id, name, breaking: isBreaking ? [{ rule: 'sandbox.closed', name: 'sandbox', message: 'Closed.' }] : [] };
}

const caller = (token: string, calls: number) => ({ token, calls, lastMicros: 1 });
const named = (token: string, calls: number, description: string | null = null) => {
  return { ...caller(token, calls), description };
};
const descriptionOf = async (token: string) => ({ a: 'the shop', b: '' })[token];

describe('recentCallers', () => {
  it('asks once for the last 30 days, and only about endpoints that break', async () => {
    const asked: CallersQuery[] = [];
    const endpoints = [broken(ids[0], 'one', true), broken(ids[1], 'two', false), broken(third, 'three', true)];
    const callers = await recentCallers(
      endpoints,
      { onlyToken: 'own', author: 'me' },
      {
        clock: new ManualClock(100 * dayMicros),
        observe: () => undefined,
        descriptionOf,
        callersOf: async (query) => {
          asked.push(query);
          return new Map([[ids[0], [caller('a', 1), caller('b', 1), caller('gone', 1)]]]);
        },
      },
    );
    const runner = { id: 'me', concurrencyMax: null };
    expect(asked).toEqual([{ endpointIds: [ids[0], third], sinceMicros: 70 * dayMicros, onlyToken: 'own', runner }]);
    expect([...callers]).toEqual([
      [ids[0], [named('a', 1, 'the shop'), named('b', 1), named('gone', 1)]],
      [third, []],
    ]);
    expect(() => refuseBreaking(endpoints, callers, 'own')).toThrow(
      /one: This token called it 3 times in the last 30 days. Other callers are not shown .* three: This token called it 0 times/,
    );
  });

  it('does not ask if nothing breaks', async () => {
    const callersOf = () => Promise.reject(new Error('was asked'));
    const services = { clock: new ManualClock(0), observe: () => undefined, descriptionOf, callersOf };
    const asked = { onlyToken: null, author: 'me' };
    expect((await recentCallers([broken(ids[0], 'one', false)], asked, services)).size).toBe(0);
  });

  it('continues without callers if usage cannot be read, and logs a warning', async () => {
    const observations: Observation[] = [];
    const plans = [broken(ids[0], 'one', true)];
    const callers = await recentCallers(
      plans,
      { onlyToken: null, author: 'me' },
      {
        clock: new ManualClock(0),
        observe: (observation) => observations.push(observation),
        descriptionOf,
        callersOf: () => Promise.reject(new ServiceError('engine.restarting', 'not now')),
      },
    );
    expect([...callers]).toEqual([[ids[0], null]]);
    expect(observations).toMatchObject([{ kind: 'warning', cause: { code: 'engine.restarting' } }]);
    expect(() => refuseBreaking(plans, callers, null)).toThrow(/cannot be read at the moment. Nothing was changed/);
  });
});

describe('refuseBreaking', () => {
  it('names the callers of each of several endpoints', () => {
    const plans = [broken(ids[0], 'one', true), broken(ids[1], 'two', true)];
    const callers = new Map([
      [ids[0], [named('a', 12, 'the "shop"'), named('b', 1)]],
      [ids[1], []],
    ]);
    expect(() => refuseBreaking(plans, callers, null)).toThrow(
      'one: Tokens that called it in the last 30 days: "the \\"shop\\"" (a, 12 calls), b (1 call). two: No token called it in the last 30 days.',
    );
  });

  it('refuses nothing if nothing breaks', () => {
    expect(() => refuseBreaking([broken(ids[0], 'one', false)], new Map(), null)).not.toThrow();
  });
});

describe('callersSentence', () => {
  it('names ten callers, and counts the others', () => {
    const many = Array.from({ length: 12 }, (_, n) => named(`t${n}`, 1));
    expect(callersSentence(many, null)).toMatch(/: t0 \(1 call\), .*, t9 \(1 call\) and 2 more\.$/);
  });
});
