import { readFileSync } from 'node:fs';
import { ServiceError } from '../../src/core/errors.ts';
import { SeededRandom } from '../../src/demo/seededRandom.ts';
import { loadDefinitionFiles } from '../../src/endpoints/loadDefinitionFiles.ts';
import type { ParameterValues } from '../../src/googlesql/resolve/parameterValue.ts';
import { walkRelation } from '../../src/googlesql/resolve/traverse.ts';
import type { ResolvedQuery } from '../../src/googlesql/resolve/tree.ts';
import { rowsMaxParameter } from '../../src/lql/rowsMaxParameter.ts';
import { builtinSources } from '../../src/sources/builtin.ts';
import { causeText } from './causeText.ts';
import { FuzzLog, type FuzzReport, type FuzzRun } from './finding.ts';
import { FuzzedEngine } from './fuzzedEngine.ts';
import { type Language, sqlLanguage } from './language.ts';
import { mutateText } from './mutateText.ts';
import { pipeTexts } from './pipeTexts.ts';
import { TypedQueries } from './typedQuery.ts';

/** Longest that parsing, resolving and emitting one text may take. */
const compileMsMax = 1000;
const runMsMax = 2000;
/** Longest that a query may go on after its deadline, on a busy machine. */
const endMsMax = runMsMax + 10_000;

/** What only the engine says, or what only its statements name. */
const engineWords =
  /duckdb|(?:Binder|Catalog|Parser|Conversion|Invalid Input|Out of Range|Serialization|Constraint|Internal|IO|Permission|Not implemented) Error|\nLINE \d|candidate functions?|sealed_\d+|logmill:|\.parquet|VARCHAR|BIGINT|HUGEINT|try_cast/gi;

const repository = new URL('../../', import.meta.url);
const readJson = (path: string): unknown => JSON.parse(readFileSync(new URL(path, repository), 'utf8'));

const recorded = readJson('test/conformance/data/queries.json') as readonly { readonly sql: string }[];
const corpus: readonly [string, ...string[]] = [...pipeTexts, ...recorded.map(({ sql }) => sql)];

/** What every run is compiled against: the nine tables of `logs.all`. */
export class SqlFuzz {
  readonly log: FuzzLog;
  readonly #language: Language;
  readonly #engine: FuzzedEngine;
  readonly #stored: string;
  readonly #context = {
    sources: new Map(builtinSources.map((source) => [source.name, source] as const)),
    parameters: new Map([
      ['project', 'string'],
      ['iso_timestamp_start', 'timestamp'],
      ['iso_timestamp_end', 'timestamp'],
    ] as const),
  };

  private constructor(log: FuzzLog, language: Language, engine: FuzzedEngine) {
    this.log = log;
    this.#language = language;
    this.#engine = engine;
    const definitions = loadDefinitionFiles(new URL('definitions', repository).pathname);
    const logsAll = definitions.find(({ file }) => file === 'logs.all.yaml')?.definition;
    if (logsAll === undefined) throw new Error('there is no definition logs.all.yaml');
    this.#stored = logsAll.query;
  }

  static async open(log: FuzzLog, language: Language = sqlLanguage): Promise<SqlFuzz> {
    const events = readJson('test/fixtures/events.json') as Record<string, readonly object[]>;
    return new SqlFuzz(log, language, await FuzzedEngine.open(events));
  }

  async close(): Promise<void> {
    await this.#engine.close();
  }

  /** Takes one text all the way, and notes what must not happen. */
  async check(text: string): Promise<void> {
    const query = this.#compile(text);
    if (query !== null) await this.#run(text, query);
  }

  #compile(text: string): ResolvedQuery | null {
    const startedMs = performance.now();
    try {
      const printed = this.#language.print(text);
      const again = this.#language.print(printed);
      if (again !== printed) {
        this.log.add({ rule: 'printing is stable', input: text, detail: `${printed}\n${again}` });
      }
      const compiled = this.#language.compile(text, this.#stored, this.#context);
      this.log.count('compiled');
      if (readsOutside(compiled)) {
        this.log.add({ rule: "a caller's text reads the stored tables alone", input: text, detail: '' });
        return null;
      }
      return compiled;
    } catch (error) {
      this.#checkSentence(text, error);
      if (!(error instanceof ServiceError)) {
        this.log.add({ rule: 'only ServiceError is thrown', input: text, detail: describe(error) });
      } else if (!/^(?:sql|lql|sandbox)\./.test(error.code)) {
        this.log.add({ rule: 'a refusal is sql.*, lql.* or sandbox.*', input: text, detail: describe(error) });
      } else {
        this.log.count(error.code);
      }
      return null;
    } finally {
      const elapsedMs = performance.now() - startedMs;
      if (elapsedMs > compileMsMax) {
        this.log.add({ rule: 'compiling ends soon', input: text, detail: `${Math.round(elapsedMs)} ms` });
      }
    }
  }

  async #run(text: string, query: ResolvedQuery): Promise<void> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(new ServiceError('query.timeout', 'too slow')), runMsMax);
    const profile = text.length % 3 === 0 ? 'records' : 'plain';
    const startedMs = performance.now();
    try {
      const { rows } = await this.#engine.engine.run(
        {
          query,
          parameters,
          projects: null,
          redaction: null,
          nowMicros: 1_780_000_000_000_000,
          rowsMax: 50,
          bytesMax: 1_000_000,
          profile,
        },
        abort.signal,
      );
      this.log.count('answered');
      this.#checkRows(text, query, Buffer.from(rows).toString('utf8'));
    } catch (error) {
      this.#checkSentence(text, error);
      if (error instanceof ServiceError && ['sql.data', 'query.timeout', 'query.memory'].includes(error.code)) {
        this.log.count(error.code);
        if (error.code === 'sql.data' && error.errors.length === 0) this.log.count(`engine text: ${causeOf(error)}`);
        return;
      }
      this.log.add({ rule: 'what compiles runs', input: text, detail: describe(error) });
    } finally {
      clearTimeout(timer);
      const elapsedMs = performance.now() - startedMs;
      if (elapsedMs > endMsMax) {
        this.log.add({ rule: 'a query ends at its deadline', input: text, detail: `${Math.round(elapsedMs)} ms` });
      }
    }
  }

  #checkSentence(text: string, error: unknown): void {
    const foreign = engineTextIn(text, error);
    if (foreign !== undefined) this.log.add({ rule: 'no engine text in an answer', input: text, detail: foreign });
  }

  #checkRows(text: string, query: ResolvedQuery, rows: string): void {
    const names = query.columns.map(({ name }) => name);
    let parsed: unknown[];
    try {
      parsed = JSON.parse(`[${rows}]`) as unknown[];
    } catch (error) {
      this.log.add({ rule: 'rows are JSON', input: text, detail: `${describe(error)}\n${rows.slice(0, 500)}` });
      return;
    }
    const isNamed = parsed.every(
      (row) => typeof row === 'object' && row !== null && names.every((name) => Object.hasOwn(row, name)),
    );
    if (!isNamed) this.log.add({ rule: 'rows have every column', input: text, detail: rows.slice(0, 500) });
  }
}

