import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import { systemRandomness } from '../../core/ids.ts';
import { pageMonthMicros } from '../../ports/pageSecrets.ts';
import { type CursorBinding, cursorLifeMicros, openCursor, type PagePlace, sealCursor, shortHash } from './cursor.ts';
import { CursorKeys } from './cursorKeys.ts';
import { MemoryPageSecrets } from './pages.fixture.ts';

const start = 1_700_000_000_000_000;
const binding: CursorBinding = {
  version: shortHash(['endpoint', 3]),
  query: shortHash(['select 1']),
  policy: shortHash(['query']),
  form: shortHash(['plain']),
};
const place: PagePlace = {
  direction: 'next',
  includesRow: false,
  nowMicros: start,
  arrivalMax: 2 ** 40,
  issuedMicros: start,
  removals: shortHash([]),
  isAgeTold: false,
  position: 100,
  pageSize: 50,
  keys: '{"k0":1700000000000000,"k1":"someone@example.com"}',
};

const reasonOf = async (opened: Promise<unknown>): Promise<string | undefined> => {
  const error: unknown = await opened.catch((thrown: unknown) => thrown);
  return error instanceof ServiceError && error.code === 'page.cursor' ? error.errors[0]?.rule : undefined;
};

describe('a cursor', () => {
  let clock: ManualClock;
  let secrets: MemoryPageSecrets;
  let keys: CursorKeys;
  let cursor: string;
  beforeEach(async () => {
    clock = new ManualClock(start);
    secrets = new MemoryPageSecrets();
    keys = new CursorKeys(secrets, clock, systemRandomness);
    cursor = sealCursor(place, binding, await keys.current(), systemRandomness);
  });
  const advance = (micros: number) => clock.setMicros(clock.nowMicros() + micros);
  const open = (text = cursor, bound: CursorBinding = binding, by = keys) =>
    openCursor(text, bound, by, clock.nowMicros());

  it('gives the place back, on every node', async () => {
    expect(await open()).toEqual(place);
    expect(await open(cursor, binding, new CursorKeys(secrets, clock, systemRandomness))).toEqual(place);
    const back = {
      ...place,
      direction: 'prev',
      includesRow: true,
      isAgeTold: true,
      position: 0,
      keys: '{"k0":null}',
    } as const;
    expect(await open(sealCursor(back, binding, await keys.current(), systemRandomness))).toEqual(back);
  });

  it('shows nothing of its keys, and differs each time', async () => {
    expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toContain('someone');
    expect(sealCursor(place, binding, await keys.current(), systemRandomness)).not.toBe(cursor);
    expect(cursor.length).toBeLessThan(340);
  });

  it('does not show how long its keys are', async () => {
    const key = await keys.current();
    const charsFor = (value: string) =>
      sealCursor({ ...place, keys: JSON.stringify({ k0: value, k1: 17 }) }, binding, key, systemRandomness).length;
    expect(charsFor('jane.longname@example.com')).toBe(charsFor('a@b.example'));
    expect(charsFor('')).toBe(charsFor('é'.repeat(50)));
  });

  it('is refused as altered if any bit of it is flipped, or anything is added or missing', async () => {
    const bytes = Buffer.from(cursor, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(await reasonOf(open(flipped.toString('base64url')))).toBe('altered');
    }
    const others = ['', 'x', cursor.slice(0, -1), `${cursor}A`, `${cursor}=`, ` ${cursor}`, 'A'.repeat(10_000)];
    for (const other of others) expect(await reasonOf(open(other))).toBe('altered');
  });

  it('is refused with nothing but the kind of reason for another call', async () => {
    const other = shortHash(['other']);
    expect(await reasonOf(open(cursor, { ...binding, version: other }))).toBe('version');
    expect(await reasonOf(open(cursor, { ...binding, query: other }))).toBe('query');
    expect(await reasonOf(open(cursor, { ...binding, form: other }))).toBe('query');
    expect(await reasonOf(open(cursor, { ...binding, policy: other }))).toBe('policy');
  });

  it('expires after a day', async () => {
    advance(cursorLifeMicros);
    expect(await open()).toEqual(place);
    advance(1);
    expect(await reasonOf(open())).toBe('expired');
  });

  it('is read in the next month too, and no longer', async () => {
    advance(pageMonthMicros);
    const late = { ...place, issuedMicros: clock.nowMicros() };
    const before = sealCursor(
      late,
      binding,
      (await keys.find(Buffer.from(cursor, 'base64url')[1] ?? 0)) ?? fail(),
      systemRandomness,
    );
    const key = await keys.current();
    expect(key.id).not.toBe(Buffer.from(cursor, 'base64url')[1]);
    expect(await open(before)).toEqual(late);
    advance(pageMonthMicros);
    expect(await reasonOf(open(before))).toBe('altered');
  });

  it('is read by a node whose clock is still in the month before', async () => {
    advance(pageMonthMicros);
    const key = await keys.current();
    const early = { ...place, issuedMicros: start };
    const sealed = sealCursor(early, binding, key, systemRandomness);
    const behind = new ManualClock(start);
    expect(await openCursor(sealed, binding, new CursorKeys(secrets, behind, systemRandomness), start)).toEqual(early);
  });
});

function fail(): never {
  throw new Error('the key was not found');
}
