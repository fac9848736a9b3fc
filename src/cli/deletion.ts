import { z } from 'zod';

/** A deletion of events as the service tells it. */
export const deletionSchema = z.looseObject({
  id: z.string(),
  project: z.string(),
  source: z.string().nullable(),
  before: z.string().nullable(),
  state: z.string(),
  requested_at: z.string(),
  completed_at: z.string().nullable(),
  removed: z.looseObject({ events: z.number(), bytes: z.number() }),
});

export type ToldDeletion = z.output<typeof deletionSchema>;

export function deletionPath(project: string, id: string): string {
  return `/api/projects/${encodeURIComponent(project)}/deletions/${encodeURIComponent(id)}`;
}

/** `running: 12 events removed from the files so far`. */
export function deletionText({ state, removed }: ToldDeletion): string {
  const events = removed.events === 1 ? '1 event' : `${removed.events} events`;
  return state === 'complete' ? `complete: ${events} removed` : `${state}: ${events} removed from the files so far`;
}
