import type { DuckDBConnection } from '@duckdb/node-api';
import { arrivalColumn, ordinalColumn, type TableLayout, tableInFile } from '../../files/tableLayout.ts';
import { quoteIdentifier, quoteText } from '../../sqlText.ts';
import { callFailure } from '../callFailure.ts';
import { readRows } from '../read/wholeResult.ts';
import type { InputTable } from './rewriteInputs.ts';

/** Range of row ids of a project's rows in an input, inclusive. */
interface Stretch {
  readonly input: string;
  readonly firstRow: bigint;
  readonly lastRow: bigint;
}

interface ProjectRows {
  readonly project: string;
  readonly count: number;
  readonly stretches: readonly Stretch[];
}

/** Rows that are sorted and written together: whole projects, or one project in an interval of time. */
interface Portion {
  readonly projects: readonly ProjectRows[];
  /** Microseconds; events after the first and up to the second. Null: no limit. */
  readonly after: bigint | null;
  readonly upTo: bigint | null;
}

/** The task of writing a batch. `beforePortion` may wait or reject; it delays only the writing. */
export interface RewriteTask {
  readonly connection: DuckDBConnection;
  readonly inputs: readonly InputTable[];
  readonly output: string;
  readonly layout: TableLayout;
  readonly portionEventsMax: number;
  readonly beforePortion: () => Promise<void>;
}

/**
 * Writes a table of all inputs into the output, sorted by project, time and arrival, in batches, so that its memory
 * does not depend on the size of the inputs.
 */
export async function writeSorted(task: RewriteTask): Promise<void> {
  const projects = await projectsOf(task);
  await numberProjects(task);
  for (const portion of await portionsOf(task, projects)) await writePortion(task, portion);
  await task.connection.run(`DROP TABLE ${ordinalsTable}`);
}

const ordinalsTable = 'temp.main.ordinals';

