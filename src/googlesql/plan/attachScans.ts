import { type HotColumn, pathKey } from '../../sources/source.ts';
import { type Mapper, mapExpr, mapRelation, walkRelation } from '../resolve/traverse.ts';
import type { CallArgument, Column, ColumnExpr, Expr, PathReadExpr, Relation, ScanRelation } from '../resolve/tree.ts';
import { BOOL, type ScalarTypeName } from '../types.ts';
import { delayConversions, readTyped } from './typedReads.ts';

/** One thing that a query takes from a scan besides the plain columns. */
export interface ScanRead {
  readonly column: Column;
  readonly path: readonly string[];
  /** What the stored metadata is read as; the type of `column`. */
  readonly wanted: ScalarTypeName;
  /** The typed column that answers as it is; null where the stored metadata does. */
  readonly hot: HotColumn | null;
}

/** What is known of the chosen files of a scan. */
export interface ScanFacts {
  /** pathKeys at which an event may be irregular (sources/source.ts): typed columns do not answer there. */
  readonly irregular: ReadonlySet<string>;
}

export interface AttachedScans {
  readonly relation: Relation;
  /** Rewrites an expression over the columns of the given relation to those of the attached one. */
  resolve(expr: Expr): Expr;
  /** By the scan's timestamp column. */
  readonly reads: ReadonlyMap<Column, readonly ScanRead[]>;
  /** pathKeys that the statement trusts to be regular, by the scan's timestamp column. */
  readonly trusted: ReadonlyMap<Column, Set<string>>;
}

/**
 * Puts what a query reads from `metadata` onto its scans: an UNNEST of a known object becomes a
 * test of its presence, a path read becomes a column of the scan, answered by a typed column where
 * there is one and the chosen files hold no irregular event at its path. What a typed column holds
 * is converted as late as possible (typedReads.ts).
 */
export function attachScans(
  relation: Relation,
  factsOf: (scan: ScanRelation) => ScanFacts,
  newColumn: (name: string, type: Column['type']) => Column,
): AttachedScans {
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

  /** The first element of a nested value that is known to be an object: the object itself. */
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
  /** Aliases of LEFT JOIN as values of their own: NULL where the object is missing, whatever else is stored there. */
  const wholes = new Map<Column, Expr>();
  /** The nested value of which an alias or a first element is the object. */
  const objectOf = (expr: CallArgument | undefined): Expr | null =>
    (expr?.kind === 'column' ? aliases.get(expr.column) : firstElement(expr)) ?? null;
  const withoutAliases: Mapper = {
    expr: (expr) => {
      if (expr.kind === 'column') return wholes.get(expr.column) ?? aliases.get(expr.column) ?? expr;
      // A member of what is no object is NULL anyway, and a test for NULL asks for the object alone.
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
      if (mapped.kind !== 'unnestRecord' || mapped.offset !== null || mapped.on !== null) return mapped;
      const read = metadataRead(mapped.value);
      if (read === null || read.wanted !== 'JSON') return mapped;
      const isMatched = read.path.length === 0 && read.scan.source.projectField.kind === 'metadata';
      if (!isMatched && regularHot(read.scan, read.path, 'presence') === null) return mapped;
      if (!isMatched) trust(read.scan, read.path);
      aliases.set(mapped.alias, mapped.value);
      if (mapped.left) {
        if (!isMatched) wholes.set(mapped.alias, whereThere(mapped.value));
        return mapped.input;
      }
      // Every event of such a stream has metadata and a project; a row that an outer join made up has neither.
      const { project } = read.scan.columns;
      const present: Expr = isMatched ? { kind: 'column', type: project.type, column: project } : mapped.value;
      return { kind: 'filter', input: mapped.input, condition: not(isNull(present)) };
    },
  };
  const folded = withoutAliases.relation(relation);

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
  const late = delayConversions(withReads.relation(folded), newColumn);
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

/** Element access, and what each counts from. */
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
const whereThere = (value: Expr): Expr => ({
  kind: 'case',
  type: value.type,
  branches: [{ when: not(isNull(value)), value }],
  otherwise: null,
});
const not = (value: Expr): Expr => ({ kind: 'call', type: BOOL, fn: '$not', args: [value], safe: false, pos: start });
