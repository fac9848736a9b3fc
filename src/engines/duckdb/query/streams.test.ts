import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../core/errors.ts';
import { compileStored } from '../../../googlesql/compile.ts';
import { readColumns } from '../../../ports/columnFrame.ts';
import type { RowFrame, RowSink, RunRequest } from '../../../ports/queryEngine.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { pathKey } from '../../../sources/source.ts';
import { ResidentMemory } from '../host/residentBytes.ts';
import { edgeBatch, never, TestStorage } from '../storage.fixture.ts';
import { DuckDbQueryEngine } from './duckdbQueryEngine.ts';
import type { EngineRunner } from './statementRunner.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));

function request(sql: string, more: Partial<RunRequest> = {}): RunRequest {
  return {
    query: compileStored(sql, { sources, parameters: new Map() }),
    parameters: new Map(),
    projects: null,
    redaction: null,
    nowMicros: 0,
    rowsMax: 10_000_000,
    bytesMax: 2 ** 40,
    profile: 'plain',
    ...more,
  };
}

/** That many rows with the numbers from 0, of which one may fail; without events. */
const numbers = (count: number, value = 'n') =>
  `select ${value} as n from (select a * 1000 + b as n from unnest(generate_array(0, ${Math.ceil(count / 1000) - 1})) as a, unnest(generate_array(0, 999)) as b) where n < ${count}`;

/** Collects frames, one after the other. */
class Collected implements RowSink {
  readonly frames: { readonly text: string; readonly ends: readonly number[]; readonly rowCount: number }[] = [];
  readonly kinds = new Set<string>();
  begun = 0;

  get rowCount(): number {
    return this.frames.reduce((sum, { rowCount }) => sum + rowCount, 0);
  }

  begins(): void {
    this.begun++;
  }

  async rows(frame: RowFrame): Promise<void> {
    const { kind, rows, rowCount } = frame;
    this.kinds.add(kind);
    const ends = frame.kind === 'json' ? frame.ends : null;
    const offsets = ends === null ? [] : [...new Uint32Array(new Uint8Array(ends).buffer)];
    this.frames.push({ text: Buffer.from(rows).toString(), ends: offsets, rowCount });
  }
}

/** Collects the rows of columns of a FLOAT64, a STRING and an INT64, or of an INT64 alone. */
class Columns implements RowSink {
  readonly taken: (readonly [number, string, bigint])[] = [];
  readonly #count: 1 | 3;
  rowCount = 0;

  constructor(count: 1 | 3) {
    this.#count = count;
  }

  begins(): void {}

