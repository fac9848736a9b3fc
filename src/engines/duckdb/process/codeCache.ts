import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';

/** A program with the code that V8 compiled it to. */
export interface CachedProgram {
  /** The wrapped source (`wrapped`). */
  readonly text: string;
  readonly code: Buffer;
}

/** The code begins at a multiple of eight bytes, because V8 would otherwise copy it. */
const headerBytes = 256;

/** The path of the code cache of a program. */
export function codeCacheOf(program: string): string {
  return program.replace(/\.cjs$/, '.cache');
}

/**
 * The source as Node wraps a module in CommonJS, on the same lines. Comments are made ASCII: a single other character would
 * have V8 keep two bytes for each one of the program.
 */
export function wrapped(source: string): string {
  const text = source.replace(/^[ \t]*(?:\/\/|\*|\/\*).*$/gm, (comment) => comment.replace(/[^\t -~]/gu, '?'));
  return `(function (exports, require, module, __filename, __dirname) {${text}\n})`;
}

export function encodeCodeCache(digest: string, { text, code }: CachedProgram): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  const header = headerOf(digest, code.length, bytes.length);
  return Buffer.concat([Buffer.from(header.padEnd(headerBytes), 'latin1'), code, bytes]);
}

/**
 * Reads the code cache of the program with this digest. Undefined if there is none, or if it is from another program,
 * another Node or an interrupted copy. V8 itself rejects code that it compiled with other flags.
 */
export function readCodeCache(path: string, digest: string): CachedProgram | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return undefined;
  }
  const header = bytes.toString('latin1', 0, headerBytes).trimEnd();
  const codeBytes = Number(/ (\d+) \d+$/.exec(header)?.[1]);
  const textStart = headerBytes + codeBytes;
  if (header !== headerOf(digest, codeBytes, bytes.length - textStart)) return undefined;
  return { text: bytes.toString('utf8', textStart), code: bytes.subarray(headerBytes, textStart) };
}

/** Everything that the code depends on, except V8's flags. */
function headerOf(digest: string, codeBytes: number, textBytes: number): string {
  return `logmill-code-cache ${process.version} ${process.arch} ${digest} ${codeBytes} ${textBytes}`;
}

/** Compiles the wrapped source of the module at a path, with what V8 compiled before if there is any. */
export function compiled(path: string, text: string, code?: Buffer): Script {
  return new Script(text, { filename: path, ...(code === undefined ? {} : { cachedData: code }) });
}

/** Runs a compiled module. */
export function runModule(path: string, script: Script): void {
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(path), module, path, dirname(path));
}
