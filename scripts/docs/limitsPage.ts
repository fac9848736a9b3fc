import { backupIdleMsMax, backupSilentMsMax, backupsMax } from '../../src/backup/backupSessions.ts';
import type { ErrorCode } from '../../src/core/errorCatalogue.ts';
import { limits } from '../../src/core/limits.ts';
import { streamBytesDefault, streamRowsDefault } from '../../src/endpoints/definitionFields.ts';
import { parametersMax } from '../../src/endpoints/parseDefinition.ts';
import { defaultFetchSettings } from '../../src/engines/clickhouse/query/openQueries.ts';
import { framedRowBytesMax } from '../../src/engines/duckdb/process/read/rowBytes.ts';
import { redactedCharsMax } from '../../src/engines/duckdb/process/scripted/redactingFunctions.ts';
import { defaultDuckDbSettings } from '../../src/engines/duckdb/settings.ts';
import { exportKeptMicros } from '../../src/exports/exportRecord.ts';
import { exportsInAll, exportsPerToken } from '../../src/exports/exports.ts';
import { defaultEngineLimits } from '../../src/googlesql/engineLimits.ts';
import { pipesMax } from '../../src/googlesql/resolve/pipes.ts';
import { typeValuesMax } from '../../src/googlesql/resolve/resolvedSize.ts';
import { columnsMax } from '../../src/googlesql/resolve/session.ts';
import { defaultParseLimits } from '../../src/googlesql/syntax/parseLimits.ts';
import { idleMsMax } from '../../src/http/openConnections.ts';
import { noteCharsMax } from '../../src/http/routes/endpoints/changeRequest.ts';
import { defaultHttpSettings } from '../../src/http/services.ts';
import type { RejectionCode } from '../../src/ingest/rejection.ts';
import { syslogMessageBytesMax } from '../../src/ingest/syslog/syslogProtocol.ts';
import { silentMsMax } from '../../src/ingest/syslog/syslogServer.ts';
import { defaultTallyBounds } from '../../src/invoke/fields/memberTally.ts';
import { defaultSampleBounds } from '../../src/invoke/fields/sampleTable.ts';
import { cursorLifeMicros, keyBytesMax } from '../../src/invoke/pages/cursor.ts';
import { stallMsMax } from '../../src/invoke/streams/openStream.ts';
import { tailsMax } from '../../src/invoke/tail/tails.ts';
import { deployedMax } from '../../src/manage/endpointManagement.ts';
import { defaultUsageSettings } from '../../src/observe/usage.ts';
import { fileName, type SettingName, settingsSchema } from '../../src/start/settings.ts';

/** A number with its unit, or the setting that contains it. */
type Bound = SettingName | readonly [value: number, unit: 'bytes' | 'ms' | ''];

export interface Limit {
  readonly what: string;
  readonly bound: Bound;
  /** The field of a definition or a token that can change it. */
  readonly otherwise?: string;
  /** What happens when it is exceeded: a code or a sentence. */
  readonly beyond: ErrorCode | RejectionCode | { readonly sentence: string };
}

/** `mayTakePlace`, for readers. */
const half = 'tokens for the same projects can have at most half of them, rounded up';

const cut = (by: string) => ({ sentence: `the answer is truncated; \`meta.truncated_by\` is \`${by}\`` });

