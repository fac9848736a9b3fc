import { assertNever } from '../../../core/assertNever.ts';
import { conjunctsOf } from '../../../googlesql/plan/rowFacts.ts';
import { outputColumns, walkRelation } from '../../../googlesql/resolve/traverse.ts';
import type {
  AggregateRelation,
  Column,
  Computed,
  FilterRelation,
  Relation,
  SetOperationRelation,
  UnnestArrayRelation,
  UnnestRecordRelation,
  WindowCall,
  WindowRelation,
  WithTable,
} from '../../../googlesql/resolve/tree.ts';
import { bind, withoutJsonNull } from '../functions/sqlFragments.ts';
import { emitAggregateCall } from './calls.ts';
import { type Block, Emission } from './emission.ts';
import { guarded, guardedInSteps, isHarmless } from './guarded.ts';
import { joinInSteps } from './joins.ts';
import { noteAggregates, noteComputed } from './numberFacts.ts';
import { measuredFrame, rowsBound } from './rangeFrame.ts';
import { emitScan } from './scan.ts';
import { type Item, selectText } from './selectText.ts';
import { emitSortKeys } from './sortKeys.ts';
import { apart, overOwnColumns, passing, passingSubselect, subselect } from './subselect.ts';

/**
 * Writes a relation in steps of bounded size; afterwards, `emission.name` knows its columns in the scope of the returned
 * block.
 */
export function* relationInSteps(relation: Relation, emission: Emission): Generator<undefined, Block> {
  switch (relation.kind) {
    case 'scan':
      return emitScan(relation, emission);
    case 'oneRow':
      return { from: '', where: [] };
    case 'filter':
      return yield* filterInSteps(relation, emission);
    case 'project': {
      const block = yield* relationInSteps(relation.input, emission);
      const used = relation.items.filter((item) => emission.used.has(item.column));
      noteComputed(used, emission);
      if (used.every(({ expr }) => expr.kind === 'column')) return renamed(block, used, emission);
      const items = yield* guardedItems(used, emission);
      return subselect(block, items, '', emission);
    }
    case 'join':
      return yield* joinInSteps(relation, emission);
    case 'unnestRecord':
      return emitUnnestRecord(relation, yield* relationInSteps(relation.input, emission), emission);
    case 'unnestArray':
      return emitUnnestArray(relation, yield* relationInSteps(relation.input, emission), emission);
    case 'aggregate':
      return yield* overOwnColumns(relation, yield* relationInSteps(relation.input, emission), emission, (block) =>
        aggregateInSteps(relation, block, emission),
      );
    case 'window':
      return yield* overOwnColumns(relation, yield* relationInSteps(relation.input, emission), emission, (block) =>
        windowInSteps(relation, block, emission),
      );
    case 'distinct': {
      const block = yield* relationInSteps(relation.input, emission);
      const items = outputColumns(relation.input).map((column) => ({ column, sql: emission.name(column) }));
      return subselect(block, items, '', emission, 'DISTINCT ');
    }
    case 'sort': {
      const block = yield* relationInSteps(relation.input, emission);
      return subselect(
        block,
        passing(relation.input, emission),
        `ORDER BY ${emitSortKeys(relation.keys, emission)}`,
        emission,
      );
    }
    case 'limit': {
      const limit = relation.limit === null ? '' : `LIMIT ${emission.expr(relation.limit)}`;
      const offset = relation.offset === null ? '' : ` OFFSET ${emission.expr(relation.offset)}`;
      // A limit keeps the order of the sort below it only within one SELECT.
      const sorted = relation.input.kind === 'sort' ? relation.input : null;
      const input = sorted === null ? relation.input : sorted.input;
      const block = yield* relationInSteps(input, emission);
      const order = sorted === null ? '' : `ORDER BY ${emitSortKeys(sorted.keys, emission)} `;
      return subselect(block, passing(input, emission), `${order}${limit}${offset}`, emission);
    }
    case 'setOperation':
      return yield* setOperationInSteps(relation, emission);
    case 'with': {
      yield* tablesInSteps(relation.tables, emission);
      return yield* relationInSteps(relation.body, emission);
    }
    case 'withReference': {
      const alias = emission.newAlias();
      relation.columns.forEach((column, i) => {
        const source = relation.table.columns[i];
        if (source === undefined) return;
        const name = `${alias}.${Emission.columnAlias(source)}`;
        if (emission.storedTexts.has(source)) emission.setText(column, name);
        else emission.setName(column, name);
      });
      return { from: `w${relation.table.id} AS ${alias}`, where: [] };
    }
    default:
      return assertNever(relation);
  }
}

