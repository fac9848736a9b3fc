import { z } from 'zod';
import { limits } from '../core/limits.ts';
import { corsOrigins } from './corsOrigins.ts';
import { redactDetectors, redactFields, redactKey, redactPatterns } from './redactionSettings.ts';
import { sourceAliases, sourcesSetting } from './sourceSettings.ts';
import { tracesEndpoint, tracesHeaders } from './tracesSettings.ts';
import { trustedProxies } from './trustedProxies.ts';

/** `512MiB`, `2 GiB`, `64MB` or a plain number of bytes, as bytes. */
const byteSize = z.union([z.number(), z.string()]).transform((given, context) => {
  const bytes = typeof given === 'number' ? given : bytesOf(given);
  if (bytes !== undefined && Number.isSafeInteger(bytes) && bytes > 0) return bytes;
  context.addIssue({ code: 'custom', message: 'is a size such as 512MiB, 2GiB or a number of bytes' });
  return z.NEVER;
});

/** As `byteSize`, or `0` for what is said of it. */
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

function integer(min: number, max: number) {
  const allowed = `is a whole number from ${min} to ${max}`;
  return z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^\s*[+-]?\d+\s*$/, allowed)
          .transform(Number),
      ],
      { error: allowed },
    )
    .pipe(z.number({ error: allowed }).int(allowed).min(min, allowed).max(max, allowed));
}

const boolean = z
  .union([z.boolean(), z.enum(['true', 'false', '1', '0'])], { error: 'is true or false' })
  .transform((given) => given === true || given === 'true' || given === '1');

const text = (allowed: string) => z.string({ error: allowed }).min(1, allowed);

const token = z
  .string({ error: 'is a text of 32 characters or more' })
  .min(32, 'is a text of 32 characters or more; a shorter one could be guessed')
  .regex(/^[\x21-\x7e]+$/, 'is printable ASCII without white space, as it travels in a header')
  .optional();

const tokenFile = text('is the path of a file').optional();

/** Names of settings that hold a secret; their values are never printed. */
export const secretSettings: ReadonlySet<string> = new Set([
  'adminToken',
  'queryToken',
  'ingestToken',
  'redactKey',
  'tracesHeaders',
]);

/**
 * Every setting of the service (contract, sections 7 and 8). Names are camelCase here, `snake_case`
 * in the file, `LOGMILL_UPPER_CASE` in the environment and `--kebab-case` on the command line.
 * The settings page of the docs is generated from the descriptions.
 */
