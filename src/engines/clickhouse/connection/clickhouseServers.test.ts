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
  const servers = new ClickHouseServers({ urls, user, timer });
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
  return { servers, timer, failures, asked, ask };
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

  it('are left out for longer after each failure, and tried again', async () => {
    const { failures, asked, ask, timer, servers } = opened();
    failures.set('http://a.test', 'unreachable');
    await ask();
    expect(servers.failedCount).toBe(1);
    await ask();
    expect(asked).toEqual(['b']);
    timer.advanceMs(500);
    await ask();
    expect(asked).toEqual(['a', 'b']);
    timer.advanceMs(999);
    await ask();
    expect(asked).toEqual(['b']);
    failures.clear();
    timer.advanceMs(1);
    await ask();
    expect([asked, servers.failedCount]).toEqual([['a'], 0]);
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
