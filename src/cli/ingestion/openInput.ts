import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { type Duplex, pipeline, Readable } from 'node:stream';
import zlib from 'node:zlib';
import { compressionOf } from '../../core/compressionOf.ts';
import { CliError } from '../cliError.ts';

/** What is sent: a file, or standard input for `-`. */
export interface FileInput {
  /** Decompressed if it is compressed with gzip or zstd, whatever its name is. */
  readonly chunks: AsyncIterable<Buffer | string>;
  /** Bytes of the file that were read so far. */
  bytesRead(): number;
}

type Chunks = AsyncIterable<Buffer>;

/** Reading rejects with a CliError if the compressed bytes are broken. */
export function openInput(file: string, stdin: NodeJS.ReadableStream): FileInput {
  let bytesRead = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    const input: AsyncIterable<Buffer | string> = file === '-' ? stdin : createReadStream(file);
    for await (const chunk of input) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      bytesRead += bytes.length;
      yield bytes;
    }
  }
  return { chunks: decompressed(counted(), file === '-' ? 'Standard input' : file), bytesRead: () => bytesRead };
}

async function* decompressed(input: AsyncGenerator<Buffer>, name: string): AsyncGenerator<Buffer> {
  const first = await input.next();
  if (first.done === true) return;
  async function* whole(): AsyncGenerator<Buffer> {
    yield first.value;
    yield* input;
  }
  const coding = compressionOf(first.value);
  if (coding === undefined) yield* whole();
  else if (coding === 'gzip') yield* throughDecoder(whole(), zlib.createGunzip(), name, coding);
  else yield* zstdDecompressed(whole(), name);
}

async function* throughDecoder(input: Chunks, decoder: Duplex, name: string, coding: string): AsyncGenerator<Buffer> {
  // A failure reaches whoever reads the decoder.
  pipeline(Readable.from(input), decoder, () => undefined);
  try {
    for await (const chunk of decoder as Chunks) yield chunk;
  } catch (error) {
    if (error instanceof Error && !('syscall' in error)) throw broken(name, coding, error.message, error);
    throw error;
  }
}

/** Node has zstd since 22.15; before, the program of that name is used. */
async function* zstdDecompressed(input: Chunks, name: string): AsyncGenerator<Buffer> {
  const create: unknown = Reflect.get(zlib, 'createZstdDecompress');
  if (typeof create === 'function') yield* throughDecoder(input, create(), name, 'zstd');
  else yield* throughProgram(input, name);
}

async function* throughProgram(input: Chunks, name: string): AsyncGenerator<Buffer> {
  const program = spawn('zstd', ['-dcq'], { stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  program.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text.slice(0, 1000 - said.length);
  });
  const ended = once(program, 'close').catch((cause: unknown) => {
    throw new CliError(
      `${name} is compressed with zstd, which this Node.js cannot read. Install the program zstd, or Node.js 22.15 or newer.`,
      { exitCode: 2, cause },
    );
  });
  // Reported below: the program closes its input if it fails.
  ended.catch(() => undefined);
  pipeline(Readable.from(input), program.stdin, () => undefined);
  try {
    for await (const chunk of program.stdout as Chunks) yield chunk;
    const [code] = await ended;
    if (code !== 0) throw broken(name, 'zstd', said.trim());
  } finally {
    program.kill();
  }
}

function broken(name: string, coding: string, reason: string, cause?: unknown): CliError {
  return new CliError(`${name} is not complete, valid ${coding}: ${reason.replace(/\.$/, '')}.`, { cause });
}
