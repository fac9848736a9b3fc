import { readdirSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { BufferGarbage } from '../../../core/bufferGarbage.ts';
import { callFailure } from './callFailure.ts';
import { endProcess } from './endProcess.ts';
import { Engine } from './engine.ts';
import { encodeFrame, FrameReader } from './frames.ts';
import { openPipe } from './pipe.ts';
import type { CallName, ReplyHeader, RequestHeader } from './protocol.ts';

/**
 * Entry of the engine process. Frames come and go over a pipe of their own; standard output and error stay
 * free for whatever a library may print.
 */
// New files hold events, so no one else may read them, whoever may enter the folder.
process.umask(0o077);

// Before the engine starts threads: they inherit the priority of the one that starts them.
lowerPriority(Number(process.argv[2] ?? 0));

const pipe = openPipe();
const frames = new FrameReader();
const garbage = new BufferGarbage();
const engine = new Engine((id, partRows, payload) => send({ id, ok: true, partRows }, payload));

// A terminal sends its signals to both processes; the service decides when this one ends.
for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const) process.on(signal, () => {});

let isClosed = false;

/** Without the service there is nothing to do, and a running statement must not delay the end. */
function endAtOnce(): void {
  if (isClosed) process.exit(0);
  process.kill(process.pid, 'SIGKILL');
}

/** Adds to the niceness of all threads that there are; later ones inherit it. */
function lowerPriority(by: number): void {
  try {
    const niceness = Math.min(constants.priority.PRIORITY_LOW, getPriority() + by);
    // Linux keeps a priority for each thread, elsewhere a process has one.
    const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid];
    for (const thread of threads) setPriority(thread, niceness);
  } catch {
    // Some systems forbid it. Then all processes have one priority, and nothing else is different.
  }
}

function send(header: ReplyHeader, payload: readonly Uint8Array[] = []): void {
  pipe.cork();
  for (const part of encodeFrame(header, payload)) pipe.write(part);
  pipe.uncork();
  // The engine's binding made buffers of the same size for what was copied into these.
  for (const { length } of payload) garbage.note(length);
}

async function answer(request: RequestHeader, payload: Buffer): Promise<void> {
  try {
    const { gives, payload: bytes } = await call(request, payload);
    send({ id: request.id, ok: true, gives }, bytes === undefined ? [] : [bytes]);
  } catch (error) {
    const failure = callFailure(error, engine.isSpillHeld);
    if (await engine.isInvalidated(failure.detail)) {
      // A new process runs the statement again, and all that ran beside it.
      endProcess('the engine refuses every statement after a fatal error');
      return;
    }
    send({ id: request.id, ok: false, failure });
  }
  if (request.call !== 'close') return;
  isClosed = true;
  pipe.end();
}

async function call<Name extends CallName>(request: RequestHeader<Name>, payload: Buffer) {
  return await engine.handlers[request.call](request.takes, payload, request.id);
}

pipe.on('data', (chunk: Buffer) => {
  garbage.note(chunk.length);
  for (const frame of frames.push(chunk)) void answer(frame.header as RequestHeader, frame.payload);
});
pipe.on('end', endAtOnce);
pipe.on('close', endAtOnce);
pipe.on('error', endAtOnce);
