import { atOnce } from '../../../core/concurrency/turns.ts';
import { orderByArrival } from '../../../googlesql/plan/arrivalOrder.ts';
import { type AttachedScans, attachScansInSteps } from '../../../googlesql/plan/attachScans.ts';
import { conditionsBelowUnnests } from '../../../googlesql/plan/conditionsBelowUnnests.ts';
import { decidingColumns } from '../../../googlesql/plan/decidingColumns.ts';
import { withoutImplied } from '../../../googlesql/plan/impliedConditions.ts';
import type { NewestFirst } from '../../../googlesql/plan/newestFirst.ts';
import { keyName } from '../../../googlesql/plan/pageKeys.ts';
import { columnsAfter, type QueryPlan } from '../../../googlesql/plan/queryPlan.ts';
import type { BoundsByScan } from '../../../googlesql/plan/scanBounds.ts';
import { typedJson } from '../../../googlesql/plan/typedReads.ts';
import {
  type Mapper,
  mapExpr,
  outputColumns,
  scannedColumns,
  walkRelation,
} from '../../../googlesql/resolve/traverse.ts';
import type { Column, Expr, Relation, ScanRelation, WithTable } from '../../../googlesql/resolve/tree.ts';
import { INT64, TIMESTAMP } from '../../../googlesql/types.ts';
import type { RowForm, ValuesProfile } from '../../../ports/queryEngine.ts';
import { pathKey } from '../../../sources/source.ts';
import { ordinalColumn } from '../files/tableLayout.ts';
import { type Block, Emission, type ScanSource, statementCharsMax, tooLong } from './emission.ts';
import type { Statement } from './emittedStatement.ts';
import { encodeColumns } from './encodeColumns.ts';
import { encodeLine } from './encodeLine.ts';
import { type EncodedColumn, encodeRow } from './encodeRow.ts';
import { emitExpr } from './expressions.ts';
import { emitInteger } from './literal.ts';
import { isKnownFinite } from './numberFacts.ts';
import { type CallOfStatement, Placeholders, TextWithPlaceholders } from './placeholders.ts';
import { relationInSteps, tablesInSteps } from './relations.ts';
import { byRow, mayFailUnseen } from './rowByRow.ts';
import type { ScanChoice } from './scanChoice.ts';
import { emitSortKeys } from './sortKeys.ts';
import { WrittenScans } from './writtenScans.ts';
import { writtenOnce } from './writtenStatements.ts';

/**
 * Writes the statement that returns a query's rows as encoded JSON, in one BLOB column named `row`. If the query has page
 * keys, a second column holds those of each row as a JSON object (`pageKeys.ts`). With
 * `isSinceCutoff`, its scans begin at a cutoff that is unknown yet; `cutoffMark` takes its place.
 */
export function rowsStatement(...given: Parameters<typeof rowsInSteps>): Statement {
  return atOnce(rowsInSteps(...given));
}

/** Like `rowsStatement`, in steps that are bounded by the size of what they write. */
export function* rowsInSteps(
  plan: QueryPlan,
  choices: ReadonlyMap<Column, ScanChoice>,
  bounds: BoundsByScan,
  profile: ValuesProfile,
  rowsMax: number,
  isSinceCutoff = false,
): Generator<undefined, Statement> {
  const key = ['rows', profile, rowsMax, isSinceCutoff];
  return yield* writtenOnce(plan, key, choices, bounds, (slots) =>
    writeRows(plan, choices, new WrittenScans(bounds, slots, isSinceCutoff), asJson(profile), rowsMax),
  );
}

/**
 * Writes, in steps, a statement like `rowsStatement` whose rows are read while they are computed, as JSON, as lines of a
 * format, or as columns. Each row of a text ends with a comma or a line feed, so that rows which lie side by side are copied
 * together. Whoever reads them stops after the last one that is wanted: the engine would compute rows behind a LIMIT with
 * one thread.
 */
