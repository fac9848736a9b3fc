import type { ScheduledFault } from './schedule.ts';
import type { SoakedService } from './soakedService.ts';

/** One service or several nodes, under the load of a soak. */
export interface SoakTarget {
  readonly nodes: readonly SoakedService[];
  readonly plan: readonly ScheduledFault[];
  /** Starts the nodes; returns a token with all scopes. */
  start(): Promise<string>;
  /** Causes a fault of the plan and ends it; returns a sentence for the report. */
  cause(name: string): Promise<string>;
  /** Resolves when everything that faults started has ended. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** @throws if a name is not one of the faults */
export function requireFaults(names: readonly string[], faults: Readonly<Record<string, unknown>>): void {
  const unknown = names.filter((name) => faults[name] === undefined);
  if (unknown.length > 0)
    throw new Error(`--faults is some of ${Object.keys(faults).join(', ')}; not ${unknown.join(', ')}`);
}
