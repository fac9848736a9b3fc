import { ServiceError } from '../core/errors.ts';
import { nearestName } from '../core/nearestName.ts';
import { readOnlySource } from '../sources/readOnlySource.ts';
import type { Source } from '../sources/source.ts';
import { quoteValue } from './quoteValue.ts';
import type { SourceDirectory } from './sourceDirectory.ts';

/** A source as the caller named it. */
export interface SourceCandidate {
  /** The place of the name, for messages: `the query parameter source`, `the header X-Source`. */
  readonly place: string;
  /** An empty name counts as absent. */
  readonly name: string;
}

/**
 * Finds the source that all candidates name; undefined if there are no candidates.
 *
 * @throws ServiceError `source.ambiguous` if they name different sources, `source.unknown` with the sources that this
 * token may send to, `auth.scope` if it may not send to this one, `source.read_only` if nothing can be sent to it.
 */
export function resolveSource(
  candidates: readonly SourceCandidate[],
  sources: SourceDirectory,
  maySend: (sourceName: string) => boolean,
): Source | undefined {
  const named = candidates.filter(({ name }) => name !== '');
  const [first] = named;
  if (first === undefined) return undefined;
  const source = sources.find(first.name);
  const other = named.find(
    ({ name }) => name !== first.name && (source === undefined || sources.find(name) !== source),
  );
  if (other !== undefined) {
    throw new ServiceError(
      'source.ambiguous',
      `The source is given twice: ${quoteValue(first.name)} by ${first.place} and ${quoteValue(other.name)} by ${other.place}. Give it once.`,
    );
  }
  const allowed = writableNames(sources, maySend);
  if (source === undefined) throw unknownSource(first, allowed);
  if (!maySend(source.name)) {
    throw new ServiceError(
      'auth.scope',
      `This token may not send events to ${quoteValue(first.name)}, only to ${listOf(allowed)}.`,
      {
        errors: [{ value: first.name, allowed }],
      },
    );
  }
  if (source.existing !== undefined) throw readOnlySource(source.name);
  return source;
}

function writableNames(sources: SourceDirectory, maySend: (sourceName: string) => boolean): readonly string[] {
  return sources.names().filter((name) => maySend(name) && sources.find(name)?.existing === undefined);
}

/** @throws always, because a request must name its source. */
export function missingSource(sources: SourceDirectory, maySend: (sourceName: string) => boolean): ServiceError {
  const allowed = writableNames(sources, maySend);
  return new ServiceError(
    'source.missing',
    `The request does not say which source its events belong to. Add ?source=NAME or the header X-Source; the sources are ${listOf(allowed)}.`,
    { errors: [{ parameter: 'source', allowed }] },
  );
}

function unknownSource({ name, place }: SourceCandidate, allowed: readonly string[]): ServiceError {
  const shown = name.length > 100 ? name.slice(0, 100) : name;
  const nearest = nearestName(name, allowed);
  const suggestion = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return new ServiceError(
    'source.unknown',
    `There is no source ${quoteValue(shown)} (${place}).${suggestion} The sources are ${listOf(allowed)}.`,
    { errors: [{ parameter: 'source', value: shown, allowed, ...(nearest === undefined ? {} : { nearest }) }] },
  );
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ');
}
