import type { ScanRelation } from '../../../googlesql/resolve/tree.ts';
import { pathKey } from '../../../sources/source.ts';
import type { AvoidedPart, EventFacts, EventTable } from './fetch.ts';

/** The scan that a statement reads, and what the statement assumes about its events. */
export class ScanContext {
  readonly scan: ScanRelation;
  readonly table: EventTable;
  readonly facts: EventFacts;
  readonly avoid: ReadonlySet<AvoidedPart>;
  readonly isRedacted: boolean;
  /** pathKeys that must be regular; at first those of the typed columns that the query reads. */
  readonly trusted: Set<string>;
  readsJson = false;
  /** Conditions on an event, which are never NULL: that a cast of one of its members fails. */
  readonly failedCasts = new Set<string>();

  constructor(
    scan: ScanRelation,
    table: EventTable,
    facts: EventFacts,
    avoid: ReadonlySet<AvoidedPart>,
    isRedacted: boolean,
    trusted: ReadonlySet<string>,
  ) {
    this.scan = scan;
    this.table = table;
    this.facts = facts;
    this.avoid = avoid;
    this.isRedacted = isRedacted;
    this.trusted = new Set(trusted);
  }

  /** Whether a member may be an array, and so an array with one object, which counts as that object. */
  mayHoldArray(path: readonly string[]): boolean {
    const key = pathKey(path);
    const isKnown = this.scan.source.hotColumns.some((hot) => hot.kind === 'presence' && pathKey(hot.path) === key);
    if (!isKnown || this.facts.irregular.has(key)) return true;
    this.trusted.add(key);
    return false;
  }
}
