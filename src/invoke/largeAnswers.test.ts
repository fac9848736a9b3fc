import { expect, test } from 'vitest';
import { longestTurnShare } from '../../test/support/processorTime.ts';
import { Pause } from '../core/concurrency/turns.ts';
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

test('a large answer is made in many turns', async () => {
  const share = await longestTurnShare(async () => {
    const large = rows(128 * 1024 * 1024);
    const pause = new Pause();
    await pause.take();
    await prepareEntityTag(large, pause);
  });
  expect(share).toBeLessThan(0.6);
});
