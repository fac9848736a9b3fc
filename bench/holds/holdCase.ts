import type { HoldAnswer, HoldClient } from './holdClient.ts';

/** One way to make the service work long. */
export interface HoldCase {
  readonly name: string;
  /** Prepares the case; not measured. */
  readonly prepare?: (client: HoldClient) => Promise<unknown>;
  readonly run: (client: HoldClient) => Promise<HoldAnswer>;
}