function* filterInSteps({ input, condition }: FilterRelation, emission: Emission): Generator<undefined, Block> {
  const block = yield* relationInSteps(input, emission);
  const conditions = conjunctsOf(condition);
  const harmless = conditions.filter((each) => isHarmless(each, emission));
  const others = conditions.filter((each) => !isHarmless(each, emission));
  const where = [...block.where];
  const said = new Set(where);
  for (const each of harmless) {
    const sql = yield* guardedInSteps(each, emission);
    // Harmless conditions are deterministic, so repeating one changes nothing.
    if (!said.has(sql)) where.push(sql);
    said.add(sql);
  }
  if (others.length === 0) return { ...block, where };
  const chosen = apart(input, { ...block, where }, emission);
  const further: string[] = [];
  for (const each of others) further.push(yield* guardedInSteps(each, emission));
  return { ...chosen, where: [...chosen.where, ...further] };
}

/** Columns that are only renamed, which needs no SELECT of its own. */
function renamed(block: Block, items: readonly Computed[], emission: Emission): Block {
  emission.rename(
    items.flatMap(({ column, expr }) => (expr.kind === 'column' ? [[column, expr.column] as const] : [])),
  );
  return block;
}

function* guardedItems(computed: readonly Computed[], emission: Emission): Generator<undefined, readonly Item[]> {
  const items: Item[] = [];
  for (const { column, expr } of computed) items.push({ column, sql: yield* guardedInSteps(expr, emission) });
  return items;
}

/** Writes the tables that are read more than once, each before its readers. */
export function* tablesInSteps(tables: readonly WithTable[], emission: Emission): Generator<undefined, void> {
  for (const table of tables) {
    const block = yield* relationInSteps(table.relation, emission);
    const items = table.columns.map((column) => ({ column, sql: emission.name(column) }));
    emission.commonTables.push(`w${table.id} AS MATERIALIZED (${selectText(block, items, '')})`);
  }
}

function emitUnnestRecord(unnest: UnnestRecordRelation, input: Block, emission: Emission): Block {
  const block = nonEmpty(input, emission);
  const value = emission.expr(unnest.value);
  const refusal = `error('logmill:${unnest.pos.line}:${unnest.pos.column}:UNNEST needs an object or an array; the value here is a single value')`;
  const elements = bind(
    [value],
    (v = '') =>
      `CASE WHEN ${v} IS NULL THEN CAST([] AS JSON[]) WHEN json_type(${v}) = 'OBJECT' THEN [CAST(${v} AS JSON)] WHEN json_type(${v}) = 'ARRAY' THEN json_extract(${v}, '$[*]') ELSE ${refusal} END`,
  );
  return emitElements(unnest, unnest.alias, block, elements, withoutJsonNull, emission);
}

function emitUnnestArray(unnest: UnnestArrayRelation, input: Block, emission: Emission): Block {
  const block = nonEmpty(input, emission);
  return emitElements(unnest, unnest.element, block, emission.expr(unnest.value), (element) => element, emission);
}

function nonEmpty(block: Block, emission: Emission): Block {
  return block.from === '' ? { from: `(SELECT 1 AS one) AS ${emission.newAlias()}`, where: block.where } : block;
}

