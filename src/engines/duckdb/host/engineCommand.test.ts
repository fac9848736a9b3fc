import { expect, it } from 'vitest';
import { firstEngineAnswer } from '../../../../test/support/firstEngineAnswer.ts';
// Not as its neighbours import it: theirs is the command of the built process (vitest.config.ts).
import { engineCommand } from '../host/engineCommand.ts';

it('starts the process from its sources where they are not built, as the chores of this package do', async () => {
  const { command, args } = engineCommand();
  expect(args.at(-1)).toBe(new URL('../process/engineMain.ts', import.meta.url).pathname);
  const [stated, answer] = await firstEngineAnswer({ command, args });
  expect(stated).toEqual({ program: expect.stringMatching(/^[\da-f]{64}$/) });
  expect(answer).toMatchObject({ id: 1, ok: false });
});
