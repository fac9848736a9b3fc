import { type Background, inBackground } from '../core/concurrency/inBackground.ts';
import { builtinSources } from '../sources/builtin.ts';
import { callerInSteps } from './compile.ts';

/** Pause between two texts, in milliseconds, so that calls can run in between. */
const pauseMs = 15;
/** Pause between two steps of one text. */
const stepPauseMs = 1;
/** How often every text is compiled. Measured: more rounds cost more than they gain. */
const rounds = 12;

const stored = `with
  edge_logs as (select id, timestamp, event_message, metadata from sources.edge_logs where project = @project and timestamp > @since),
  auth_logs as (select id, timestamp, event_message, metadata from sources.auth_logs where project = @project and timestamp > @since)
select id from edge_logs`;

/** Texts with the usual constructs of caller queries. They are compiled, and never run. */
export const warmingTexts: readonly string[] = [
  `select t.id, t.timestamp, t.event_message, request.method, upper(request.path) as path, response.status_code + 1 as code,
     coalesce(request.headers.user_agent, '-') as agent, if(response.status_code >= 500, 'failed', 'done') as outcome
   from edge_logs as t cross join unnest(t.metadata) as m cross join unnest(m.request) as request
   cross join unnest(m.response) as response
   where response.status_code >= 400 and (event_message like '%a%' or request.method != 'GET')
   order by t.timestamp desc limit 100`,
  `select timestamp_trunc(t.timestamp, minute) as minute, request.path, count(*) as calls,
     countif(response.status_code >= 500) / count(*) as rate, max(response.origin_time) as longest,
     case when count(*) > 10 then 'many' when count(*) = 1 then 'one' else 'few' end as verdict
   from edge_logs as t cross join unnest(t.metadata) as m cross join unnest(m.request) as request
   left join unnest(m.response) as response
   where t.timestamp > timestamp_sub(current_timestamp(), interval 1 hour)
   group by minute, request.path having calls > 1 order by minute desc, calls limit 1000`,
  `with failed as (select id, timestamp, regexp_extract(event_message, r'code (\\d+)') as code from auth_logs
     where regexp_contains(event_message, 'fail|refuse') and id is not null),
   ranked as (select *, row_number() over (partition by code order by timestamp desc) as place from failed)
   select e.id, r.code, safe_cast(r.code as int64) as number from edge_logs as e join ranked as r on e.id = r.id
   where r.place <= 3 and r.code in ('1', '2', '3') and e.timestamp between timestamp '2026-01-01' and current_timestamp()`,
  `select id, timestamp, event_message, 'edge' as origin from edge_logs where event_message like '%1%'
   union all select id, timestamp, event_message, 'auth' as origin from auth_logs where metadata.level = 'error'
   union all select id, timestamp, lower(event_message), concat('a', 'b') from auth_logs where exists (select 1 from edge_logs)
   order by timestamp desc limit 100`,
  `from edge_logs |> where metadata.response.status_code > 299 |> extend metadata.request.method as method
   |> aggregate count(*) as calls, approx_quantiles(metadata.response.origin_time, 100) as spread group by method
   |> order by calls desc |> limit 10`,
];

/**
 * Compiles a few texts repeatedly in the background, so that the JavaScript runtime optimises the compiler before the first
 * caller query. Discards the results. Returns a function that stops it.
 */
export function warmCompiler(background: Background): () => void {
  return inBackground(background, steps(), pauseMs);
}

function* steps(): Generator<number, void> {
  const context = {
    sources: new Map(builtinSources.map((source) => [source.name, source])),
    parameters: new Map([
      ['project', 'string'],
      ['since', 'timestamp'],
    ] as const),
  };
  for (let round = 0; round < rounds; round++) {
    for (const text of warmingTexts) {
      const compiling = callerInSteps(text, stored, context);
      while (compiling.next().done !== true) yield stepPauseMs;
      yield pauseMs;
    }
  }
}
