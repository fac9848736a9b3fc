import { ServiceError } from '../../core/errors.ts';
import type { QueryEngine } from '../../ports/queryEngine.ts';
import type { AuthenticatedToken } from '../../tokens/authenticator.ts';
import { requireScope } from '../../tokens/permission.ts';
import type { BoundCall } from '../bind.ts';
import type { CallableEndpoint } from '../callableEndpoint.ts';

/** What a connection can carry. */
export interface StreamTransport {
  /** Whether the reader can tell the end of a body from a broken connection. */
  readonly showsEnd: boolean;
  /** Whether the call wants only headers. */
  readonly isHead: boolean;
  /** Finds the caller again. Rejects with errors of `auth` and `session` if it may not call any more. */
  readonly authenticateAgain: () => Promise<AuthenticatedToken>;
}

/** How a stream of this endpoint may be bounded. */
export interface StreamBounds {
  readonly rowsMax: number;
  readonly bytesMax: number;
}

/** Throws if the call may not stream, or could not; returns the bounds of the stream. */
export function requireStream(
  bound: BoundCall,
  endpoint: CallableEndpoint,
  token: AuthenticatedToken,
  transport: StreamTransport | undefined,
  engine: Pick<QueryEngine, 'stream'>,
): StreamBounds {
  const { stream } = endpoint;
  if (stream === null) {
    throw new ServiceError(
      'stream.disabled',
      'This endpoint does not stream its results. Read them in pages (page_size) or as an export (Prefer: respond-async), or allow streams in its definition (stream: true).',
      { errors: [{ parameter: 'stream' }] },
    );
  }
  if (transport === undefined)
    throw new ServiceError(
      'stream.unsuitable',
      'An export, and a definition that is not stored, are answered only as a whole. Leave out stream.',
      { errors: [{ parameter: 'stream' }] },
    );
  if (bound.callerQuery !== null) requireScope(token.scopes, { kind: 'query:stream' });
  if (bound.page !== null) {
    throw new ServiceError(
      'stream.unsuitable',
      'A result is read in pages or as a stream, not as both. Leave out stream, or page_size and cursor.',
      { errors: [{ parameter: 'stream' }] },
    );
  }
  if (!transport.showsEnd && bound.format.name !== 'ndjson') {
    throw new ServiceError(
      'stream.http_version',
      `Over HTTP/1.0, only the format ndjson can be streamed. Use HTTP/1.1 for ${bound.format.name}, also between proxies.`,
      { errors: [{ parameter: 'format', value: bound.format.name, allowed: ['ndjson'] }] },
    );
  }
  if (engine.stream === undefined)
    throw new ServiceError('stream.unsupported', 'The engine of this service cannot stream results.');
  const ofToken = token.restrictions?.streamMaxRows ?? token.restrictions?.maxRows;
  return { rowsMax: Math.min(stream.maxRows, ofToken ?? stream.maxRows), bytesMax: stream.maxBytes };
}
