import { createHash } from 'node:crypto';
import { holds } from '../resolve/holds.ts';
import type { ParameterValue, ParameterValues } from '../resolve/parameterValue.ts';
import { type Mapper, mapExpr } from '../resolve/traverse.ts';
import type {
  CallArgument,
  Column,
  Computed,
  Expr,
  OutputColumn,
  Relation,
  ResolvedQuery,
  ScanRelation,
} from '../resolve/tree.ts';
import { arrayOf, BOOL, INT64, STRING } from '../types.ts';
import { call } from './pageKeys.ts';
import { columnsAfter } from './queryPlan.ts';
import { conjunctsOf } from './rowFacts.ts';
import { tailedQuery } from './tailQuery.ts';

/**
 * A query whose rows are columns of the events of one source, or of their elements, under one condition. Several of these can be
 * read with one statement.
 */
export interface ShareableTail {
  /** Equal for queries with the same source, elements and columns, so that only their conditions differ. */
  readonly key: string;
  /** The events and elements, without any condition. */
  readonly base: Relation;
  readonly scan: ScanRelation;
  /** The columns of `base`, in the same order for all queries with the same key. */
  readonly columns: readonly Column[];
  /** Null if every row of `base` is a row. */
  readonly condition: Expr | null;
  readonly outputs: readonly Expr[];
  readonly query: ResolvedQuery;
  readonly parameters: ParameterValues;
  /** Number of expressions in the condition; texts count by their length. */
  readonly size: number;
}

/** Tails with larger conditions or columns are read alone. */
const sizeMax = 500;

/** A text of this length counts like one more expression. */
const charsOfExpression = 20;

const sizeOfText = (value: unknown): number =>
  typeof value === 'string' || value instanceof Uint8Array ? Math.floor(value.length / charsOfExpression) : 0;

function sizeOfValue(value: ParameterValue): number {
  if (value.kind === 'array') return value.elements.reduce((sum, each) => sum + 1 + sizeOfValue(each), 0);
  return value.kind === 'string' ? sizeOfText(value.value) : 0;
}

/** The first id of columns that are made here. The resolver counts from 1, and pages and tails from 900,000. */
const firstSharedId = 800_000;

/** Returns how a query that can be tailed (`tailedQuery`) can be read together with others; null if it cannot. */
export function shareableTail(query: ResolvedQuery, parameters: ParameterValues): ShareableTail | null {
  try {
    const { base, scan, elements, columns, condition, value } = flatten(query.relation);
    const sized = query.columns.map((output) => value(read(output.column)));
    if (sized.reduce((sum, output) => sum + output.size, 0) > sizeMax) throw new NotShareable();
    const outputs = sized.map((output) => output.expr);
    const position = new Map(columns.map((each, i) => [each, i]));
    const parts = [
      scan.source.name,
      elements.map((each) => [
        ...[each.kind, each.value, each.offset !== null],
        each.kind === 'unnestArray' ? each.element.type : null,
      ]),
      query.columns.map(({ name, recordForm }, i) => [name, recordForm, outputs[i]]),
    ];
    const key = JSON.stringify(parts, (name, each) => withoutPlaces(name, each, position, parameters));
    const given = [...parameters.values()].reduce((sum, each) => sum + sizeOfValue(each), 0);
    const { expr = null, size = 1 } = condition ?? {};
    if (size + given > sizeMax) throw new NotShareable();
    // It lives as long as the tail, and may be long.
    const hash = createHash('sha256').update(key).digest('base64url');
    return { key: hash, base, scan, columns, condition: expr, outputs, query, parameters, size: size + given };
  } catch (error) {
    if (error instanceof NotShareable) return null;
    throw error;
  }
}

/** Writes an expression without what differs between equal ones: places in the text, columns, names of parameters. */
function withoutPlaces(
  name: string,
  value: unknown,
  position: ReadonlyMap<Column, number>,
  parameters: ParameterValues,
): unknown {
  if (name === 'pos' || name === 'label') return undefined;
  if (Object.is(value, -0)) return '-0';
  if (typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))) return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  const index = position.get(value as Column);
  if (index !== undefined) return index;
  if ('kind' in value && value.kind === 'parameter' && 'name' in value) {
    const { type, name: given } = value as Extract<Expr, { readonly kind: 'parameter' }>;
    return ['parameter', type, parameters.get(given)];
  }
  return value;
}

type Element = Extract<Relation, { readonly kind: 'unnestRecord' | 'unnestArray' }>;

interface Sized {
  readonly expr: Expr;
  /** See `ShareableTail`. */
  readonly size: number;
}

class NotShareable extends Error {}

/** A relation as one over events and their elements. */
interface Flat {
  readonly base: Relation;
  readonly scan: ScanRelation;
  readonly elements: readonly Element[];
  /** Those of `base`. */
  readonly columns: readonly Column[];
  readonly condition: Sized | null;
  /** Whether further conditions may only be computed for rows that meet this one (optimizationBarrier.ts). */
  readonly isFenced: boolean;
  /** An expression over the columns of the relation, as one over those of `base`. */
  readonly value: (expr: Expr) => Sized;
}

