import { errorCatalogue } from '../../src/core/errorCatalogue.ts';
import type { FuzzLog } from './finding.ts';
import type { Answer, Sent } from './fuzzedService.ts';

/** Codes that say that the service is at fault, not the request. */
const faults: ReadonlySet<string> = new Set(['internal', 'engine.failed', 'engine.restarting', 'query.memory']);

/** Notes an answer that is not as documented (contract, section 1, "Errors"). Gives its parsed body. */
export function checkAnswer(sent: Sent, answer: Answer, log: FuzzLog): unknown {
  const input = describeSent(sent);
  const complain = (rule: string, detail: string) => log.add({ rule, input, detail });
  if (isOtherFormat(answer)) {
    log.count('200 in another format');
    return null;
  }
  let body: unknown;
  try {
    body = answer.body === '' ? null : JSON.parse(answer.body);
  } catch {
    complain('an answer is JSON', `${answer.status} ${answer.body.slice(0, 500)}`);
    return null;
  }
  if (answer.headers['x-request-id'] === undefined) complain('an answer has a request ID', String(answer.status));
  if (answer.elapsedMs > 10_000) complain('an answer comes soon', `${Math.round(answer.elapsedMs)} ms`);
  if (answer.status === 200) {
    log.count('200');
    return body;
  }
  if (sent.method === 'HEAD') return null;
  const { code, status, error } = (body ?? {}) as {
    readonly code?: string;
    readonly status?: number;
    readonly error?: { readonly message?: string; readonly code?: string };
  };
  log.count(`${answer.status} ${code}`);
  const entry = Object.entries(errorCatalogue).find(([name]) => name === code)?.[1];
  if (entry === undefined || code === undefined) complain('an error has a documented code', answer.body.slice(0, 500));
  else if (entry.status !== answer.status) complain('an error has the status of its code', answer.body.slice(0, 500));
  else if (faults.has(code))
    complain('a request is not answered with a fault of the service', answer.body.slice(0, 500));
  if (status !== answer.status || error?.code !== code || typeof error?.message !== 'string') {
    complain('a problem says in its body what it says in its head', answer.body.slice(0, 500));
  }
  if (!/^application\/problem\+json/.test(answer.headers['content-type'] ?? '')) {
    complain('an error is a problem document', String(answer.headers['content-type']));
  }
  return null;
}

/** Whether the answer is rows in a format other than JSON. */
export function isOtherFormat({ status, headers }: Answer): boolean {
  return status === 200 && !/^application\/json/.test(headers['content-type'] ?? 'application/json');
}

export function describeSent({ method, path, headers, body }: Sent): string {
  const shown =
    body.length > 1000 ? `${body.toString('latin1', 0, 1000)}… (${body.length} bytes)` : body.toString('latin1');
  return `${method} ${path} ${JSON.stringify(headers)} ${shown}`;
}
