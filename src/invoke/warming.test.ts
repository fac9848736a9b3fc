import { beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { CachedCalls, cachingEndpoint, startMicros, tokenOf } from './cachedCalls.fixture.ts';

const failed = new ServiceError('engine.failed', 'The query engine failed.');
const name = 'example.cached';

let calls: CachedCalls;
beforeEach(() => {
  calls = new CachedCalls([cachingEndpoint()]);
});

const ask = (project = 'p', more: readonly (readonly [string, string])[] = []) =>
  calls.call({ idOrName: name, parameters: [['project', project], ...more] });

describe('warming', () => {
  it('never lets an entry in use answer cold over an hour, and runs it every warm_seconds', async () => {
    const answers = [(await ask()).outcome];
    for (let second = 0; second < 3600; second += 60) {
      await calls.passSeconds(60);
      const { outcome, row } = await ask();
      answers.push(outcome);
      expect((calls.clock.nowMicros() - row.nowMicros) / 1e6).toBeLessThan(301);
    }
    expect(answers).toEqual(['miss', ...Array.from({ length: 60 }, () => 'hit')]);
    // 300 seconds less the jitter of half a tenth of it.
    expect(calls.runCount).toBe(1 + Math.floor(3600 / 285));
  });

  it.each([
    ['a call every 800 seconds', 800],
    ['a call every 899 seconds', 899],
  ])('keeps an entry warm for %s', async (_, everySeconds) => {
    await ask();
    for (let n = 0; n < 4; n++) {
      await calls.passSeconds(everySeconds);
      expect((await ask()).outcome).toBe('hit');
      await calls.passSeconds(0);
    }
  });

  it('runs nothing for an unread entry, and nothing waits for it', async () => {
    await ask();
    await calls.passSeconds(3600);
    expect(calls.runCount).toBe(1);
    expect(calls.timer.pendingCount).toBe(0);
    expect((await ask()).outcome).toBe('miss');
  });

  it('drops an unread entry after its time', async () => {
    await ask('p');
    const bytesOfOne = calls.cache.bytes;
    await calls.passSeconds(600);
    await ask('q');
    expect(calls.cache.entryCount).toBe(2);
    await calls.passSeconds(400);
    await ask('r');
    expect([calls.cache.entryCount, calls.cache.bytes]).toEqual([2, 2 * bytesOfOne]);
    expect((await ask('q')).outcome).toBe('hit');
  });

  it('stops with an entry once it is read no more', async () => {
    await ask();
    await ask();
    await calls.passSeconds(3600);
    expect(calls.runCount).toBe(2);
    expect(calls.timer.pendingCount).toBe(0);
  });

  it("never runs a caller's query, nor a definition that does not warm", async () => {
    calls.change(
      cachingEndpoint({ id: '22222222-2222-4222-8222-222222222222', name: 'not.warmed', warmSeconds: null }),
    );
    for (let n = 0; n < 2; n++) {
      await ask('p', [['sql', 'select 1']]);
      await calls.call({ idOrName: 'not.warmed', parameters: [] });
    }
    await calls.passSeconds(1000);
    expect(calls.runCount).toBe(2);
  });

  it('serves good rows through an outage within cache_seconds, then stale ones within their bound, then the error', async () => {
    calls.change(cachingEndpoint({ staleIfErrorSeconds: 600, version: 2 }));
    await ask();
    await ask();
    calls.failure = failed;
    const outcomes: string[] = [];
    for (let second = 0; second < 1800; second += 100) {
      await calls.passSeconds(100);
      outcomes.push(
        await ask().then(
          ({ outcome, row }) => `${outcome} ${row.run}`,
          (error: ServiceError) => error.code,
        ),
      );
    }
    expect(outcomes).toEqual([
      ...Array.from({ length: 8 }, () => 'hit 1'),
      ...Array.from({ length: 6 }, () => 'stale 1'),
      ...Array.from({ length: 4 }, () => 'engine.failed'),
    ]);
    calls.failure = new ServiceError('engine.restarting', 'The query engine is being restarted.');
    await expect(ask()).rejects.toMatchObject({ status: 503 });
    calls.failure = null;
    expect((await ask()).outcome).toBe('miss');
  });

  it('finds an engine that is back before a caller has to wait for it, and backs off from one that is not', async () => {
    await ask();
    await ask();
    calls.failure = failed;
    await calls.passSeconds(600);
    const attempts = calls.runCount - 1;
    expect(attempts).toBeGreaterThan(2);
    expect(attempts).toBeLessThan(15);
    calls.failure = null;
    await calls.passSeconds(60);
    const { outcome, row } = await ask();
    expect(outcome).toBe('hit');
    expect(row.nowMicros).toBeGreaterThan(startMicros + 600e6);
  });

  it('does not hold up other entries for one whose query fails on its data', async () => {
    await ask('bad');
    await ask('bad');
    calls.failure = new ServiceError('sql.data', 'Division by zero.');
    await calls.passSeconds(290);
    calls.failure = null;
    expect(calls.runCount).toBe(2);
    await ask('good');
    await ask('good');
    await calls.passSeconds(300);
    expect((await ask('good')).row.nowMicros).toBeGreaterThan(startMicros + 500e6);
  });

  it('takes at most its share of the time of one query slot', async () => {
    calls.engineMs = 3000;
    const projects = Array.from({ length: 100 }, (_, n) => `p${n}`);
    for (const project of [...projects, ...projects]) await ask(project);
    const before = calls.runCount;
    await calls.passSeconds(280);
    expect(calls.runCount).toBe(before);
    await calls.passSeconds(420);
    // 415 seconds with pauses of three times 3 seconds; the engine double itself takes no time.
    expect(calls.runCount - before).toBeGreaterThan(43);
    expect(calls.runCount - before).toBeLessThan(49);
  });

  it('is switched off by a share of 0', async () => {
    calls = new CachedCalls([cachingEndpoint()], { warmingShare: 0 });
    await ask();
    await ask();
    await calls.passSeconds(800);
    expect(calls.runCount).toBe(1);
  });

  it('goes on with the new version after a change of the definition, and never with the old one', async () => {
    await ask();
    await ask();
    calls.change(cachingEndpoint({ version: 2, query: 'changed' }));
    await calls.passSeconds(400);
    expect(calls.runCount).toBe(1);
    await ask();
    await ask();
    await calls.passSeconds(400);
    expect((await ask()).row).toMatchObject({ text: 'changed', run: 3 });
  });

  it('never refreshes a result that is already being computed', async () => {
    await ask();
    await ask();
    await calls.passSeconds(280);
    let letGo: () => void = () => undefined;
    calls.hold = new Promise((resolve) => {
      letGo = resolve;
    });
    const forced = calls.call({
      idOrName: name,
      parameters: [['project', 'p']],
      token: tokenOf('fresh', { scopes: [{ kind: 'query' }, { kind: 'query:fresh' }] }),
      freshness: { mustRun: true },
    });
    await calls.passSeconds(20);
    letGo();
    expect((await forced).row.run).toBe(2);
    expect(calls.runCount).toBe(2);
  });

  it('ends for good, with the refresh under way, when the service stops', async () => {
    await ask();
    await ask();
    calls.hold = new Promise(() => undefined);
    await calls.passSeconds(290);
    expect(calls.runCount).toBe(2);
    calls.cache.stopWarming();
    await calls.settle();
    calls.hold = null;
    await ask();
    await calls.passSeconds(3000);
    expect(calls.runCount).toBe(2);
  });
});