/** What a caller is told may repeat the caller's text, but nothing that only the engine says. */
export function engineTextIn(text: string, error: unknown): string | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  const told = JSON.stringify([error.message, error.errors]);
  const isForeign = (told.match(engineWords) ?? []).some((word) => !text.toLowerCase().includes(word.toLowerCase()));
  return isForeign ? told.slice(0, 500) : undefined;
}

/** Whether a caller's part of a query reads anything but tables that the stored query made. */
export function readsOutside({ relation }: ResolvedQuery): boolean {
  let reads = false;
  const body = relation.kind === 'with' ? relation.body : relation;
  walkRelation(body, {
    relation: (below) => {
      if (below.kind === 'scan') reads = true;
    },
  });
  return reads;
}

const parameters: ParameterValues = new Map([
  ['project', { kind: 'string', value: 'abcdefghijklmnopqrst' }],
  ['iso_timestamp_start', { kind: 'null' }],
  ['iso_timestamp_end', { kind: 'null' }],
  [rowsMaxParameter, { kind: 'int64', value: 50n }],
]);

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = causeText(error);
  const code = error instanceof ServiceError ? `${error.code} ` : '';
  const stack = error instanceof ServiceError ? '' : `\n${(error.stack ?? '').split('\n').slice(1, 6).join('\n')}`;
  return `${code}${error.message}${cause === '' ? '' : `\n  caused by ${cause}`}${stack}`;
}

const causeOf = (error: Error): string => causeText(error).split('\n')[0]?.slice(0, 100) ?? '';

/** Hostile, garbled and well-typed texts through the front end and a real engine. */
export async function fuzzSql({ seed, isOver, found }: FuzzRun): Promise<FuzzReport> {
  const random = new SeededRandom(`sql/${seed}`);
  const typed = new TypedQueries(random);
  const log = new FuzzLog(found);
  const fuzz = await SqlFuzz.open(log);
  let inputs = 0;
  try {
    for (; !isOver(); inputs++) {
      await fuzz.check(random.chance(0.6) ? typed.query() : mutateText(random, corpus));
    }
  } finally {
    await fuzz.close();
  }
  return { name: 'sql', inputs, counts: log.counts, findings: log.findings };
}
