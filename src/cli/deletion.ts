import * as z from 'zod';

/** A deletion of events, as the service reports it. */
export const deletionSchema = z.looseObject({
  id: z.string(),
  project: z.string(),
  source: z.string().nullable(),
  before: z.string().nullable(),
  state: z.string(),
  /** Absent in answers of an older service. */
  waits_for: z.array(z.looseObject({ file: z.string(), contents: z.string() })).default([]),
  requested_at: z.string(),
  completed_at: z.string().nullable(),
  removed: z.looseObject({ events: z.number(), bytes: z.number() }),
});

export type ReportedDeletion = z.output<typeof deletionSchema>;

export function deletionPath(project: string, id: string): string {
  return `/api/projects/${encodeURIComponent(project)}/deletions/${encodeURIComponent(id)}`;
}

/** The state, such as `running: 12 events removed from disk so far`, and the damaged files that the deletion waits for. */
export function deletionText({ state, removed, waits_for: waitsFor }: ReportedDeletion): string {
  const events = removed.events === 1 ? '1 event' : `${removed.events} events`;
  if (state === 'complete') return `complete: ${events} removed`;
  const files = waitsFor.map(
    ({ file, contents }) => `${file} (${contents === 'known' ? 'contains' : 'may contain'} some of the events)`,
  );
  const damaged = files.length === 0 ? '' : `; damaged files in events/damaged: ${files.join(', ')}`;
  return `${state}: ${events} removed from disk so far${damaged}`;
}
