import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeededRandom } from '../../../demo/seededRandom.ts';
import { compileStored } from '../../../googlesql/compile.ts';
import type { ParameterType, ParameterValue } from '../../../googlesql/resolve/parameterValue.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { TestStorage } from '../storage.fixture.ts';
import { DuckDbQueryEngine } from './duckdbQueryEngine.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));
const parameters = new Map<string, ParameterType>([
  ['since', 'timestamp'],
  ['until', 'timestamp'],
  ['day', 'date'],
  ['project', 'string'],
]);

const second = 1_000_000;
const hour = 3600 * second;
const dayMicros = 24 * hour;
/** The middle of the events, at midnight. */
const startMicros = Date.UTC(2026, 4, 1) * 1000;
const batchEvents = 1600;
const batches = 5;
const callsOfBatch = 36;

const projectNames = ['p', 'q', 'r'] as const;

interface Event {
  readonly id: string;
  readonly micros: number;
  readonly project: string;
  readonly source: 'rest_api_logs' | 'pooler_logs';
}

/** Times in no order, four hours of them; no two alike. */
const events: readonly Event[] = Array.from({ length: batchEvents * batches }, (_, n) => ({
  id: `e${String(n).padStart(5, '0')}`,
  micros: startMicros - 2 * hour + ((n * 7919) % (batchEvents * batches)) * 1.8 * second,
  project: projectNames[n % 3] ?? 'p',
  source: n % 4 === 0 ? 'rest_api_logs' : 'pooler_logs',
}));

/** Of one call. */
interface Asked {
  readonly since: number | null;
  readonly until: number;
  readonly now: number;
  readonly days: number;
  readonly projects: readonly string[] | null;
  readonly project: string;
}

interface Question {
  readonly sql: string;
  /** The ids that it gives where these events are stored. */
  readonly wanted: (stored: readonly Event[], asked: Asked) => readonly string[];
}

const newest = (found: readonly Event[], count: number): readonly string[] =>
  found
    .toSorted((a, b) => b.micros - a.micros)
    .slice(0, count)
    .map(({ id }) => id);

const pooler = (stored: readonly Event[]) => stored.filter(({ source }) => source === 'pooler_logs');
const all = (found: readonly Event[]): readonly string[] => found.map(({ id }) => id).toSorted();

/** Each bounds its scans by times of its call in another way. */
const questions: Readonly<Record<string, Question>> = {
  'the newest rows of a window': {
    sql: `select id from sources.pooler_logs where timestamp >= @since and timestamp < @until
      order by timestamp desc limit 20`,
    wanted: (stored, { since, until }) =>
      newest(
        pooler(stored).filter(({ micros }) => since !== null && micros >= since && micros < until),
        20,
      ),
  },
  'the newest rows of a filter that few events meet': {
    sql: `select id from sources.pooler_logs where (@since is null or timestamp > @since) and ends_with(id, '7')
      and project = @project order by timestamp desc limit 20`,
    wanted: (stored, { since, project }) =>
      newest(
        pooler(stored).filter(
          (event) => (since === null || event.micros > since) && event.id.endsWith('7') && event.project === project,
        ),
        20,
      ),
  },
  'the newest rows of two sources with bounds of their own': {
    sql: `select id, timestamp from (select id, timestamp from sources.pooler_logs where timestamp >= @since
      union all select id, timestamp from sources.rest_api_logs where timestamp > timestamp_sub(@until, interval 1 hour))
      order by timestamp desc limit 30`,
    wanted: (stored, { since, until }) =>
      newest(
        stored.filter(({ source, micros }) =>
          source === 'pooler_logs' ? since !== null && micros >= since : micros > until - hour,
        ),
        30,
      ),
  },
  'rows of the last half hour': {
    sql: `select id from sources.rest_api_logs where timestamp > timestamp_sub(current_timestamp(), interval 30 minute)
      and timestamp <= current_timestamp() order by id`,
    wanted: (stored, { now }) =>
      all(
        stored.filter(({ source, micros }) => source === 'rest_api_logs' && micros > now - hour / 2 && micros <= now),
      ),
  },
  'rows of a window whose ends come in any order': {
    sql: `select id from sources.rest_api_logs where timestamp >= least(coalesce(@since, @until), @until)
      and timestamp <= if(@since > @until, @since, @until) order by id`,
    wanted: (stored, { since, until }) =>
      all(
        stored.filter(
          ({ source, micros }) =>
            source === 'rest_api_logs' &&
            micros >= Math.min(since ?? until, until) &&
            micros <= Math.max(since ?? until, until),
        ),
      ),
  },
  'rows of a day since a time': {
    sql: `with w as (select timestamp(@day) as first, timestamp(date_add(@day, interval 1 day)) as last)
      select e.id from w join sources.rest_api_logs as e on e.timestamp >= w.first and e.timestamp < w.last
      where e.timestamp >= timestamp_trunc(@until, hour) order by e.id`,
    wanted: (stored, { days, until }) =>
      all(
        stored.filter(
          ({ source, micros }) =>
            source === 'rest_api_logs' &&
            micros >= days * dayMicros &&
            micros < (days + 1) * dayMicros &&
            micros >= until - (until % hour),
        ),
      ),
  },
  'rows by a number of hours that is read where the statement is written': {
    sql: `select id from sources.rest_api_logs where timestamp >= @until
      and metadata.n[safe_offset(timestamp_diff(@until, @since, hour))] is null order by id`,
    wanted: (stored, { until }) =>
      all(stored.filter(({ source, micros }) => source === 'rest_api_logs' && micros >= until)),
  },
};

