import { statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { fileMode, syncPath } from '../../../../files/durableFiles.ts';
import { creationMark } from '../../files/eventFilePaths.ts';
import { arrivalColumn, createTableSql, plainColumns, type TableLayout } from '../../files/tableLayout.ts';
import { createLedgerSql, ledgerInFile, ledgerSchema } from '../../log/commitMetadata.ts';
import { quoteIdentifier, quoteText } from '../../sqlText.ts';
import { endProcess } from '../endProcess.ts';
import type {
  ActiveContents,
  AttachedFile,
  EngineCalls,
  IdentitiesInFile,
  IdentityRow,
  IrregularRow,
} from '../protocol.ts';
import { attach, detach } from '../read/attach.ts';
import { readRows } from '../read/wholeResult.ts';
import { begin, rollBack } from '../transaction.ts';
import { Appends } from './appends.ts';
import { countByProject } from './countByProject.ts';
import { type InputTable, inputTables } from './rewriteInputs.ts';

/** Attaches a file under its alias; waits for the lock of a process that is about to end. */
export async function attachFile(connection: DuckDBConnection, file: AttachedFile): Promise<void> {
  const options = file.kind === 'sealed' ? 'READ_ONLY' : `STORAGE_VERSION 'latest'`;
  await attach(connection, `ATTACH ${quoteText(file.path)} AS ${quoteIdentifier(file.alias)} (${options})`);
}

/**
 * An ATTACH creates a missing active file, and the empty file would replace lost events.
 *
 * @throws Error in the engine's own words for a missing file
 */
export function refuseMissing({ path }: AttachedFile): void {
  try {
    statSync(path);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (isMissing) throw new Error(`IO Error: Cannot open file "${path}": No such file or directory`, { cause: error });
    // The ATTACH reports other problems.
  }
}

/**
 * Creates an active segment: its tables and the identities carried over are one durable commit. Until the engine can open
 * it, a mark says that it holds nothing (`creationMark`).
 */
export async function createActive(
  connection: DuckDBConnection,
  call: EngineCalls['createActive']['takes'],
): Promise<void> {
  await writeFile(creationMark(call.path), '', { mode: fileMode });
  await attachFile(connection, call);
  await begin(connection, 'READ WRITE');
  try {
    await rm(creationMark(call.path));
    for (const sql of createLedgerSql(call.alias)) await connection.run(sql);
    for (const layout of call.tables) await connection.run(createTableSql(call.alias, layout, 'active'));
    const ledger = new Appends(connection);
    await ledger.ledger(call.alias, 'file', [[BigInt(call.createdMicros)]]);
    if ('alias' in call.identities) await connection.run(carryIdentitiesSql(call, call.identities));
    else
      await ledger.ledger(
        call.alias,
        'identities',
        call.identities.map(([key, digest, answer, micros]) => [key, digest, answer, BigInt(micros)]),
      );
    await connection.run('COMMIT');
  } catch (error) {
    await rollBack(connection).catch(() => endProcess('a failed transaction could not be taken back'));
    await detach(connection, call.alias);
    throw error;
  }
  await syncPath(call.path.slice(0, call.path.lastIndexOf('/')));
}

/** Rows from the future count as stored now (identityMemory.ts). */
function carryIdentitiesSql(
  { alias, createdMicros }: Pick<EngineCalls['createActive']['takes'], 'alias' | 'createdMicros'>,
  { alias: from, sinceMicros, countMin }: IdentitiesInFile,
): string {
  const stored = ledgerInFile(from, 'identities');
  return `INSERT INTO ${ledgerInFile(alias, 'identities')}
    SELECT key, digest, answer, least(stored_micros, ${createdMicros}) FROM ${stored}
    WHERE stored_micros >= ${sinceMicros} OR stored_micros >= (
      SELECT min(stored_micros) FROM (SELECT stored_micros FROM ${stored} ORDER BY stored_micros DESC LIMIT ${countMin}))`;
}

/** Reads the contents of an attached active segment, and adds tables of sources that were declared since. */
export async function readActive(
  connection: DuckDBConnection,
  call: EngineCalls['readActive']['takes'],
): Promise<ActiveContents> {
  const { alias, tables } = call;
  const found = await readRows(
    connection,
    `SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = ${quoteText(alias)}`,
  );
  if (!found.some(([schema]) => schema === ledgerSchema)) {
    return {
      isComplete: false,
      createdMicros: 0,
      sources: [],
      unnumbered: [],
      outdated: [],
      irregular: [],
      identities: [],
    };
  }
  const present = new Set(found.filter(([schema]) => schema === 'main').map(([, table]) => String(table)));
  for (const layout of tables) {
    if (!present.has(layout.table)) await connection.run(createTableSql(alias, layout, 'active'));
  }
  const rows = async (table: 'file' | 'identities' | 'irregular', columns: string) =>
    await readRows(connection, `SELECT ${columns} FROM ${ledgerInFile(alias, table)}`);
  const inputs = await inputTables(connection, [alias]);
  const [created] = await rows('file', 'created_micros');
  const identities = await rows('identities', 'key, digest, answer, stored_micros');
  const irregular = await rows('irregular', 'source, project, path_key');
  return {
    isComplete: true,
    createdMicros: Number(created?.[0] ?? 0),
    sources: await countByProject(connection, inputs),
    unnumbered: inputs.filter(({ columns }) => !columns.has(arrivalColumn)).map(({ table }) => table),
    outdated: outdatedTables(inputs, tables),
    irregular: irregular.map((row): IrregularRow => [String(row[0]), String(row[1]), String(row[2])]),
    identities: identities.map((row): IdentityRow => [String(row[0]), String(row[1]), String(row[2]), Number(row[3])]),
  };
}

/** Tables whose columns differ from their layout, with their typed columns. */
function outdatedTables(inputs: readonly InputTable[], layouts: readonly TableLayout[]): ActiveContents['outdated'] {
  const declared = new Map(layouts.map(({ table, columns }) => [table, columns]));
  return inputs.flatMap(({ table, columns }) => {
    const layout = declared.get(table);
    if (layout === undefined) return [];
    const wanted = [...layout.map(({ name, type }) => [name, type]), [arrivalColumn, 'BIGINT']];
    const typed = [...columns].slice(plainColumns).filter(([name]) => name !== arrivalColumn);
    return JSON.stringify([...columns]) === JSON.stringify(wanted) ? [] : [[table, typed] as const];
  });
}
