import { type Mapper, mapExpr, mapRelation } from '../resolve/traverse.ts';
import type {
  Column,
  Computed,
  JoinRelation,
  ProjectRelation,
  Relation,
  ScanRelation,
  WithTable,
} from '../resolve/tree.ts';
import { firstMicros, lastMicros } from './calendarParts.ts';
import {
  bothOf,
  comparesColumns,
  conjunctsOf,
  eitherOf,
  factsOfElement,
  factsOfPartitions,
  factsThrough,
  factsWhere,
  nothingKnown,
  type RowFacts,
  type RunFact,
  type TextFact,
} from './rowFacts.ts';

/** A range of arrival numbers (ports/eventLog.ts). */
export interface ArrivalRange {
  /** Exclusive. */
  readonly after: number;
  /** Inclusive. */
  readonly to: number;
}

/** What the filters above a scan say about the events that can affect the answer. */
export interface ScanBounds {
  readonly scan: ScanRelation;
  /** The only projects whose events can matter, each once; null if none is named, empty if filters contradict each other. */
  readonly projects: readonly string[] | null;
  /** Inclusive bounds on the timestamp in microseconds; null if open. */
  readonly fromMicros: bigint | null;
  readonly toMicros: bigint | null;
  /** Whether filters reject events within the bounds. */
  readonly isFiltered: boolean;
  /**
   * Runs that the text at a path of the metadata contains in every event that can matter; absent if there are none. They
   * are about texts as they are stored: a plan that redacts has none.
   */
  readonly runs?: readonly Pick<RunFact, 'path' | 'run'>[];
  /** Set if the run reads only events with these arrival numbers. */
  readonly arrivals?: ArrivalRange;
}

export type BoundsByScan = ReadonlyMap<Column, ScanBounds>;

/** Answers questions about the bounds of one call. Results that depend on the answers hold for every call with equal answers. */
export interface BoundsDecisions {
  decide(question: (bounds: BoundsByScan) => boolean): boolean;
}

/**
 * Reads bounds from the filters of a folded query, by the scan's timestamp column. Bounds may be too wide, but never too
 * narrow: a scan restricted to them gives the same answer.
 */
export function scanBounds(relation: Relation): ReadonlyMap<Column, ScanBounds> {
  const walk = new FactsWalk(true);
  walk.visit(relation, nothingKnown, nothingKnown);
  return new Map([...walk.found].map(([key, { scan, facts }]) => [key, boundsOf(scan, facts)]));
}

/** The facts about every event of a scan that can affect the answer. */
export interface ScanFacts {
  readonly scan: ScanRelation;
  readonly facts: RowFacts;
}

/** The facts of every scan of a query, in text order. Conditions of a WITH table's readers do not count as facts of the table. */
export function scanFacts(relation: Relation): readonly ScanFacts[] {
  const walk = new FactsWalk(false);
  walk.visit(relation, nothingKnown, nothingKnown);
  return [...walk.found.values()].toSorted((a, b) => a.scan.columns.timestamp.id - b.scan.columns.timestamp.id);
}

/**
 * Calls `seen` for every SELECT list with the facts about its rows that can affect the answer. A list that several others
 * share may be seen several times.
 */
export function projectFacts(relation: Relation, seen: (project: ProjectRelation, facts: RowFacts) => void): void {
  new FactsWalk(true, seen).visit(relation, nothingKnown, nothingKnown);
}

/** Pushes facts from filters down to scans, through relations that give the same answer without the rows that do not satisfy them. */
class FactsWalk {
  readonly found = new Map<Column, ScanFacts>();
  readonly #passesTables: boolean;
  readonly #seen: (project: ProjectRelation, facts: RowFacts) => void;
  /** By WITH table, the facts that hold for the rows that any of its visited readers needs. */
  readonly #asked = new Map<number, RowFacts>();
  readonly #givenBy = new Map<Relation, RowFacts>();

  constructor(
    passesTables: boolean,
    seen: (project: ProjectRelation, facts: RowFacts) => void = () => {
      // Only scans are wanted.
    },
  ) {
    this.#passesTables = passesTables;
    this.#seen = seen;
  }

  /** `around` holds the facts about rows of enclosing queries; `facts` includes them. */
  visit(relation: Relation, facts: RowFacts, around: RowFacts): void {
    switch (relation.kind) {
      case 'scan':
        this.#find(relation, facts);
        return;
      case 'oneRow':
        return;
      case 'withReference':
        this.#ask(relation.table, factsThrough(facts, renamed(relation.columns, relation.table.columns), nothingKnown));
        return;
      case 'with':
        this.visit(relation.body, facts, around);
        // A table comes after those that it reads.
        for (const table of relation.tables.toReversed()) {
          const asked = this.#passesTables ? this.#asked.get(table.id) : undefined;
          this.visit(table.relation, asked ?? nothingKnown, nothingKnown);
        }
        return;
      case 'setOperation':
        // Set operations compare whole rows, and equal rows satisfy the same facts.
        for (const input of relation.inputs) {
          this.visit(input.relation, factsThrough(facts, renamed(relation.columns, input.columns), around), around);
        }
        return;
      case 'join': {
        // In unmatched rows of an outer join, the columns of one side are NULL, which satisfies no fact.
        const matched = relation.type === 'full' ? facts : this.#matched(relation, facts);
        this.visit(relation.left, relation.type === 'inner' || relation.type === 'right' ? matched : facts, around);
        this.visit(relation.right, relation.type === 'inner' || relation.type === 'left' ? matched : facts, around);
        this.#visitSubqueries(relation, () => around);
        return;
      }
      default: {
        if (relation.kind === 'project') this.#seen(relation, facts);
        const below = factsBelow(relation, facts, around);
        this.visit(relation.input, below, around);
        this.#visitSubqueries(relation, () => bothOf(below, this.#given(relation.input)));
      }
    }
  }