function flatten(relation: Relation): Flat {
  switch (relation.kind) {
    case 'scan': {
      const columns = Object.values(relation.columns);
      const value = valuesOver(new Map());
      return { base: relation, scan: relation, elements: [], columns, condition: null, isFenced: false, value };
    }
    case 'filter': {
      const flat = flatten(relation.input);
      const added = flat.value(relation.condition);
      return { ...flat, condition: flat.condition === null ? added : bothOf(flat.condition, added, flat.isFenced) };
    }
    case 'project': {
      const flat = flatten(relation.input);
      return {
        ...flat,
        value: valuesOver(new Map(relation.items.map(({ column, expr }) => [column, later(flat, expr)]))),
      };
    }
    case 'sort':
      return flatten(relation.input);
    case 'limit': {
      const flat = flatten(relation.input);
      return { ...flat, isFenced: flat.isFenced || isFence(relation) };
    }
    case 'with':
      return flatten(relation.body);
    case 'withReference': {
      const { table, columns } = relation;
      const flat = flatten(table.relation);
      const values = table.columns.map((column, i) => [columns[i] ?? column, later(flat, read(column))] as const);
      return { ...flat, value: valuesOver(new Map(values)) };
    }
    case 'unnestRecord':
    case 'unnestArray':
      return unnested(relation);
    default:
      throw new NotShareable();
  }
}

/** Conditions below an UNNEST hold for its rows too. */
function unnested(relation: Element): Flat {
  const flat = flatten(relation.input);
  const { expr } = flat.value(relation.value);
  if (relation.left || relation.on !== null || holdsParameter(expr)) throw new NotShareable();
  const base: Element = { ...relation, input: flat.base, value: expr };
  const own = relation.kind === 'unnestRecord' ? relation.alias : relation.element;
  const columns = [...flat.columns, own, ...(relation.offset === null ? [] : [relation.offset])];
  return { ...flat, base, elements: [...flat.elements, base], columns };
}

/** A value that is computed if it is read. */
function later({ value }: Flat, expr: Expr): () => Sized {
  let known: Sized | null = null;
  return () => {
    known ??= value(expr);
    return known;
  };
}

/** Puts the values of columns into expressions. Columns without one stay. */
function valuesOver(values: ReadonlyMap<Column, () => Sized>): Flat['value'] {
  return (expr) => {
    let size = 0;
    const mapper: Mapper = {
      relation: () => {
        throw new NotShareable();
      },
      expr: (below) => {
        const known = below.kind === 'column' ? values.get(below.column)?.() : undefined;
        size += known?.size ?? 1 + (below.kind === 'literal' ? sizeOfText(below.value) : 0);
        if (size > sizeMax) throw new NotShareable();
        return known?.expr ?? mapExpr(below, mapper);
      },
    };
    return { expr: mapper.expr(expr), size };
  };
}

const holdsParameter = (expr: Expr): boolean => holds(expr, ({ kind }) => kind === 'parameter');

/** The LIMIT of the whole does not apply to a tail; any other one is a fence (tailQuery.ts). */
const isFence = ({ limit }: Extract<Relation, { readonly kind: 'limit' }>): boolean => limit === null;

function bothOf(a: Sized, b: Sized, isFenced: boolean): Sized {
  const expr = isFenced ? onlyWhere(a.expr, b.expr) : call('$and', [a.expr, b.expr]);
  return { expr, size: a.size + b.size + 1 };
}

const no: Expr = { kind: 'literal', type: BOOL, value: false };

/** `then`, computed only for rows that meet `when`. */
const onlyWhere = (when: Expr, then: Expr): Expr => ({
  kind: 'case',
  type: BOOL,
  branches: [{ when, value: then }],
  otherwise: no,
});

/** A tail among those that are read together. */
export interface SharedMember {
  readonly tail: ShareableTail;
  /** The only projects whose events it may read; null for every project. */
  readonly projects: readonly string[] | null;
}

/** A query for the rows of several tails. */
export interface SharedQuery {
  readonly query: ResolvedQuery;
  readonly parameters: ParameterValues;
}

/**
 * The query for the rows of tails with the same key. The page keys of a row are the arrival number and the project of its
 * event, and, separated by commas, a 1 for each tail whose row it is and nothing for the others. The condition of a tail is only
 * computed for events of its projects.
 */
