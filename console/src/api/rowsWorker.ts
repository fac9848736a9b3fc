import { ApiError, callApi } from './callApi.ts';
import type { Row, RowsRequest, RowsResponse } from './rowsProtocol.ts';
import { shortened } from './shortened.ts';
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
    const { status, message, problem, retryAfter } = failed;
    post({ id, kind: 'failed', status, message, problem, retryAfter });
  } finally {
    running.delete(id);
  }
}

function post(response: RowsResponse): void {
  self.postMessage(response);
}

function cutRow(row: Row, charsMax: number): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shortened(value, charsMax)]));
}
