import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import type { ClientConfig, CustomTypesConfig } from 'pg';
import type { PostgresAddress, PostgresTls } from './postgresAddress.ts';

/** Times in milliseconds. A server that does not answer within them counts as away. */
export interface PostgresWaits {
  readonly connectMs: number;
  /** A statement, with its wait for a lock. */
  readonly statementMs: number;
  /** How long a change waits for that of another node. */
  readonly lockMs: number;
}

export const defaultPostgresWaits: PostgresWaits = { connectMs: 3_000, statementMs: 10_000, lockMs: 5_000 };

/** Options of every connection. Whole numbers arrive as numbers, because the store has none beyond 2^53. */
export function clientConfigOf(address: PostgresAddress, waits: PostgresWaits): ClientConfig {
  const { host, port, database, user, password, schema, tls } = address;
  const { connectMs, statementMs, lockMs } = waits;
  return {
    host,
    port,
    database,
    user,
    // An empty text keeps the library from looking for a password elsewhere.
    password: password ?? (() => ''),
    ssl: tlsOptionsOf(tls),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'logmill',
    connectionTimeoutMillis: connectMs,
    // The server ends the statement first; this is for a server that does not answer at all.
    query_timeout: statementMs + 1_000,
    options: [
      `-c search_path=${schema}`,
      `-c statement_timeout=${statementMs}`,
      `-c lock_timeout=${lockMs}`,
      `-c idle_in_transaction_session_timeout=${3 * statementMs}`,
      '-c default_transaction_isolation=read\\ committed',
      '-c synchronous_commit=on',
      '-c client_min_messages=warning',
    ].join(' '),
    types: numberTypes,
  };
}

/** The other types arrive as the server's text: columns are numbers and texts. */
const numberTypes: CustomTypesConfig = {
  getTypeParser: (oid: number) => {
    if (wholeNumbers.has(oid)) return wholeNumber;
    return oid === boolean ? (text: string) => text === 't' : (text: string) => text;
  },
};

/** Object ids of the types int8, int2 and int4, and of boolean. */
const wholeNumbers: ReadonlySet<number> = new Set([20, 21, 23]);
const boolean = 16;

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new Error(`the store holds a number that is not exact here: ${text}`);
  return number;
}

/**
 * Meaning of the modes as in libpq: `require` encrypts and checks nothing, `verify-ca` checks who signed the
 * certificate, `verify-full` also whose it is.
 */
function tlsOptionsOf({ mode, rootCertificate, certificate, key }: PostgresTls): false | ConnectionOptions {
  if (mode === 'disable') return false;
  return {
    rejectUnauthorized: mode !== 'require',
    ...(mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
    ...(rootCertificate === null ? {} : { ca: readFileSync(rootCertificate, 'utf8') }),
    ...(certificate === null ? {} : { cert: readFileSync(certificate, 'utf8') }),
    ...(key === null ? {} : { key: readFileSync(key, 'utf8') }),
  };
}

/** For one statement: how long to wait for the server. The library reads it, but does not declare it. */
export function within(ms: number): object {
  return { query_timeout: ms };
}
