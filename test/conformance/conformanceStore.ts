import { readFileSync } from 'node:fs';
import { isJsonObject, type JsonValue } from '../../src/core/jsonValue.ts';
import { parseJson } from '../../src/core/losslessJson.ts';
import { compileCaller } from '../../src/googlesql/compile.ts';
import type { OutputColumn, ResolvedQuery } from '../../src/googlesql/resolve/tree.ts';
import { hotCells } from '../../src/ingest/hotCells.ts';
import type { StorageHarness } from '../../src/ports/storageHarness.contract.ts';
import { type ObjectNotation, shapeOf } from '../../src/sources/shape.ts';
import type { HotColumn, Source } from '../../src/sources/source.ts';
import { engineUnderTest, never } from '../support/enginesUnderTest.ts';
import { logTables, type Shape, typedTables } from './referenceTables.ts';

const dataUrl = (name: string) => new URL(`./data/${name}`, import.meta.url);

/** INT64 and FLOAT64 of the recorded shapes are both numbers here. */
function notation(shape: Shape): ObjectNotation {
  const members = Object.entries(shape).map(([name, member]) => {
    if (typeof member === 'object') return [name, notation(member)] as const;
    return [name, member === 's' ? ('s' as const) : ('n' as const)] as const;
  });
  return Object.fromEntries(members);
}

/** Every object and every scalar of a shape as a hot column. */
function hotColumnsOf(shape: Shape, path: readonly string[] = []): readonly HotColumn[] {
  return Object.entries(shape).flatMap(([name, member]): HotColumn[] => {
    const below = [...path, name];
    const column = `m_${below.join('_')}`;
    if (typeof member === 'object')
      return [{ column: `has_${column}`, path: below, kind: 'presence' }, ...hotColumnsOf(member, below)];
    return [{ column, path: below, kind: member === 's' ? 'string' : member === 'i' ? 'int64' : 'float64' }];
  });
}

/** Text that no time zone can move: the recorded tables give UTC without saying so. */
const microsOf = (timestamp: string): number => Date.parse(`${timestamp.replace(' ', 'T')}Z`) * 1000;

export interface QueryAnswer {
  readonly columns: readonly OutputColumn[];
  readonly rows: readonly Record<string, unknown>[];
  /** The same rows with every digit of whole numbers. */
  readonly exactRows: () => readonly JsonValue[];
}

/** The recorded tables in the engine under test, shown unfiltered by a test-only definition. */
export class ConformanceStore {
  readonly #test: StorageHarness;
  readonly #sources: ReadonlyMap<string, Source>;
  readonly #stored: string;

  private constructor(test: StorageHarness, sources: readonly Source[]) {
    this.#test = test;
    this.#sources = new Map(sources.map((source) => [source.name, source]));
    const tables = sources.map(
      ({ name }) => `${name} as (select id, timestamp, event_message, metadata from sources.${name})`,
    );
    this.#stored = `with ${tables.join(', ')}, ${typedTables} select 1`;
  }

  /** `withHotColumns`: whether members are kept in typed columns too; `isSealed`: in a sealed file or the active one. */
  static async open(options: { withHotColumns: boolean; isSealed: boolean }): Promise<ConformanceStore> {
    const sources = Object.entries(logTables.shape).map(
      ([name, shape]): Source => ({
        name,
        projectField: { kind: 'column' },
        shape: shapeOf(notation(shape)),
        hotColumns: options.withHotColumns
          ? [{ column: 'has_metadata', path: [], kind: 'presence' }, ...hotColumnsOf(shape)]
          : [],
      }),
    );
    const test = await engineUnderTest.open({ sources });
    for (const source of sources) {
      const events = (logTables.tables[source.name] ?? []).map((row) => {
        const metadata = parseJson(JSON.stringify(row.metadata));
        if (!isJsonObject(metadata)) throw new Error('metadata of a recorded row is no object');
        const cells = hotCells(metadata, source.hotColumns);
        return {
          id: row.id,
          timestampMicros: microsOf(row.timestamp),
          project: 'recorded',
          eventMessage: row.event_message,
          metadata: JSON.stringify(row.metadata),
          hot: cells.values,
          irregular: cells.irregular,
        };
      });
      await test.seed(source.name, events);
    }
    if (options.isSealed) await test.age();
    return new ConformanceStore(test, sources);
  }

  compile(sql: string): ResolvedQuery {
    return compileCaller(sql, this.#stored, { sources: this.#sources, parameters: new Map() });
  }

  async run(sql: string): Promise<QueryAnswer> {
    const query = this.compile(sql);
    const result = await this.#test.engine.queries.run(
      {
        query,
        parameters: new Map(),
        projects: null,
        redaction: null,
        nowMicros: Date.UTC(2026, 5, 1) * 1000,
        rowsMax: Math.min(1000, query.outerLimit ?? 1000),
        bytesMax: 2 ** 24,
        profile: 'plain',
      },
      never,
    );
    const text = `[${Buffer.from(result.rows).toString()}]`;
    const rows = JSON.parse(text) as Record<string, unknown>[];
    return { columns: query.columns, rows, exactRows: () => parseJson(text) as readonly JsonValue[] };
  }

  async close(): Promise<void> {
    await this.#test.close();
  }
}

export interface RecordedQuery {
  readonly name: string;
  readonly sql: string;
  readonly columns?: readonly string[];
  readonly rows?: readonly (readonly unknown[])[];
  readonly reference_error?: string;
}

export const recordedQueries = JSON.parse(readFileSync(dataUrl('queries.json'), 'utf8')) as readonly RecordedQuery[];
