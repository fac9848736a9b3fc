import type { JsonValue } from '../../core/jsonValue.ts';
import { parseJson } from '../../core/losslessJson.ts';
import { reasonOf, type ServiceAddress } from '../serviceClient.ts';
import type { ListedCall } from './callList.ts';
import { answerIn, type ComparedAnswer, type Comparison, compareAnswers } from './compareAnswers.ts';

export interface ComparedCall extends Comparison {
  readonly line: number;
  readonly path: string;
  readonly oldMs: number;
  readonly newMs: number;
}

/** How long an answer may take. */
const callMsMax = 120_000;

/** Calls both services at the same time, one call after the other, and compares what they answer. */
export async function* compareServices(
  calls: readonly ListedCall[],
  old: ServiceAddress,
  own: ServiceAddress,
): AsyncGenerator<ComparedCall> {
  for (const call of calls) {
    const [before, after] = await Promise.all([ask(old, call), ask(own, call)]);
    yield {
      line: call.line,
      path: call.path,
      ...compareAnswers(before.answer, after.answer),
      oldMs: before.elapsedMs,
      newMs: after.elapsedMs,
    };
  }
}

async function ask(
  { url, token }: ServiceAddress,
  { path, body }: ListedCall,
): Promise<{ readonly answer: ComparedAnswer; readonly elapsedMs: number }> {
  const startMs = performance.now();
  let answer: ComparedAnswer;
  try {
    const response = await fetch(`${url}${path}`, {
      headers: { 'x-api-key': token, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { method: 'POST', body }),
      signal: AbortSignal.timeout(callMsMax),
      redirect: 'manual',
    });
    answer = answerIn(response.status, parsed(await response.text()));
  } catch (error) {
    answer = { kind: 'unreachable', reason: reasonOf(error) };
  }
  return { answer, elapsedMs: performance.now() - startMs };
}

/** Undefined for text that is not JSON, such as the page of a proxy. */
function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
