import { spawn } from 'node:child_process';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import Fastify from 'fastify';

/**
 * The process of the pair that handles HTTP: `twoProcessesFront.ts <data folder> <file of calls> <token>`; prints its
 * address.
 */
const [dataDir = '', callsFile = '', token = ''] = process.argv.slice(2);
const hash = (text: string) => createHash('sha256').update(text).digest();
const expected = hash(token);

const engine = spawn(
  process.execPath,
  ['--import', 'tsx', join(import.meta.dirname, 'twoProcessesEngine.ts'), dataDir, callsFile],
  {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, TZ: 'UTC' },
  },
);
engine.once('exit', (code) => process.exit(code ?? 1));
const pipe = engine.stdio[3] as Socket;
const waiting: ((body: Buffer) => void)[] = [];
let answer: Buffer[] = [];
let missing = -1;
let ready!: () => void;
const isReady = new Promise<void>((resolve) => {
  ready = resolve;
});

// Each answer is its length in four bytes, then the body. The first one, without a body, says that the engine is ready.
// The client makes one call at a time, so a length is never cut.
pipe.on('data', (chunk: Buffer) => {
  let rest = chunk;
  while (rest.length > 0) {
    if (missing < 0) {
      missing = rest.readUInt32LE(0);
      rest = rest.subarray(4);
      if (missing === 0) {
        missing = -1;
        ready();
        continue;
      }
    }
    const part = rest.subarray(0, missing);
    answer.push(part);
    missing -= part.length;
    rest = rest.subarray(part.length);
    if (missing > 0) continue;
    missing = -1;
    waiting.shift()?.(Buffer.concat(answer));
    answer = [];
  }
});

const app = Fastify({ logger: false });
app.get<{ Params: { number: string } }>('/calls/:number', async (request, reply) => {
  const presented = request.headers['x-api-key'];
  if (typeof presented !== 'string' || !timingSafeEqual(hash(presented), expected)) return reply.code(401).send();
  const body = await new Promise<Buffer>((resolve) => {
    waiting.push(resolve);
    const number = Buffer.alloc(4);
    number.writeUInt32LE(Number(request.params.number));
    pipe.write(number);
  });
  return reply.type('application/json').send(body);
});
await isReady;
console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
