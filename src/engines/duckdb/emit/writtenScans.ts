import type { ArrivalRange, BoundsByScan, ScanBounds } from '../../../googlesql/plan/scanBounds.ts';
import type { Column, ScanRelation } from '../../../googlesql/resolve/tree.ts';
import { INT64, TIMESTAMP } from '../../../googlesql/types.ts';
import { arrivalColumn } from '../files/tableLayout.ts';
import { cutoffMark } from '../query/cutoffMark.ts';
import { emitInteger, quoteText } from './literal.ts';
import type { Placeholders } from './placeholders.ts';

/** A scan for which a statement is written. Placeholders take the place of its time bounds, which must not be read. */
export interface WrittenScan {
  readonly scan: ScanRelation;
  readonly projects: readonly string[] | null;
  /** Conditions in SQL on the stored columns that every matching event meets. */
  readonly conditions: readonly string[];
}

/** The scans of a statement that is being written. */
export class WrittenScans {
  readonly slots: Placeholders;
  readonly all: readonly WrittenScan[];

  /** With `isSinceCutoff`, the scans begin at a cutoff that is unknown yet. */
  constructor(bounds: BoundsByScan, slots: Placeholders, isSinceCutoff: boolean) {
    this.slots = slots;
    this.all = [...bounds].map(([timestamp, bound]) => ({
      scan: bound.scan,
      projects: bound.projects,
      conditions: conditionsOf(timestamp, bound, slots, isSinceCutoff),
    }));
  }
}

function conditionsOf(
  timestamp: Column,
  { projects, fromMicros, toMicros, arrivals }: ScanBounds,
  slots: Placeholders,
  isSinceCutoff: boolean,
): readonly string[] {
  const conditions: string[] = [];
  const bound = (end: 'fromMicros' | 'toMicros') =>
    emitInteger(
      TIMESTAMP,
      slots.mark(({ bounds }) => boundOf(bounds, timestamp, end)),
    );
  if (projects !== null) conditions.push(projectCondition(projects));
  if (isSinceCutoff) conditions.push(`"timestamp" >= make_timestamp(${cutoffMark})`);
  // No event is found before all lower bounds, so the cutoff is never below the earliest one; it can be below others.
  const isSaid = isSinceCutoff && slots.decide((bounds) => isEarliest(bounds, timestamp));
  if (fromMicros !== null && !isSaid) conditions.push(`"timestamp" >= ${bound('fromMicros')}`);
  if (toMicros !== null) conditions.push(`"timestamp" <= ${bound('toMicros')}`);
  if (arrivals !== undefined) {
    const number = (end: keyof ArrivalRange) =>
      emitInteger(
        INT64,
        slots.mark(({ bounds }) => BigInt(bounds.get(timestamp)?.arrivals?.[end] ?? 0)),
      );
    conditions.push(`${arrivalColumn} > ${number('after')}`, `${arrivalColumn} <= ${number('to')}`);
  }
  return conditions;
}

function boundOf(bounds: BoundsByScan, timestamp: Column, end: 'fromMicros' | 'toMicros'): bigint {
  const micros = bounds.get(timestamp)?.[end] ?? null;
  if (micros === null) throw new Error('a statement was written for a bound that a scan does not have');
  return micros;
}

/**
 * The isolation check expects this form (process/isolation/isolationCheck.ts). With an empty list, no file is chosen.
 */
function projectCondition(projects: readonly string[]): string {
  const [only = '', ...more] = projects.map(quoteText);
  return more.length === 0 ? `project = ${only}` : `project IN (${[only, ...more].join(', ')})`;
}

/** Whether no scan begins earlier than this one. False if several scans have no beginning. */
function isEarliest(bounds: BoundsByScan, timestamp: Column): boolean {
  const earliest = bounds.get(timestamp)?.fromMicros ?? null;
  if (earliest === null) return false;
  return [...bounds.values()].every(({ fromMicros }) => fromMicros !== null && fromMicros >= earliest);
}
