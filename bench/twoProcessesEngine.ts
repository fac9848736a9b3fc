import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { BareEngine } from './bareEngine.ts';
import type { PairedCall } from './twoProcesses.ts';

/** The process of the pair that runs statements: `twoProcessesEngine.ts <data folder> <file of calls>`. */
const [dataDir = '', callsFile = ''] = process.argv.slice(2);
const calls: readonly PairedCall[] = JSON.parse(readFileSync(callsFile, 'utf8'));
const engine = await BareEngine.open(dataDir);
// The length in four bytes, then the body.
const answers = calls.map(({ bytes }) => {
  const answer = Buffer.alloc(4 + bytes, 'x');
  answer.writeUInt32LE(bytes);
  return answer;
});

const pipe = new Socket({ fd: 3, readable: true, writable: true });
pipe.write(Buffer.alloc(4));
// The client makes one call at a time, so a number of four bytes is never cut.
pipe.on('data', (chunk: Buffer) => {
  const number = chunk.readUInt32LE(0);
  const { statements = [] } = calls[number] ?? {};
  engine.time(statements).then(
    () => pipe.write(answers[number] ?? Buffer.alloc(4)),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
pipe.on('close', () => process.exit(0));
