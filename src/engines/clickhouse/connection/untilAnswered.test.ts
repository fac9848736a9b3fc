import { describe, expect, it } from 'vitest';
import { ManualTimer } from '../../../core/timer.ts';
import { ClickHouseFailure, type FailureKind } from './failure.ts';
import { untilAnswered } from './untilAnswered.ts';

const failure = (kind: FailureKind) => new ClickHouseFailure(kind, 'it failed');

/** Does work that fails with these errors, one after another, and then succeeds. Returns what it said of each. */
async function worked(errors: readonly Error[]) {
  const timer = new ManualTimer();
  const left = [...errors];
  const failed: string[] = [];
  const work = async () => {
    timer.advanceMs(10);
    const error = left.shift();
    if (error !== undefined) throw error;
    return 'done';
  };
  const options = { timer, withinMs: 1_000, failed: ({ kind }: ClickHouseFailure) => void failed.push(kind) };
  const answer = await untilAnswered(work, options).catch((error: unknown) => error);
  return { answer, failed, attempts: errors.length - left.length + (answer === 'done' ? 1 : 0) };
}

describe('work that is not answered', () => {
  it('is repeated after failures that may pass, also where another error names one as its cause', async () => {
    const shard = new Error('no server of shard 1 answers', { cause: failure('busy') });
    expect(await worked([failure('unreachable'), shard])).toEqual({
      answer: 'done',
      failed: ['unreachable', 'busy'],
      attempts: 3,
    });
  });

  it.each<Error>([failure('denied'), failure('disk'), failure('other'), new Error('a defect')])(
    'is not repeated after %s',
    async (error) => {
      expect(await worked([error, error])).toEqual({ answer: error, failed: [], attempts: 1 });
    },
  );

  it('is given up with its last failure once the time is over', async () => {
    const last = failure('unreachable');
    const late = new ManualTimer();
    const answer = await untilAnswered(
      async () => {
        late.advanceMs(101);
        throw last;
      },
      { timer: late, withinMs: 100 },
    ).catch((error: unknown) => error);
    expect(answer).toBe(last);
  });
});
