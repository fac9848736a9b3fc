import type { Source } from '../sources/source.ts';
import type { DecodedBody, SentEvent } from './decode.ts';
import type { Rejection } from './rejection.ts';
import { missingSource, resolveSource, type SourceCandidate } from './resolveSource.ts';
import type { SourceDirectory } from './sourceDirectory.ts';

/** The events of a batch that belong to one source. */
export interface SourcePart {
  readonly source: Source;
  readonly events: readonly SentEvent[];
  /** The index of each event in the body. */
  readonly indexes: readonly number[];
}

export interface SourceParts {
  readonly parts: readonly SourcePart[];
  /** Rejected events that name no source, where the call names none either. */
  readonly strays: readonly Rejection[];
}

export interface SourceNaming {
  readonly sourceCandidates: readonly SourceCandidate[];
  readonly maySend: (sourceName: string) => boolean;
}

/**
 * Divides the events of a body by their source. The source that the call names counts for all of them.
 *
 * @throws ServiceError like `resolveSource`, and `source.missing`; then nothing of the body may be stored.
 */
export function partsBySource(decoded: DecodedBody, call: SourceNaming, sources: SourceDirectory): SourceParts {
  const { events, sourceName = '', eventSources } = decoded;
  const candidates = [...call.sourceCandidates, { place: 'the member source of the body', name: sourceName }];
  const named = resolveSource(candidates, sources, call.maySend);
  if (named !== undefined) {
    return { parts: [{ source: named, events, indexes: events.map((_, index) => index) }], strays: [] };
  }
  if (eventSources === undefined) throw missingSource(sources, call.maySend);
  const byName = new Map<string, Source | undefined>();
  const parts = new Map<Source, { source: Source; events: SentEvent[]; indexes: number[] }>();
  const strays: Rejection[] = [];
  for (const [index, event] of events.entries()) {
    const candidate = eventSources[index];
    const name = candidate?.name ?? '';
    let source = byName.get(name);
    if (source === undefined) {
      source = candidate === undefined ? undefined : resolveSource([candidate], sources, call.maySend);
      byName.set(name, source);
    }
    if (source === undefined) {
      if (event.kind === 'value') throw missingSource(sources, call.maySend);
      strays.push({ index, code: event.code, message: event.message });
      continue;
    }
    const part = parts.get(source) ?? { source, events: [], indexes: [] };
    parts.set(source, part);
    part.events.push(event);
    part.indexes.push(index);
  }
  return { parts: [...parts.values()], strays };
}
