import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Call, ids, plainCall, step, type TokenName, Twins, tokens, unkept } from './repeatedTwins.fixture.ts';

describe('answers that are given again, beside a service that remembers none', () => {
  it('are the same in every byte, whatever is called, revoked, edited, purged, broken or waited for', async () => {
    let repeated = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40, size: 'max' }), async (steps) => {
        const twins = new Twins();
        try {
          await twins.start();
          for (const each of steps) await twins.take(each);
          expect(twins.told(twins.remembering)).toEqual(twins.told(twins.forgetful));
          repeated += twins.repeated;
        } finally {
          await twins.close();
        }
      }),
      { numRuns: 15, endOnFailure: true },
    );
    // Without these it would have shown nothing; some two hundred by chance.
    expect(repeated).toBeGreaterThan(50);
  });

  it('fit no call that differs from theirs in one thing that an answer depends on', async () => {
    const twins = new Twins();
    const near = { token: 'near', forwardedFor: '198.51.100.1' } as const;
    const changing = <Name extends keyof Call>(name: Name, values: readonly Call[Name][], base: Partial<Call> = {}) =>
      values.map((value): readonly [Partial<Call>, Partial<Call>] => [base, { [name]: value }]);
    const differing = [
      ...changing('method', ['HEAD']),
      ...changing('token', Object.keys(tokens) as TokenName[]),
      ...changing('scheme', ['bearer']),
      ...changing('by', [ids.first, ids.second]),
      ...changing('query', ['project=q', 'project=p&ref=x', '', 'project=p&sql=select+1']),
      ...changing('redact', ['true', 'TRUE', ['true', 'false']]),
      ...changing('values', ['records', 'nonsense']),
      ...changing('cacheControl', ['no-cache', 'max-age=3'], { token: 'fresh' }),
      ...changing('accept', ['text/html']),
      ...changing('acceptEncoding', ['gzip', 'br', '*;q=0'], { query: 'project=q' }),
      ...changing('origin', ['https://pages.example.com', 'https://evil.example.com']),
      ...changing('ifNoneMatch', ['W/"other"'], { ifNoneMatch: '*' }),
      ...changing('forwardedFor', ['192.0.2.7', undefined], near),
      ...changing('requestId', ['z'], { token: 'slow' }),
      ...changing('traceparent', ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01']),
    ];
    try {
      await twins.start();
      for (const [base, changes] of differing) {
        const call = { ...plainCall, ...base };
        const before = twins.repeated;
        for (let n = 0; n < 3; n++) await twins.check(call);
        // The call before was one that was given again, or this one shows nothing.
        expect([base, twins.repeated - before > 0]).toEqual([base, true]);
        await twins.check({ ...call, ...changes });
        await twins.check(call);
        twins.clock.advanceMs(400);
      }
      expect(twins.told(twins.remembering)).toEqual(twins.told(twins.forgetful));
    } finally {
      await twins.close();
    }
  });

  it.each(['itself', 'another process'] as const)(
    'are not given once their name means another endpoint, or none, which %s decided',
    async (by) => {
      const twins = new Twins();
      try {
        await twins.start();
        for (const change of ['primary', 'delete'] as const) {
          for (let n = 0; n < 3; n++) await twins.check(plainCall);
          const before = twins.repeated;
          expect(before).toBeGreaterThan(0);
          for (const { endpoints } of twins.both.map((each) => each.by(by))) {
            if (change === 'primary') await endpoints.setPrimary(ids.second);
            else for (const id of [ids.first, ids.second]) await endpoints.delete(id, 1);
          }
          if (by === 'another process') twins.clock.advanceMs(500);
          await twins.check(plainCall);
          expect(twins.repeated).toBe(before);
        }
      } finally {
        await twins.close();
      }
    },
  );

  it.each<[number, Partial<Call>]>([
    [10, {}],
    [3, { cacheControl: 'max-age=3' }],
  ])(
    'are not given once their rows are %d seconds old to %j, nor where these are from the future',
    async (seconds, more) => {
      const twins = new Twins();
      try {
        await twins.start();
        const call = { ...plainCall, ...more };
        await twins.check(call);
        // So little before that token and definitions need not be looked at again.
        twins.clock.advanceMs(seconds * 1000 - 300);
        for (let n = 0; n < 3; n++) await twins.check(call);
        const before = twins.repeated;
        expect(before).toBeGreaterThan(0);
        twins.clock.advanceMs(300);
        await twins.check(call);
        expect([twins.repeated, twins.remembering.engine.runs]).toEqual([before, 2]);
        for (let n = 0; n < 2; n++) await twins.check(call);
        expect(twins.repeated).toBeGreaterThan(before);
        twins.clock.advanceMs(-200);
        for (let n = 0; n < 2; n++) await twins.check(call);
      } finally {
        await twins.close();
      }
    },
  );

  it.each<[string, Partial<Call>]>([
    ['GET 200 identity', {}],
    ['HEAD 200 identity', { method: 'HEAD' }],
    ['GET 304 identity', { ifNoneMatch: '*' }],
    ['HEAD 304 identity', { method: 'HEAD', ifNoneMatch: '*' }],
    ['GET 200 gzip', { query: 'project=q', acceptEncoding: 'gzip' }],
    ['GET 200 br', { query: 'project=q', acceptEncoding: 'br' }],
    ['HEAD 200 br', { method: 'HEAD', query: 'project=q', acceptEncoding: 'br' }],
    ['GET 200 gzip', { acceptEncoding: 'gzip, identity;q=0' }],
    ['GET 200 identity', { token: 'redacted', query: 'project=q' }],
    ['GET 200 identity', { token: 'near', forwardedFor: '198.51.100.1' }],
    ['GET 200 identity', { token: 'slow', scheme: 'bearer', origin: 'https://pages.example.com' }],
  ])('are given: %s of %j', async (status, more) => {
    const twins = new Twins();
    try {
      await twins.start();
      const call = { ...plainCall, ...more };
      // What is remembered was a hit already.
      for (const requestId of ['r', 'r', 'another', 'y'.repeat(128)]) await twins.check({ ...call, requestId });
      expect([twins.repeated, [...twins.repeatedStatuses]]).toEqual([2, [status]]);
      expect(twins.told(twins.remembering)).toEqual(twins.told(twins.forgetful));
    } finally {
      await twins.close();
    }
  });

  it.each<[string, Partial<Call>]>([
    ['GET 200 identity', {}],
    ['GET 304 identity', { ifNoneMatch: '*' }],
    ['GET 200 gzip', { query: 'project=q', acceptEncoding: 'gzip' }],
  ])('are given while no event has changed, and tell their own time: %s of %j', async (status, more) => {
    const twins = new Twins();
    try {
      await twins.start(unkept);
      const call = { ...plainCall, ...more };
      const checkAll = async () => {
        for (const requestId of ['r', 'r', 'another', 'y'.repeat(128), 'z']) {
          await twins.check({ ...call, requestId });
          twins.clock.advanceMs(50);
        }
      };
      await checkAll();
      // The first two ran, and what is remembered of the third was unchanged already.
      expect([twins.repeated, [...twins.repeatedStatuses]]).toEqual([2, [status]]);
      expect(twins.remembering.engine.runs).toBe(2);
      for (const each of twins.both) each.state = 'second';
      await checkAll();
      // A result that was given again is kept at once.
      expect([twins.repeated, twins.remembering.engine.runs]).toEqual([5, 3]);
      for (const each of twins.both) each.state = null;
      await twins.check(call);
      expect([twins.repeated, twins.remembering.engine.runs]).toEqual([5, 4]);
      expect(twins.told(twins.remembering)).toEqual(twins.told(twins.forgetful));
    } finally {
      await twins.close();
    }
  });
});
