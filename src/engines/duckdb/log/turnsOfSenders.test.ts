import { afterEach, expect, test } from 'vitest';
import { everyLookEndsTurn } from '../../../../test/support/turnsTaken.ts';
import { Turns } from '../../../core/concurrency/turns.ts';
import { edgeBatch, TestStorage } from '../storage.fixture.ts';

let opened: TestStorage;
afterEach(() => opened.close());

test('a large batch does not wait until all those of another sender are encoded', async () => {
  opened = await TestStorage.open({}, undefined, undefined, { turns: new Turns(everyLookEndsTurn()) });
  const done: string[] = [];
  // Each is encoded in several parts.
  const ids = Array.from({ length: 6_000 }, (_, n) => String(n));
  const send = async (owner: string) => {
    expect(await opened.storage.log.append({ ...edgeBatch(ids), owner })).toEqual({ kind: 'stored' });
    done.push(owner);
  };
  await Promise.all(['busy', 'busy', 'busy', 'busy', 'other'].map(send));
  expect(done[0]).toBe('other');
});
