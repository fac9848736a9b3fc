import type { StoreDatabase } from './schema.ts';

/** Two connections to one new store, as two processes have them. For tests. */
export interface TwoConnections {
  readonly first: StoreDatabase;
  readonly second: StoreDatabase;
  readonly close: () => Promise<void>;
}

/** A database that the stores are tested over. */
export interface StoreUnderTest {
  readonly name: string;
  readonly openTwice: () => Promise<TwoConnections>;
}