/** Numbers the projects in the engine's own order of texts, so that ordinals sort like projects. */
async function numberProjects({ connection, inputs }: RewriteTask): Promise<void> {
  const arms = inputs.map(({ alias, table, kept }) => `SELECT project FROM ${tableInFile(alias, table)} WHERE ${kept}`);
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ordinals AS
     SELECT project AS name, CAST(row_number() OVER (ORDER BY project) - 1 AS INTEGER) AS ordinal
     FROM (SELECT DISTINCT project FROM (${arms.join(' UNION ALL ')}))`,
  );
}

/** The batches in the order in which they are written. */
async function portionsOf(task: RewriteTask, all: readonly ProjectRows[]): Promise<readonly Portion[]> {
  const portions: Portion[] = [];
  let projects: ProjectRows[] = [];
  let rows = 0;
  const flush = () => {
    if (projects.length > 0) portions.push({ projects, after: null, upTo: null });
    projects = [];
    rows = 0;
  };
  for (const project of all) {
    if (rows + project.count > task.portionEventsMax) flush();
    projects.push(project);
    rows += project.count;
  }
  flush();
  const split = [];
  for (const portion of portions) {
    const parts = Math.ceil(rowsOf(portion) / task.portionEventsMax);
    split.push(...(parts > 1 ? await splitByTime(task, portion, parts) : [portion]));
  }
  return split;
}

/** Every project of the inputs, in the engine's own order of texts, which is that of the sort. */
async function projectsOf({ connection, inputs }: RewriteTask): Promise<readonly ProjectRows[]> {
  const arms = inputs.map(
    ({ alias, table, kept }) =>
      `SELECT project, ${quoteText(alias)} AS input, rowid AS row FROM ${tableInFile(alias, table)} WHERE ${kept}`,
  );
  const rows = await readRows(
    connection,
    `SELECT project, input, min(row), max(row), count(*) FROM (${arms.join(' UNION ALL ')}) GROUP BY project, input ORDER BY project, input`,
  );
  const projects: { project: string; count: number; stretches: Stretch[] }[] = [];
  for (const [name, input, firstRow, lastRow, count] of rows) {
    if (projects.at(-1)?.project !== name) projects.push({ project: String(name), count: 0, stretches: [] });
    const project = projects.at(-1);
    if (project === undefined) continue;
    project.count += Number(count);
    project.stretches.push({
      input: String(input),
      firstRow: BigInt(String(firstRow)),
      lastRow: BigInt(String(lastRow)),
    });
  }
  return projects;
}

/** @throws the engine's error, including lack of memory for a batch that cannot be split further */
async function writePortion(task: RewriteTask, portion: Portion): Promise<void> {
  await task.beforePortion();
  const { connection, layout } = task;
  const target = tableInFile(task.output, layout.table);
  const events = selectPortion(task, portion, (input) =>
    [...layout.columns, { name: arrivalColumn, type: 'BIGINT' }].map(({ name, type }) => {
      const column = quoteIdentifier(name);
      return input.columns.get(name) === type ? column : `CAST(NULL AS ${type}) AS ${column}`;
    }),
  );
  try {
    await connection.run(
      `INSERT INTO ${target} SELECT e.*, o.ordinal AS ${ordinalColumn} FROM (${events}) AS e
       JOIN ${ordinalsTable} AS o ON o.name = e.project ORDER BY o.ordinal, e.timestamp, e.${arrivalColumn} NULLS FIRST`,
    );
  } catch (error) {
    // Events can be a thousand times larger than usual; then fewer are taken at a time.
    const halves = callFailure(error).kind === 'memory' ? await halvesOf(task, portion) : null;
    if (halves === null) throw error;
    for (const half of halves) await writePortion(task, half);
    return;
  }
  // Uncheckpointed rows stay in memory.
  await connection.run(`CHECKPOINT ${quoteIdentifier(task.output)}`);
}

async function halvesOf(task: RewriteTask, portion: Portion): Promise<readonly Portion[] | null> {
  const { projects } = portion;
  if (projects.length > 1) {
    const middle = Math.ceil(projects.length / 2);
    return [projects.slice(0, middle), projects.slice(middle)].map((part) => ({ ...portion, projects: part }));
  }
  const parts = await splitByTime(task, portion, 2);
  return parts.length > 1 ? parts : null;
}

/** Splits a batch of one project into parts of about equal size. One part if all events have the same time. */
async function splitByTime(task: RewriteTask, portion: Portion, parts: number): Promise<readonly Portion[]> {
  const shares = [...new Array(parts - 1).keys()].map((n) => ((n + 1) / parts).toFixed(9));
  const [row] = await readRows(
    task.connection,
    `SELECT list_transform(quantile_disc(timestamp, [${shares.join(', ')}]), lambda t: epoch_us(t)::VARCHAR)::VARCHAR, epoch_us(max(timestamp)) FROM (${selectPortion(task, portion, () => ['timestamp'])})`,
  );
  const last = BigInt(String(row?.[1]));
  const bounds = [...new Set(String(row?.[0]).match(/-?\d+/g) ?? [])].map(BigInt).filter((bound) => bound < last);
  const edges = [portion.after, ...bounds, portion.upTo];
  return edges.slice(1).map((upTo, index) => ({ ...portion, after: edges[index] ?? null, upTo: upTo ?? null }));
}

function rowsOf({ projects }: Portion): number {
  return projects.reduce((sum, { count }) => sum + count, 0);
}

/** Row ids only narrow the read; project and time decide which rows belong to the batch. */
function selectPortion(
  task: RewriteTask,
  portion: Portion,
  columnsOf: (input: InputTable) => readonly string[],
): string {
  const { projects, after, upTo } = portion;
  const [first, last] = [projects[0]?.project ?? '', projects.at(-1)?.project ?? ''];
  const arms = task.inputs.flatMap((input) => {
    const stretches = projects.flatMap((each) => each.stretches.filter((stretch) => stretch.input === input.alias));
    if (stretches.length === 0) return [];
    const conditions = [
      input.kept,
      `project >= ${quoteText(first)} AND project <= ${quoteText(last)}`,
      `rowid >= ${least(stretches.map(({ firstRow }) => firstRow))}`,
      `rowid <= ${-least(stretches.map(({ lastRow }) => -lastRow))}`,
      ...(after === null ? [] : [`timestamp > make_timestamp(${after}::BIGINT)`]),
      ...(upTo === null ? [] : [`timestamp <= make_timestamp(${upTo}::BIGINT)`]),
    ];
    const columns = columnsOf(input).join(', ');
    return [`SELECT ${columns} FROM ${tableInFile(input.alias, input.table)} WHERE ${conditions.join(' AND ')}`];
  });
  return arms.join(' UNION ALL ');
}

function least(values: readonly bigint[]): bigint {
  return values.reduce((a, b) => (a < b ? a : b));
}
