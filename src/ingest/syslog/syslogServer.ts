import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Clock } from '../../core/clock.ts';
import { ConnectionPlaces } from '../../core/connectionPlaces.ts';
import { counted } from '../../core/counted.ts';
import { errorCatalogue } from '../../core/errorCatalogue.ts';
import { asServiceError, type ServiceError } from '../../core/errors.ts';
import type { Observe } from '../../core/observation.ts';
import { RareReports } from '../../core/rareReports.ts';
import type { Ingest } from '../ingest.ts';
import { type SyslogFrame, SyslogFrames } from './frames.ts';
import { syslogMessageBytesMax, syslogProtocol } from './syslogProtocol.ts';

export interface SyslogServices {
  readonly ingest: Pick<Ingest, 'acceptEach'>;
  readonly clock: Clock;
  readonly observe: Observe;
  /** Resolves after the time, or rejects when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export interface SyslogServerSettings {
  /** Name of the source of all messages. */
  readonly source: string;
  /** Project of all messages. */
  readonly project: string;
  readonly connectionsMax: number;
  /** Maximum number of messages that are stored together. */
  readonly batchMax: number;
  /** Null for plain TCP. */
  readonly tls: SyslogTls | null;
}

/** Certificate, key and, if senders need a certificate, its authority, in PEM. */
export interface SyslogTls {
  readonly cert: string;
  readonly key: string;
  readonly ca: string | undefined;
  /** Longest time in milliseconds that a handshake may take. */
  readonly handshakeMs: number;
}

export interface SyslogServer {
  /** Resolves with the port. */
  listen(address: { readonly host: string; readonly port: number }): Promise<number>;
  /** Stops reading. Resolves when what was read is stored, or cannot be stored now. */
  close(): Promise<void>;
}

/** Milliseconds between attempts to store the same messages. */
const waitMs = { least: 1_000, most: 30_000 } as const;
/** A connection that has sent no message for this long loses its place if another one needs it. */
export const silentMsMax = 5 * 60_000;

/**
 * Receives messages of syslog (RFC 5424 and RFC 3164) over TCP or TLS. The protocol has no acknowledgements, so a
 * connection is read on only when the messages read before are durable: while they cannot be stored, the sender waits.
 */
