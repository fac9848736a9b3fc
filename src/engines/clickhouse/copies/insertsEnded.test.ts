import { expect, it } from 'vitest';
import { ManualTimer } from '../../../core/timer.ts';
import { insertsEnded } from './insertsEnded.ts';

/** Servers that answer each question with the next of their answers, and the last one again and again. */
function asked(...answers: readonly (readonly (string | Error)[])[]) {
  const timer = new ManualTimer();
  const statements: string[] = [];
  const counts = answers.map(() => 0);
  const servers = answers.map((each, n) => ({
    text: async ({ statement }: { readonly statement: string }) => {
      statements.push(statement);
      timer.advanceMs(100);
      const at = counts[n] ?? 0;
      counts[n] = at + 1;
      const answer = each[Math.min(at, each.length - 1)];
      if (answer instanceof Error || answer === undefined) throw answer;
      return answer;
    },
  }));
  const wait = async () => await insertsEnded({ servers, database: 'logs', timer, withinMs: 1_000 });
  return { wait, counts, statements };
}

it('waits until no INSERT into the database runs on any server', async () => {
  const { wait, counts, statements } = asked(['2\n', '1\n', '0\n'], ['0\n'], ['1\n', '0\n']);
  await wait();
  expect(counts).toEqual([3, 1, 2]);
  expect(statements[0]).toContain("startsWith(query, 'INSERT INTO `logs`.')");
});

it('does not wait for a server that cannot say it, and not longer than an INSERT may run', async () => {
  const { wait, counts } = asked([new Error('denied')], ['1\n']);
  await wait();
  expect(counts).toEqual([1, 9]);
});
