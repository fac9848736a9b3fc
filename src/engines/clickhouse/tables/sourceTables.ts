import { ServiceError } from '../../../core/errors.ts';
import { UnreadableStorage } from '../../../ports/storageEngine.ts';
import type { Source } from '../../../sources/source.ts';
import type { ClickHouseServer, ServerRequest } from '../connection/clickhouseServer.ts';
import type { ClickHouseServers } from '../connection/clickhouseServers.ts';
import { meaningSettings } from '../connection/readSettings.ts';
import { textWithin } from '../connection/textWithin.ts';
import { createViewStatement } from '../existing/existingView.ts';
import type { ClickHouseSettings } from '../settings.ts';
import { quoteText } from '../sqlText.ts';
import { addColumnStatements, createDatabaseStatement, createStatements } from './createTable.ts';
import {
  firstColumns,
  lastColumns,
  type TableColumn,
  type TablePlace,
  tableColumns,
  tableNames,
} from './tableLayout.ts';

/** Makes the tables of sources, and brings those of an earlier version up to date. */
export class SourceTables {
  readonly #servers: ClickHouseServers;
  readonly #place: TablePlace;
  readonly #settings: Pick<ClickHouseSettings, 'storagePolicy' | 'cold' | 'changeMs'>;

  constructor(
    servers: ClickHouseServers,
    place: TablePlace,
    settings: Pick<ClickHouseSettings, 'storagePolicy' | 'cold' | 'changeMs'>,
  ) {
    this.#servers = servers;
    this.#place = place;
    this.#settings = settings;
  }

  async makeDatabase(): Promise<void> {
    await this.#run({ statement: createDatabaseStatement(this.#place) });
  }

  /**
   * Makes the tables of a source if they are missing, and adds typed columns that were declared since; or the view of a
   * table of others, as it must be now; throws `source.conflict` if a table has its name. Rejects with
   * UnreadableStorage if a table of the name has other columns, or typed columns in another order, because each event
   * says only how many of them its node knew (`hotCountColumn`).
   */
  async make(source: Source): Promise<void> {
    const { existing } = source;
    if (existing !== undefined) {
      await this.#requireNoTable(source.name);
      await this.#run({ statement: createViewStatement({ ...source, existing }, this.#place) });
      return;
    }
    const { stored, read } = tableNames(source.name, this.#place);
    const found = await this.#columns(stored);
    const foundRead = read === stored ? found : await this.#columns(read);
    if (found.size === 0 || foundRead.size === 0) {
      for (const statement of createStatements(source, this.#place, this.#settings)) await this.#run({ statement });
      if (found.size === 0) return;
    }
    const wanted = tableColumns(source);
    const other = wanted.filter(({ name, type }) => found.has(name) && found.get(name) !== type);
    if (other.length > 0) throw new UnreadableStorage(otherColumns(this.#place, stored, other, found));
    const hot = source.hotColumns.map(({ column }) => column);
    const foundHot = [...found.keys()].filter((name) => !fixedColumns.has(name));
    if (foundHot.some((name, at) => at < hot.length && name !== hot[at])) {
      throw new UnreadableStorage(
        notOurs(this.#place, stored, `its typed columns must be ${hot.join(', ')} and are ${foundHot.join(', ')}`),
      );
    }
    // A node that ended in between may have changed only one of the tables.
    const missing = wanted.filter(({ name }) => !found.has(name) || !foundRead.has(name));
    const lost = missing.filter(({ name }) => fixedColumns.has(name));
    if (lost.length > 0) throw new UnreadableStorage(otherColumns(this.#place, stored, lost, found));
    for (const statement of addColumnStatements(source, this.#place, missing)) await this.#run({ statement });
  }

  /** A view would take the place of a table with events, such as one of a source that an older copy of the store lacks. */
  async #requireNoTable(source: string): Promise<void> {
    const { database } = this.#place;
    const statement = `SELECT engine FROM system.tables WHERE database = ${quoteText(database)} AND name = ${quoteText(source)}`;
    const engine = (await this.#run({ statement })).trim();
    if (engine === '' || engine === 'View') return;
    throw new ServiceError(
      'source.conflict',
      `The name ${source} is taken: the ClickHouse database ${database} has a table of this name.`,
      { errors: [{ parameter: 'name', value: source }] },
    );
  }

  /** Types by name, in the order of the table; empty if there is no such table. */
  async #columns(table: string): Promise<ReadonlyMap<string, string>> {
    const statement = `SELECT name, type FROM system.columns WHERE database = ${quoteText(this.#place.database)} AND table = ${quoteText(table)} ORDER BY position FORMAT JSONCompactEachRow`;
    const text = await this.#run({ statement });
    const rows = text.split('\n').filter(Boolean);
    return new Map(rows.map((row) => JSON.parse(row) as [string, string]));
  }

  async #run(request: ServerRequest): Promise<string> {
    const { changeMs } = this.#settings;
    const settings = {
      ...meaningSettings,
      max_execution_time: changeMs / 1000,
      // Done on every server of the cluster when it is answered.
      distributed_ddl_task_timeout: Math.ceil(changeMs / 1000),
      distributed_ddl_output_mode: 'throw',
      alter_sync: 2,
      wait_end_of_query: 1,
    };
    const send = async (server: ClickHouseServer) =>
      await textWithin(server, { settings, ...request }, changeMs + 5_000);
    return await this.#servers.ask(send, { attemptsMax: this.#servers.all.length });
  }
}

const fixedColumns: ReadonlySet<string> = new Set([...firstColumns, ...lastColumns].map(({ name }) => name));

function otherColumns(
  place: TablePlace,
  table: string,
  columns: readonly TableColumn[],
  found: ReadonlyMap<string, string>,
): string {
  const each = columns.map(({ name, type }) => `${name} must be ${type} and is ${found.get(name) ?? 'missing'}`);
  return notOurs(place, table, each.join('; '));
}

function notOurs({ database }: TablePlace, table: string, why: string): string {
  return `The table ${table} of the ClickHouse database ${database} was not made by this version: ${why}. Name another database with LOGMILL_CLICKHOUSE_DATABASE, or run the version that made it.`;
}
