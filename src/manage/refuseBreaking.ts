import { ServiceError } from '../core/errors.ts';
import { type BrokenEndpoint, callersSentence, type RecentCallers } from './recentCallers.ts';

/**
 * Throws `definition.breaking` if the change breaks an endpoint; the message names what breaks and the recent callers.
 * `onlyToken` as for `recentCallers`.
 */
export function refuseBreaking(
  endpoints: readonly BrokenEndpoint[],
  callers: RecentCallers,
  onlyToken: string | null,
): void {
  const breaking = endpoints.flatMap(({ id, name, breaking: changes }) =>
    changes.map((change) => ({ id, endpoint: name, ...change })),
  );
  if (breaking.length === 0) return;
  const isOne = endpoints.length === 1;
  const shown = breaking.slice(0, 10).map(({ endpoint, message }) => (isOne ? message : `${endpoint}: ${message}`));
  const more = breaking.length > shown.length ? ` And ${breaking.length - shown.length} more.` : '';
  const broken = endpoints.filter(({ id }) => callers.has(id)).slice(0, 10);
  const told = broken.map(({ id, name }) => {
    const sentence = callersSentence(callers.get(id) ?? null, onlyToken);
    return isOne ? sentence : `${name}: ${sentence}`;
  });
  throw new ServiceError(
    'definition.breaking',
    `The change removes something that callers may rely on. ${shown.join(' ')}${more} ${told.join(' ')} Nothing was changed. To make the change anyway, set allow_breaking=true (--allow-breaking).`,
    {
      errors: breaking.map(({ id, endpoint, rule, name, message }) => {
        const tokens = callers.get(id)?.map(({ token }) => token);
        return { rule, token: name, value: endpoint, message, ...(tokens === undefined ? {} : { callers: tokens }) };
      }),
    },
  );
}
