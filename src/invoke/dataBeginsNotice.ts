import type { Notice } from '../googlesql/resolve/tree.ts';
import type { DataBegin } from '../ports/queryEngine.ts';
import { formatMicros } from './formatMicros.ts';

/** `meta.data_begins`: by source, the time from which its events are complete; absent if nothing was removed. */
export function dataBeginsOf(begins: readonly DataBegin[] = []): { readonly data_begins?: Record<string, string> } {
  const known = begins.flatMap(({ source, micros }) => (micros === null ? [] : [[source, formatMicros(micros)]]));
  return known.length === 0 ? {} : { data_begins: Object.fromEntries(known) };
}

/**
 * The notice `retention.data_begins` if the query looked for events that retention has removed (streams.md,
 * "Retention": removed data is never silently shown as "no data").
 */
export function dataBeginsNotice(begins: readonly DataBegin[] = []): readonly Notice[] {
  const notices: Notice[] = [];
  const reached = begins.filter(({ isReached }) => isReached);
  if (reached.length > 0) {
    const list = reached.map(({ source, micros }) => `${source} before ${formatMicros(micros ?? 0)}`).join(', ');
    notices.push({
      code: 'retention.data_begins',
      message: `The query asks for events that were removed by retention, on request, or for lack of disk space: ${list}.`,
    });
  }
  const varying = begins.filter(({ isLaterForSome }) => isLaterForSome).map(({ source }) => source);
  if (varying.length > 0) {
    notices.push({
      code: 'retention.varies',
      message: `The query names no project, and retention or deletion differs between projects. In ${varying.join(', ')}, events of some projects may begin later.`,
    });
  }
  return notices;
}
