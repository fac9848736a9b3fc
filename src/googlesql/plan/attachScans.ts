import { atOnce } from '../../core/concurrency/turns.ts';
import { type HotColumn, pathKey } from '../../sources/source.ts';
import { type Mapper, mapExpr, mapRelation, walkRelation } from '../resolve/traverse.ts';
import type { CallArgument, Column, ColumnExpr, Expr, PathReadExpr, Relation, ScanRelation } from '../resolve/tree.ts';
import { BOOL, INT64, type ScalarTypeName } from '../types.ts';
import { delayConversions, readTyped } from './typedReads.ts';

/** A value that a query reads from the metadata of a scan. */
export interface ScanRead {
  readonly column: Column;
  readonly path: readonly string[];
  /** The type that the stored metadata is read as; the type of `column`. */
  readonly wanted: ScalarTypeName;
  /** The typed column that holds the value; null if it is read from the stored metadata. */
  readonly hot: HotColumn | null;
}

/** Facts about the chosen segments of a scan. */
export interface ScanFacts {
  /** pathKeys at which events may be irregular (sources/source.ts), so that typed columns cannot be used. */
  readonly irregular: ReadonlySet<string>;
}

export interface AttachedScans {
  readonly relation: Relation;
  /** Rewrites an expression over the original columns to the columns of the attached relation. */
  resolve(expr: Expr): Expr;
  /** By the scan's timestamp column. */
  readonly reads: ReadonlyMap<Column, readonly ScanRead[]>;
  /** pathKeys that the statement trusts to be regular, by the scan's timestamp column. */
  readonly trusted: ReadonlyMap<Column, Set<string>>;
}

/**
 * Moves reads of `metadata` to the scans. An UNNEST of a known object becomes a test of its presence. A path read becomes a
 * column of the scan: a typed column, if there is one and the chosen segments have no irregular event at its path. Values
 * of typed columns are converted as late as possible (typedReads.ts).
 */
export function attachScans(...given: Parameters<typeof attachScansInSteps>): AttachedScans {
  return atOnce(attachScansInSteps(...given));
}

