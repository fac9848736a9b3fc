import { nearestName } from '../../core/nearestName.ts';

/** How a connection is encrypted, and what of the server's certificate is checked; the names are libpq's. */
export type TlsMode = 'disable' | 'require' | 'verify-ca' | 'verify-full';

export interface PostgresTls {
  readonly mode: TlsMode;
  /** Paths of PEM files; null for the certificate authorities of Node.js, and for no certificate of the client. */
  readonly rootCertificate: string | null;
  readonly certificate: string | null;
  readonly key: string | null;
}

/** Where the store is, and who opens it. */
export interface PostgresAddress {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Null if the server asks for none. Never part of a message. */
  readonly password: string | null;
  /** The schema that holds the tables; created if it is missing. */
  readonly schema: string;
  readonly tls: PostgresTls;
}

/** The URL is not that of a PostgreSQL database. The message does not contain the URL, which has a password. */
export class AddressProblem extends Error {}

const schemes = ['postgres:', 'postgresql:'];
const tlsModes: readonly TlsMode[] = ['disable', 'require', 'verify-ca', 'verify-full'];
const parameters = ['schema', 'host', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

/**
 * Reads `postgres://user:password@host:port/database?schema=…&sslmode=…`. The database is that of the user's name, the
 * port 5432, the schema `logmill` and sslmode `disable` if not given. `host` as a parameter names a socket's folder.
 *
 * @throws AddressProblem with half a sentence that follows the name of the setting
 */
export function parsePostgresAddress(text: string): PostgresAddress {
  const written = withHost(text);
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || !schemes.includes(url.protocol)) {
    throw new AddressProblem('is a URL such as postgres://user:password@host:5432/database?sslmode=verify-full');
  }
  const given = parametersOf(url);
  const user = decoded(url.username, 'user');
  if (user === '') throw new AddressProblem('names no user; write postgres://user:password@host:5432/database');
  const schema = given.get('schema') ?? 'logmill';
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(schema) || schema.startsWith('pg_')) {
    throw new AddressProblem(
      'has a schema that is not lower-case letters, digits and _ (40 at most), or begins with pg_',
    );
  }
  return {
    host: given.get('host') ?? decoded(url.hostname.replace(/^\[(.*)\]$/, '$1'), 'host'),
    port: url.port === '' ? 5432 : Number(url.port),
    database: decoded(url.pathname.slice(1), 'database') || user,
    user,
    password: url.password === '' ? null : decoded(url.password, 'password'),
    schema,
    tls: tlsOf(given),
  };
}

/** How messages name the store: without user and password. */
export function addressLabel({ host, port, database, schema }: PostgresAddress): string {
  return `the database ${database} (schema ${schema}) at ${host.startsWith('/') ? host : `${host}:${port}`}`;
}

/** `postgres://user@/database?host=/run/postgresql` has no host, which a URL with a user must have. */
function withHost(text: string): string {
  return text.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=[/?]|$)/, '$1localhost');
}

function parametersOf(url: URL): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (!parameters.includes(name)) {
      const nearest = nearestName(name, parameters);
      const hint = nearest === undefined ? `Allowed: ${parameters.join(', ')}` : `Did you mean ${nearest}?`;
      throw new AddressProblem(`has the unknown parameter ${JSON.stringify(name)}. ${hint}`);
    }
    if (given.has(name)) throw new AddressProblem(`has the parameter ${name} twice`);
    if (value === '') throw new AddressProblem(`has an empty parameter ${name}`);
    given.set(name, value);
  }
  return given;
}

function tlsOf(given: ReadonlyMap<string, string>): PostgresTls {
  const rootCertificate = given.get('sslrootcert') ?? null;
  const certificate = given.get('sslcert') ?? null;
  const key = given.get('sslkey') ?? null;
  if ((certificate === null) !== (key === null)) throw new AddressProblem('has one of sslcert and sslkey; give both');
  const named = given.get('sslmode');
  const mode = tlsModes.find(
    (known) => known === (named ?? ((rootCertificate ?? certificate) ? 'verify-full' : 'disable')),
  );
  if (mode === undefined) throw new AddressProblem(`has another sslmode than ${tlsModes.join(', ')}`);
  if (mode === 'disable' && (rootCertificate ?? certificate) !== null) {
    throw new AddressProblem('has certificates, but sslmode=disable');
  }
  // Any certificate of a public authority would do, whoever owns it.
  if (mode === 'verify-ca' && rootCertificate === null)
    throw new AddressProblem('has sslmode=verify-ca without sslrootcert');
  return { mode, rootCertificate, certificate, key };
}

function decoded(text: string, part: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AddressProblem(`has a ${part} that is not percent-encoded correctly`);
  }
}
