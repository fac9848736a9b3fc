import type { CliContext } from './cliContext.ts';
import {
  callService,
  missingAnswer,
  RefusedCall,
  type ServiceAddress,
  type ServiceAnswer,
  type ServiceRequest,
} from './serviceClient.ts';

export const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' } as const;

/** Statuses after which the same call may succeed. */
export const retriedStatuses: ReadonlySet<number> = new Set([429, 503]);

const delayMsMax = 10_000;

/**
 * Like `wholeAnswerOf`: tries again while the service cannot be reached or has no room. With `changes`, a call whose answer is
 * missing is not made again, because it may have changed something. `attempts`: how often at most; by default five times.
 */
export async function patientAnswerOf(
  address: ServiceAddress,
  path: string,
  request: ServiceRequest,
  { delay }: Pick<CliContext, 'delay'>,
  {
    query,
    attempts = 5,
    changes = false,
  }: { readonly query?: string | undefined; readonly attempts?: number; readonly changes?: boolean } = {},
): Promise<Extract<ServiceAnswer, { readonly kind: 'success' }>> {
  for (let attempt = 1; ; attempt++) {
    const answer = await callService(address, path, request);
    if (answer.kind === 'success') return answer;
    const canRetry = answer.kind === 'problem' ? retriedStatuses.has(answer.status) : !changes;
    if (!canRetry || attempt === attempts) {
      if (answer.kind === 'problem') throw new RefusedCall(answer.problem, query);
      throw missingAnswer(address, changes ? request : { ...request, effect: 'none' }, answer);
    }
    const asked = answer.kind === 'problem' ? (answer.retryAfterMs ?? 0) : 0;
    await delay(Math.max(asked, Math.min(delayMsMax, 250 * 2 ** attempt)));
  }
}
