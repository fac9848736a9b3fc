import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
// Not as its neighbours import it: theirs is the command of the built process (vitest.config.ts).
import { engineCommand } from '../host/engineCommand.ts';
import { defaultDuckDbSettings } from '../settings.ts';
import { encodeFrame, FrameReader } from './frames.ts';

const plant = new URL('../../../../test/support/refusingEngine.mjs', import.meta.url);

it('ends without an answer if its engine refuses everything, so that a new process runs the statement', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'logmill-main-'));
  const path = join(folder, 'sealed-1.duckdb');
  await writeFile(path, '');
  const { command, args } = engineCommand();
  const child = spawn(command, ['--import', plant.href, ...args], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: {},
  });
  const pipe = child.stdio[3] as Socket;
  const frames = new FrameReader();
  const answered: unknown[] = [];
  pipe.on('data', (chunk: Buffer) => {
    for (const { header } of frames.push(chunk)) answered.push(header);
  });
  let printed = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const options = { ...defaultDuckDbSettings, eventsDir: folder, spillDir: join(folder, 'spill'), hasScripted: false };
  const calls = [
    { id: 1, call: 'open', takes: options },
    { id: 2, call: 'attach', takes: { alias: 'sealed-1', path, kind: 'sealed' } },
  ] as const;
  for (const call of calls) for (const part of encodeFrame(call, [])) pipe.write(part);
  expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
  expect(answered.slice(1)).toEqual([{ id: 1, ok: true, gives: {} }]);
  expect(printed).toBe('the engine refuses every statement after a fatal error\n');
  await rm(folder, { recursive: true });
});
