import { resolve } from 'node:path';
import * as z from 'zod';
import { limits } from '../core/limits.ts';
import { AddressProblem, parsePostgresAddress } from '../stores/postgres/postgresAddress.ts';
import { clickhouseSettings } from './clickhouseSettings.ts';
import { corsOrigins } from './corsOrigins.ts';
import { redactDetectors, redactFields, redactKey, redactPatterns } from './redactionSettings.ts';
import { filePath, integer, text } from './settingForms.ts';
import { sourceAliases, sourcesSetting } from './sourceSettings.ts';
import { syslogSettings } from './syslogSettings.ts';
import { tracesEndpoint, tracesHeaders } from './tracesSettings.ts';
import { trustedProxies } from './trustedProxies.ts';

/** `512MiB`, `2 GiB`, `64MB` or a plain number of bytes, as bytes. */
const byteSize = z.union([z.number(), z.string()]).transform((given, context) => {
  const bytes = typeof given === 'number' ? given : bytesOf(given);
  if (bytes !== undefined && Number.isSafeInteger(bytes) && bytes > 0) return bytes;
  context.addIssue({ code: 'custom', message: 'is a size such as 512MiB, 2GiB or a number of bytes' });
  return z.NEVER;
});

/** A `byteSize`, or `0` with a meaning of its own. */
const byteSizeOrZero = z.union([z.literal(0), z.literal('0').transform(() => 0), byteSize], {
  error: 'is 0 or a size such as 512MiB, 2GiB or a number of bytes',
});

const units: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
};

function bytesOf(text: string): number | undefined {
  const [, digits, unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text) ?? [];
  const factor = Object.hasOwn(units, unit.toLowerCase()) ? units[unit.toLowerCase()] : undefined;
  return digits === undefined || factor === undefined ? undefined : Math.floor(Number(digits) * factor);
}

const boolean = z
  .union([z.boolean(), z.enum(['true', 'false', '1', '0'])], { error: 'is true or false' })
  .transform((given) => given === true || given === 'true' || given === '1');

const token = z
  .string({ error: 'is a string of 32 characters or more' })
  .min(32, 'is a string of 32 characters or more; a shorter one could be guessed')
  .regex(/^[\x21-\x7e]+$/, 'is printable ASCII without white space, because it is sent in a header')
  .optional();

const store = z
  .string({ error: 'is embedded or the URL of a PostgreSQL database' })
  .default('embedded')
  .superRefine((given, context) => {
    if (given === 'embedded') return;
    try {
      parsePostgresAddress(given);
    } catch (error) {
      if (!(error instanceof AddressProblem)) throw error;
      context.addIssue({
        code: 'custom',
        message: `is embedded or the URL of a PostgreSQL database; this ${error.message}`,
      });
    }
  });

/** Settings that hold a secret. Their values are never printed. */
export const secretSettings: ReadonlySet<string> = new Set([
  'adminToken',
  'store',
  'queryToken',
  'ingestToken',
  'redactKey',
  'tracesHeaders',
  'clickhousePassword',
  'clickhouseReaderPassword',
]);

/**
 * Every setting of the service (contract, sections 7 and 8). Names are camelCase here, `snake_case`
 * in the file, `LOGMILL_UPPER_CASE` in the environment and `--kebab-case` on the command line.
 * The settings page of the docs is generated from the descriptions.
 */
