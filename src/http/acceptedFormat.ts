import Negotiator from 'negotiator';
import { ServiceError } from '../core/errors.ts';
import { type FormatName, formatNames, resultFormat } from '../formats/resultFormat.ts';

/**
 * The format that `Accept` prefers. A wildcard means `json` if it allows that, so that clients that accept anything get what
 * they always did: every other format must be named, or be the only one that a range such as `text/*` allows.
 *
 * @throws ServiceError `request.not_acceptable` if it allows none
 */
export function acceptedFormat(header: string | undefined): FormatName {
  const accept = header?.trim() ?? '';
  if (accept === '') return 'json';
  const negotiator = new Negotiator({ headers: { accept } });
  const preferred = (names: readonly FormatName[]): FormatName | undefined => {
    const types = names.map((name) => resultFormat(name).mediaType);
    const [best] = negotiator.mediaTypes(types);
    return best === undefined ? undefined : names[types.indexOf(best)];
  };
  const named = formatNames.filter((name) => name !== 'json' && isNamed(name, accept.toLowerCase()));
  const found = preferred(['json', ...named]) ?? preferred(formatNames.filter((name) => name !== 'prometheus'));
  if (found !== undefined) return found;
  const allowed = formatNames.map((name) => bareType(name));
  throw new ServiceError(
    'request.not_acceptable',
    `Accept must allow one of ${allowed.join(', ')}. The parameter format chooses one too: ${formatNames.join(', ')}.`,
    { errors: [{ value: accept.slice(0, 200), allowed }] },
  );
}

/** `text/plain` alone is accepted by clients that want no metrics, so its version counts too. */
function isNamed(name: FormatName, accept: string): boolean {
  return (
    accept.includes(bareType(name)) && (name !== 'prometheus' || /text\/plain\s*;[^,]*version=0\.0\.4/.test(accept))
  );
}

function bareType(name: FormatName): string {
  const [bare = ''] = resultFormat(name).mediaType.split(';');
  return bare;
}
