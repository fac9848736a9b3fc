import { readFolderHolder } from '../folderLock.ts';
import { refuseTakenPort } from '../refuseTakenPort.ts';
import { reportedSpace } from '../reportedSpace.ts';
import type { Settings } from '../settings.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

const answerWithinMs = 5000;

/** Checks whether a service runs on the folder and answers. If none runs, checks whether one could listen. */
export async function checkService(
  settings: Settings,
): Promise<{ readonly findings: readonly Finding[]; readonly isRunning: boolean }> {
  const holder = readFolderHolder(settings.dataDir);
  if (holder === null) {
    return { findings: [ok('lock', 'No service runs on the data folder.'), await port(settings)], isRunning: false };
  }
  const lock = ok('lock', `The data folder belongs to ${holder.description}.`);
  const url = holder.url ?? configuredUrl(settings);
  const findings = [lock, ...elsewhere(settings, holder.url)];
  if (url === undefined) return { findings: [...findings, unknownAddress], isRunning: true };
  return { findings: [...findings, await probe(url)], isRunning: true };
}

const unknownAddress = warn(
  'service',
  'It does not listen yet, so it was not called.',
  'Run the doctor again when the start is complete.',
);

/** The address to call; undefined if the system picks the port. */
function configuredUrl({ host, port: number }: Settings): string | undefined {
  if (number === 0) return undefined;
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${number}`;
}

/** Whatever answers at the configured port is not the service of this folder if that one listens on another. */
function elsewhere({ port: number }: Settings, url: string | undefined): readonly Finding[] {
  if (url === undefined || number === 0 || new URL(url).port === String(number)) return [];
  return [
    warn(
      'port',
      `The service of this folder listens on ${url}, not on port ${number}.`,
      `Set LOGMILL_URL=${url} for commands that call it. A service on port ${number} belongs to another folder.`,
    ),
  ];
}

async function port({ host, port: number }: Settings): Promise<Finding> {
  try {
    await refuseTakenPort(host, number);
    return ok('port', number === 0 ? 'The system picks the port.' : `Port ${number} of ${host} is free.`);
  } catch (error) {
    return fail(
      'port',
      error instanceof Error ? error.message : String(error),
      'Stop the program that uses the port, or set LOGMILL_PORT.',
    );
  }
}

async function probe(address: string): Promise<Finding> {
  const url = `${address}/readyz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(answerWithinMs) });
    const text = await response.text();
    if (!response.ok) {
      return fail('service', `${url} answers ${response.status}.`, 'Its log says what it waits for.');
    }
    const { state, sentence } = reportedSpace(text);
    if (state === 'no events') {
      return fail('service', sentence, 'Free some space; ingestion then resumes automatically.');
    }
    if (state === 'no sealing') {
      return warn('service', sentence, 'Free some space; sealing then resumes automatically.');
    }
    return ok('service', `${url} reports that the service is ready.`);
  } catch (error) {
    return warn(
      'service',
      `${url} cannot be reached: ${reasonOf(error)}.`,
      'The service may listen elsewhere. Give the doctor the same settings as the service.',
    );
  }
}