export function createSyslogServer(services: SyslogServices, settings: SyslogServerSettings): SyslogServer {
  const closing = new AbortController();
  /** All connections; with TLS also those in their handshake, which are not received yet. */
  const sockets = new Set<Socket>();
  const places = new ConnectionPlaces(services.clock, settings.connectionsMax, silentMsMax);
  const receptions = new Set<Promise<void>>();
  const warn = createWarn(services);
  const serve = (socket: Socket) => {
    socket.setKeepAlive(true, 60_000);
    const done = receive(socket, { services, settings, warn, places, closing: closing.signal }).finally(() => {
      socket.destroy();
      receptions.delete(done);
    });
    receptions.add(done);
  };
  const accept = acceptorOf(settings, serve, warn);
  const server = createServer((socket) => {
    const place = places.take(socket);
    if (place !== 'taken') {
      const which = place === 'refused' ? 'a new' : 'the longest silent';
      warn(
        'full',
        `${which} syslog connection was closed: ${settings.connectionsMax} is the limit (syslog_connections_max)`,
      );
    }
    if (place === 'refused') {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    accept(socket);
  });
  return {
    async listen(address) {
      server.listen(address);
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    },
    async close() {
      closing.abort();
      const closed = server.listening ? once(server, 'close') : undefined;
      server.close();
      for (const socket of sockets) socket.destroy();
      await Promise.all(receptions);
      await closed;
    },
  };
}

/**
 * The version that every sender has (RFC 5425, RFC 9662). A server of 1.3 sends tickets after the handshake, and Node cannot
 * leave them out. If a sender that only writes closes its connection, they are unread, so its system resets the connection
 * and drops what it has not sent yet.
 */
const tlsVersion = 'TLSv1.2';

/** Returns what serves an accepted connection: at once, or after its TLS handshake. */
function acceptorOf(
  { tls }: SyslogServerSettings,
  serve: (socket: Socket) => void,
  warn: Warn,
): (socket: Socket) => void {
  if (tls === null) return serve;
  const { cert, key, ca, handshakeMs } = tls;
  const clients = ca === undefined ? {} : { ca, requestCert: true, rejectUnauthorized: true };
  const server = createTlsServer(
    { cert, key, ...clients, minVersion: tlsVersion, maxVersion: tlsVersion, handshakeTimeout: handshakeMs },
    serve,
  );
  server.on('tlsClientError', (_error: Error, socket: Socket) => {
    warn('tls', 'a syslog sender did not complete the TLS handshake');
    // After `handshakeTimeout`, Node leaves it open.
    socket.destroy();
  });
  return (socket) => void server.emit('connection', socket);
}

type Subject = 'full' | 'tls' | 'refused' | 'waiting' | 'rejected';
type Warn = (about: Subject, message: string) => void;

function createWarn({ clock, observe }: SyslogServices): Warn {
  const reports = new RareReports<Subject>(clock);
  return (about, message) => {
    if (reports.isDue(about)) observe({ kind: 'warning', message });
  };
}

interface Receiving {
  readonly services: SyslogServices;
  readonly settings: SyslogServerSettings;
  readonly warn: Warn;
  readonly places: ConnectionPlaces;
  readonly closing: AbortSignal;
}

/** Reads a connection to its end. Never rejects. */
async function receive(socket: Socket, receiving: Receiving): Promise<void> {
  const { services, places, closing } = receiving;
  const frames = new SyslogFrames(syslogMessageBytesMax);
  let lost: Error | undefined;
  // Without a listener, an error that comes after the last read would end the process.
  socket.on('error', (error) => {
    lost = error;
  });
  try {
    for await (const chunk of socket) {
      const sent = frames.push(chunk as Buffer);
      if (sent.length > 0) await places.hear(socket, () => storeInBatches(sent, receiving));
    }
    await storeInBatches(frames.end(), receiving);
  } catch (cause) {
    // The service stops, or the sender is gone. What was read and could not be stored then is lost, as with every
    // receiver of this protocol.
    if (closing.aborted || cause === lost) return;
    services.observe({ kind: 'warning', message: 'a syslog connection failed', cause });
  }
}

async function storeInBatches(frames: readonly SyslogFrame[], receiving: Receiving): Promise<void> {
  const { services, settings, warn, closing } = receiving;
  for (let from = 0; from < frames.length; from += settings.batchMax) {
    const batch = frames.slice(from, from + settings.batchMax);
    for (let ms: number = waitMs.least; ; ms = Math.min(2 * ms, waitMs.most)) {
      const refusal = await storeOnce(batch, receiving);
      if (refusal === undefined) break;
      if (!mayPass(refusal)) {
        warn('refused', `${counted(batch.length, 'syslog message')} could not be stored: ${refusal.message}`);
        break;
      }
      warn('waiting', `syslog senders wait, because their messages cannot be stored now: ${refusal.message}`);
      await services.wait(Math.max(ms, 1000 * (refusal.retryAfterSeconds ?? 0)), closing);
    }
  }
}

/** Whether the same messages may be stored later. */
const mayPass = ({ code }: ServiceError): boolean => errorCatalogue[code].retryable || code === 'internal';

/** Undefined if the messages are stored, or rejected for good; otherwise why not. */
async function storeOnce(
  frames: readonly SyslogFrame[],
  { services: { ingest, clock }, settings: { source, project }, warn }: Receiving,
): Promise<ServiceError | undefined> {
  try {
    const { rejections, failures } = await ingest.acceptEach({
      protocol: syslogProtocol(frames, { arrivalMicros: clock.nowMicros(), project }),
      tokenId: 'syslog',
      maySend: (name) => name === source,
      projects: [project],
      sourceCandidates: [{ place: 'the setting syslog_source', name: source }],
      contentType: undefined,
      contentEncoding: undefined,
      body: bodyOf(frames),
      idempotencyKey: undefined,
      strict: false,
    });
    const [rejection] = rejections;
    if (rejection !== undefined) warn('rejected', `syslog messages were rejected: ${rejection.message}`);
    const [failure] = failures.values();
    return failure;
  } catch (error) {
    return asServiceError(error);
  }
}

/** The messages as lines. An empty first line, so that no message looks like a compressed body. */
function bodyOf(frames: readonly SyslogFrame[]): Buffer {
  const lineFeed = Buffer.from('\n');
  return Buffer.concat(frames.flatMap((frame) => (frame.kind === 'message' ? [lineFeed, frame.bytes] : [])));
}