function emitElements(
  unnest: UnnestRecordRelation | UnnestArrayRelation,
  element: Column,
  block: Block,
  array: string,
  read: (element: string) => string,
  emission: Emission,
): Block {
  const offset = `CAST(unnest(range(len(${array}))) AS BIGINT)`;
  // If a subquery reads columns of the outer query, one more SELECT would nest too deep.
  if (unnest.left || unnest.on !== null || emission.isCorrelated || !readsHeldEvents(unnest.input, emission))
    return emitLateral(unnest, element, block, array, offset, read, emission);
  // In the select list, because the equivalent lateral join is half as slow again.
  const offsets = unnest.offset === null ? [] : [{ column: unnest.offset, sql: offset }];
  const selected = passingSubselect(
    unnest.input,
    block,
    [{ column: element, sql: `unnest(${array})` }, ...offsets],
    emission,
  );
  emission.setName(element, read(emission.name(element)));
  return selected;
}

/**
 * Whether all events below belong to named projects. Otherwise, elements are made next to the conditions that select
 * the project, and the engine would move expressions that can fail past these; a select list prevents that (decision
 * 21).
 */
function readsHeldEvents(relation: Relation, emission: Emission): boolean {
  let areHeld = true;
  walkRelation(relation, {
    relation: (below) => {
      if (below.kind === 'scan') areHeld &&= emission.scans.get(below.columns.timestamp)?.isHeld === true;
      if (below.kind === 'withReference') areHeld = false;
    },
  });
  return areHeld;
}

function emitLateral(
  unnest: UnnestRecordRelation | UnnestArrayRelation,
  element: Column,
  block: Block,
  array: string,
  offset: string,
  read: (element: string) => string,
  emission: Emission,
): Block {
  const alias = emission.newAlias();
  const name = (owner: string): void => {
    emission.setName(element, read(`${owner}.lateral_element`));
    if (unnest.offset !== null) emission.setName(unnest.offset, `${owner}.lateral_offset`);
  };
  let elements = `SELECT unnest(${array}) AS lateral_element${unnest.offset === null ? '' : `, ${offset} AS lateral_offset`}`;
  if (unnest.on !== null) {
    // The engine supports lateral joins only ON TRUE, so the conditions on an element filter the elements.
    const inner = emission.newAlias();
    name(inner);
    elements = `SELECT * FROM (${elements}) AS ${inner} WHERE ${guarded(unnest.on, emission)}`;
  }
  name(alias);
  const lateral = `LATERAL (${elements}) AS ${alias}`;
  const join = unnest.left ? `LEFT JOIN ${lateral} ON TRUE` : `CROSS JOIN ${lateral}`;
  return { from: `${block.from} ${join}`, where: block.where, isJoined: true };
}

function* aggregateInSteps(
  aggregate: AggregateRelation,
  input: Block,
  emission: Emission,
): Generator<undefined, Block> {
  noteAggregates(aggregate, emission);
  let block = input;
  let keys = yield* guardedItems(aggregate.keys, emission);
  // GROUPING must repeat a grouping expression. The engine always recognises a column, but not every expression.
  if (aggregate.rollup) {
    block = subselect(block, [...passing(aggregate.input, emission), ...keys], '', emission);
    keys = keys.map(({ column }) => ({ column, sql: emission.name(column) }));
  }
  const calls: Item[] = [];
  for (const call of aggregate.aggregates) {
    const key = call.keyIndex === undefined ? undefined : keys[call.keyIndex];
    const emitted = key === undefined ? emitAggregateCall(call, emission) : `CAST(GROUPING(${key.sql}) AS BIGINT)`;
    calls.push({ column: call.column, sql: typeof emitted === 'string' ? emitted : emitted.wrap(emitted.call) });
    yield;
  }
  const distinct = calls.filter((_, i) => sameCall(calls, i) === undefined);
  const items = [...keys, ...distinct];
  let tail = '';
  if (keys.length > 0 && aggregate.rollup) tail = `GROUP BY ROLLUP (${stepsOf(aggregate, keys).join(', ')})`;
  else if (keys.length > 0) tail = `GROUP BY ${keys.map((_, i) => i + 1).join(', ')}`;
  // Without keys and calls, there is still exactly one row.
  if (items.length === 0) return subselect({ from: '', where: [] }, [], '', emission);
  const written = subselect(block, items, tail, emission);
  calls.forEach(({ column }, i) => {
    const same = sameCall(calls, i);
    if (same !== undefined) emission.setName(column, emission.name(same.column));
  });
  return written;
}

