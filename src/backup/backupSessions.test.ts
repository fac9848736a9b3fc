import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../core/clock.ts';
import { systemRandomness } from '../core/ids.ts';
import { ManualTimer } from '../core/timer.ts';
import type { BackupFile } from './backupContents.ts';
import { BackupSessions, backupIdleMsMax, backupSilentMsMax } from './backupSessions.ts';

const store: BackupFile = { name: 'store.sqlite', kind: 'store', bytes: 3, modified_ms: 0 };

function opened() {
  const timer = new ManualTimer();
  const kept = { count: 0 };
  const sessions = new BackupSessions({
    take: async () => {
      kept.count++;
      return {
        contents: { created_at: '2026-05-01T10:00:00.000Z', version: '1', events: 0, files: [store] },
        open: async () => Readable.from([Buffer.from('abc')]),
        close: async () => void kept.count--,
      };
    },
    clock: new ManualClock(1_700_000_000_000_000),
    timer,
    randomness: systemRandomness,
  });
  return { sessions, timer, kept };
}

const bytesOf = async (stream: Readable) => Buffer.concat(await stream.toArray()).toString();

it('gives the files of a state to the token that began it, and to no other', async () => {
  const { sessions } = opened();
  const { id } = await sessions.begin('a');
  const unknown = { code: 'backup.unknown', status: 404 };
  await expect(sessions.open(id, 'store.sqlite', 'b')).rejects.toMatchObject(unknown);
  await expect(sessions.end(id, 'b')).rejects.toMatchObject(unknown);
  await expect(sessions.open(id, '../admin-token', 'a')).rejects.toMatchObject(unknown);
  expect(await bytesOf((await sessions.open(id, 'store.sqlite', 'a')).bytes)).toBe('abc');
  await sessions.end(id, 'a');
  await expect(sessions.open(id, 'store.sqlite', 'a')).rejects.toMatchObject(unknown);
});

it('lets go of a state when nothing of it is read for a while, but not while something is', async () => {
  const { sessions, timer, kept } = opened();
  const { id } = await sessions.begin('a');
  timer.advanceMs(backupIdleMsMax - 1);
  const { bytes } = await sessions.open(id, 'store.sqlite', 'a');
  timer.advanceMs(backupIdleMsMax);
  expect(kept.count).toBe(1);
  await bytesOf(bytes);
  await new Promise((resolve) => (bytes.closed ? resolve(undefined) : bytes.once('close', resolve)));
  timer.advanceMs(backupIdleMsMax - 1);
  expect(kept.count).toBe(1);
  timer.advanceMs(1);
  expect(kept.count).toBe(0);
  await expect(sessions.open(id, 'store.sqlite', 'a')).rejects.toMatchObject({ code: 'backup.unknown' });
});

it('keeps two states at most, and none after it is closed', async () => {
  const { sessions, kept } = opened();
  const begun = await Promise.allSettled([sessions.begin('a'), sessions.begin('a'), sessions.begin('b')]);
  expect(begun.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  await expect(sessions.begin('b')).rejects.toMatchObject({ code: 'backup.overloaded', status: 503 });
  await sessions.close();
  expect(kept.count).toBe(0);
});

describe('if there are as many states as allowed', () => {
  const overloaded = { code: 'backup.overloaded', status: 503 };
  const closed = async (bytes: Readable) =>
    await new Promise((resolve) => (bytes.closed ? resolve(undefined) : bytes.once('close', resolve)));

  it('one that nobody has read for a minute makes room, the one that is unread longest first', async () => {
    const { sessions, timer, kept } = opened();
    const first = await sessions.begin('a');
    timer.advanceMs(1);
    const second = await sessions.begin('b');
    timer.advanceMs(backupSilentMsMax - 2);
    await expect(sessions.begin('c')).rejects.toMatchObject(overloaded);
    timer.advanceMs(1);
    await sessions.begin('c');
    await expect(sessions.begin('d')).rejects.toMatchObject(overloaded);
    expect(kept.count).toBe(2);
    await expect(sessions.open(first.id, 'store.sqlite', 'a')).rejects.toMatchObject({ code: 'backup.unknown' });
    await bytesOf((await sessions.open(second.id, 'store.sqlite', 'b')).bytes);
  });

  it('one whose reader left in the middle of a file makes room at once, unless it reads again', async () => {
    const { sessions } = opened();
    const { id } = await sessions.begin('a');
    await sessions.begin('a');
    const broken = (await sessions.open(id, 'store.sqlite', 'a')).bytes;
    broken.destroy();
    await closed(broken);
    const again = (await sessions.open(id, 'store.sqlite', 'a')).bytes;
    await expect(sessions.begin('b')).rejects.toMatchObject(overloaded);
    again.destroy();
    await closed(again);
    await sessions.begin('b');
    await expect(sessions.open(id, 'store.sqlite', 'a')).rejects.toMatchObject({ code: 'backup.unknown' });
  });
});
