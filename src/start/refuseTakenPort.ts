import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartError } from './startError.ts';

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another program uses the port. Choose another one with --port or LOGMILL_PORT, or 0 to let the system pick one.',
  EACCES: 'this user may not listen on that port. Choose one above 1023 with --port or LOGMILL_PORT.',
  EADDRNOTAVAIL: 'this machine does not have that address. Choose one of its own with --host or LOGMILL_HOST.',
  ENOTFOUND: 'there is no such host. Choose an address of this machine with --host or LOGMILL_HOST.',
};

/**
 * Throws a StartError if the service could not listen, before anything is made in the data folder. The address is free
 * again when this resolves.
 */
export async function refuseTakenPort(host: string, port: number): Promise<void> {
  const trial = createServer();
  try {
    trial.listen({ host, port });
    await once(trial, 'listening');
  } catch (error) {
    throw listenError(error, host, port);
  }
  trial.close();
  await once(trial, 'close');
}

/** The error as a sentence if it is a common one, or unchanged. */
export function listenError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = Object.hasOwn(reasons, code) ? reasons[code] : undefined;
  return reason === undefined ? error : new StartError(`${host}, port ${port}: ${reason}`, { cause: error });
}
