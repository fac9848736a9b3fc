import { existsSync } from 'node:fs';
import * as z from 'zod';
import { parseJson } from '../core/losslessJson.ts';
import type { CliContext } from './cliContext.ts';
import { CliError } from './cliError.ts';
import { intoFile } from './intoFile.ts';
import { patientAnswerOf, retriedStatuses } from './patientAnswer.ts';
import { reasonOf, type ServiceAddress } from './serviceClient.ts';

const statusSchema = z.object({
  id: z.string().min(1),
  state: z.enum(['waiting', 'running', 'complete', 'failed']),
  rows: z.coerce.number(),
  bytes: z.coerce.number(),
  truncated_by: z.string().nullable(),
  error: z.object({ code: z.string(), detail: z.string() }).nullable(),
});

/** The state of an export, as the service shows it. */
export type ExportStatus = z.infer<typeof statusSchema>;

export const exportPath = (id: string): string => `/api/exports/${encodeURIComponent(id)}`;

/** Reads the state in an answer. Throws a CliError if the answer has none. */
export function exportStatusIn(body: string, { url }: ServiceAddress): ExportStatus {
  const status = statusSchema.safeParse(parseJson(body));
  if (status.success) return status.data;
  throw new CliError(
    `${url} answered with something other than an export. Use the version of logmill that the service has.`,
  );
}

/** Waits for a service that is away. Throws a CliError if it stays away, or has no such export. */
export async function exportStatus(
  address: ServiceAddress,
  id: string,
  context: Pick<CliContext, 'delay'>,
): Promise<ExportStatus> {
  const request = { method: 'GET' } as const;
  const { body } = await patientAnswerOf(address, exportPath(id), request, context, { attempts: attemptsMax });
  return exportStatusIn(body, address);
}

export interface ExportDownload {
  /** File to write; it has its name once it is complete. */
  readonly file: string;
  /** Called after each part, with the bytes so far and in all. */
  readonly progress: (bytes: number, of: number) => void;
  readonly delay: (ms: number) => Promise<void>;
}

/** How often a download goes on after a broken connection that brought nothing, and how long it waits before. */
const attemptsMax = 10;
const retryMs = 1_000;

/**
 * Writes the data of an export into a new file. After a broken connection it goes on where it ended.
 *
 * @throws CliError if the file cannot be written, the service refuses, or it stays away
 */
export async function downloadExport(address: ServiceAddress, id: string, download: ExportDownload): Promise<void> {
  const { file } = download;
  await intoFile(file, async (write) => {
    await readInto(write, address, id, download);
    if (existsSync(file)) throw new CliError(`${file} was written by another program meanwhile.`);
  });
}

async function readInto(
  write: (bytes: Uint8Array) => void,
  address: ServiceAddress,
  id: string,
  { progress, delay }: ExportDownload,
): Promise<void> {
  let bytes = 0;
  let tag: string | null = null;
  for (let attempt = 0; ; attempt++) {
    let isAway: string;
    try {
      const headers: Record<string, string> = { 'x-api-key': address.token, 'accept-encoding': 'identity' };
      if (tag !== null) Object.assign(headers, { range: `bytes=${bytes}-`, 'if-range': tag });
      const response = await fetch(`${address.url}${exportPath(id)}/data`, { headers });
      if (retriedStatuses.has(response.status)) throw new Error(`the service answers ${response.status}`);
      // A part of other data would not fit to what is there.
      const isFit = tag === null ? response.status === 200 : response.status === 206;
      if (!isFit || response.body === null) throw new CliError(await refusalOf(response, address));
      tag = response.headers.get('etag');
      const total = bytes + Number(response.headers.get('content-length') ?? 0);
      for await (const part of response.body) {
        write(part);
        bytes += part.byteLength;
        attempt = 0;
        progress(bytes, total);
      }
      if (bytes >= total) return;
      isAway = 'the connection was closed early';
    } catch (error) {
      if (error instanceof CliError) throw error;
      isAway = reasonOf(error);
    }
    if (attempt >= attemptsMax || (tag === null && bytes > 0)) {
      throw new CliError(`The export could not be read from ${address.url}: ${isAway}. Its ID is ${id}.`);
    }
    await delay(retryMs);
  }
}

async function refusalOf(response: Response, { url }: ServiceAddress): Promise<string> {
  const text = await response.text();
  return `The export cannot be read from ${url}: status ${response.status}: ${text.slice(0, 500)}`;
}
