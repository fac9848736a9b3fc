import { keyName } from '../../../googlesql/plan/pageKeys.ts';
import type { QueryPlan } from '../../../googlesql/plan/queryPlan.ts';
import { typedJson } from '../../../googlesql/plan/typedReads.ts';
import type { Column, Expr, Relation, WithReferenceRelation } from '../../../googlesql/resolve/tree.ts';
import type { SqlType } from '../../../googlesql/types.ts';
import type { ValuesProfile } from '../../../ports/queryEngine.ts';
import type { Fetch, SplitPlan } from '../emit/fetch.ts';
import { type JsonBytes, jsonString } from './jsonBytes.ts';
import { memberFloat, type ValueWriter, valueWriter } from './jsonValues.ts';
import { type BinaryRow, rowBytesMax, UnreadableAnswer } from './rowBinary.ts';

/** A fetch whose rows are those of the answer, in order. */
export interface DirectAnswer {
  readonly fetch: Fetch;
  /** Writes the JSON object of a row of the fetch. @throws UnreadableAnswer for one that only DuckDB writes */
  writeRow(row: BinaryRow, json: JsonBytes): void;
  /** Writes that of its page keys; null if the query has none. */
  readonly writeKeys: DirectAnswer['writeRow'] | null;
}

/** The answer of a query that ClickHouse computes whole. Null if the rest of the query has anything to compute. */
export function directAnswer(split: SplitPlan, plan: QueryPlan, profile: ValuesProfile): DirectAnswer | null {
  const [fetch, ...others] = split.fetches;
  if (fetch === undefined || others.length > 0) return null;
  const rows = rowsInOrder(split.relation, fetch);
  if (rows === null) return null;
  const { columns, pageKeys } = plan.query;
  const ofColumns = split.outputs.slice(0, columns.length);
  const ofKeys = split.outputs.slice(columns.length);
  const members = ofColumns.map((output, i) => {
    const { name = '', column = null } = columns[i] ?? {};
    return memberOf(name, output, column?.type ?? output.type, rows, fetch, profile);
  });
  const keys = ofKeys.map((output, i) => memberOf(keyName(i), output, output.type, rows, fetch, 'plain'));
  if (!areAllKnown(members) || !areAllKnown(keys)) return null;
  return { fetch, writeRow: objectWriter(members), writeKeys: pageKeys === undefined ? null : objectWriter(keys) };
}

/** The fetched rows, if the relation has exactly these, in the order in which ClickHouse returns them. */
function rowsInOrder(relation: Relation, { order, table }: Fetch): WithReferenceRelation | null {
  // Another order of the same rows, such as one above a LIMIT, is for the rest.
  const rows = relation.kind === 'sort' && relation.keys === order ? relation.input : relation;
  return rows.kind === 'withReference' && rows.table === table ? rows : null;
}

interface Member {
  /** The name and the colon. */
  readonly begin: Buffer;
  /** Of the column in the rows of the fetch; null for a value that is always NULL. */
  readonly position: number | null;
  readonly write: ValueWriter;
}

/** Null if only DuckDB writes the value. */
function memberOf(
  name: string,
  output: Expr,
  type: SqlType,
  rows: WithReferenceRelation,
  { columns }: Fetch,
  profile: ValuesProfile,
): Member | null {
  const begin = Buffer.concat([jsonString(name), colon]);
  if (output.kind === 'literal' && output.value === null) return { begin, position: null, write: neverCalled };
  const shown = shownColumn(output);
  if (shown === null) return null;
  const position = rows.columns.indexOf(shown.column);
  const fetched = columns[position];
  if (fetched === undefined) return null;
  const write =
    shown.isTypedJson && shown.column.type.kind === 'FLOAT64'
      ? memberFloat
      : valueWriter(shown.isTypedJson ? shown.column.type : type, fetched.transport, profile);
  return write === null ? null : { begin, position, write };
}

const neverCalled: ValueWriter = () => {
  throw new Error('a value that is always NULL is not written');
};

const colon = Buffer.from(':');

/** The column whose values an output has. The JSON of a typed column is written as its values are, except for FLOAT64. */
function shownColumn(output: Expr): { readonly column: Column; readonly isTypedJson: boolean } | null {
  if (output.kind === 'column') return { column: output.column, isTypedJson: false };
  const [time] = output.kind === 'call' && output.fn === 'unix_micros' ? output.args : [];
  // Times are fetched as microseconds: the first key of most pages.
  if (time?.kind === 'column' && time.type.kind === 'TIMESTAMP') return { column: time.column, isTypedJson: false };
  const typed = typedJson(output);
  return typed === null ? null : { column: typed.column, isTypedJson: true };
}

function areAllKnown(members: readonly (Member | null)[]): members is readonly Member[] {
  return members.every((member) => member !== null);
}

function objectWriter(members: readonly Member[]): DirectAnswer['writeRow'] {
  return (row, json) => {
    json.byte(open);
    for (let i = 0; i < members.length; i++) {
      const { begin, position, write } = members[i] as Member;
      if (i > 0) json.byte(comma);
      json.raw(begin);
      if (position === null || row.starts[position] === -1) json.raw(nullBytes);
      else write(row, position, json);
      // A column that comes once may be in the answer many times.
      if (json.length > rowBytesMax) throw new UnreadableAnswer('the JSON of a row is too long');
    }
    json.byte(close);
  };
}

const [open, comma, close] = [...'{,}'].map((each) => each.charCodeAt(0)) as [number, number, number];
const nullBytes = Buffer.from('null');
