import { DuckDBInstance } from '@duckdb/node-api';
import { ServiceError } from '../../src/core/errors.ts';
import { rowsStatement } from '../../src/engines/duckdb/emit/emitStatement.ts';
import { StatementSteps } from '../../src/engines/duckdb/process/scripted/scriptedFunction.ts';
import { registerScriptedFunctions } from '../../src/engines/duckdb/process/scripted/scriptedFunctions.ts';
import { compileStored } from '../../src/googlesql/compile.ts';
import { QueryPlanner } from '../../src/googlesql/plan/queryPlan.ts';

/** The clock of the examples: 2026-05-01 10:20:30.123456 UTC. */
const nowMicros = 1_777_630_830_123_456;

/** Runs the examples of the page on the engine, without tables. */
export class DialectEngine {
  readonly #run: (sql: string) => Promise<readonly (readonly unknown[])[]>;

  private constructor(run: (sql: string) => Promise<readonly (readonly unknown[])[]>) {
    this.#run = run;
  }

  static async open(): Promise<DialectEngine> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const connection = await instance.connect();
    registerScriptedFunctions(connection, new StatementSteps());
    await connection.run("SET TimeZone = 'UTC'");
    return new DialectEngine(async (sql) => (await connection.runAndReadAll(sql)).getRowsJson());
  }

  /** The rows of a query as JSON, one value for a row of one column. */
  async rows(query: string): Promise<readonly string[]> {
    const resolved = compileStored(query, { sources: new Map(), parameters: new Map() });
    const plan = new QueryPlanner().plan({
      query: resolved,
      parameters: new Map(),
      projects: null,
      redaction: null,
      nowMicros,
    });
    const rowsMax = Math.min(10, resolved.outerLimit ?? 10);
    const { sql } = rowsStatement(plan, new Map(), plan.bounds, 'plain', rowsMax);
    const rows = await this.#run(`SELECT decode(row) FROM (${sql})`);
    // The statement gives one more.
    return rows.slice(0, rowsMax).map(([row]) => shown(String(row), resolved.columns.length));
  }

  /** The notices for a query that GoogleSQL would reject. */
  notices(query: string): readonly string[] {
    const { notices } = compileStored(query, { sources: new Map(), parameters: new Map() });
    return notices.map((notice) => notice.message);
  }

  /** The error message for an unsupported query, without the position. */
  refusal(query: string): string {
    try {
      compileStored(query, { sources: new Map(), parameters: new Map() });
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'sql.unsupported') {
        return error.message.replace(/ \(line \d+, column \d+\)\.?$/, '');
      }
      throw error;
    }
    throw new Error(`not refused: ${query}`);
  }
}

/** `{"f0_":1}` as `1`; keeps the text of the value, so that readers see what a caller gets. */
const shown = (row: string, columns: number): string =>
  columns === 1 ? row.slice(row.indexOf(':', row.indexOf('"', 2)) + 1, -1) : row;
