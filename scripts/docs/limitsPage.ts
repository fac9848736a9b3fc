import { backupIdleMsMax, backupsMax } from '../../src/backup/backupSessions.ts';
import type { ErrorCode } from '../../src/core/errorCatalogue.ts';
import { limits } from '../../src/core/limits.ts';
import { parametersMax } from '../../src/endpoints/parseDefinition.ts';
import { duckdbLimits } from '../../src/engines/duckdb/limits.ts';
import { redactedCharsMax } from '../../src/engines/duckdb/process/scripted/redactingFunctions.ts';
import { defaultDuckDbSettings } from '../../src/engines/duckdb/settings.ts';
import { pipesMax } from '../../src/googlesql/resolve/pipes.ts';
import { defaultParseLimits } from '../../src/googlesql/syntax/parseLimits.ts';
import { noteCharsMax } from '../../src/http/routes/endpoints/changeRequest.ts';
import { defaultHttpSettings } from '../../src/http/services.ts';
import type { RejectionCode } from '../../src/ingest/rejection.ts';
import { deployedMax } from '../../src/manage/endpointManagement.ts';
import { defaultUsageSettings } from '../../src/observe/usage.ts';
import { fileName, type SettingName, settingsSchema } from '../../src/start/settings.ts';

/** A number with its unit, or the setting that holds it. */
type Bound = SettingName | readonly [value: number, unit: 'bytes' | 'ms' | ''];

export interface Limit {
  readonly what: string;
  readonly bound: Bound;
  /** What a definition or a token can say in its place. */
  readonly otherwise?: string;
  /** What happens beyond it: a code, or a sentence. */
  readonly beyond: ErrorCode | RejectionCode | { readonly sentence: string };
}

const cut = (by: string) => ({ sentence: `the answer is cut, \`meta.truncated_by\` is \`${by}\`` });