export const settingsSchema = z.strictObject({
  host: text('is a host name or an address')
    .default('127.0.0.1')
    .describe('Address that the service listens on. `0.0.0.0` or `::` accepts calls from the network.'),
  port: integer(0, 65_535)
    .default(4000)
    .describe('Port that the service listens on. `0` picks a free port, which the ready line names.'),
  dataDir: text('is the path of a folder')
    // The engine takes what follows for options, and looks for parts of its files elsewhere.
    .refine((path) => !resolve(path).includes('?'), 'is the path of a folder without a question mark')
    .default('./data')
    .describe('Folder for all data of the service. Only one service can use it at a time.'),
  adminToken: token.describe(
    'Administration token (all scopes), at least 32 characters. Changing the value revokes the old token at the next start.',
  ),
  adminTokenFile: filePath.optional().describe('File that contains the administration token, read at start.'),
  queryToken: token.describe(
    'Token with the scope `query`, at least 32 characters. Changing the value revokes the old token at the next start.',
  ),
  queryTokenFile: filePath.optional().describe('File that contains the query token, read at start.'),
  ingestToken: token.describe(
    'Token with the scope `ingest`, at least 32 characters. Changing the value revokes the old token at the next start.',
  ),
  ingestTokenFile: filePath.optional().describe('File that contains the ingest token, read at start.'),
  store: store.describe(
    'Where definitions, tokens and the audit trail are kept: `embedded` (in the data folder), or the URL of a PostgreSQL database that several nodes share, such as `postgres://logmill:secret@db.example/logmill?sslmode=verify-full`.',
  ),
  storeFile: filePath.optional().describe('File that contains the value of `store`, read at start.'),
  storeStaleMax: integer(1, 86_400)
    .default(60)
    .describe(
      'Seconds that calls go on while the PostgreSQL database does not answer. Afterwards they fail with 503, because the node cannot know which tokens were revoked.',
    ),
  defaultProject: text('is a project reference')
    .optional()
    .describe('Project of events that have none. If unset, such events are rejected with `event.project_missing`.'),
  retentionDays: integer(0, 36_500)
    .default(0)
    .describe('Days that events are kept. `0` keeps all events. Sources and projects can have their own retention.'),
  values: z
    .enum(['plain', 'records'], { error: 'is plain or records' })
    .default('plain')
    .describe('How answers write values, `plain` or `records`, unless the request or the definition says otherwise.'),
  memory: byteSize
    .pipe(z.number().min(64 * 2 ** 20, 'is at least 64MiB'))
    .default(512 * 2 ** 20)
    .describe('Memory that the engine may use, for example `512MiB` or `2GiB`.'),
  engineThreads: integer(1, 256).default(2).describe('Number of threads of the engine.'),
  segmentEvents: integer(1000, 100_000_000)
    .default(500_000)
    .describe('Number of events after which the active segment is rotated and sealed.'),
  queryTimeoutMs: integer(1, 3_600_000)
    .default(30_000)
    .describe('Run time in milliseconds after which a query is stopped, unless its definition sets `timeout_ms`.'),
  queryConcurrency: integer(1, 12)
    .default(8)
    .describe('Queries that run at the same time. Further queries wait in a fair queue.'),
  queryQueueMax: integer(0, 100_000)
    .default(256)
    .describe('Queries that can wait in the queue. Further calls are refused with 503.'),
  queryQueueWaitMs: integer(1, 3_600_000)
    .default(10_000)
    .describe('Milliseconds that a query can wait in the queue before it is refused with 503.'),
  streamsMax: integer(1, 4)
    .default(3)
    .describe(
      'Results that are streamed at the same time, one to each token. Tokens for the same projects leave a place for others. Further calls are refused with 503.',
    ),
  streamTimeoutMs: integer(1, 86_400_000)
    .default(600_000)
    .describe(
      'Milliseconds that the engine may work on one stream. Time in which it waits for the reader does not count.',
    ),
  resultBytesMax: byteSize
    .default(64 * 2 ** 20)
    .describe('Maximum bytes of rows in one answer. Further rows are omitted, and `meta` says so.'),
  queryTextBytesMax: byteSize
    .pipe(z.number().max(limits.callerQueryBytesMax, 'is at most 64KiB'))
    .default(limits.callerQueryBytesMax)
    .describe('Maximum bytes of the text of a caller query; up to `64KiB`.'),
  parameterBytesMax: byteSize
    .pipe(z.number().max(limits.callerQueryBytesMax, 'is at most 64KiB'))
    .default(limits.parameterBytesMax)
    .describe(
      'Maximum bytes of a parameter value; up to `64KiB`. A definition can set a lower limit with `max_length`.',
    ),
  requestsPerMinute: integer(0, 1_000_000)
    .default(0)
    .describe(
      'Requests that one token can make per minute, all at once or spread out. Further calls are refused with 429. `0` means no limit.',
    ),
  trustedProxies: trustedProxies.describe(
    'Networks or addresses of proxies in front of the service, separated by commas. For tokens that are restricted to networks, the service takes the address of the caller from the `X-Forwarded-For` of these proxies.',
  ),
  cacheBytes: byteSize
    .default(64 * 2 ** 20)
    .describe(
      'Bytes of query results in the cache. One result can take at most an eighth. Redacted rows and repeatable answers can take up to half as much in addition.',
    ),
  cacheEntries: integer(1, 10_000_000).default(10_000).describe('Maximum number of query results in the cache.'),
  warmingPercent: integer(0, 100)
    .default(25)
    .describe(
      'Percentage of the time of one query slot that can go into refreshing cached results in the background. `0` turns it off.',
    ),
  redactDetectors: redactDetectors.describe(
    'Detectors that redaction uses in addition to the standard ones, separated by commas: `phone`, `card`, `iban`.',
  ),
  redactFields: redactFields.describe(
    'Members that redaction replaces entirely, in addition to the standard ones, separated by commas: names, or paths with dots.',
  ),
  redactPatterns: redactPatterns.describe(
    'RE2 patterns of text that redaction replaces, as a JSON object of mark names and patterns: `{"order":"AB-[0-9]+"}`.',
  ),
  redactKey: redactKey.describe(
    'Key of at least 32 characters. With it, the marks of redaction are pseudonyms such as `[ip:7f3a9c]`: equal values have equal marks.',
  ),
  redactionRowsMax: integer(1, 100_000_000)
    .default(200_000)
    .describe(
      'Values of one column or member that redaction reads for one caller query. If a query needs more, it is refused.',
    ),
  ingestBytesMax: byteSize
    .default(16 * 2 ** 20)
    .describe('Maximum bytes of one ingestion request, before and after decompression.'),
  ingestEventsMax: integer(1, 1_000_000).default(50_000).describe('Maximum number of events in one ingestion request.'),
  eventBytesMax: byteSize.default(2 ** 20).describe('Maximum bytes of one event as JSON.'),
  diskBudget: byteSizeOrZero
    .default(0)
    .describe(
      'Disk space for segments, for example `200GiB`. If they need more, those with the oldest events are dropped, one at a time. `0` means no limit.',
    ),
  diskFreeMin: byteSizeOrZero
    .optional()
    .describe(
      'Free disk space below which events are refused with 503, for example `2GiB`. `0` never refuses. If unset: 1 GiB, or 5 % of the disk if that is less.',
    ),
  exportRowsMax: integer(1, 100_000_000)
    .default(1_000_000)
    .describe('Maximum number of rows of an export. Further rows are omitted, and its state says so.'),
  exportBytesMax: byteSize
    .default(512 * 2 ** 20)
    .describe('Bytes of rows after which an export takes no further part of the result.'),
  exportDiskMax: byteSize
    .default(4 * 2 ** 30)
    .describe(
      'Disk space for all exports, in all of their formats. Tokens for the same projects can take at most as much as they leave for the others.',
    ),
  exportTimeoutMs: integer(1, 86_400_000)
    .default(600_000)
    .describe('Milliseconds after which an export that still runs is stopped.'),
  sources: sourcesSetting.describe(
    'Sources in addition to the built-in ones, separated by commas. Write `name:metadata.<member>` if the project is a member of metadata.',
  ),
  sourceAliases: sourceAliases.describe(
    'Other names that events of a source can be sent under, as `alias=source`, separated by commas. Names must match exactly.',
  ),
  webhooksFile: filePath
    .optional()
    .describe(
      'YAML file that declares webhooks: how their deliveries are signed, and which members are the time, the message and the project. Read at start.',
    ),
  endpointsDir: text('is the path of a folder')
    .optional()
    .describe(
      'Folder of definition files that are deployed at each start. They overwrite changes made since the last start.',
    ),
  headerPrefix: z
    .string({ error: 'is letters, digits and hyphens' })
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,31}$/, 'is at most 32 letters, digits and hyphens, beginning with a letter')
    .default('SVC')
    .describe('Prefix of the request headers of the service, as in `SVC-ENDPOINT-REDACT-PII`.'),
  tokenInUrl: boolean
    .default(false)
    .describe(
      'Whether the URL can contain the token, as the parameter `api_key`. Off by default, because URLs appear in logs.',
    ),
  corsOrigins: corsOrigins.describe(
    'Origins whose pages can read answers in a browser, separated by commas, such as `https://logs.example.com`. `*` allows all origins.',
  ),
  slowQueryMs: integer(0, 3_600_000)
    .default(1000)
    .describe(
      'Milliseconds after which a call of an endpoint counts as slow. The log and `svc.slow` list slow calls. `0` turns this off.',
    ),
  tracesEndpoint: tracesEndpoint.describe(
    'URL that traces are sent to as OTLP/HTTP with JSON, such as `http://127.0.0.1:4318/v1/traces`. If unset, no traces are sent.',
  ),
  tracesHeaders: tracesHeaders.describe(
    'Headers for the trace receiver, separated by commas, with percent-encoded values, such as `authorization=Bearer%20abc`.',
  ),
  tracesPercent: integer(0, 100)
    .default(100)
    .describe(
      'Percentage of requests to trace if the caller sends no trace context. If there is one, it decides whether to trace the request.',
    ),
  shutdownMs: integer(0, 600_000)
    .default(10_000)
    .describe('Milliseconds that running calls have to finish when the service stops.'),
  logLevel: z
    .enum(['error', 'warn', 'info', 'debug', 'silent'], { error: 'is error, warn, info, debug or silent' })
    .default('info')
    .describe('Lowest level that is logged to standard error: `error`, `warn`, `info`, `debug` or `silent`.'),
  logFormat: z
    .enum(['auto', 'text', 'json'], { error: 'is auto, text or json' })
    .default('auto')
    .describe(
      'Format of log lines: `json` for machines, `text` for people. `auto` writes text to a terminal and JSON elsewhere.',
    ),
  ...clickhouseSettings,
  ...syslogSettings,
});

/** The settings of a running service, complete and checked. Sizes in bytes, times in milliseconds. */
export type Settings = Readonly<z.output<typeof settingsSchema>>;
export type SettingName = keyof Settings;

export const settingNames = Object.keys(settingsSchema.shape) as readonly SettingName[];

/** `queryTimeoutMs` → `query_timeout_ms`, the name in a configuration file. */
export function fileName(name: SettingName): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `queryTimeoutMs` → `LOGMILL_QUERY_TIMEOUT_MS`. */
export function environmentName(name: SettingName): string {
  return `LOGMILL_${fileName(name).toUpperCase()}`;
}

/** `queryTimeoutMs` → `--query-timeout-ms`. */
export function flagName(name: SettingName): string {
  return `--${fileName(name).replaceAll('_', '-')}`;
}