export function* streamInSteps(
  plan: QueryPlan,
  choices: ReadonlyMap<Column, ScanChoice>,
  bounds: BoundsByScan,
  profile: ValuesProfile,
  form?: RowForm,
): Generator<undefined, Statement> {
  const { encode, key } = streamed(profile, form);
  return yield* writtenOnce(plan, key, choices, bounds, (slots) =>
    writeRows(plan, choices, new WrittenScans(bounds, slots, false), encode, null),
  );
}

function streamed(profile: ValuesProfile, form?: RowForm): { encode: EncodeRow; key: readonly (string | boolean)[] } {
  if (form === undefined) return { encode: asJson(profile, ','), key: ['stream', profile] };
  if (form.kind === 'columns') return { encode: encodeColumns, key: ['stream', 'columns'] };
  return {
    encode: (columns) => `${encodeLine(columns, form)} AS row`,
    key: ['stream', form.kind, form.isGuarded],
  };
}

/** Writes the items of the select list. */
type EncodeRow = (columns: readonly EncodedColumn[]) => string;

const asJson =
  (profile: ValuesProfile, ending?: ','): EncodeRow =>
  (columns) =>
    `${encodeRow(columns, profile, ending)} AS row`;

/** `rowsMax`: null for a stream. */
function* writeRows(
  plan: QueryPlan,
  choices: ReadonlyMap<Column, ScanChoice>,
  scans: WrittenScans,
  encode: EncodeRow,
  rowsMax: number | null,
): Generator<undefined, Statement> {
  const attached = yield* attach(plan, plan.relation, plan.outputs, choices, scans);
  return yield* byRowIfNeeded(function* (isByRow) {
    const emission = emissionFor(plan, attached, choices, scans, isByRow);
    yield;
    return yield* writeAttached(plan, attached, emission, scans, encode, rowsMax);
  });
}

interface Written {
  readonly statement: Statement;
  /** The part of it that computes what the query asks for. */
  readonly computing: string;
}

/** Writes a statement, and once more over columns that are read row by row if a function in it demands that. */
function* byRowIfNeeded(write: (isByRow: boolean) => Generator<undefined, Written>): Generator<undefined, Statement> {
  const { statement, computing } = yield* write(false);
  return (yield* mayFailUnseen(computing)) ? (yield* write(true)).statement : statement;
}

/** A part of a query that another store has computed, as the rest of the query reads it: a table of WITH. */
export interface FetchedPart {
  readonly table: WithTable;
  /** `alias.table`, quoted. */
  readonly from: string;
  /** SQL of each column of the table, over the columns of `from`. JSON is text. */
  readonly columns: ReadonlyMap<Column, string>;
}

/**
 * Writes a statement like `rowsStatement` for the rest of a query whose scans were computed elsewhere. Its relation reads
 * only the tables of `parts` and its own WITH tables, and its sorts are complete. `rowsMax`: null for a stream, whose rows
 * are written in `form` (`streamInSteps`).
 */
export function restStatement(
  plan: QueryPlan,
  rest: Pick<QueryPlan, 'relation' | 'outputs'>,
  parts: readonly FetchedPart[],
  profile: ValuesProfile,
  rowsMax: number | null,
  form?: RowForm,
): string {
  const call: CallOfStatement = { bounds: new Map(), redactionTag: null };
  const slots = new Placeholders(call, plan.at);
  const scans = new WrittenScans(call.bounds, slots, false);
  const attached: Attached = { ...rest, reads: new Map(), trusted: new Map(), arrivals: new Map() };
  const texts = parts.flatMap(({ columns }) => [...columns.keys()].filter(({ type }) => type.kind === 'JSON'));
  const writers = { expr: emitExpr, relation: relationInSteps };
  const encode = rowsMax === null ? streamed(profile, form).encode : asJson(profile);
  const write = (isByRow: boolean) => {
    const emission = new Emission(writers, slots, new Map(), usedColumns(attached), isByRow, new Set(texts));
    for (const { table, from, columns } of parts) {
      const items = [...columns].map(
        ([column, sql]) => `${isByRow ? byRow(sql) : sql} AS ${Emission.columnAlias(column)}`,
      );
      emission.commonTables.push(`w${table.id} AS (SELECT ${items.join(', ')} FROM ${from})`);
    }
    return writeAttached(plan, attached, emission, scans, encode, rowsMax);
  };
  const { sql } = atOnce(byRowIfNeeded(write));
  return new TextWithPlaceholders(sql).filled(plan.at(() => slots.values(call)));
}

