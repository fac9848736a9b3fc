/** Parts of the store that each node of a service holds in memory. */
export const sharedSubjects = ['endpoints', 'tokens', 'sources', 'retention', 'deletions'] as const;

export type SharedSubject = (typeof sharedSubjects)[number];

/** A change count for each subject. */
export type Generations = Readonly<Record<SharedSubject, number>>;

/**
 * Shows nodes whether the data that they hold is current. A node that finds another number than the one at its last
 * load loads the subject again. An adapter must count a change in the same commit as the change itself, so that no node
 * sees one without the other, and must never count backwards. It may count changes that have no effect.
 */
export interface ChangeFeed {
  read(): Promise<Generations>;
}

/** A store that counts the changes of its subject. A node that holds something in memory follows it with ChangeWatch. */
export interface CountsChanges {
  /** The number that the feed gives for the subject, so it grows with every change that any node made. */
  generation(): Promise<number>;
  /**
   * Grows with every change made through this very object, as soon as it is durable, and with every change of others that
   * it is told of. Costs nothing to read.
   */
  readonly changesSeen: number;
}
