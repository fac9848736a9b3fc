import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
// Not as its neighbours import it: theirs is the command of the built process (vitest.config.ts).
import { engineCommand } from '../host/engineCommand.ts';
import { encodeFrame, FrameReader } from '../process/frames.ts';

it('starts the process from its sources where they are not built, as the chores of this package do', async () => {
  const { command, args } = engineCommand();
  expect(args.at(-1)).toBe(new URL('../process/engineMain.ts', import.meta.url).pathname);
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit', 'pipe'], env: {} });
  const pipe = child.stdio[3] as Socket;
  const frames = new FrameReader();
  const answered = new Promise<unknown>((resolve) => {
    pipe.on('data', (chunk: Buffer) => {
      for (const { header } of frames.push(chunk)) resolve(header);
    });
  });
  const ended = once(child, 'close');
  for (const part of encodeFrame({ id: 1, call: 'findCommit', takes: { alias: 'a', commitId: 'c' } }, [])) {
    pipe.write(part);
  }
  expect(await answered).toMatchObject({ id: 1, ok: false });
  pipe.destroy();
  await ended;
});