function* writeAttached(
  plan: QueryPlan,
  attached: Attached,
  emission: Emission,
  scans: WrittenScans,
  encode: EncodeRow,
  rowsMax: number | null,
): Generator<undefined, Written> {
  const body = yield* withoutTables(attached.relation, emission);
  const sorted = body.kind === 'sort' ? body : null;
  const block = yield* relationInSteps(sorted === null ? body : sorted.input, emission);
  const order = sorted === null ? '' : ` ORDER BY ${emitSortKeys(sorted.keys, emission)}`;
  const values = attached.outputs.map((output, i) => {
    const { name, column } = plan.query.columns[i] ?? { name: keyName(i - plan.query.columns.length), column: output };
    // The JSON text of a typed column is the text in the answer, except for FLOAT64: metadata has `0.00001` and
    // `10000000000000000`, but an answer of that type has `1e-05` and `1e+16`.
    const held = typedJson(output);
    const typed = held?.type.kind === 'FLOAT64' ? null : held;
    const value = typed ?? output;
    return {
      name,
      type: (typed ?? column).type,
      sql: value.type.kind === 'JSON' ? emission.jsonText(value) : emission.expr(value),
      isFinite: isKnownFinite(value, emission),
      isJson: column.type.kind === 'JSON',
    };
  });
  yield;
  const list = values.map((value, i) => `${value.sql} AS o${i}`).join(', ');
  // Rows are cut before they are encoded; one extra row shows whether there are more.
  const limit = rowsMax === null ? '' : ` LIMIT ${rowsMax + 1}`;
  const inner = `SELECT ${list === '' ? '1 AS one' : list}${tailOf(block)}${order}${limit}`;
  const given = values.map((value, i) => ({ ...value, sql: `r.o${i}` }));
  const keysAt = plan.query.columns.length;
  const row = encode(given.slice(0, keysAt));
  const page = plan.query.pageKeys === undefined ? '' : `, ${encodeRow(given.slice(keysAt), 'plain')} AS page_key`;
  const sql = `${commonTables(emission)}SELECT ${row}${page} FROM (${inner}) AS r`;
  if (sql.length > statementCharsMax) throw tooLong();
  const statement = {
    sql,
    trusted: attached.trusted,
    stored: emission.stored,
    readsMetadata: metadataColumns(attached, scans).some((c) => emission.used.has(c)),
  };
  return { statement, computing: `${commonTables(emission)}${inner}` };
}

/** Writes shared tables, and returns the relation that reads them; its sort orders the answer. */
function* withoutTables(relation: Relation, emission: Emission): Generator<undefined, Relation> {
  if (relation.kind !== 'with') return relation;
  yield* tablesInSteps(relation.tables, emission);
  return yield* withoutTables(relation.body, emission);
}

/**
 * Writes, in steps, the statement that finds how far back the newest `newest.count` rows reach. It returns two values: the oldest
 * of their timestamps (microseconds; NULL without a row) and their number.
 */
export function* cutoffInSteps(
  plan: QueryPlan,
  newest: NewestFirst,
  choices: ReadonlyMap<Column, ScanChoice>,
  bounds: BoundsByScan,
): Generator<undefined, Statement> {
  const key = ['cutoff', newest.count];
  return yield* writtenOnce(plan, key, choices, bounds, (slots) =>
    writeCutoff(plan, newest, choices, new WrittenScans(bounds, slots, false)),
  );
}