/** Like `attachScans`, in one step for each pass over the query. */
export function* attachScansInSteps(
  relation: Relation,
  factsOf: (scan: ScanRelation) => ScanFacts,
  newColumn: (name: string, type: Column['type']) => Column,
): Generator<undefined, AttachedScans> {
  const scans = new Map<Column, ScanRelation>();
  walkRelation(relation, {
    relation: (below) => {
      if (below.kind === 'scan') scans.set(below.columns.metadata, below);
    },
  });
  const trusted = new Map<Column, Set<string>>();
  const trust = (scan: ScanRelation, path: readonly string[]): void => {
    const paths = trusted.get(scan.columns.timestamp) ?? new Set();
    paths.add(pathKey(path));
    trusted.set(scan.columns.timestamp, paths);
  };
  const regularHot = (scan: ScanRelation, path: readonly string[], kinds: 'presence' | 'value'): HotColumn | null => {
    const key = pathKey(path);
    const hot = scan.source.hotColumns.find(
      (h) => pathKey(h.path) === key && (h.kind === 'presence') === (kinds === 'presence'),
    );
    if (hot === undefined || factsOf(scan).irregular.has(key)) return null;
    return hot;
  };
  const metadataRead = (expr: Expr): { scan: ScanRelation; path: readonly string[]; wanted: ScalarTypeName } | null => {
    if (expr.kind === 'column') {
      const scan = scans.get(expr.column);
      return scan === undefined ? null : { scan, path: [], wanted: 'JSON' };
    }
    if (expr.kind !== 'pathRead') return null;
    const base = metadataRead(expr.base);
    if (base === null || base.wanted !== 'JSON') return null;
    return { scan: base.scan, path: [...base.path, ...expr.path], wanted: expr.wanted };
  };

  /** The nested value whose first element is read, if it is known to be an object, which is its own first element. */
  const onlyElement = (expr: Expr): Expr | null => {
    const first = expr.kind === 'call' ? firstIndex[expr.fn] : undefined;
    if (expr.kind !== 'call' || first === undefined) return null;
    const [value, index] = expr.args;
    if (value === undefined || value.kind === 'part' || index?.kind !== 'literal' || index.value !== first) return null;
    const read = metadataRead(value);
    if (read === null || read.wanted !== 'JSON' || regularHot(read.scan, read.path, 'presence') === null) return null;
    trust(read.scan, read.path);
    return value;
  };
  const firstElement = (expr: CallArgument | undefined): Expr | null =>
    expr?.kind === 'call' ? onlyElement(mapExpr(expr, withoutAliases)) : null;

  const aliases = new Map<Column, Expr>();
  /** The aliases of LEFT JOIN as values: NULL if there is no object, whatever else is stored there. Also offsets. */
  const wholes = new Map<Column, Expr>();
  /** The nested value that an alias or a first element refers to. */
  const objectOf = (expr: CallArgument | undefined): Expr | null =>
    (expr?.kind === 'column' ? aliases.get(expr.column) : firstElement(expr)) ?? null;
  const withoutAliases: Mapper = {
    expr: (expr) => {
      if (expr.kind === 'column') return wholes.get(expr.column) ?? aliases.get(expr.column) ?? expr;
      // A member of a value that is not an object is NULL anyway, and a test for NULL needs only the object.
      const read = expr.kind === 'pathRead' && expr.path.length > 0 ? objectOf(expr.base) : null;
      if (expr.kind === 'pathRead' && read !== null) return { ...expr, base: read };
      const tested = expr.kind === 'call' && expr.fn === '$is_null' ? objectOf(expr.args[0]) : null;
      if (expr.kind === 'call' && tested !== null) return { ...expr, args: [tested] };
      const mapped = mapExpr(expr, withoutAliases);
      const only = onlyElement(mapped);
      return only === null ? mapped : whereThere(only);
    },
    relation: (below) => {
      const mapped = mapRelation(below, withoutAliases);
      if (mapped.kind !== 'unnestRecord' || mapped.on !== null) return mapped;
      const read = metadataRead(mapped.value);
      if (read === null || read.wanted !== 'JSON') return mapped;
      const isMatched = read.path.length === 0 && read.scan.source.projectField.kind === 'metadata';
      if (!isMatched && regularHot(read.scan, read.path, 'presence') === null) return mapped;
      if (!isMatched) trust(read.scan, read.path);
      aliases.set(mapped.alias, mapped.value);
      if (mapped.offset !== null) wholes.set(mapped.offset, mapped.left ? zeroWhere(mapped.value) : zero);
      if (mapped.left) {
        if (!isMatched) wholes.set(mapped.alias, whereThere(mapped.value));
        return mapped.input;
      }
      // Every event of such a source has metadata and a project; an unmatched row of an outer join has neither.
      const { project } = read.scan.columns;
      const present: Expr = isMatched ? { kind: 'column', type: project.type, column: project } : mapped.value;
      return { kind: 'filter', input: mapped.input, condition: not(isNull(present)) };
    },
  };
  const folded = withoutAliases.relation(relation);
  yield;

  const reads = new Map<Column, Map<string, ScanRead>>();
  const readColumn = (scan: ScanRelation, read: Omit<ScanRead, 'column'>): ColumnExpr => {
    const ofScan = reads.get(scan.columns.timestamp) ?? new Map<string, ScanRead>();
    reads.set(scan.columns.timestamp, ofScan);
    const key = `${read.hot?.column ?? ''} ${read.wanted} ${pathKey(read.path)}`;
    const known = ofScan.get(key);
    const column = known?.column ?? newColumn(read.path.at(-1) ?? 'metadata', { kind: read.wanted });
    if (known === undefined) ofScan.set(key, { ...read, column });
    return { kind: 'column', type: column.type, column };
  };
  const hotRead = (scan: ScanRelation, path: readonly string[], kinds: 'presence' | 'value'): ColumnExpr | null => {
    const hot = regularHot(scan, path, kinds);
    if (hot === null) return null;
    trust(scan, path);
    return readColumn(scan, { path, wanted: typeOfHot[hot.kind], hot });
  };
  const valueRead = (scan: ScanRelation, path: readonly string[], expr: PathReadExpr): Expr => {
    const field = scan.source.projectField;
    if (field.kind === 'metadata' && path.length === 1 && path[0] === field.member && expr.wanted === 'STRING') {
      return { kind: 'column', type: expr.type, column: scan.columns.project };
    }
    const typed = hotRead(scan, path, 'value');
    return typed === null ? readColumn(scan, { path, wanted: expr.wanted, hot: null }) : readTyped(typed, expr.wanted);
  };
  const withReads: Mapper = {
    relation: (below) => mapRelation(below, withReads),
    expr: (expr) => {
      if (expr.kind === 'call' && expr.fn === '$is_null') {
        const [value] = expr.args;
        const read = value === undefined || value.kind === 'part' ? null : metadataRead(value);
        const presence = read?.wanted === 'JSON' ? hotRead(read.scan, read.path, 'presence') : null;
        if (presence !== null) return isNull(presence);
      }
      if (expr.kind === 'pathRead') {
        const read = metadataRead(expr);
        if (read !== null && (read.path.length > 0 || read.wanted !== 'JSON'))
          return valueRead(read.scan, read.path, expr);
        if (read !== null) return { kind: 'column', type: expr.type, column: read.scan.columns.metadata };
      }
      return mapExpr(expr, withReads);
    },
  };
  const read = withReads.relation(folded);
  yield;
  const late = delayConversions(read, newColumn);
  yield;
  return {
    relation: late.relation,
    resolve: (expr) => late.resolve(withReads.expr(withoutAliases.expr(expr))),
    get reads() {
      return new Map([...reads].map(([scan, ofScan]) => [scan, [...ofScan.values()]]));
    },
    trusted,
  };
}

const typeOfHot = { string: 'STRING', int64: 'INT64', float64: 'FLOAT64', presence: 'BOOL' } as const;

/** Functions for element access, and the index of the first element. */
const firstIndex: Readonly<Record<string, bigint>> = {
  $array_at: 0n,
  $safe_array_at: 0n,
  $ordinal_at: 1n,
  $safe_ordinal_at: 1n,
};

const start = { offset: 0, line: 1, column: 1 };
const isNull = (value: Expr): Expr => ({
  kind: 'call',
  type: BOOL,
  fn: '$is_null',
  args: [value],
  safe: false,
  pos: start,
});
const zero: Expr = { kind: 'literal', type: INT64, value: 0n };
/** The offset of the only element of a LEFT JOIN. */
const zeroWhere = (value: Expr): Expr => ({
  kind: 'case',
  type: INT64,
  branches: [{ when: not(isNull(value)), value: zero }],
  otherwise: null,
});
const whereThere = (value: Expr): Expr => ({
  kind: 'case',
  type: value.type,
  branches: [{ when: not(isNull(value)), value }],
  otherwise: null,
});
const not = (value: Expr): Expr => ({ kind: 'call', type: BOOL, fn: '$not', args: [value], safe: false, pos: start });
