import { expect, test } from 'vitest';
import { everyLookEndsTurn, turnsTaken } from '../../test/support/turnsTaken.ts';
import { Pause, Turns } from '../core/concurrency/turns.ts';
import { bodyInTurns, bodyOf } from './answerBody.ts';
import { entityTag, prepareEntityTag } from './entityTag.ts';

const rows = (bytes: number) => Buffer.alloc(bytes, '{"a":1},');
const meta = Buffer.from('],"meta":{"request_id":');

test.each([0, 1000, 1024 * 1024, 3 * 1024 * 1024 + 7])(
  'the tag and the body of %d bytes of rows are the same, made at once or in turns',
  async (bytes) => {
    const inTurns = rows(bytes);
    await prepareEntityTag(inTurns, new Pause());
    expect(entityTag(inTurns, 'plain', null)).toBe(entityTag(rows(bytes), 'plain', null));
    const body = await bodyInTurns(inTurns, meta, 'r', new Pause());
    expect(body.equals(bodyOf(rows(bytes), meta, 'r'))).toBe(true);
  },
);

test('a large answer is tagged with a look at the clock for each megabyte at most', async () => {
  const large = rows(32 * 1024 * 1024);
  const turns = await turnsTaken(() => prepareEntityTag(large, new Pause(new Turns(everyLookEndsTurn()))));
  expect(turns).toBeGreaterThanOrEqual(32);
});

test('answers of calls that get the rows of one run in the same turn share its time', async () => {
  let nowMs = 0;
  const turns = new Turns(() => nowMs);
  let done = 0;
  const answers = Array.from({ length: 20 }, async () => {
    const made = bodyInTurns(rows(200_000), meta, 'r', new Pause(turns));
    // What copying takes.
    nowMs += 2;
    await made;
    done++;
  });
  await Promise.resolve();
  await Promise.resolve();
  expect(done).toBeLessThan(6);
  await Promise.all(answers);
  expect(done).toBe(20);
});