describe('calls of one query at once, each for other times and projects', () => {
  let test: TestStorage;
  let engine: DuckDbQueryEngine;
  beforeAll(async () => {
    test = await TestStorage.open();
    engine = new DuckDbQueryEngine(test.storage.files, test.storage.statements);
  });
  afterAll(async () => {
    await test.close();
  });

  /** Stored as a whole before the call, and begun to be stored when it ended. */
  let stored = 0;
  let begun = 0;

  async function append(batch: number): Promise<void> {
    begun = batch + 1;
    const part = events.slice(batch * batchEvents, begun * batchEvents);
    for (const source of ['rest_api_logs', 'pooler_logs'] as const) {
      const hot = (sources.get(source)?.hotColumns ?? []).map(() => null);
      const rows = part
        .filter((event) => event.source === source)
        .map(({ id, micros, project }) => ({ id, timestampMicros: micros, project, eventMessage: 'm' }))
        .map((event) => ({ ...event, metadata: '{}', hot, irregular: [] }));
      await test.storage.log.append({ source, events: rows, identity: null });
    }
    stored = begun;
  }

  const queries = Object.entries(questions).map(([name, question]) => ({
    name,
    ...question,
    query: compileStored(question.sql, { sources, parameters }),
  }));

  async function call(n: number, random: SeededRandom): Promise<void> {
    const { name, query, wanted } = queries[n % queries.length] as (typeof queries)[number];
    const moment = () => startMicros + random.integer(-2 * 3600, 2 * 3600) * second;
    const asked: Asked = {
      since: random.chance(0.1) ? null : moment(),
      until: moment(),
      now: moment(),
      days: startMicros / dayMicros - random.integer(0, 1),
      projects: random.pick([null, ['p'], ['q'], ['p', 'r']] as const),
      project: random.pick(projectNames),
    };
    const values = new Map<string, ParameterValue>([
      ['since', asked.since === null ? { kind: 'null' } : { kind: 'timestamp', micros: asked.since }],
      ['until', { kind: 'timestamp', micros: asked.until }],
      ['day', { kind: 'date', days: asked.days }],
      ['project', { kind: 'string', value: asked.project }],
    ]);
    const request = { query, parameters: values, projects: asked.projects, redaction: null, nowMicros: asked.now };
    const limits = { rowsMax: query.outerLimit ?? 20_000, bytesMax: 2 ** 22, profile: 'plain' } as const;
    const { signal } = new AbortController();
    const atLeast = stored;
    if (random.chance(0.2)) await engine.explain({ ...request, ...limits }, signal);
    const { rows } = await engine.run({ ...request, ...limits }, signal);
    const found = (JSON.parse(`[${Buffer.from(rows).toString()}]`) as { id: string }[]).map(({ id }) => id);
    // Of two sources, a batch is stored in one before it is in the other: each may be in the answer or not.
    const possible: string[] = [];
    for (let rest = atLeast; rest <= begun; rest++)
      for (let other = atLeast; other <= begun; other++) {
        const there = events.filter(
          ({ source, project }, at) =>
            at < (source === 'rest_api_logs' ? rest : other) * batchEvents &&
            (asked.projects === null || asked.projects.some((each) => each === project)),
        );
        possible.push(JSON.stringify(wanted(there, asked)));
      }
    expect(possible, `${name}\n${JSON.stringify(asked)}`).toContain(JSON.stringify(found));
  }

  it('are each answered for their own, while events are appended and sealed', async () => {
    const random = new SeededRandom('calls at once');
    await append(0);
    for (let batch = 1; batch <= batches; batch++) {
      const calls = Array.from({ length: callsOfBatch }, (_, n) => call(n, random));
      const changes = (async () => {
        if (batch < batches) await append(batch);
        if (batch % 2 === 1) await test.storage.sealNow();
      })();
      await Promise.all([...calls, changes]);
    }
  });
});