  async rows({ kind, rows, rowCount }: RowFrame): Promise<void> {
    expect(kind).toBe('columns');
    this.rowCount += rowCount;
    if (this.#count === 1) return;
    const [f, t, n] = readColumns(rows, rowCount, ['words8', 'bytes', 'words8']);
    if (f === undefined || t === undefined || n === undefined) throw new Error('columns are missing');
    const wordsOf = ({ values }: typeof f) => new DataView(values.buffer, values.byteOffset, values.byteLength);
    for (let row = 0; row < rowCount; row++) {
      const text = Buffer.from(t.values.subarray(t.offsets?.[row], t.offsets?.[row + 1])).toString();
      this.taken.push([wordsOf(f).getFloat64(row * 8, true), text, wordsOf(n).getBigInt64(row * 8, true)]);
    }
  }
}

describe('a streamed result', () => {
  let test: TestStorage;
  let engine: DuckDbQueryEngine;
  beforeAll(async () => {
    test = await TestStorage.open({ interruptGraceMs: 2_000 });
    engine = new DuckDbQueryEngine(test.storage.files, test.storage.statements);
  });
  afterAll(async () => {
    await test.close();
  });

  it.each([
    ['few bytes', 50_000, 'n'],
    ['different lengths', 2_000, "concat(n, repeat('x', mod(n * 7919, 3000)))"],
    ['many bytes', 60, "concat(n, repeat('x', mod(n * 7919, 300000)))"],
  ])('has the rows of a run, in frames of whole rows, if they have %s', async (_, count, value) => {
    const sql = `select ${value} as v from (${numbers(count)}) order by n desc`;
    const sink = new Collected();
    const end = await engine.stream(request(sql), sink, never);
    const { rows, rowCount } = await engine.run(request(sql), never);
    expect(sink.frames.map(({ text }) => text).join(',') === Buffer.from(rows).toString()).toBe(true);
    expect(end).toMatchObject({ rowCount, hasMore: false, cutByBytes: false });
    expect(sink.begun).toBe(1);
    expect(sink.frames.length).toBeGreaterThan(3);
    for (const { text, ends, rowCount: count } of sink.frames) {
      expect(ends).toHaveLength(count);
      expect(ends.at(-1)).toBe(text.length);
      expect(ends.slice(0, -1).every((at) => text[at] === ',')).toBe(true);
    }
  });

  it('begins once without rows, and says what cut it', async () => {
    const none = new Collected();
    expect(await engine.stream(request(numbers(10, 'n / 0')), none, never).catch(({ code }) => code)).toBe('sql.data');
    expect(none.begun).toBe(0);
    const sink = new Collected();
    await engine.stream(request('select id from sources.edge_logs'), sink, never);
    expect([sink.begun, sink.frames]).toEqual([1, []]);
    const cut = await engine.stream(request(numbers(100_000), { rowsMax: 70_000 }), new Collected(), never);
    expect(cut).toMatchObject({ rowCount: 70_000, hasMore: true });
    const short = await engine.stream(request(numbers(100_000), { bytesMax: 500_000 }), new Collected(), never);
    expect(short).toMatchObject({ hasMore: false, cutByBytes: true });
    const { rowCount } = await engine.run(request(numbers(100_000), { bytesMax: 500_000 }), never);
    expect(short.rowCount).toBeGreaterThan(rowCount - 10);
  });

  it('in the records profile has the rows of a run too', async () => {
    await test.storage.log.append(edgeBatch(['r'], { metadata: '{"a":{"b":[{"c":1}]}}' }));
    const records = request('select id, metadata from sources.edge_logs', { profile: 'records' });
    const sink = new Collected();
    await engine.stream(records, sink, never);
    expect(sink.frames.map(({ text }) => text)).toEqual([
      Buffer.from((await engine.run(records, never)).rows).toString(),
    ]);
  });

  it.each(['csv', 'tsv'] as const)(
    'is written as lines of %s by the engine, without the last line feed',
    async (kind) => {
      const form = { kind, isGuarded: true };
      const sql = `select concat('=', n) as v, n from (${numbers(50_000)})`;
      const sink = new Collected();
      const end = await engine.stream({ ...request(sql), form }, sink, never);
      expect([sink.kinds, sink.rowCount, end.rowCount]).toEqual([new Set(['lines']), 50_000, 50_000]);
      const lines = sink.frames.flatMap(({ text }) => `${text}\n`.split(/\r?\n/).slice(0, -1));
      const [before, between] = kind === 'csv' ? [`"'=`, '",'] : [`'=`, '\t'];
      const wanted = Array.from({ length: 50_000 }, (_, n) => `${before}${n}${between}${n}`);
      expect(lines.toSorted()).toEqual(wanted.toSorted());
    },
  );

  it('comes as columns if these are wanted, with the values of its rows and its limits', async () => {
    const typed = `select cast(n as float64) / 7 as f, concat('t', n) as t, n from (${numbers(50_000)})`;
    const sink = new Columns(3);
    const end = await engine.stream({ ...request(typed), form: { kind: 'columns' } }, sink, never);
    expect([sink.rowCount, end]).toMatchObject([50_000, { rowCount: 50_000, hasMore: false, cutByBytes: false }]);
    const rows = new Map(sink.taken.map(([f, t, n]) => [String(n), [f, t]]));
    for (let n = 0; n < 50_000; n += 997) expect(rows.get(String(n))).toEqual([n / 7, `t${n}`]);
    expect(rows.size).toBe(50_000);
    const cut = await engine.stream(
      { ...request(numbers(100_000), { rowsMax: 70_000 }), form: { kind: 'columns' } },
      new Columns(1),
      never,
    );
    expect(cut).toMatchObject({ rowCount: 70_000, hasMore: true });
  });

  it('in which a row fails is never complete, whichever row it is', async () => {
    const rows = 300_000;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: rows - 1 }), async (at) => {
        const failing = numbers(rows, `cast(if(n = ${at}, 'x', '1') as int64)`);
        const sink = new Collected();
        const failure: unknown = await engine.stream(request(failing), sink, never).catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(ServiceError);
        expect(sink.rowCount).toBeLessThanOrEqual(at);
        if (sink.rowCount === 0) expect(failure).toMatchObject({ code: 'sql.data' });
      }),
      { numRuns: 10 },
    );
  });

  it('that is aborted, or whose sink fails, at any frame is never complete, and the engine goes on', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.boolean(), async (frame, isAborted) => {
        const controller = new AbortController();
        const sink = new Collected();
        const failing: RowSink = {
          begins: () => sink.begins(),
          rows: async (each) => {
            await sink.rows(each);
            if (sink.frames.length !== frame) return;
            if (!isAborted) throw new ServiceError('stream.stalled', 'planted');
            controller.abort(new ServiceError('query.killed', 'planted'));
            throw new ServiceError('stream.stalled', 'planted');
          },
        };
        const stream = engine.stream(request(numbers(2_000_000)), failing, controller.signal);
        await expect(stream).rejects.toThrow('planted');
        expect(sink.frames).toHaveLength(frame);
      }),
      { numRuns: 10 },
    );
    // The timers of statements that do not stop: none is left, and none has fired.
    await expect.poll(timers, { timeout: 60_000 }).toBeLessThanOrEqual(before);
    expect(test.observations.filter(({ kind }) => kind === 'engine.killed')).toEqual([]);
  });

  it('waits for its sink without fetching rows, with memory that stays as it is', async () => {
    const enginePid = test.storage.enginePid ?? -1;
    const memory = new ResidentMemory(enginePid);
    const controller = new AbortController();
    let taken = 0;
    const stalled = engine.stream(
      request(numbers(5_000_000, `repeat('x', 100)`)),
      {
        begins: () => {},
        rows: async () => {
          taken++;
          if (taken > 5) await new Promise(() => {});
        },
      },
      controller.signal,
    );
    stalled.catch(() => undefined);
    await expect.poll(() => taken, { timeout: 60_000 }).toBe(6);
    const before = memory.read() ?? 0;
    // Another statement runs meanwhile, and takes longer than the stream would need to fill the memory.
    await engine.run(request(`select count(*) as n from (${numbers(3_000_000)})`), never);
    expect(taken).toBe(6);
    expect((memory.read() ?? 0) - before).toBeLessThan(100 * 2 ** 20);
    controller.abort(new ServiceError('query.cancelled', 'left'));
    await expect(stalled).rejects.toThrow('left');
    memory.close();
  });

  it('whose process ends is never complete', async () => {
    const after = test.observations.length;
    let taken = 0;
    const stream = engine.stream(
      request(numbers(2_000_000)),
      {
        begins: () => {},
        rows: async () => {
          if (++taken === 3) await test.killEngine();
        },
      },
      never,
    );
    await expect(stream).rejects.toMatchObject({ code: expect.stringMatching(/^engine\./) });
    await test.observed('engine.started', after);
  });

  it('begins again if an event that its statement did not expect came before its first rows', async () => {
    const sql = "select id, metadata.response.status_code as s from sources.edge_logs where id = 'odd'";
    const { files, statements } = test.storage;
    let tries = 0;
    const late: EngineRunner = {
      ...statements.boundTo(null),
      redactor: statements.redactor,
      boundTo: () => ({
        ...statements.boundTo(null),
        streamRows: async (...given) => {
          if (++tries === 1) {
            const metadata = '{"response":{"status_code":"x"}}';
            await test.storage.log.append(
              edgeBatch(['odd'], { metadata, irregular: [pathKey(['response', 'status_code'])] }),
            );
          }
          return await statements.boundTo(null).streamRows(...given);
        },
      }),
    };
    const sink = new Collected();
    await new DuckDbQueryEngine(files, late).stream(request(sql), sink, never);
    expect([tries, sink.begun, sink.frames.map(({ text }) => text)]).toEqual([2, 1, ['{"id":"odd","s":"x"}']]);
  });
});