export function sharedTailQuery(members: readonly [SharedMember, ...SharedMember[]]): SharedQuery {
  const [{ tail: first }] = members;
  const { newColumn } = columnsAfter(firstSharedId);
  const { project } = first.scan.columns;
  const parameters = new Map<string, ParameterValue>();
  // If all may read the same projects, each event that is read is of one of these.
  const isAlike = members.every(({ projects }) => sameProjects(projects, members[0].projects));
  const tags = members.map(({ tail, projects }, i): Expr => {
    for (const [name, value] of tail.parameters) parameters.set(parameterName(i, name), value);
    const own = isAlike ? withoutProject(tail, projects) : tail.condition;
    const condition = own === null ? yes : overColumns(own, tail, first, i);
    const when = projects === null || isAlike ? condition : onlyWhere(isOneOf(project, projects), condition);
    return { kind: 'case', type: STRING, branches: [{ when, value: flag(true) }], otherwise: flag(false) };
  });
  const items = first.outputs.map(
    (expr, i): Computed => ({
      column: newColumn(first.query.columns[i]?.name ?? '', expr.type),
      expr: overColumns(expr, first, first, 0),
    }),
  );
  const ofProject: Computed = { column: newColumn('project', STRING), expr: read(project) };
  const ofTails: Computed = { column: newColumn('tails', arrayOf(STRING)), expr: flags(tags) };
  const computed: Relation = { kind: 'project', input: first.base, items: [...items, ofProject, ofTails] };
  const relation: Relation = {
    kind: 'filter',
    // OFFSET 0: otherwise the engine would move the filter into the projection, and compute the conditions twice.
    input: { kind: 'limit', input: computed, limit: null, offset: { kind: 'literal', type: INT64, value: 0n } },
    condition: call('$ne', [read(ofTails.column), flags(members.map(() => flag(false)))]),
  };
  const columns = first.query.columns.map((output, i): OutputColumn => {
    const made = items[i];
    return made === undefined ? output : { ...output, column: made.column };
  });
  const tailed = tailedQuery({
    relation,
    columns,
    outerLimit: null,
    notices: [],
    parameters: new Set(parameters.keys()),
    usesNow: members.some(({ tail }) => tail.query.usesNow),
    isVolatile: false,
  });
  if ('construct' in tailed) throw new Error(`tails that can be read together have ${tailed.construct}`);
  const pageKeys = [...(tailed.query.pageKeys ?? []), read(ofProject.column), joined(read(ofTails.column))];
  return { query: { ...tailed.query, pageKeys }, parameters };
}

function sameProjects(a: SharedMember['projects'], b: SharedMember['projects']): boolean {
  return JSON.stringify(a?.toSorted()) === JSON.stringify(b?.toSorted());
}

/** The condition without its comparison with the only project whose events are read; null if nothing else is left. */
function withoutProject(
  { condition, scan, parameters }: ShareableTail,
  projects: SharedMember['projects'],
): Expr | null {
  const [only, ...others] = projects ?? [];
  if (condition === null || only === undefined || others.length > 0) return condition;
  const given = (expr: CallArgument | undefined): unknown => {
    if (expr?.kind === 'literal') return expr.value;
    const value = expr?.kind === 'parameter' ? parameters.get(expr.name) : undefined;
    return value?.kind === 'string' ? value.value : undefined;
  };
  const isSaid = (expr: Expr): boolean => {
    if (expr.kind !== 'call' || expr.fn !== '$eq') return false;
    const [of, value] = expr.args;
    return of?.kind === 'column' && of.column === scan.columns.project && given(value) === only;
  };
  const left = conjunctsOf(condition).filter((each) => !isSaid(each));
  const [one] = left;
  return one === undefined ? null : left.length === 1 ? one : call('$and', left);
}

const yes: Expr = { kind: 'literal', type: BOOL, value: true };
const flag = (isSet: boolean): Expr => text(isSet ? '1' : '');
const flags = (elements: readonly Expr[]): Expr => ({ kind: 'array', type: arrayOf(STRING), elements });
const joined = (array: Expr): Expr => call('array_to_string', [array, text(',')], STRING);
const text = (value: string): Expr => ({ kind: 'literal', type: STRING, value });
const read = (column: Column): Expr => ({ kind: 'column', type: column.type, column });
const parameterName = (member: number, name: string): string => `${member} ${name}`;

const isOneOf = (of: Column, values: readonly string[]): Expr =>
  call(values.length === 1 ? '$eq' : '$in', [read(of), ...values.map(text)]);

/** The expression of a tail over the columns of another one, with parameters of its own. */
function overColumns(expr: Expr, from: ShareableTail, to: ShareableTail, member: number): Expr {
  const places = new Map(from.columns.map((each, i) => [each, to.columns[i]]));
  const mapper: Mapper = {
    relation: (below) => below,
    expr: (below) => {
      if (below.kind === 'parameter') return { ...below, name: parameterName(member, below.name) };
      if (below.kind !== 'column') return mapExpr(below, mapper);
      const there = places.get(below.column);
      if (there === undefined) throw new Error('a column of a tail is not one of its events');
      return { ...below, column: there };
    },
  };
  return mapper.expr(expr);
}
