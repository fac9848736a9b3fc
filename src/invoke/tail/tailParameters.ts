import { ServiceError } from '../../core/errors.ts';
import type { ParameterEntry } from '../parameterEntry.ts';
import { severalValues } from '../splitParameters.ts';
import { type TailFormat, tailFormatNames } from './tailFormat.ts';

/** What the parameters of a call say about its tail; null if they say nothing. */
export interface TailParameters {
  readonly format: TailFormat | null;
  readonly lastEventId: string | null;
  readonly others: readonly ParameterEntry[];
}

/**
 * Takes `format` and `last_event_id` from the parameters of a call; neither is blank. `last_event_id` is a parameter like
 * any other if the endpoint declares it.
 */
export function takeTailParameters(
  entries: readonly ParameterEntry[],
  declared: readonly { readonly name: string }[],
): TailParameters {
  const isOwn = (name: string): boolean =>
    name === 'format' || (name === 'last_event_id' && declared.every((each) => each.name !== name));
  const own = new Map<string, string>();
  for (const [name, value, list] of entries) {
    if (!isOwn(name)) continue;
    if (list !== undefined) throw severalValues(name);
    own.set(name, value.trim());
  }
  const format = own.get('format');
  return {
    format: format === undefined ? null : formatOf(format),
    lastEventId: own.get('last_event_id') ?? null,
    others: entries.filter(([name]) => !isOwn(name)),
  };
}

function formatOf(given: string): TailFormat {
  const wanted = given.toLowerCase();
  const format = tailFormatNames.find((name) => name === wanted);
  if (format !== undefined) return format;
  const value = given.slice(0, 64);
  throw new ServiceError(
    'request.not_acceptable',
    `A tail has no format "${value}"; use ${tailFormatNames.join(' or ')}.`,
    { errors: [{ parameter: 'format', value, allowed: tailFormatNames }] },
  );
}