function* writeCutoff(
  plan: QueryPlan,
  newest: NewestFirst,
  choices: ReadonlyMap<Column, ScanChoice>,
  scans: WrittenScans,
): Generator<undefined, Statement> {
  const timestamp: Expr = { kind: 'column', type: TIMESTAMP, column: newest.timestamp };
  const attached = yield* attach(plan, newest.input, [timestamp], choices, scans);
  return yield* byRowIfNeeded((isByRow) =>
    writeCutoffOf(newest, attached, emissionFor(plan, attached, choices, scans, isByRow), scans),
  );
}

function* writeCutoffOf(
  newest: NewestFirst,
  attached: Attached,
  emission: Emission,
  scans: WrittenScans,
): Generator<undefined, Written> {
  yield;
  const block = yield* relationInSteps(attached.relation, emission);
  const name = emission.name(newest.timestamp);
  const rows = `SELECT ${name} AS event_time${tailOf(block)} ORDER BY ${name} DESC LIMIT ${newest.count}`;
  const statement = {
    sql: `${commonTables(emission)}SELECT epoch_us(min(event_time)) AS cutoff, count(*) AS found FROM (${rows}) AS r`,
    trusted: attached.trusted,
    stored: emission.stored,
    readsMetadata: decidesByMetadata(attached, newest.timestamp, scans),
  };
  return { statement, computing: statement.sql };
}

function decidesByMetadata(attached: Attached, timestamp: Column, scans: WrittenScans): boolean {
  const deciding = decidingColumns(attached.relation, timestamp);
  return metadataColumns(attached, scans).some((column) => deciding.has(column));
}

/** The columns of all scans that are read from stored metadata, including metadata itself. */
function metadataColumns({ reads }: Attached, scans: WrittenScans): readonly Column[] {
  const ofMetadata = [...reads.values()].flat().flatMap(({ hot, column }) => (hot === null ? [column] : []));
  return [...ofMetadata, ...scans.all.map(({ scan }) => scan.columns.metadata)];
}

interface Attached {
  readonly relation: Relation;
  readonly outputs: readonly Expr[];
  readonly reads: AttachedScans['reads'];
  readonly trusted: ReadonlyMap<Column, Set<string>>;
  /** Columns for the arrival numbers of a scan, by its timestamp column; only those that are needed. */
  readonly arrivals: ReadonlyMap<Column, Column>;
}

function* attach(
  plan: QueryPlan,
  relation: Relation,
  outputs: readonly Expr[],
  choices: ReadonlyMap<Column, ScanChoice>,
  written: WrittenScans,
): Generator<undefined, Attached> {
  const factsOf = (scan: ScanRelation) => {
    const irregular = choices.get(scan.columns.timestamp)?.irregular ?? new Set<string>();
    const { redaction } = plan;
    return { irregular: redaction === null ? irregular : new Set([...irregular, ...redaction.personalNumbers(scan)]) };
  };
  const { newColumn } = columnsAfter(plan.lastColumnId);
  const scans = yield* attachScansInSteps(relation, factsOf, newColumn);
  const resolved = outputs.map((output) => scans.resolve(output));
  const { reads, trusted } = scans;
  yield;
  const lowered = conditionsBelowUnnests(scans.relation, (scan) => [
    ...scannedColumns(scan),
    ...(reads.get(scan.columns.timestamp) ?? []).map(({ column }) => column),
  ]);
  yield;
  const kept = withoutImplied(lowered, reads, written.slots);
  yield;
  const areAllNumbered = [...choices.values()].every(({ unnumbered }) => unnumbered.size === 0);
  const ordered = orderByArrival(kept, areAllNumbered, newColumn);
  yield;
  return { relation: ordered.relation, outputs: resolved, reads, trusted, arrivals: ordered.numbers };
}

