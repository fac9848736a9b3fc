import { parentPort, workerData } from 'node:worker_threads';
import { type RedactionConfig, redactorOf } from '../redactionConfig.ts';
import { redactRows } from '../redactRows.ts';
import type { RedactingReply, RedactingRequest } from './protocol.ts';

// A thread that redacts rows, one call at a time.
const redactor = redactorOf(workerData as RedactionConfig);
let parts: Uint8Array[] = [];

parentPort?.on('message', (request: RedactingRequest) => {
  if (request.kind === 'rows') {
    parts.push(request.bytes);
    return;
  }
  const rows = Buffer.concat(parts);
  parts = [];
  const shown = redactRows(rows, request.origins, redactor);
  // A small buffer is part of a larger one, which cannot be transferred.
  const whole = shown.rows.byteLength === shown.rows.buffer.byteLength ? shown.rows : new Uint8Array(shown.rows);
  parentPort?.postMessage({ rows: whole, counts: shown.counts } satisfies RedactingReply, [whole.buffer]);
});