/** Every limit of the service. The page of limits and its test use it. */
export const documentedLimits: Readonly<Record<string, readonly Limit[]>> = {
  Queries: [
    {
      what: 'rows in an answer',
      bound: [1000, ''],
      otherwise: `\`max_rows\` of the definition, up to ${limits.maxRowsMax.toLocaleString('en')}, and of the token`,
      beyond: cut('max_rows'),
    },
    { what: 'sort keys in a cursor of a page', bound: [keyBytesMax, 'bytes'], beyond: 'page.key_too_long' },
    { what: 'age of a cursor', bound: [cursorLifeMicros / 1000, 'ms'], beyond: 'page.cursor' },
    { what: 'open tails of a token', bound: [tailsMax.ofToken, ''], beyond: 'tail.too_many' },
    { what: `open tails of the service; ${half}`, bound: [tailsMax.all, ''], beyond: 'tail.overloaded' },
    {
      what: 'rows in a stream',
      bound: [streamRowsDefault, ''],
      otherwise: `\`stream_max_rows\` of the definition, up to ${limits.streamRowsMax.toLocaleString('en')}, and of the token`,
      beyond: 'stream.limit',
    },
    {
      what: 'bytes of rows in a stream',
      bound: [streamBytesDefault, 'bytes'],
      otherwise: `\`stream_max_bytes\` of the definition, up to ${limits.streamBytesMax / 2 ** 40} TiB`,
      beyond: 'stream.limit',
    },
    { what: 'bytes of one row in a stream', bound: [framedRowBytesMax, 'bytes'], beyond: 'stream.limit' },
    { what: 'time that the engine works on a stream', bound: 'streamTimeoutMs', beyond: 'query.timeout' },
    { what: `streams at the same time, one for each token; ${half}`, bound: 'streamsMax', beyond: 'stream.busy' },
    { what: 'time that the reader of a stream may take nothing', bound: [stallMsMax, 'ms'], beyond: 'stream.stalled' },
    { what: 'bytes of rows in an answer', bound: 'resultBytesMax', beyond: cut('result_bytes') },
    {
      what: 'run time of a query',
      bound: 'queryTimeoutMs',
      otherwise: '`timeout_ms` of the definition',
      beyond: 'query.timeout',
    },
    { what: 'text of a caller query', bound: 'queryTextBytesMax', beyond: 'sql.too_complex' },
    { what: 'syntax nodes in a query', bound: [defaultParseLimits.nodesMax, ''], beyond: 'sql.too_complex' },
    { what: 'SELECTs in a query', bound: [defaultParseLimits.selectsMax, ''], beyond: 'sql.too_complex' },
    { what: 'nested constructs', bound: [defaultParseLimits.depthMax, ''], beyond: 'sql.too_complex' },
    { what: 'depth of the syntax tree', bound: [defaultParseLimits.heightMax, ''], beyond: 'sql.too_complex' },
    { what: 'pipe operators', bound: [pipesMax, ''], beyond: 'sql.too_complex' },
    {
      what: 'nested subqueries used as values',
      bound: [defaultEngineLimits.subqueryDepthMax, ''],
      beyond: 'sql.too_complex',
    },
    { what: 'columns in a result', bound: [limits.outputColumnsMax, ''], beyond: 'sql.too_complex' },
    {
      what: 'columns of all tables and subqueries in a query, with each field of a STRUCT',
      bound: [columnsMax, ''],
      beyond: 'sql.too_complex',
    },
    {
      what: 'fields of one value, with those of the STRUCTs in it',
      bound: [typeValuesMax, ''],
      beyond: 'sql.too_complex',
    },
    {
      what: 'value of a parameter, except `sql` and `lql`',
      bound: 'parameterBytesMax',
      otherwise: '`max_length` of the parameter',
      beyond: 'parameter.too_long',
    },
    {
      what: 'queries that run at the same time',
      bound: 'queryConcurrency',
      otherwise: '`concurrency` of the token, for its own queries',
      beyond: { sentence: 'further queries wait' },
    },
    { what: 'queries in the queue', bound: 'queryQueueMax', beyond: 'query.overloaded' },
    { what: 'time in the queue', bound: 'queryQueueWaitMs', beyond: 'query.overloaded' },
    { what: 'memory of the engine', bound: 'memory', beyond: 'query.memory' },
    {
      what: 'resident memory of the engine process, or three times `memory` if that is more',
      bound: [defaultDuckDbSettings.processBytesMax, 'bytes'],
      beyond: 'query.memory',
    },
    {
      what: 'data that queries spill to disk',
      bound: [defaultDuckDbSettings.spillBytesMax, 'bytes'],
      beyond: 'query.memory',
    },
    {
      what: 'events that a query fetches from ClickHouse, in Parquet, if `events` is `clickhouse`',
      bound: [defaultFetchSettings.bytesMax, 'bytes'],
      beyond: 'query.fetch_max',
    },
    {
      what: 'events that a stream fetches from ClickHouse to the disk of the node, in Parquet',
      bound: [defaultFetchSettings.streamBytesMax, 'bytes'],
      beyond: 'query.fetch_max',
    },
    {
      what: 'rows that a part of a query fetches from ClickHouse',
      bound: [defaultFetchSettings.rowsMax, ''],
      beyond: 'query.fetch_max',
    },
    {
      what: 'memory of a part of a query in ClickHouse',
      bound: [defaultFetchSettings.memoryBytesMax, 'bytes'],
      beyond: 'query.memory',
    },
    {
      what: 'time that a query has to stop after it is cancelled',
      bound: [defaultDuckDbSettings.interruptGraceMs, 'ms'],
      beyond: { sentence: 'its engine process is killed; other queries are repeated in a new one' },
    },
    {
      what: 'characters redacted for one caller query',
      bound: [redactedCharsMax, ''],
      beyond: 'redaction.rows_max',
    },
    { what: 'values redacted for one caller query', bound: 'redactionRowsMax', beyond: 'redaction.rows_max' },
    {
      what: 'rows of a table from which fields are collected',
      bound: [defaultSampleBounds.rowsMax, ''],
      beyond: { sentence: 'shares are estimates from a sample, and the table is not `complete`' },
    },
    {
      what: 'bytes of these rows',
      bound: [defaultSampleBounds.bytesMax, 'bytes'],
      beyond: { sentence: 'shares are estimates from a sample, and the table is not `complete`' },
    },
    {
      what: 'members of a table that are listed as fields',
      bound: [defaultTallyBounds.membersMax, ''],
      beyond: { sentence: 'further members are left out, and the table is not `complete`' },
    },
  ],
  Exports: [
    { what: 'rows in an export', bound: 'exportRowsMax', beyond: cut('export_rows') },
    { what: 'bytes of rows in an export', bound: 'exportBytesMax', beyond: cut('export_bytes') },
    { what: 'run time of an export', bound: 'exportTimeoutMs', beyond: 'query.timeout' },
    { what: 'disk space of all exports', bound: 'exportDiskMax', beyond: 'export.disk_full' },
    { what: 'exports of a token', bound: [exportsPerToken, ''], beyond: 'export.limit' },
    { what: `exports of all tokens; ${half}`, bound: [exportsInAll, ''], beyond: 'export.limit' },
    { what: 'time for which an export is kept', bound: [exportKeptMicros / 1000, 'ms'], beyond: 'export.unknown' },
  ],
  Requests: [
    {
      what: 'requests of one token per minute; `0` means no limit',
      bound: 'requestsPerMinute',
      otherwise: 'also `rate` of the token',
      beyond: 'request.rate_limited',
    },
    {
      what: 'request line and headers',
      bound: [limits.requestHeadBytesMax, 'bytes'],
      beyond: 'request.head_too_large',
    },
    {
      what: 'open HTTP connections, or half of the files that the process may open if that is less',
      bound: [limits.httpConnectionsMax, ''],
      beyond: {
        sentence: `a connection that waits for no answer is closed: one of the client with the most (an IPv4 address, or a /64 of IPv6), or one that was idle for ${idleMsMax / 1000} seconds. If there is none, the new one is closed`,
      },
    },
    {
      what: 'header lines in a request',
      bound: [limits.requestHeaderLinesMax, ''],
      beyond: 'request.head_too_large',
    },
    {
      what: 'body of a query call',
      bound: [defaultHttpSettings.queryBodyBytesMax, 'bytes'],
      beyond: 'request.too_large',
    },
    {
      what: 'bodies that arrive at the same time, or three times `ingest_bytes_max` if that is more; one token can have at most half of it',
      bound: [defaultHttpSettings.bodyBytesHeldMax, 'bytes'],
      beyond: 'query.overloaded',
    },
    {
      what: 'time for a request to arrive',
      bound: [defaultHttpSettings.requestTimeoutMs, 'ms'],
      beyond: 'request.timeout',
    },
    {
      what: 'answers that have not been read yet, or eight times `result_bytes_max` if that is more; one token can have at most half of it',
      bound: [defaultHttpSettings.answerBytesHeldMax, 'bytes'],
      beyond: 'query.overloaded',
    },
    {
      what: 'time during which a client reads nothing from its answer',
      bound: [defaultHttpSettings.answerIdleMsMax, 'ms'],
      beyond: { sentence: 'the connection is closed' },
    },
    {
      what: 'seconds that calls go on while the PostgreSQL database of definitions does not answer',
      bound: 'storeStaleMax',
      beyond: 'service.store_unavailable',
    },
    {
      what: 'time for running calls to finish when the service stops',
      bound: 'shutdownMs',
      beyond: { sentence: 'they are aborted' },
    },
  ],
  'Ingestion, disk and backups': [
    { what: 'body, before and after decompression', bound: 'ingestBytesMax', beyond: 'request.too_large' },
    { what: 'events in a request', bound: 'ingestEventsMax', beyond: 'ingest.too_many_events' },
    { what: 'one event', bound: 'eventBytesMax', beyond: 'event.too_large' },
    { what: 'syslog message', bound: [syslogMessageBytesMax, 'bytes'], beyond: 'event.too_large' },
    {
      what: 'syslog connections',
      bound: 'syslogConnectionsMax',
      beyond: { sentence: 'Logmill closes further connections, or one of the address that holds the most' },
    },
    {
      what: 'time without a message after which a syslog connection makes room for another, if there are too many',
      bound: [silentMsMax, 'ms'],
      beyond: { sentence: 'Logmill closes the one that was silent longest' },
    },
    { what: 'characters in an ID', bound: [limits.eventIdCharsMax, ''], beyond: 'event.id_invalid' },
    {
      what: 'time that a timestamp can be ahead of the clock',
      bound: [limits.eventAheadMsMax, 'ms'],
      beyond: 'event.too_far_ahead',
    },
    { what: 'age of an event in days; `0` means no limit', bound: 'retentionDays', beyond: 'event.too_old' },
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
    { what: 'backups at the same time', bound: [backupsMax, ''], beyond: 'backup.overloaded' },
    {
      what: 'time during which nothing is read from a backup',
      bound: [backupIdleMsMax, 'ms'],
      beyond: 'backup.unknown',
    },
    {
      what: 'the same if there are too many backups; less if its reader left in the middle of a file',
      bound: [backupSilentMsMax, 'ms'],
      beyond: 'backup.unknown',
    },
    {
      what: 'bytes of all segments; `0` means no limit',
      bound: 'diskBudget',
      beyond: { sentence: 'the oldest sealed segments are dropped' },
    },
    {
      what: 'minimum free disk space; if unset, 1 GiB, or 5 % of the disk if that is less',
      bound: 'diskFreeMin',
      beyond: 'ingest.disk_full',
    },
  ],
  Definitions: [
    {
      what: 'body of a request with definitions',
      bound: [limits.definitionBodyBytesMax, 'bytes'],
      beyond: 'request.too_large',
    },
    { what: 'definitions in one deployment over HTTP', bound: [deployedMax, ''], beyond: 'request.malformed' },
    { what: 'text of a stored query', bound: [limits.storedQueryCharsMax, 'bytes'], beyond: 'definition.invalid' },
    {
      what: '`cache_seconds` of a definition',
      bound: [limits.cacheSecondsMax, ''],
      beyond: 'definition.invalid',
    },
    {
      what: 'characters in the name of an endpoint',
      bound: [limits.endpointNameCharsMax, ''],
      beyond: 'definition.invalid',
    },
    { what: 'parameters in a definition', bound: [parametersMax, ''], beyond: 'definition.invalid' },
    { what: 'characters in the note of a version', bound: [noteCharsMax, ''], beyond: 'parameter.too_long' },
  ],
  'Cache and tokens': [
    {
      what: 'bytes of cached results',
      bound: 'cacheBytes',
      beyond: { sentence: 'the least recently used results are dropped' },
    },
    {
      what: 'cached results',
      bound: 'cacheEntries',
      beyond: { sentence: 'the least recently used results are dropped' },
    },
    { what: 'projects in the restriction of a token', bound: [limits.tokenProjectsMax, ''], beyond: 'token.invalid' },
    {
      what: 'parameters in the restriction of a token',
      bound: [limits.tokenParametersMax, ''],
      beyond: 'token.invalid',
    },
    {
      what: 'values of one parameter in the restriction of a token',
      bound: [limits.tokenParameterValuesMax, ''],
      beyond: 'token.invalid',
    },
    { what: 'networks in the restriction of a token', bound: [limits.tokenNetworksMax, ''], beyond: 'token.invalid' },
    {
      what: `kinds of calls in the usage data of ${defaultUsageSettings.everyMs / 1000} seconds`,
      bound: [defaultUsageSettings.groupsMax, ''],
      beyond: { sentence: 'further calls are counted only in `logmill_usage_dropped_total`' },
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
    return `## ${title}\n\n| limit | default | changed by | if exceeded |\n| --- | --- | --- | --- |\n${lines.join('\n')}`;
  });
  return `# Limits

Logmill never truncates or refuses silently. A truncated answer says so in \`meta\`, and a refusal has an [error code](errors.md). Codes that
begin with \`event.\` apply to single events ([rejected events](errors.md#rejected-events)). Limits without a setting are fixed.
[The query dialect](dialect.md) lists the limits of joins, groupings and pipe operators.

To see the settings in force, run \`logmill config print\`. [Settings](settings.md) says how to change one.

${sections.join('\n\n')}

If \`requests_per_minute\` is set, each answer says how many requests are left: \`RateLimit-Policy: "token";q=600;w=60\` and
\`RateLimit: "token";r=599;t=1\`. The token can make \`r\` requests at once, and after \`t\` seconds at least one more. A 429 has \`Retry-After\`.
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
