// Writes the code cache of a built engine (decision 126): starts it once, and has it open, write, read and close a store.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * What each engine process does at its start, and for most statements: EngineCalls in src/engines/duckdb/process/protocol.ts.
 *
 * @type {(folder: string) => readonly (readonly [call: string, takes: object])[]}
 */
const callsOn = (folder) => [
  [
    'open',
    {
      eventsDir: folder,
      spillDir: join(folder, 'spill'),
      threads: 1,
      memoryBytesMax: 128 * 2 ** 20,
      spillBytesMax: 2 ** 20,
      statementsMax: 1,
      redaction: { detectors: [], patterns: [], fields: [], pseudonymKey: null },
      redactionRowsMax: 1,
      hasScripted: false,
    },
  ],
  [
    'createActive',
    {
      alias: 'active-1',
      path: join(folder, 'active-1.duckdb'),
      kind: 'active',
      tables: [],
      createdMicros: 0,
      identities: [],
    },
  ],
  [
    'statement',
    {
      mode: 'rows',
      sql: `SELECT 'a' AS "row"`,
      projects: null,
      redactionTag: null,
      cutoff: null,
      rowsMax: 10,
      bytesMax: 2 ** 20,
    },
  ],
  ['close', { checkpoint: [] }],
];

/** Fails if a call does. `recorder` is the bundle of src/engines/duckdb/process/recordingMain.ts, which writes `cache`. */
export async function writeCodeCache(recorder, program, cache) {
  const folder = mkdtempSync(join(tmpdir(), 'logmill-code-cache-'));
  try {
    const child = spawn(process.execPath, [recorder, program, '0'], {
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
      env: { UV_THREADPOOL_SIZE: '4', TZ: 'UTC' },
    });
    const ended = once(child, 'close');
    ended.catch(() => {});
    const pipe = child.stdio[3];
    // It ends with the process.
    pipe.on('error', () => {});
    const answers = [];
    readFrames(pipe, (answer) => answers.push(answer));
    // Calls are handled as they arrive, so each waits for the answer to the one before.
    const answered = async (count) => {
      while (answers.length < count && child.exitCode === null && child.signalCode === null) {
        await Promise.race([once(pipe, 'data').catch(() => ended), ended]);
      }
    };
    for (const [index, [call, takes]] of callsOn(folder).entries()) {
      pipe.write(frame({ id: index + 1, call, takes }));
      await answered(index + 1);
      const answer = answers[index];
      if (!answer?.ok) throw new Error(`the engine refuses "${call}" for its code cache: ${JSON.stringify(answer)}`);
    }
    const [status, signal] = await ended;
    if (status !== 0 || !existsSync(cache))
      throw new Error(`the engine ended with ${status ?? signal} and wrote no code cache`);
    // The engine lets nobody else read its files, but whoever may start it must read this one.
    chmodSync(cache, 0o644);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As in src/engines/duckdb/process/frames.ts, without a payload. */
function frame(header) {
  const json = Buffer.from(JSON.stringify(header));
  const padded = Buffer.concat([json, Buffer.alloc((8 - (json.length % 8)) % 8, ' ')]);
  const prefix = Buffer.alloc(8);
  prefix.writeUInt32LE(padded.length, 0);
  return Buffer.concat([prefix, padded]);
}

/** Passes on the header of each frame that arrives. */
function readFrames(pipe, onHeader) {
  let bytes = Buffer.alloc(0);
  pipe.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= 8) {
      const headerBytes = bytes.readUInt32LE(0);
      const end = 8 + headerBytes + bytes.readUInt32LE(4);
      if (bytes.length < end) return;
      onHeader(JSON.parse(bytes.toString('utf8', 8, 8 + headerBytes)));
      bytes = bytes.subarray(end);
    }
  });
}