/** Every limit of the service; the page of limits and its test are made from it. */
export const documentedLimits: Readonly<Record<string, readonly Limit[]>> = {
  Queries: [
    {
      what: 'rows of one answer',
      bound: [1000, ''],
      otherwise: `\`max_rows\` of the definition, up to ${limits.maxRowsMax.toLocaleString('en')}, and of the token`,
      beyond: cut('max_rows'),
    },
    { what: 'bytes of rows in one answer', bound: 'resultBytesMax', beyond: cut('result_bytes') },
    {
      what: 'run time of a query',
      bound: 'queryTimeoutMs',
      otherwise: '`timeout_ms` of the definition',
      beyond: 'query.timeout',
    },
    { what: 'text of a query of the caller', bound: 'queryTextBytesMax', beyond: 'sql.too_complex' },
    { what: 'nodes of a query', bound: [defaultParseLimits.nodesMax, ''], beyond: 'sql.too_complex' },
    { what: 'SELECTs of a query', bound: [defaultParseLimits.selectsMax, ''], beyond: 'sql.too_complex' },
    { what: 'constructs inside one another', bound: [defaultParseLimits.depthMax, ''], beyond: 'sql.too_complex' },
    { what: 'nodes from a query to its deepest', bound: [defaultParseLimits.heightMax, ''], beyond: 'sql.too_complex' },
    { what: 'pipe operators', bound: [pipesMax, ''], beyond: 'sql.too_complex' },
    {
      what: 'subqueries inside one another as values',
      bound: [duckdbLimits.subqueryDepthMax, ''],
      beyond: 'sql.too_complex',
    },
    { what: 'columns of a result', bound: [limits.outputColumnsMax, ''], beyond: 'sql.too_complex' },
    {
      what: 'value of a parameter, not `sql` and `lql`',
      bound: 'parameterBytesMax',
      otherwise: '`max_length` of the parameter',
      beyond: 'parameter.too_long',
    },
    {
      what: 'queries at one time',
      bound: 'queryConcurrency',
      otherwise: '`concurrency` of the token, for its own',
      beyond: { sentence: 'further ones wait' },
    },
    { what: 'queries that wait', bound: 'queryQueueMax', beyond: 'query.overloaded' },
    { what: 'wait for a place', bound: 'queryQueueWaitMs', beyond: 'query.overloaded' },
    { what: 'memory of the engine', bound: 'memory', beyond: 'query.memory' },
    {
      what: 'resident memory of the engine process; three times its memory where that is more',
      bound: [defaultDuckDbSettings.processBytesMax, 'bytes'],
      beyond: 'query.memory',
    },
    {
      what: 'what sorts may spill to disk',
      bound: [defaultDuckDbSettings.spillBytesMax, 'bytes'],
      beyond: 'query.memory',
    },
    {
      what: 'time in which a query that is ended must stop',
      bound: [defaultDuckDbSettings.interruptGraceMs, 'ms'],
      beyond: { sentence: 'its process is ended; other queries are repeated in a new one' },
    },
    {
      what: 'characters redacted for one query of a caller',
      bound: [redactedCharsMax, ''],
      beyond: 'redaction.rows_max',
    },
    { what: 'values redacted for one query of a caller', bound: 'redactionRowsMax', beyond: 'redaction.rows_max' },
  ],
  Requests: [
    {
      what: 'requests of one token in a minute; 0 is no limit',
      bound: 'requestsPerMinute',
      otherwise: '`rate` of the token, besides',
      beyond: 'request.rate_limited',
    },
    {
      what: 'request line and headers together',
      bound: [limits.requestHeadBytesMax, 'bytes'],
      beyond: 'request.head_too_large',
    },
    {
      what: 'header lines of a request',
      bound: [limits.requestHeaderLinesMax, ''],
      beyond: 'request.head_too_large',
    },
    { what: 'body of a query', bound: [defaultHttpSettings.queryBodyBytesMax, 'bytes'], beyond: 'request.too_large' },
    {
      what: 'bodies that arrive at one time; twice `ingest_bytes_max` where that is more',
      bound: [defaultHttpSettings.bodyBytesHeldMax, 'bytes'],
      beyond: 'query.overloaded',
    },
    {
      what: 'time for a request to arrive',
      bound: [defaultHttpSettings.requestTimeoutMs, 'ms'],
      beyond: 'request.timeout',
    },
    {
      what: 'time in which a client takes nothing of its answer',
      bound: [defaultHttpSettings.answerIdleMsMax, 'ms'],
      beyond: { sentence: 'the connection is closed' },
    },
    {
      what: 'time for running calls to end at a stop',
      bound: 'shutdownMs',
      beyond: { sentence: 'they are broken off' },
    },
  ],
  Ingestion: [
    { what: 'body, as sent and decompressed', bound: 'ingestBytesMax', beyond: 'request.too_large' },
    { what: 'events of a request', bound: 'ingestEventsMax', beyond: 'ingest.too_many_events' },
    { what: 'one event', bound: 'eventBytesMax', beyond: 'event.too_large' },
    { what: 'characters of an id', bound: [limits.eventIdCharsMax, ''], beyond: 'event.id_invalid' },
    { what: 'a timestamp ahead of the clock', bound: [limits.eventAheadMsMax, 'ms'], beyond: 'event.too_far_ahead' },
    { what: 'days that an event may be old; `0` is no limit', bound: 'retentionDays', beyond: 'event.too_old' },
    {
      what: 'bytes of batches that wait to be written',
      bound: [defaultDuckDbSettings.appendBytesMax, 'bytes'],
      beyond: 'ingest.overloaded',
    },
    {
      what: 'batches that wait to be written',
      bound: [defaultDuckDbSettings.appendBatchesMax, ''],
      beyond: 'ingest.overloaded',
    },
    { what: 'backups that are made at one time', bound: [backupsMax, ''], beyond: 'backup.overloaded' },
    {
      what: 'time in which nothing of a backup is read',
      bound: [backupIdleMsMax, 'ms'],
      beyond: 'backup.unknown',
    },
    {
      what: 'bytes of all event files; `0` is no limit',
      bound: 'diskBudget',
      beyond: { sentence: 'the oldest sealed files are dropped' },
    },
    {
      what: 'free disk space, at least; 1 GiB or a twentieth of the disk where unset',
      bound: 'diskFreeMin',
      beyond: 'ingest.disk_full',
    },
  ],
  'Definitions of endpoints': [
    {
      what: 'body of a request that holds definitions',
      bound: [limits.definitionBodyBytesMax, 'bytes'],
      beyond: 'request.too_large',
    },
    { what: 'definitions of one deployment over HTTP', bound: [deployedMax, ''], beyond: 'request.malformed' },
    { what: 'text of a stored query', bound: [limits.storedQueryCharsMax, 'bytes'], beyond: 'definition.invalid' },
    { what: 'parameters of a definition', bound: [parametersMax, ''], beyond: 'definition.invalid' },
    { what: 'characters of the note of a version', bound: [noteCharsMax, ''], beyond: 'parameter.too_long' },
  ],
  'Cache and tokens': [
    {
      what: 'bytes of cached results',
      bound: 'cacheBytes',
      beyond: { sentence: 'those not used for longest are dropped' },
    },
    { what: 'cached results', bound: 'cacheEntries', beyond: { sentence: 'those not used for longest are dropped' } },
    {
      what: 'seconds that a definition can have results cached',
      bound: [limits.cacheSecondsMax, ''],
      beyond: 'definition.invalid',
    },
    {
      what: 'characters of the name of an endpoint',
      bound: [limits.endpointNameCharsMax, ''],
      beyond: 'definition.invalid',
    },
    { what: 'body with definitions', bound: [limits.definitionBodyBytesMax, 'bytes'], beyond: 'request.too_large' },
    { what: 'projects that a token is restricted to', bound: [limits.tokenProjectsMax, ''], beyond: 'token.invalid' },
    { what: 'parameters that a token rules', bound: [limits.tokenParametersMax, ''], beyond: 'token.invalid' },
    {
      what: 'values of a parameter that a token allows',
      bound: [limits.tokenParameterValuesMax, ''],
      beyond: 'token.invalid',
    },
    { what: 'networks that a token is used from', bound: [limits.tokenNetworksMax, ''], beyond: 'token.invalid' },
    {
      what: `sorts of calls that usage keeps of ${defaultUsageSettings.everyMs / 1000} seconds`,
      bound: [defaultUsageSettings.groupsMax, ''],
      beyond: { sentence: 'they are counted in `logmill_usage_dropped_total` only' },
    },
  ],
};

