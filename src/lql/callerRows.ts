import type { CallerTable } from '../googlesql/callerTables.ts';
import type { Expression, FromItem, Position } from '../googlesql/syntax/nodes.ts';
import type { SqlType } from '../googlesql/types.ts';
import { lqlSyntaxError } from './lqlSyntaxError.ts';
import type { Path } from './query.ts';
import { call, identifier, path } from './syntaxNodes.ts';

/** Clause prefixes, and what must follow them. */
const clauseNames: Readonly<Record<string, string>> = {
  f: 'the name of a table',
  from: 'the name of a table',
  c: 'an aggregate such as count(*), or group_by(t::minute)',
  chart: 'an aggregate such as count(*), or group_by(t::minute)',
  s: '* or a path',
  select: '* or a path',
  t: 'a time such as 2026-05-01T10:00:00Z, today or last@15m',
};

/** The table that a query reads, and the values in its rows as syntax nodes. */
export class CallerRows {
  readonly table: CallerTable;
  readonly #alias: string;

  /** `outputs` are the names of the answer's columns. The alias of the table must differ from all of them. */
  constructor(table: CallerTable, outputs: readonly string[]) {
    this.table = table;
    const isTaken = outputs.some((output) => output.toLowerCase() === table.name.toLowerCase());
    // No path, alias or table name in LQL contains a space, so this alias is unique.
    this.#alias = isTaken ? `table ${table.name}` : table.name;
  }

  from(pos: Position): FromItem {
    return {
      kind: 'TableReference',
      path: [identifier(this.table.name, pos)],
      alias: identifier(this.#alias, pos),
      withOffset: undefined,
      pos,
      end: pos.offset,
    };
  }

  /** The type of a column, by case-insensitive name; undefined if there is none. */
  typeOf(column: string): SqlType | undefined {
    return this.table.columns.find(({ name }) => name.toLowerCase() === column.toLowerCase())?.type;
  }

  column(name: string, pos: Position): Expression {
    return path([this.#alias, name], pos);
  }

  /** The value at a path. Throws `lql.syntax` if the path is the prefix of another clause that could not be read. */
  value({ steps, pos }: Path): Expression {
    const [first = ''] = steps;
    const expected = steps.length === 1 && this.typeOf(first) === undefined ? clauseNames[first] : undefined;
    if (expected !== undefined) {
      throw lqlSyntaxError({ pos, token: `${first}:`, expected: `${expected} after ${first}:` });
    }
    return path([this.#alias, ...steps], pos);
  }

  /** The column `timestamp` as a TIMESTAMP; a value without a zone is UTC. */
  timestamp(pos: Position): Expression {
    const column = this.column('timestamp', pos);
    const kind = this.typeOf('timestamp')?.kind;
    return kind === 'DATETIME' || kind === 'DATE' ? call('timestamp', [column], pos) : column;
  }

  get hasTime(): boolean {
    return ['TIMESTAMP', 'DATETIME', 'DATE'].includes(this.typeOf('timestamp')?.kind ?? '');
  }
}
