import { createWriteStream } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { token } from '../benchedService.ts';

const headers = { 'x-api-key': token, 'accept-encoding': 'identity' };

/** Begins a stream; fails unless its status is 200. */
async function open(url: string, name: string, format: string): Promise<IncomingMessage> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${url}/api/endpoints/query/${name}?stream=true&format=${format}`, { headers }, resolve).once('error', reject);
  });
  if (response.statusCode === 200) return response;
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  throw new Error(`${name} was answered with ${response.statusCode}: ${Buffer.concat(parts).toString()}`);
}

/** Writes a whole stream in CSV to a file. */
export async function streamTo(url: string, name: string, path: string): Promise<void> {
  await pipeline(await open(url, name, 'csv'), createWriteStream(path));
}

/** What is read of a socket lands in this many bytes again and again: buffers that are dropped made the reader the slower side. */
const readBytes = 256 * 1024;
const endOfHead = '\r\n\r\n';
const endOfBody = '0\r\n\r\n';

/** Reads a whole stream and drops it. Milliseconds until its end, and until its first bytes. Fails if it is cut off. */
export async function readStream(
  url: string,
  name: string,
  format: string,
): Promise<{ readonly ms: number; readonly firstMs: number }> {
  const { hostname, port, host } = new URL(url);
  const lines = Object.entries({ host, ...headers, connection: 'close' }).map(([key, value]) => `${key}: ${value}\r\n`);
  const request = `GET /api/endpoints/query/${name}?stream=true&format=${format} HTTP/1.1\r\n${lines.join('')}\r\n`;
  const startedMs = performance.now();
  let firstMs = Number.NaN;
  let head = '';
  let tail = '';
  const callback = (count: number, buffer: Uint8Array): boolean => {
    const read = Buffer.from(buffer.buffer, buffer.byteOffset, count);
    tail = (tail + read.toString('latin1', Math.max(0, count - endOfBody.length))).slice(-endOfBody.length);
    if (!Number.isNaN(firstMs)) return true;
    head += read.toString('latin1');
    const body = head.indexOf(endOfHead) + endOfHead.length;
    if (body >= endOfHead.length && head.length > body) firstMs = performance.now() - startedMs;
    return true;
  };
  await new Promise<void>((resolve, reject) => {
    const socket = connect({
      host: hostname,
      port: Number(port),
      onread: { buffer: Buffer.alloc(readBytes), callback },
    });
    socket.once('connect', () => socket.write(request));
    socket.once('error', reject).once('close', () => resolve());
  });
  if (!head.startsWith('HTTP/1.1 200') || tail !== endOfBody) {
    throw new Error(`${name} was not answered with 200, or cut off: ${head.slice(0, 200)}`);
  }
  return { ms: performance.now() - startedMs, firstMs };
}

/** Bytes that are read of a stream before its reader leaves. */
const leftAfterBytes = 4 * 1024 * 1024;
const pollMs = 5;

/** Leaves a stream, and resolves with the milliseconds until its query is no longer among the running ones. */
export async function msUntilFreed(url: string, name: string, format: string): Promise<number> {
  const response = await open(url, name, format);
  let bytes = 0;
  for await (const part of response) {
    bytes += (part as Buffer).length;
    if (bytes >= leftAfterBytes) break;
  }
  response.destroy();
  const startedMs = performance.now();
  for (;;) {
    const running = await fetch(`${url}/api/queries`, { headers });
    const { queries } = (await running.json()) as { readonly queries: readonly unknown[] };
    if (queries.length === 0) return performance.now() - startedMs;
    await delay(pollMs);
  }
}
