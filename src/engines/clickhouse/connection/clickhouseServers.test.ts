import { describe, expect, it } from 'vitest';
import { ManualTimer } from '../../../core/timer.ts';
import type { ClickHouseServer } from './clickhouseServer.ts';
import { ClickHouseServers } from './clickhouseServers.ts';
import { ClickHouseFailure, type FailureKind } from './failure.ts';

const user = { name: 'x', password: '' };
const urls = ['http://a.test', 'http://b.test', 'http://c.test'];

/** Servers that fail as `failures` says, and the order in which they were asked. */
function opened() {
  const timer = new ManualTimer();
  const unreachable = new Set<string>();
  const ping = async (url: string) => {
    if (unreachable.has(url)) throw new Error('no server');
  };
  const servers = new ClickHouseServers({ urls, user, timer, ping });
  const failures = new Map<string, FailureKind>();
  const asked: string[] = [];
  const ask = async (attemptsMax?: number) => {
    asked.length = 0;
    const work = async ({ url }: ClickHouseServer) => {
      asked.push(url.slice('http://'.length, -'.test'.length));
      const kind = failures.get(url);
      if (kind !== undefined) throw new ClickHouseFailure(kind, 'it failed');
      return url;
    };
    return await servers.ask(work, attemptsMax === undefined ? {} : { attemptsMax });
  };
  const pass = async (ms: number) => {
    timer.advanceMs(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { servers, timer, failures, unreachable, asked, ask, pass };
}

describe('several servers', () => {
  it('are asked in order, another one where one fails', async () => {
    const { failures, asked, ask } = opened();
    await ask();
    expect(asked).toEqual(['a']);
    failures.set('http://a.test', 'unreachable');
    expect(await ask()).toBe('http://b.test');
    expect(asked).toEqual(['a', 'b']);
  });

  it('are left out until they can be reached again, which no request has to try', async () => {
    const { failures, unreachable, asked, ask, pass, servers } = opened();
    failures.set('http://a.test', 'unreachable');
    unreachable.add('http://a.test');
    // However many requests have failed at the same time.
    await Promise.all([ask(), ask(), ask(), ask(), ask(), ask()]);
    expect(servers.failedCount).toBe(1);
    for (const ms of [500, 1_000, 1_000, 60_000]) {
      await pass(ms);
      await ask();
      expect(asked).toEqual(['b']);
    }
    failures.clear();
    unreachable.clear();
    await pass(1_000);
    await ask();
    expect([asked, servers.failedCount]).toEqual([['a'], 0]);
  });

  it('are left out again if they can be reached and fail', async () => {
    const { failures, asked, ask, pass } = opened();
    failures.set('http://a.test', 'busy');
    await ask();
    await pass(500);
    await ask();
    expect(asked).toEqual(['a', 'b']);
    await ask();
    expect(asked).toEqual(['b']);
  });

  it('are not asked any more once they are closed', async () => {
    const { failures, ask, servers, timer } = opened();
    failures.set('http://a.test', 'busy');
    await ask();
    await servers.close();
    expect(timer.pendingCount).toBe(0);
  });

  it('are all asked if all have failed, and the last failure is told', async () => {
    const { failures, asked, ask } = opened();
    for (const url of urls) failures.set(url, 'busy');
    await expect(ask(3)).rejects.toMatchObject({ kind: 'busy' });
    await expect(ask(3)).rejects.toMatchObject({ kind: 'busy' });
    expect(asked).toEqual(['a', 'b', 'c']);
  });

  it('are not asked where another one would fail as well', async () => {
    const { failures, asked, ask, servers } = opened();
    failures.set('http://a.test', 'other');
    await expect(ask(3)).rejects.toMatchObject({ kind: 'other' });
    expect([asked, servers.failedCount]).toEqual([['a'], 0]);
  });
});
