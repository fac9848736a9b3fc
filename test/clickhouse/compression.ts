import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { PassThrough } from 'node:stream';
import zlib from 'node:zlib';
import type { Engine } from './engine.ts';
import { refusal } from './exceptions.ts';

/** Content encodings of ClickHouse, in the order in which it chooses one (src/IO/CompressionMethod.cpp); the library has no bz2. */
const encodings = ['br', 'lz4', 'snappy', 'gzip', 'deflate', 'xz', 'zstd'] as const;
export type Encoding = (typeof encodings)[number];

/** The encoding for an answer; null if the client accepts none. */
export function chooseEncoding(accepted: string | undefined): Encoding | null {
  return encodings.find((encoding) => accepted?.includes(encoding)) ?? null;
}

/** A stream that encodes what is written to it; undefined for encodings that only the engine has. */
export function encodingStream(encoding: Encoding | null): Duplex | undefined {
  switch (encoding) {
    case null:
      return new PassThrough();
    case 'gzip':
      return zlib.createGzip();
    case 'deflate':
      return zlib.createDeflate();
    case 'br':
      return zlib.createBrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } });
    default:
      return undefined;
  }
}

/** Encodes a whole body. */
export async function encode(engine: Engine, id: string, bytes: Buffer, encoding: Encoding | null): Promise<Buffer> {
  switch (encoding) {
    case null:
      return bytes;
    case 'gzip':
      return zlib.gzipSync(bytes);
    case 'deflate':
      return zlib.deflateSync(bytes);
    case 'br':
      return zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } });
    default:
      return await throughEngine(engine, `${id}-encode`, bytes, 'none', encoding);
  }
}

/** Decodes the body of a request by its header Content-Encoding. Throws error 36 for an unknown one. */
export async function decode(engine: Engine, id: string, bytes: Buffer, encoding: string | undefined): Promise<Buffer> {
  switch (encoding) {
    case undefined:
    case '':
    case 'identity':
      return bytes;
    case 'gzip':
    case 'x-gzip':
      return decodeOrRefuse(() => zlib.gunzipSync(bytes));
    case 'deflate':
      return decodeOrRefuse(() => zlib.inflateSync(bytes));
    case 'br':
      return decodeOrRefuse(() => zlib.brotliDecompressSync(bytes));
    default: {
      const known = encodings.find((each) => each === encoding);
      if (known === undefined) throw refusal(36, 'BAD_ARGUMENTS', `Unknown compression method ${encoding}`);
      return await throughEngine(engine, `${id}-decode`, bytes, known, 'none');
    }
  }
}

function decodeOrRefuse(decoding: () => Buffer): Buffer {
  try {
    return decoding();
  } catch (error) {
    throw refusal(
      354,
      'ZLIB_INFLATE_FAILED',
      `inflate failed: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

async function throughEngine(engine: Engine, id: string, bytes: Buffer, from: string, to: string): Promise<Buffer> {
  const [source, target] = [engine.fileOf(id, 'from'), engine.fileOf(id, 'to')];
  try {
    writeFileSync(source, bytes);
    const statement =
      `SELECT * FROM file('${source}', RawBLOB, 'bytes String', '${from}') ` +
      `INTO OUTFILE '${target}' COMPRESSION '${to}' FORMAT RawBLOB`;
    await engine.run({ id, session: null, prelude: [], settingsToRestore: [], params: {}, statement });
    return readFileSync(target);
  } finally {
    rmSync(source, { force: true });
    rmSync(target, { force: true });
  }
}
