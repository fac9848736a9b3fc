import type { AuditTrail } from '../audit/auditTrail.ts';
import type { RefusedCalls } from '../audit/refusedCalls.ts';
import type { BackupSessions } from '../backup/backupSessions.ts';
import type { Clock } from '../core/clock.ts';
import type { Turns } from '../core/concurrency/turns.ts';
import type { Randomness } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import type { Observe } from '../core/observation.ts';
import type { Exports } from '../exports/exports.ts';
import type { Ingest } from '../ingest/ingest.ts';
import type { DeclaredWebhooks } from '../ingest/webhook/declaredWebhooks.ts';
import type { RunDraft } from '../invoke/draft.ts';
import type { ExplainCall } from '../invoke/explainCall.ts';
import type { ReadFields } from '../invoke/fields/readFields.ts';
import type { Invoke } from '../invoke/invoke.ts';
import type { Purge } from '../invoke/purge.ts';
import type { PrepareTail } from '../invoke/tail/prepareTail.ts';
import type { ConvertQuery } from '../manage/convert/convertQuery.ts';
import type { DeletionManagement } from '../manage/deletionManagement.ts';
import type { EndpointManagement } from '../manage/endpointManagement.ts';
import type { RetentionManagement } from '../manage/retentionManagement.ts';
import type { SourceManagement } from '../manage/sourceManagement.ts';
import type { TokenManagement } from '../manage/tokenManagement.ts';
import type { NodeList } from '../ports/nodeList.ts';
import type { QueryControl } from '../ports/queryControl.ts';
import type { RequestCounter } from '../ports/requestCounter.ts';
import type { StorageSpace } from '../ports/storageEngine.ts';
import type { StoreContact } from '../ports/storeContact.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import type { BrowserFile } from './browserFiles.ts';
import type { ApiDocumentReader } from './openapi/apiDocument.ts';

/** Everything that the HTTP server calls. Built in `start`. */
export interface HttpServices {
  /** Throws `auth.missing` or `auth.invalid`. */
  authenticate(presented: string | undefined, nowMicros: number): AuthenticatedToken | Promise<AuthenticatedToken>;
  /** `Authenticator.recognise`. */
  recognise(secretHash: string, nowMicros: number): AuthenticatedToken | undefined;
  readonly sessions: Pick<Sessions, 'begin' | 'redeem' | 'find' | 'end' | 'endAllOf'>;
  /** `ResultCache.whenAllDropped`. */
  whenResultsDropped(listener: () => void): void;
  readonly invoke: Invoke;
  readonly prepareTail: PrepareTail;
  readonly readFields: ReadFields;
  readonly purge: Purge;
  readonly manage: EndpointManagement;
  readonly tokenManagement: TokenManagement;
  readonly explainCall: ExplainCall;
  readonly runDraft: RunDraft;
  readonly convertQuery: ConvertQuery;
  readonly docsPage: DocsPage;
  /** The files of the console by their path below /console/; empty if it was not built. */
  readonly consoleFiles: ReadonlyMap<string, BrowserFile>;
  readonly fileSchemas: FileSchemas;
  /** Descriptions of the API. */
  readonly api: ApiDocumentReader;
  /** The queue of long work on the main thread. */
  readonly turns: Turns;
  /** Null if several nodes share the service. */
  readonly exports: Pick<Exports, 'begin' | 'list' | 'find' | 'ended' | 'read' | 'remove'> | null;
  readonly queries: QueryControl;
  readonly requestCounter: RequestCounter;
  readonly ingest: Ingest;
  readonly webhooks: DeclaredWebhooks;
  readonly sourceManagement: Pick<
    SourceManagement,
    'list' | 'create' | 'setAliases' | 'rejectionsOf' | 'membersReadOf'
  >;
  readonly backups: Pick<BackupSessions, 'begin' | 'open' | 'end'>;
  readonly retentionManagement: RetentionManagement;
  readonly deletionManagement: DeletionManagement;
  readonly audit: AuditTrail;
  readonly refusedCalls: Pick<RefusedCalls, 'add' | 'flush'>;
  /** The metrics as Prometheus text. */
  metrics(): Promise<string>;
  /** What the doctor finds where this service runs. */
  checkInstallation(): Promise<readonly InstallationFinding[]>;
  /** Resolves if definitions are loaded and the engine answers. Otherwise rejects with `service.starting`, `engine.restarting` or `service.store_unavailable`. */
  checkReady(): Promise<void>;
  /** The disk space for events; null if the engine states none. */
  space(): Pick<StorageSpace, 'isLow' | 'isSealingStopped'> | null;
  /** The nodes of the service; null for one process. */
  readonly nodes: NodeList | null;
  /** Whether the store that nodes share answers. */
  storeContact(): StoreContact;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly observe: Observe;
}

/** One check of the doctor (start/doctor/finding.ts). */
export interface InstallationFinding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly advice?: string;
}

/** The JSON Schemas of definition and test files, as texts. */
export interface FileSchemas {
  readonly definition: string;
  readonly test: string;
}

/** The files of the reference page. */
export interface DocsPage {
  readonly page: string;
  readonly script: string;
  readonly style: string;
  readonly icon: string;
}

export interface HttpSettings {
  /** `SVC` in `SVC-ENDPOINT-REDACT-PII`. */
  readonly headerPrefix: string;
  /** Whether calls may send their token as `?api_key=`. */
  readonly tokenInUrl: boolean;
  /** Largest body of a query call, bytes. */
  readonly queryBodyBytesMax: number;
  /** Largest body of events before decompression, bytes. */
  readonly ingestBodyBytesMax: number;
  /** Bytes of all bodies in memory at one time. */
  readonly bodyBytesHeldMax: number;
  /** Bytes of all answers that are being made, or that clients have not taken yet. */
  readonly answerBytesHeldMax: number;
  /** Milliseconds after which a client that does not read its answer is disconnected. */
  readonly answerIdleMsMax: number;
  /** Open connections, which need memory and open files. */
  readonly connectionsMax: number;
  /** How long a request may take to arrive, milliseconds. */
  readonly requestTimeoutMs: number;
  /** Origins whose pages may read answers, such as `https://logs.example.com`; `*` for all. */
  readonly corsOrigins: readonly string[];
  /** Requests of one token; 0 for no limit. */
  readonly requestsPerMinute: number;
  /** Networks of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** Bytes of remembered answers that can be repeated. */
  readonly repeatedBytesMax: number;
}

export const defaultHttpSettings: HttpSettings = {
  headerPrefix: 'SVC',
  tokenInUrl: false,
  queryBodyBytesMax: 1024 * 1024,
  ingestBodyBytesMax: 16 * 1024 * 1024,
  bodyBytesHeldMax: 128 * 1024 * 1024,
  answerBytesHeldMax: 512 * 1024 * 1024,
  answerIdleMsMax: 60_000,
  connectionsMax: limits.httpConnectionsMax,
  requestTimeoutMs: 120_000,
  corsOrigins: [],
  requestsPerMinute: 0,
  trustedProxies: [],
  repeatedBytesMax: 16 * 1024 * 1024,
};
