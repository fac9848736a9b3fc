import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import * as z from 'zod';
import { type BackupReader, backupContentsSchema } from '../backup/backupContents.ts';
import { CliError } from './cliError.ts';
import { answerOf, type ServiceAddress } from './serviceClient.ts';

const begunSchema = backupContentsSchema.extend({ id: z.string().min(1), idle_seconds: z.number() });

/** Starts a backup of a running service over HTTP. Throws a CliError if the service does not offer one. */
export async function takeServiceBackup(address: ServiceAddress): Promise<BackupReader> {
  const answer = begunSchema.safeParse(JSON.parse(await answerOf(address, '/api/backups', {})));
  if (!answer.success)
    throw new CliError(
      `${address.url} sent a backup that this version cannot read. Use the version of logmill that the service has.`,
    );
  const { id, idle_seconds: _, ...contents } = answer.data;
  const base = `/api/backups/${encodeURIComponent(id)}`;
  return {
    contents,
    open: async ({ name }) => await openFile(address, `${base}/files/${encodeURIComponent(name)}`, name),
    close: async () => {
      await answerOf(address, base, { method: 'DELETE' });
    },
  };
}

async function openFile(address: ServiceAddress, path: string, name: string): Promise<Readable> {
  const response = await fetch(`${address.url}${path}`, { headers: { 'x-api-key': address.token } });
  if (response.status === 200 && response.body !== null) return Readable.fromWeb(response.body as WebStream);
  const text = await response.text();
  throw new CliError(`${name} cannot be read from ${address.url}: status ${response.status}: ${text.slice(0, 500)}`);
}
