/** What each node of a service holds in memory, of what the store keeps. */
export const sharedSubjects = ['endpoints', 'tokens', 'sources', 'retention', 'deletions'] as const;

export type SharedSubject = (typeof sharedSubjects)[number];

/** A number for each subject. */
export type Generations = Readonly<Record<SharedSubject, number>>;

/**
 * Tells nodes by numbers whether what they hold still stands: one that finds another number than when it loaded a
 * subject loads it again. An adapter must count a change in the same commit as the change itself, so that no node sees
 * the one without the other, and never count backwards. Changes that come to nothing may be counted.
 */
export interface ChangeFeed {
  read(): Promise<Generations>;
}
