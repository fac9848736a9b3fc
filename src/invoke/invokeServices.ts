import type { Turns } from '../core/concurrency/turns.ts';
import type { EventChanges } from '../ports/eventChanges.ts';
import type { ParquetWriter } from '../ports/parquetWriter.ts';
import type { ValuesProfile } from '../ports/queryEngine.ts';
import type { Redactor } from '../redact/createRedactor.ts';
import type { Source } from '../sources/source.ts';
import type { RowsServices } from './answerRows.ts';
import type { BindBounds } from './bind.ts';
import type { PathNotices } from './fields/pathNotices.ts';
import type { EndpointFinder } from './findEndpoint.ts';
import type { PageServices } from './pages/pages.ts';
import type { RedactionServices } from './redaction.ts';
import type { StatementCache } from './statementCache.ts';
import type { StreamPool } from './streams/streamPool.ts';

export interface InvokeSettings extends BindBounds {
  readonly values: ValuesProfile;
  /** Default timeout for definitions that set none, in milliseconds. */
  readonly timeoutMs: number;
  readonly resultBytesMax: number;
  /** Engine time of a stream, in milliseconds. */
  readonly streamTimeoutMs: number;
}

export interface InvokeServices extends RowsServices {
  readonly endpoints: EndpointFinder;
  readonly sources: ReadonlyMap<string, Source>;
  readonly statements: StatementCache;
  /** The same as the engine's. */
  readonly redactor: Redactor;
  readonly redactingThreads: RedactionServices['redactingThreads'];
  readonly pages: PageServices;
  /** `EngineCapabilities.parquet`. */
  readonly parquet?: ParquetWriter | undefined;
  /** `EngineCapabilities.changes`. */
  readonly changes?: EventChanges | undefined;
  readonly streams: Pick<StreamPool, 'take'>;
  /** Notices for members that no event has; if absent, there are none. */
  readonly pathNotices?: Pick<PathNotices, 'of' | 'concern'>;
  /** Shares the main thread between large answers and other long work; if absent, answers have their own turns. */
  readonly turns?: Turns;
}