  /** Records the facts of a scan; a shared subquery may be visited several times. */
  #find(scan: ScanRelation, facts: RowFacts): void {
    const { timestamp } = scan.columns;
    const before = this.found.get(timestamp);
    this.found.set(timestamp, { scan, facts: before === undefined ? facts : eitherOf(before.facts, facts) });
  }

  #ask(table: WithTable, facts: RowFacts): void {
    const before = this.#asked.get(table.id);
    this.#asked.set(table.id, before === undefined ? facts : eitherOf(before, facts));
  }

  /** The facts about rows that match in a join. */
  #matched({ left, right, on }: JoinRelation, facts: RowFacts): RowFacts {
    if (on === null) return facts;
    const given = conjunctsOf(on).some(comparesColumns) ? bothOf(this.#given(left), this.#given(right)) : nothingKnown;
    return factsWhere(on, bothOf(facts, given));
  }

  /** The facts from the filters in a relation, about columns that it still has. */
  #given(relation: Relation): RowFacts {
    const known = this.#givenBy.get(relation);
    if (known !== undefined) return known;
    const given = this.#leftBy(relation);
    this.#givenBy.set(relation, given);
    return given;
  }

  #leftBy(relation: Relation): RowFacts {
    switch (relation.kind) {
      case 'filter':
        return factsWhere(relation.condition, this.#given(relation.input));
      case 'unnestRecord':
      case 'unnestArray':
      case 'window':
      case 'sort':
      case 'limit':
      case 'distinct':
        return this.#given(relation.input);
      case 'join':
        if (relation.type === 'inner') return bothOf(this.#given(relation.left), this.#given(relation.right));
        return relation.type === 'left' ? this.#given(relation.left) : nothingKnown;
      default:
        return nothingKnown;
    }
  }

  /** Visits subqueries in the relation's own expressions, which may read its rows. */
  #visitSubqueries(relation: Relation, factsAround: () => RowFacts): void {
    const mapper: Mapper = {
      relation: (below) => below,
      expr: (expr) => {
        if (expr.kind === 'subquery' || expr.kind === 'inSubquery') {
          const around = factsAround();
          this.visit(expr.query, around, around);
        }
        return mapExpr(expr, mapper);
      },
    };
    mapRelation(relation, mapper);
  }
}

type OverOneInput = Exclude<Relation, { kind: 'scan' | 'oneRow' | 'withReference' | 'with' | 'setOperation' | 'join' }>;

/** Translates facts about the rows of a relation to facts about its input. */
function factsBelow(relation: OverOneInput, facts: RowFacts, around: RowFacts): RowFacts {
  switch (relation.kind) {
    case 'filter':
      return factsWhere(relation.condition, facts);
    case 'project':
      return factsThrough(facts, relation.items, around);
    case 'unnestRecord':
      return factsOfElement(facts, relation.alias, relation.value);
    case 'unnestArray':
    case 'sort':
    case 'distinct':
      return facts;
    case 'aggregate':
      // Without keys there is always one row. ROLLUP makes rows for several sets of keys.
      return relation.keys.length === 0 || relation.rollup ? around : factsThrough(facts, relation.keys, around);
    case 'window':
      return factsOfPartitions(
        facts,
        relation.calls.map(({ partitionBy }) => partitionBy),
        around,
      );
    case 'limit':
      return isFence(relation) ? facts : around;
  }
}

/** OFFSET 0 leaves out nothing (optimizationBarrier.ts). */
const isFence = ({ limit, offset }: Extract<Relation, { kind: 'limit' }>): boolean =>
  limit === null && offset?.kind === 'literal' && offset.value === 0n;

const renamed = (columns: readonly Column[], sources: readonly Column[]): readonly Computed[] =>
  columns.flatMap((column, i) => {
    const source = sources[i];
    return source === undefined ? [] : [{ column, expr: { kind: 'column', type: source.type, column: source } }];
  });

function boundsOf(scan: ScanRelation, { ranges, texts, runs, isFiltered }: RowFacts): ScanBounds {
  let projects: readonly string[] | null = null;
  let saysMore = isFiltered;
  for (const fact of texts) {
    const { oneOf } = fact;
    if (!isOfProject(fact, scan) || 'parameter' in oneOf) saysMore = true;
    else projects = projects === null ? [...new Set(oneOf)] : projects.filter((project) => oneOf.includes(project));
  }
  for (const column of ranges.keys()) saysMore ||= column !== scan.columns.timestamp;
  const { from = null, to = null } = ranges.get(scan.columns.timestamp) ?? {};
  const ofScan = runs.filter(({ column }) => column === scan.columns.metadata);
  return {
    scan,
    projects,
    // No event is outside the range of TIMESTAMP, so bounds are limited to it.
    fromMicros: from === null || from < firstMicros ? null : from < lastMicros ? from : lastMicros,
    toMicros: to === null || to > lastMicros ? null : to > firstMicros ? to : firstMicros,
    isFiltered: saysMore,
    ...(ofScan.length === 0 ? {} : { runs: ofScan.map(({ path, run }) => ({ path, run })) }),
  };
}

/** Whether the fact is about the project column, or the source's project field, which ingestion keeps equal to it. */
export function isOfProject({ column, path }: TextFact, scan: ScanRelation): boolean {
  if (column === scan.columns.project) return path.length === 0;
  const field = scan.source.projectField;
  const isMember = path.length === 1 && field.kind === 'metadata' && path[0] === field.member;
  return isMember && column === scan.columns.metadata;
}