function emissionFor(
  plan: QueryPlan,
  attached: Attached,
  choices: ReadonlyMap<Column, ScanChoice>,
  written: WrittenScans,
  isByRow: boolean,
): Emission {
  const scans = new Map<Column, ScanSource>();
  for (const bound of written.all) {
    const { timestamp } = bound.scan.columns;
    const choice = choices.get(timestamp);
    scans.set(timestamp, {
      databases: choice?.databases ?? [],
      reads: attached.reads.get(timestamp) ?? [],
      arrival: attached.arrivals.get(timestamp) ?? null,
      unnumbered: new Set([...(choice?.unnumbered ?? [])].flatMap(([file, which]) => (which === 'none' ? [file] : []))),
      isHeld: bound.projects !== null,
      conditions: bound.conditions,
      redactionTag: plan.redaction === null ? null : tagOf(written.slots),
      conditionsOf: new Map(
        (choice?.databases ?? []).map((file) => {
          const ordinals = choice?.ordinals.get(file);
          const kept = choice?.kept.get(file);
          return [
            file,
            [...(ordinals === undefined ? [] : [ordinalCondition(ordinals)]), ...(kept === undefined ? [] : [kept])],
          ];
        }),
      ),
      mayHoldArrays: (path) => {
        const key = pathKey(path);
        const isKnownObject = bound.scan.source.hotColumns.some(
          (hot) => hot.kind === 'presence' && pathKey(hot.path) === key,
        );
        if (!isKnownObject || choice === undefined || choice.irregular.has(key)) return true;
        const paths = attached.trusted.get(timestamp);
        paths?.add(key);
        return paths === undefined;
      },
    });
  }
  const writers = { expr: emitExpr, relation: relationInSteps };
  return new Emission(writers, written.slots, scans, usedColumns(attached), isByRow);
}

/** Redundant with the condition on the project; it lets the engine skip the rows of other projects unread. */
function ordinalCondition(ordinals: readonly number[]): string {
  const [only = 0] = ordinals;
  return ordinals.length === 1 ? `${ordinalColumn} = ${only}` : `${ordinalColumn} IN (${ordinals.join(', ')})`;
}

/** In a form in which the isolation check recognises a statement with any tag (process/isolation/statementShape.ts). */
const tagOf = (slots: Placeholders): string =>
  emitInteger(
    INT64,
    slots.mark(({ redactionTag }) => BigInt(redactionTag ?? 0)),
  );

function usedColumns(attached: Attached): ReadonlySet<Column> {
  const used = new Set<Column>();
  const expr = (below: Expr): void => {
    if (below.kind === 'column') used.add(below.column);
    if (below.kind === 'subquery' && below.column !== null) used.add(below.column);
    if (below.kind === 'inSubquery') used.add(below.column);
  };
  const visit = {
    expr,
    relation: (below: Relation): void => {
      if (below.kind === 'setOperation') for (const input of below.inputs) for (const c of input.columns) used.add(c);
      if (below.kind === 'with') for (const table of below.tables) for (const c of table.columns) used.add(c);
      if (below.kind === 'distinct') for (const column of outputColumns(below.input)) used.add(column);
    },
  };
  walkRelation(attached.relation, visit);
  const outer: Mapper = {
    relation: (below) => {
      walkRelation(below, visit);
      return below;
    },
    expr: (below) => {
      expr(below);
      return mapExpr(below, outer);
    },
  };
  for (const output of attached.outputs) outer.expr(output);
  return used;
}

function tailOf(block: Block): string {
  const from = block.from === '' ? '' : ` FROM ${block.from}`;
  const where =
    block.where.length === 0 ? '' : ` WHERE ${block.where.map((condition) => `(${condition})`).join(' AND ')}`;
  return `${from}${where}`;
}

function commonTables(emission: Emission): string {
  return emission.commonTables.length === 0 ? '' : `WITH ${emission.commonTables.join(', ')} `;
}
