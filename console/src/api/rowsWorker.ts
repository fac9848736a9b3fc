import { ApiError, callApi } from './callApi.ts';
import { isObject, type Json } from './losslessJson.ts';
import type { Row, RowsRequest, RowsResponse } from './rowsProtocol.ts';
import type { Meta } from './types.ts';

const running = new Map<number, AbortController>();

self.onmessage = ({ data }: MessageEvent<RowsRequest>) => {
  if (data.kind === 'abort') running.get(data.id)?.abort();
  else void answer(data);
};

async function answer(request: Extract<RowsRequest, { kind: 'call' }>): Promise<void> {
  const { id, base, path, body, charsMax, isFresh } = request;
  const controller = new AbortController();
  running.set(id, controller);
  const started = performance.now();
  try {
    const headers = isFresh ? { 'Cache-Control': 'no-cache' } : {};
    const got = await callApi(path, { method: 'POST', body, headers, signal: controller.signal }, base);
    const { result, meta } = got.body as unknown as { result: readonly Row[]; meta: Meta };
    const rows = charsMax === null ? result : result.map((row) => cutRow(row, charsMax));
    const elapsedMs = performance.now() - started;
    post({ id, kind: 'rows', answer: { rows, meta, elapsedMs } });
  } catch (error) {
    if (controller.signal.aborted) return;
    const failed = error instanceof ApiError ? error : new ApiError(0, 'The answer of the service cannot be read.');
    post({ id, kind: 'failed', status: failed.status, message: failed.message, problem: failed.problem });
  } finally {
    running.delete(id);
  }
}

function post(response: RowsResponse): void {
  self.postMessage(response);
}

function cutRow(row: Row, charsMax: number): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cut(value, charsMax)]));
}

/** Texts are cut, and nested values become the beginning of their JSON. */
function cut(value: Json, charsMax: number): Json {
  if (typeof value === 'string') return value.length > charsMax ? `${value.slice(0, charsMax)}…` : value;
  if (value === null || typeof value !== 'object') return value;
  return beginningOf(value, charsMax);
}

/** The first characters of a value's JSON, made without writing all of it. */
export function beginningOf(value: Json, charsMax: number): string {
  let text = '';
  const write = (each: Json): void => {
    if (text.length > charsMax) return;
    if (typeof each === 'bigint') text += String(each);
    else if (typeof each === 'string') text += JSON.stringify(each.slice(0, charsMax));
    else if (each === null || typeof each !== 'object') text += JSON.stringify(each);
    else if (isObject(each)) {
      text += '{';
      let comma = '';
      for (const [name, of] of Object.entries(each)) {
        if (text.length > charsMax) return;
        text += `${comma}${JSON.stringify(name)}:`;
        write(of);
        comma = ',';
      }
      text += '}';
    } else {
      text += '[';
      let comma = '';
      for (const of of each) {
        if (text.length > charsMax) return;
        text += comma;
        write(of);
        comma = ',';
      }
      text += ']';
    }
  };
  write(value);
  return text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;
}
