import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { ManualClock } from '../core/clock.ts';
import { systemRandomness } from '../core/ids.ts';
import { ManualTimer } from '../core/timer.ts';
import type { BackupFile } from './backupContents.ts';
import { BackupSessions, backupIdleMsMax } from './backupSessions.ts';

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
