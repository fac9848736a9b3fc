import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { PostgresCluster } from '../../../test/support/postgresCluster.ts';
import { benchedQueries } from '../../benchedQueries.ts';
import { ofAnswer, ofPostgres } from '../../comparableRows.ts';
import { median } from '../../percentile.ts';
import { perfectIndex } from '../../postgres/loadEvents.ts';
import { type Asked, runStatement, type Statement } from '../../postgres/statement.ts';
import { callerStatement, storedStatement } from '../../postgres/statements.ts';
import { measureParallel } from '../../queryOverHttp.ts';
import { requireEqualRows } from '../../sameRows.ts';
import { byTurns, timed } from '../byTurns.ts';
import { type Figure, figure } from '../figure.ts';
import { getOverHttp } from '../getOverHttp.ts';
import { withLoadedPostgres } from '../loadedPostgres.ts';
import type { PartContext } from '../partContext.ts';
import type { PreparedEvents } from '../preparedEvents.ts';
import { target } from '../targets.ts';
import { askOverHttp, callerCases } from './callerQueries.ts';

const part = 'beside PostgreSQL';
/** Tries, because a time bucket can end between the two answers. */
const comparisons = 3;

/** A query for both Logmill and PostgreSQL. */
interface Question {
  readonly what: string;
  readonly statement: Statement;
  readonly kind: 'newest' | 'short' | 'long';
  readonly after: string | null;
  readonly project: string;
  /** The answer over HTTP, without the cache. */
  ask(url: string): Promise<Buffer>;
}

/**
 * Compares stored endpoints and caller queries with a PostgreSQL server on this machine that holds the same events: first
 * with the usual indexes, on time and on project, then with the best index for these queries. Both must return the same
 * rows before a query is timed. PostgreSQL is called over its socket, without HTTP.
 */
export async function measureBesidePostgres(
  context: PartContext,
  prepared: PreparedEvents,
): Promise<readonly Figure[]> {
  return await withLoadedPostgres(context, prepared, 'figures beside PostgreSQL are', async (cluster, loader) => {
    return await context.serving(context.copyOf(prepared), async ({ url }) => {
      await measureParallel(url, benchedQueries, 1, context.effort.seconds * 2);
      const usual = await measureAll(context, prepared, cluster, url, 'usual indexes');
      await loader.query(perfectIndex);
      await loader.query('VACUUM (ANALYZE) events');
      const bytes = await loader.query<string[]>({
        text: `SELECT pg_total_relation_size('events')`,
        rowMode: 'array',
      });
      const perfect = await measureAll(context, prepared, cluster, url, 'perfect index');
      await loader.end();
      return [...usual, ...perfect, storedFigure(prepared, Number(bytes.rows[0]?.[0]))];
    });
  });
}

async function measureAll(
  context: PartContext,
  prepared: PreparedEvents,
  cluster: PostgresCluster,
  url: string,
  design: 'usual indexes' | 'perfect index',
): Promise<readonly Figure[]> {
  context.say(`asking both, PostgreSQL with ${design}`);
  const client = await cluster.connect();
  const figures: Figure[] = [];
  for (const question of questions()) {
    const { statement, kind } = question;
    await requireSame(client, url, question);
    const times = await byTurns(
      {
        postgres: timed(() => runStatement(client, statement, asked(question))),
        http: timed(() => question.ask(url)),
      },
      context.effort,
    );
    const postgresMs = median(times.postgres);
    const httpMs = median(times.http);
    figures.push(
      figure({
        part,
        events: prepared.events,
        what: question.what,
        measured: httpMs,
        unit: 'ms',
        beside: { what: `PostgreSQL, ${design}`, value: postgresMs },
        target: design === 'perfect index' ? judged(kind, httpMs / postgresMs) : null,
      }),
    );
  }
  await client.end();
  return figures;
}

function judged(kind: Question['kind'], ratio: number): Figure['target'] {
  if (kind === 'newest') return target('newestPostgres', ratio);
  return kind === 'short' ? target('postgresShort', ratio) : target('postgresLong', ratio);
}

function questions(): readonly Question[] {
  const stored = benchedQueries.map((query): Question => {
    const { project = '', interval = '' } = query.parameters;
    return {
      what: query.title,
      statement: storedStatement(query),
      kind: query.isNewest ? 'newest' : ['1hr', 'minutely'].includes(interval) ? 'short' : 'long',
      after: null,
      project,
      ask: async (url) => (await getOverHttp(url, query, { isCacheAsked: false })).body,
    };
  });
  const callers = callerCases.map(({ what, query, asked: given }): Question => {
    const { project, afterMicros } = given;
    return {
      what,
      statement: callerStatement(query.name),
      kind: 'long',
      after: afterMicros === null ? null : new Date(afterMicros / 1000).toISOString(),
      project,
      ask: (url) => askOverHttp(url, query, given),
    };
  });
  return [...stored, ...callers];
}

function asked({ project, after }: Question): Asked {
  return { project, after, now: new Date().toISOString() };
}

/** Throws unless both return the same rows. */
async function requireSame(client: pg.Client, url: string, question: Question): Promise<void> {
  for (let comparison = 1; ; comparison++) {
    const rows = await runStatement(client, question.statement, asked(question));
    const answered = ofAnswer(await question.ask(url));
    try {
      requireEqualRows(`${question.what} beside PostgreSQL`, answered, ofPostgres(rows, answered));
      return;
    } catch (cause) {
      if (comparison === comparisons) throw cause;
      await delay(1000);
    }
  }
}

function storedFigure({ events }: PreparedEvents, bytes: number): Figure {
  return figure({
    part,
    events,
    what: 'bytes of an event in PostgreSQL, with all indexes',
    measured: bytes / events,
    unit: 'bytes',
  });
}
