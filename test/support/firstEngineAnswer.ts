import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { EngineCommand } from '../../src/engines/duckdb/host/engineCommand.ts';
import { encodeFrame, FrameReader } from '../../src/engines/duckdb/process/frames.ts';

/**
 * Starts an engine process, asks it for a commit of a file that it has not opened, and ends it. Resolves with what it states
 * first, and its answer.
 */
export async function firstEngineAnswer({ command, args }: EngineCommand): Promise<readonly unknown[]> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit', 'pipe'], env: {} });
  const pipe = child.stdio[3] as Socket;
  const frames = new FrameReader();
  const received: unknown[] = [];
  const answered = new Promise<void>((resolve) => {
    pipe.on('data', (chunk: Buffer) => {
      for (const { header } of frames.push(chunk)) received.push(header);
      if (received.length > 1) resolve();
    });
  });
  const ended = once(child, 'close');
  for (const part of encodeFrame({ id: 1, call: 'findCommit', takes: { alias: 'a', commitId: 'c' } }, [])) {
    pipe.write(part);
  }
  await Promise.race([answered, ended]);
  pipe.destroy();
  await ended;
  return received;
}
