import { callWithSql, probe } from './callerOverHttp.ts';
import { median } from './percentile.ts';

const bytes = 64 * 1024;
const rounds = 7;
const probePauseMs = 2;

const fill = (part: string): string => part.repeat(Math.floor((bytes - 200) / part.length));

/** Texts of 64 KiB with as much nesting, as many operators or as large a pattern as fits. */
const bombs: Readonly<Record<string, string>> = {
  parentheses: `select ${fill('(')}1${fill(')').slice(0, 10)}`,
  'closed parentheses': `select ${'('.repeat(bytes / 2 - 100)}1${')'.repeat(bytes / 2 - 100)}`,
  'calls inside calls': `select ${fill('upper(')}'x'`,
  'NOT chain': `select id from edge_logs where ${fill('not ')}true`,
  'minus chain': `select ${fill('- ')}1`,
  'additions in a row': `select 1${fill(' + 1')} from edge_logs`,
  'concatenations in a row': `select 'a'${fill(" || 'a'")} from edge_logs`,
  'ANDs in a row': `select id from edge_logs where true${fill(' and id is not null')}`,
  'CASE inside CASE': `select ${fill('case when true then ')}1`,
  'subqueries inside one another': `select ${fill('(select ')}1`,
  'derived tables inside one another': `${fill('select * from (')}edge_logs`,
  'arrays inside arrays': `select ${fill('[')}`,
  'members of members': `select metadata${fill('.a')} from edge_logs`,
  'a long IN list': `select id from edge_logs where id in ('a'${fill(", 'a'")})`,
  'WITH tables in a chain': `with ${Array.from({ length: 1400 }, (_, n) => `t${n} as (select * from ${n === 0 ? 'edge_logs' : `t${n - 1}`})`).join(', ')} select 1 from t1399`,
  'joins in a row': `select 1 from edge_logs a0${Array.from({ length: 2200 }, (_, n) => ` cross join auth_logs b${n}`).join('')}`,
  'a pattern of nested repeats': `select id from edge_logs where regexp_contains(event_message, r'${'('.repeat(500)}a${'{1,9})'.repeat(500)}')`,
  'a pattern of nested stars': `select id from edge_logs where regexp_contains(event_message, r'${'('.repeat(8000)}a${'*)*'.repeat(8000)}b')`,
  'a pattern of alternatives': `select id from edge_logs where regexp_contains(event_message, r'${fill('a|')}b')`,
  'an unclosed text': `select 'a${fill('a')}`,
  'an unclosed comment': `select 1 /*${fill('/*')}`,
};

export interface BombTime {
  readonly what: string;
  readonly status: number;
  readonly code: string;
  readonly medianMs: number;
  /** The longest wait for the answer of a probe, which is sent every few milliseconds. */
  readonly probeMsMax: number;
}

/** Measures the time until such a text is answered, and whether the service answers others meanwhile. */
export async function bombTimes(url: string, project: string): Promise<readonly BombTime[]> {
  const measured: BombTime[] = [];
  for (const [what, sql] of Object.entries(bombs)) {
    const times: number[] = [];
    let probeMsMax = 0;
    let status = 0;
    let code = '';
    for (let round = 0; round < rounds; round++) {
      let isOver = false;
      const probing = (async () => {
        while (!isOver) {
          const { ms } = await probe(url);
          // The first calls run code that is not compiled yet.
          if (round > 0) probeMsMax = Math.max(probeMsMax, ms);
          await new Promise((resolve) => setTimeout(resolve, probePauseMs));
        }
      })();
      // A new text each time, which is not compiled yet.
      const answer = await callWithSql(url, `/* ${round} */ ${sql}`, { project });
      isOver = true;
      await probing;
      if (round > 0) times.push(answer.ms);
      status = answer.status;
      code = /"code":"([^"]+)"/.exec(answer.body.toString('utf8'))?.[1] ?? '';
    }
    measured.push({ what, status, code, medianMs: median(times), probeMsMax });
  }
  return measured;
}