/** The page of limits. */
export function limitsPage(): string {
  const sections = Object.entries(documentedLimits).map(([title, rows]) => {
    const lines = rows.map(
      ({ what, bound, otherwise, beyond }) =>
        `| ${what} | ${limitOf(bound)} | ${changedBy(bound, otherwise)} | ${shown(beyond)} |`,
    );
    return `## ${title}\n\n| limit | by default | changed by | beyond it |\n| --- | --- | --- | --- |\n${lines.join('\n')}`;
  });
  return `# Limits

Nothing is cut or refused in silence: an answer that was cut says so in \`meta\`, and everything else has a code of its own
([errors](errors.md); those that begin with \`event.\` are of single events, [errors of events](errors.md#events-that-were-not-taken)).
Limits that name no setting are fixed. What joins, groupings and pipe operators may bring together is listed in
[the dialect](dialect.md).

${sections.join('\n\n')}

Where \`requests_per_minute\` is set, answers say what is left: \`RateLimit-Policy: "token";q=600;w=60\` and \`RateLimit: "token";r=599;t=1\`
(\`r\` requests may follow at once; after \`t\` seconds one more, or all of them, may). A 429 carries \`Retry-After\`.
`;
}

function limitOf(bound: Bound): string {
  if (typeof bound !== 'string') return quantity(...bound);
  const value: unknown = settingsSchema.shape[bound].parse(undefined);
  if (value === undefined) return 'unset';
  if (typeof value !== 'number') throw new Error(`the setting ${bound} is no limit`);
  const unit = /bytes|^memory$|^disk/i.test(bound) ? 'bytes' : bound.endsWith('Ms') ? 'ms' : '';
  return quantity(value, unit);
}

function quantity(value: number, unit: 'bytes' | 'ms' | ''): string {
  if (unit === 'bytes') {
    if (value % 2 ** 30 === 0) return `${value / 2 ** 30} GiB`;
    return value % 2 ** 20 === 0 ? `${value / 2 ** 20} MiB` : `${value / 2 ** 10} KiB`;
  }
  if (unit === 'ms') return value % 3_600_000 === 0 ? `${value / 3_600_000} h` : `${value / 1000} s`;
  return value.toLocaleString('en');
}

function changedBy(bound: Bound, otherwise: string | undefined): string {
  const setting = typeof bound === 'string' ? [`[\`${fileName(bound)}\`](settings.md#${fileName(bound)})`] : [];
  return [...setting, ...(otherwise === undefined ? [] : [otherwise])].join('; ');
}

function shown(beyond: Limit['beyond']): string {
  if (typeof beyond === 'object') return beyond.sentence;
  return beyond.startsWith('event.') ? `\`${beyond}\`` : `[\`${beyond}\`](errors.md#${beyond})`;
}