/** The steps of ROLLUP: each leaves out one key, or several keys in parentheses. */
function stepsOf({ rollupSteps }: AggregateRelation, keys: readonly { readonly sql: string }[]): readonly string[] {
  if (rollupSteps === undefined) return keys.map((key) => key.sql);
  let at = 0;
  return rollupSteps.map((size) => {
    const step = keys.slice(at, at + size).map((key) => key.sql);
    at += size;
    return `(${step.join(', ')})`;
  });
}

/** An earlier, deterministic call with the same text as the one at `index`, so that it is computed once. */
function sameCall(calls: readonly Item[], index: number): Item | undefined {
  const sql = calls[index]?.sql ?? '';
  if (mayVary.test(sql)) return undefined;
  return calls.slice(0, index).find((earlier) => earlier.sql === sql);
}

/** Functions whose value differs each time, and subqueries, which may contain them. */
const mayVary = /\b(?:random|uuid|select)\b/i;

function* windowInSteps(window: WindowRelation, block: Block, emission: Emission): Generator<undefined, Block> {
  const calls: Item[] = [];
  for (const call of window.calls) {
    calls.push({ column: call.column, sql: emitWindowCall(call, emission) });
    yield;
  }
  return subselect(block, [...passing(window.input, emission), ...calls], '', emission);
}

function emitWindowCall(call: WindowCall, emission: Emission): string {
  const parts: string[] = [];
  if (call.partitionBy.length > 0) {
    parts.push(`PARTITION BY ${call.partitionBy.map((expr) => emission.expr(expr)).join(', ')}`);
  }
  const { frame } = call;
  const measures = frame?.unit === 'range' && [frame.start, frame.end].some(({ kind }) => kind === 'offset');
  const measured = measures ? measuredFrame(call, emission) : null;
  const keys = measured?.order ?? emitSortKeys(call.orderBy, emission);
  if (keys !== '') parts.push(`ORDER BY ${keys}`);
  if (frame !== null) {
    const { start, end } = measured ?? { start: rowsBound(frame.start), end: rowsBound(frame.end) };
    parts.push(`${frame.unit.toUpperCase()} BETWEEN ${start} AND ${end}`);
  }
  const emitted = emitAggregateCall(call, emission);
  const over = ` OVER (${parts.join(' ')})`;
  return typeof emitted === 'string' ? `${emitted}${over}` : emitted.wrap(`${emitted.call}${over}`);
}

function* setOperationInSteps(operation: SetOperationRelation, emission: Emission): Generator<undefined, Block> {
  const word = `${operation.op.toUpperCase()}${operation.all ? ' ALL' : ''}`;
  const arms: string[] = [];
  for (const input of operation.inputs) {
    const block = yield* relationInSteps(input.relation, emission);
    const items = operation.columns.map((column, i) => {
      const source = input.columns[i];
      if (source === undefined) throw new Error('an arm of a set operation has too few columns');
      return { column, sql: emission.name(source) };
    });
    arms.push(`(${selectText(block, items, '')})`);
    yield;
  }
  // Left-associative with explicit parentheses, because engines disagree on the precedence of INTERSECT.
  const text = arms.reduce((left, right, i) => (i === 1 ? `${left} ${word} ${right}` : `(${left}) ${word} ${right}`));
  const alias = emission.newAlias();
  for (const column of operation.columns) emission.setName(column, `${alias}.${Emission.columnAlias(column)}`);
  return { from: `(${text}) AS ${alias}`, where: [] };
}
