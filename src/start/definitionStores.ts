import type { AuditTrail } from '../audit/auditTrail.ts';
import { ServiceError } from '../core/errors.ts';
import type { Observe } from '../core/observation.ts';
import { systemReason } from '../core/systemReason.ts';
import type { Timer } from '../core/timer.ts';
import type { EndpointStore } from '../endpoints/endpointStore.ts';
import type { PageSecretStore } from '../ports/pageSecrets.ts';
import type { StoreContact } from '../ports/storeContact.ts';
import type { DeletionStore } from '../retention/eventDeletion.ts';
import type { RetentionStore } from '../retention/retentionStore.ts';
import type { SessionStore } from '../sessions/sessionStore.ts';
import type { SourceStore } from '../sources/sourceStore.ts';
import type { PostgresStores } from '../stores/postgres/openPostgresStores.ts';
import { addressLabel, parsePostgresAddress } from '../stores/postgres/postgresAddress.ts';
import type { StoreDatabase } from '../stores/sql/schema.ts';
import { SqlAuditTrail } from '../stores/sql/sqlAuditTrail.ts';
import { SqlDeletionStore } from '../stores/sql/sqlDeletionStore.ts';
import { SqlEndpointStore } from '../stores/sql/sqlEndpointStore.ts';
import { SqlPageSecrets } from '../stores/sql/sqlPageSecrets.ts';
import { SqlRetentionStore } from '../stores/sql/sqlRetentionStore.ts';
import { SqlSessionStore } from '../stores/sql/sqlSessionStore.ts';
import { SqlSourceStore } from '../stores/sql/sqlSourceStore.ts';
import { SqlTokenStore } from '../stores/sql/sqlTokenStore.ts';
import type { TokenStore } from '../tokens/tokenStore.ts';
import { LocalRemovals } from './localRemovals.ts';
import { packageVersion } from './packageInfo.ts';
import type { Settings } from './settings.ts';
import { StartError } from './startError.ts';

/** Where a service keeps everything except events. */
export interface DefinitionStores {
  readonly endpoints: EndpointStore;
  readonly tokens: TokenStore;
  readonly sessions: SessionStore;
  readonly audit: AuditTrail;
  readonly sources: SourceStore;
  readonly retention: RetentionStore;
  readonly deletions: DeletionStore;
  readonly pageSecrets: PageSecretStore;
  /** What nodes share; null if one process serves the store. */
  readonly shared: PostgresStores | null;
  close(): Promise<void>;
}

export interface DefinitionStoresInputs {
  readonly settings: Pick<Settings, 'store' | 'storeStaleMax' | 'events'>;
  /** The store in the data folder, which has the manifest of the embedded engine in any case. */
  readonly local: StoreDatabase;
  readonly timer: Timer;
  readonly observe: Observe;
}

/** Whether definitions are in PostgreSQL. */
export function isShared({ store }: Pick<Settings, 'store'>): boolean {
  return store !== embedded;
}

const embedded = 'embedded';

/** The embedded store is always there. */
export const alwaysInContact: StoreContact = { isAway: false, ageMs: 0, isTooOld: false };

/**
 * Opens the stores that the setting `store` names. Throws a StartError for what the operator can solve. The library of
 * PostgreSQL is loaded only if it is needed.
 */
export async function openDefinitionStores(inputs: DefinitionStoresInputs): Promise<DefinitionStores> {
  const { settings, local, timer, observe } = inputs;
  if (!isShared(settings)) return embeddedStores(local);
  const address = parsePostgresAddress(settings.store);
  const label = addressLabel(address);
  const { openPostgresStores } = await import('../stores/postgres/openPostgresStores.ts');
  const shared = await openPostgresStores({
    address,
    release: packageVersion(),
    timer,
    staleMsMax: settings.storeStaleMax * 1000,
    lost: (cause) => observe({ kind: 'store.lost', cause }),
    recovered: (awayMs) => observe({ kind: 'store.recovered', awayMs }),
    stillLost: (awayMs, cause) => observe({ kind: 'store.away', awayMs, cause }),
    wentBack: () =>
      observe({
        kind: 'warning',
        message:
          'the store is another copy than before, such as a restored one; this node loads everything from it again',
      }),
  }).catch((error: unknown) => {
    throw storeStartError(error, label);
  });
  const { endpoints, tokens, sessions, audit, sources, pageSecrets } = shared;
  // Removals belong to where the events are.
  const removals = settings.events === 'embedded' ? new LocalRemovals(local, shared.retention, audit) : shared;
  return {
    endpoints,
    tokens,
    sessions,
    audit,
    sources,
    retention: removals.retention,
    deletions: removals.deletions,
    pageSecrets,
    shared,
    close: () => shared.close(),
  };
}

/** The stores of the data folder itself. */
export function embeddedStores(local: StoreDatabase): DefinitionStores {
  return { ...storesOver(local), shared: null, close: async () => undefined };
}

/** Stores that read the database for each answer, so they need not follow it. */
export function storesOver(database: StoreDatabase): Omit<DefinitionStores, 'shared' | 'close'> {
  return {
    endpoints: new SqlEndpointStore(database),
    tokens: new SqlTokenStore(database),
    sessions: new SqlSessionStore(database),
    audit: new SqlAuditTrail(database),
    sources: new SqlSourceStore(database),
    retention: new SqlRetentionStore(database),
    deletions: new SqlDeletionStore(database),
    pageSecrets: new SqlPageSecrets(database),
  };
}

/** What the operator can do about a store that could not be opened. Never has a password. */
export function storeStartError(error: unknown, label: string): StartError {
  if (error instanceof ServiceError && error.cause !== undefined) return storeStartError(error.cause, label);
  if (error instanceof Error && error.name === 'NewerPostgresStore')
    return new StartError(error.message, { cause: error });
  return new StartError(
    `The store (LOGMILL_STORE) cannot be used: ${label}: ${systemReason(error)}. "logmill doctor" checks what is missing.`,
    { cause: error },
  );
}
