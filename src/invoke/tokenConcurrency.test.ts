import { describe, expect, it } from 'vitest';
import { CachedCalls, cachingEndpoint, tokenOf } from './cachedCalls.fixture.ts';

const endpoint = cachingEndpoint({ cacheSeconds: 0, warmSeconds: null });
const call = (calls: CachedCalls, token: ReturnType<typeof tokenOf>) =>
  calls.call({ idOrName: endpoint.name, parameters: [], token }).then(
    () => 'answered',
    (error: unknown) => (error as { code?: string }).code,
  );

describe('a token that may run one query at a time', () => {
  it('has its further calls wait, not those of others, and refused when the wait is over', async () => {
    const calls = new CachedCalls([endpoint]);
    let release = () => {};
    calls.hold = new Promise((resolve) => {
      release = resolve;
    });
    const single = tokenOf('single', { restrictions: { projects: null, concurrency: 1 } });
    const outcomes = [call(calls, single), call(calls, single)];
    await calls.settle();
    expect(calls.runCount).toBe(1);
    const other = call(calls, tokenOf('other'));
    await calls.settle();
    expect(calls.runCount).toBe(2);
    await calls.passSeconds(4);
    release();
    expect(await Promise.all([...outcomes, other])).toEqual(['answered', 'query.overloaded', 'answered']);
    expect(calls.runCount).toBe(2);
    expect(await call(calls, single)).toBe('answered');
  });
});