export const settingsSchema = z.strictObject({
  host: text('is a host name or an address')
    .default('127.0.0.1')
    .describe('Address the service listens on. `0.0.0.0` or `::` opens it to the network.'),
  port: integer(0, 65_535)
    .default(4000)
    .describe('Port the service listens on. `0` lets the system pick a free one, which the ready line names.'),
  dataDir: text('is the path of a folder')
    .default('./data')
    .describe('Folder that holds everything the service keeps. One running service owns it.'),
  adminToken: token.describe(
    'Administration token (all scopes), 32 characters or more. Authoritative at each start: a changed value revokes the old one.',
  ),
  adminTokenFile: tokenFile.describe('File that holds the administration token, read at start.'),
  queryToken: token.describe('Token with the scope `query`, 32 characters or more. Authoritative at each start.'),
  queryTokenFile: tokenFile.describe('File that holds the query token, read at start.'),
  ingestToken: token.describe('Token with the scope `ingest`, 32 characters or more. Authoritative at each start.'),
  ingestTokenFile: tokenFile.describe('File that holds the ingest token, read at start.'),
  defaultProject: text('is a project reference')
    .optional()
    .describe('Project of events that carry none. Unset: such events are rejected with `event.project_missing`.'),
  retentionDays: integer(0, 36_500)
    .default(0)
    .describe(
      'Days that events are kept; `0` keeps everything. Sources and projects can have a retention of their own.',
    ),
  values: z
    .enum(['plain', 'records'], { error: 'is plain or records' })
    .default('plain')
    .describe('How values are written where neither the request nor the definition says: `plain` or `records`.'),
  memory: byteSize
    .pipe(z.number().min(64 * 2 ** 20, 'is at least 64MiB'))
    .default(512 * 2 ** 20)
    .describe('Memory that the query engine may use, for example `512MiB` or `2GiB`.'),
  engineThreads: integer(1, 256).default(2).describe('Threads that the query engine computes with.'),
  segmentEvents: integer(1000, 100_000_000)
    .default(500_000)
    .describe(
      'Events after which the file that receives new events is rotated and the old one rewritten in sorted form.',
    ),
  queryTimeoutMs: integer(1, 3_600_000)
    .default(30_000)
    .describe('Run time in milliseconds after which a query is ended, where its definition names none.'),
  queryConcurrency: integer(1, 12)
    .default(8)
    .describe('Queries that run at the same time; further ones wait in a queue that is fair between tokens.'),
  queryQueueMax: integer(0, 100_000)
    .default(256)
    .describe('Queries that may wait; beyond it a call is refused with 503.'),
  queryQueueWaitMs: integer(1, 3_600_000)
    .default(10_000)
    .describe('Milliseconds that a query waits at most before it is refused with 503.'),
  resultBytesMax: byteSize
    .default(64 * 2 ** 20)
    .describe('Bytes of rows in one answer; what is beyond is left out, and `meta` says so.'),
  queryTextBytesMax: byteSize
    .pipe(z.number().max(limits.callerQueryBytesMax, 'is at most 64KiB'))
    .default(limits.callerQueryBytesMax)
    .describe('Bytes of the text of a query of a caller, at most `64KiB`.'),
  parameterBytesMax: byteSize
    .pipe(z.number().max(limits.callerQueryBytesMax, 'is at most 64KiB'))
    .default(limits.parameterBytesMax)
    .describe('Bytes of the value of one parameter, at most `64KiB`; a definition can set less with `max_length`.'),
  requestsPerMinute: integer(0, 1_000_000)
    .default(0)
    .describe(
      'Requests that one token may make in a minute, all at once or spread; `0` is no limit. Beyond it a call is refused with 429.',
    ),
  trustedProxies: trustedProxies.describe(
    'Networks or addresses of proxies before the service, separated by commas. Their `X-Forwarded-For` says where a call comes from, for tokens that are restricted to networks.',
  ),
  cacheBytes: byteSize
    .default(64 * 2 ** 20)
    .describe(
      'Bytes of query results that are kept in memory. One result may take an eighth of it. Redacted rows and answers to be given again take half as much besides, at most.',
    ),
  cacheEntries: integer(1, 10_000_000).default(10_000).describe('Query results that are kept in memory.'),
  warmingPercent: integer(0, 100)
    .default(25)
    .describe(
      'Share of the time of one query place that may go into refreshing cached results in the background, in percent; `0` switches it off.',
    ),
  redactDetectors: redactDetectors.describe(
    'Detectors that redaction uses besides those that are always on, separated by commas: `phone`, `card`, `iban`.',
  ),
  redactFields: redactFields.describe(
    'Members that redaction replaces whole besides the known ones, separated by commas: a name, or names joined by dots.',
  ),
  redactPatterns: redactPatterns.describe(
    'Patterns (RE2) that redaction replaces, as a JSON object of the name of each mark and its pattern: `{"order":"AB-[0-9]+"}`.',
  ),
  redactKey: redactKey.describe(
    'Key of 32 characters or more that makes the marks of redaction pseudonyms, such as `[ip:7f3a9c]`: the same for the same value.',
  ),
  redactionRowsMax: integer(1, 100_000_000)
    .default(200_000)
    .describe(
      'Values of one column or member that redaction looks at for one query of a caller; beyond it a call is refused.',
    ),
  ingestBytesMax: byteSize
    .default(16 * 2 ** 20)
    .describe('Bytes of one ingest request, before and after decompression.'),
  ingestEventsMax: integer(1, 1_000_000).default(50_000).describe('Events of one ingest request.'),
  eventBytesMax: byteSize.default(2 ** 20).describe('Bytes of one event as JSON.'),
  diskBudget: byteSizeOrZero
    .default(0)
    .describe(
      'Disk space that the event files may take, for example `200GiB`; beyond it the oldest events are dropped, a whole file at a time. `0` is no limit.',
    ),
  diskFreeMin: byteSizeOrZero
    .optional()
    .describe(
      'Free disk space below which events are refused with 503, for example `2GiB`; `0` never refuses. Unset: 1 GiB, or a twentieth of the disk where that is less.',
    ),
  sources: sourcesSetting.describe(
    'Sources of events besides the built-in ones, separated by commas; `name:metadata.<member>` where the project stands inside metadata.',
  ),
  sourceAliases: sourceAliases.describe(
    'Names under which shippers send events of a source, as `alias=source`, separated by commas. They match exactly.',
  ),
  endpointsDir: text('is the path of a folder')
    .optional()
    .describe(
      'Folder of definition files that are deployed at each start; what they say wins over changes made since. Unset: none.',
    ),
  headerPrefix: z
    .string({ error: 'is letters, digits and hyphens' })
    .regex(
      /^[A-Za-z][A-Za-z0-9-]{0,31}$/,
      'is letters, digits and hyphens, begins with a letter and has at most 32 characters',
    )
    .default('SVC')
    .describe('Prefix of the request headers of the service, such as `SVC-ENDPOINT-REDACT-PII`.'),
  tokenInUrl: boolean
    .default(false)
    .describe(
      'Whether a token may also come in the URL, as the parameter `api_key`. URLs end up in logs, so this is off.',
    ),
  corsOrigins: corsOrigins.describe(
    'Origins whose pages may read answers in a browser, separated by commas, such as `https://logs.example.com`; `*` for all. Unset: none.',
  ),
  slowQueryMs: integer(0, 3_600_000)
    .default(1000)
    .describe(
      'Milliseconds from which on a call of an endpoint is written to the log as slow, and shown by `svc.slow`; `0` switches it off.',
    ),
  tracesEndpoint: tracesEndpoint.describe(
    'URL that traces are posted to as OTLP/HTTP with JSON, such as `http://127.0.0.1:4318/v1/traces`. Unset: no traces.',
  ),
  tracesHeaders: tracesHeaders.describe(
    'Headers for the receiver of traces, separated by commas, values percent-encoded, such as `authorization=Bearer%20abc`.',
  ),
  tracesPercent: integer(0, 100)
    .default(100)
    .describe(
      'Share of the requests that are traced where the caller has no trace of its own, in percent; a caller decides on its own.',
    ),
  shutdownMs: integer(0, 600_000)
    .default(10_000)
    .describe('Milliseconds that running calls get to finish when the service is asked to stop.'),
  logLevel: z
    .enum(['error', 'warn', 'info', 'debug', 'silent'], { error: 'is error, warn, info, debug or silent' })
    .default('info')
    .describe(
      'Least severe level that is written to the log on standard error: `error`, `warn`, `info`, `debug` or `silent`.',
    ),
  logFormat: z
    .enum(['auto', 'text', 'json'], { error: 'is auto, text or json' })
    .default('auto')
    .describe(
      'How lines of the log are written: `json` for machines, `text` for people; `auto` is text on a terminal and JSON elsewhere.',
    ),
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
