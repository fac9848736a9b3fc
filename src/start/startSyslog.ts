import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { systemReason } from '../core/systemReason.ts';
import {
  createSyslogServer,
  type SyslogServer,
  type SyslogServerSettings,
  type SyslogServices,
} from '../ingest/syslog/syslogServer.ts';
import type { SourceView } from '../manage/sourceManagement.ts';
import { unknownSource } from '../sources/unknownSource.ts';
import type { Settings } from './settings.ts';
import { SettingsError, StartError } from './startError.ts';

/** Messages that are stored together. */
const batchMax = 1000;
/** Longest time that a TLS handshake may take. */
const handshakeMs = 10_000;

/**
 * Starts the listener for syslog; null if there is to be none. Rejects with a SettingsError or a StartError, and leaves
 * nothing running.
 */
export async function startSyslog(
  services: Pick<SyslogServices, 'ingest' | 'clock' | 'observe'>,
  settings: Settings,
  sources: readonly SourceView[],
): Promise<{ readonly server: SyslogServer; readonly port: number } | null> {
  const { syslogPort: port, syslogHost: host } = settings;
  if (port === undefined) return null;
  const server = createSyslogServer(
    { ...services, wait: (ms, signal) => wait(ms, undefined, { signal }) },
    serverSettings(settings, sources),
  );
  try {
    return { server, port: await server.listen({ host, port }) };
  } catch (error) {
    const message = `The syslog listener cannot use ${host}, port ${port}: ${systemReason(error)}. Choose another with syslog_host or syslog_port.`;
    throw new StartError(message, { cause: error });
  }
}

function serverSettings(settings: Settings, sources: readonly SourceView[]): SyslogServerSettings {
  const { syslogSource, syslogProject: project, syslogConnectionsMax: connectionsMax } = settings;
  if (syslogSource === undefined || project === undefined) {
    const missing = syslogSource === undefined ? 'syslog_source' : 'syslog_project';
    throw new SettingsError(`syslog_port is set, so ${missing} must be set too.`);
  }
  const writable = sources.filter(({ table }) => table === undefined);
  const source = writable.find(({ name, aliases }) => name === syslogSource || aliases.includes(syslogSource));
  if (source === undefined) {
    const { message } = unknownSource(
      syslogSource,
      writable.map(({ name }) => name),
    );
    throw new SettingsError(`syslog_source names no source that accepts events. ${message}`);
  }
  return {
    source: source.name,
    project,
    connectionsMax,
    batchMax: Math.min(batchMax, settings.ingestEventsMax),
    tls: tlsOf(settings),
  };
}

function tlsOf(settings: Settings): SyslogServerSettings['tls'] {
  const { syslogTlsCertFile: cert, syslogTlsKeyFile: key, syslogTlsCaFile: ca } = settings;
  if (cert === undefined && key === undefined && ca === undefined) return null;
  if (cert === undefined || key === undefined) {
    throw new SettingsError('TLS for syslog needs both syslog_tls_cert_file and syslog_tls_key_file.');
  }
  return { cert: read(cert), key: read(key), ca: ca === undefined ? undefined : read(ca), handshakeMs };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new SettingsError(`${file}, a file of the syslog listener, cannot be read: ${systemReason(error)}.`, {
      cause: error,
    });
  }
}
