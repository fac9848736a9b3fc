import * as z from 'zod';
import { counted } from '../../core/counted.ts';
import type { JsonObject, JsonValue } from '../../core/jsonValue.ts';
import { parseJson } from '../../core/losslessJson.ts';
import { exportFormats } from '../../exports/exportRecord.ts';
import { sizeText } from '../backupProgress.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError, withAdvice } from '../cliError.ts';
import { askJson } from '../managedEndpoints.ts';
import { noticesIn } from '../notices.ts';
import { formHeaders, patientAnswerOf } from '../patientAnswer.ts';
import {
  answerOf,
  BrokenAnswer,
  callService,
  RefusedCall,
  type ServiceAddress,
  UnreachableService,
} from '../serviceClient.ts';

const statusSchema = z.looseObject({
  id: z.string().min(1),
  format: z.enum(exportFormats),
  state: z.enum(['waiting', 'running', 'complete', 'failed']),
  rows: z.coerce.number(),
  bytes: z.coerce.number(),
  truncated_by: z.string().nullable(),
  error: z.object({ code: z.string(), detail: z.string() }).nullable(),
});

const listSchema = z.looseObject({
  exports: z.array(
    statusSchema.extend({
      endpoint: z.looseObject({ name: z.string() }),
      created_at: z.string(),
      expires_at: z.string().nullable(),
    }),
  ),
});

/** The state of an export, as the service shows it. */
export type ExportStatus = z.infer<typeof statusSchema>;

export const exportPath = (id: string): string => `/api/exports/${encodeURIComponent(id)}`;

/** Time between two looks at a running export. */
const lookEveryMs = 1_000;
/** How often a service is asked that is away. */
const attemptsMax = 10;

/** The exports of the token, the newest first. */
export async function listExports(address: ServiceAddress): Promise<z.infer<typeof listSchema>['exports']> {
  return (await askJson(address, '/api/exports', listSchema)).exports;
}

/**
 * Starts an export. Throws a CliError if the service refuses the call, or does not say whether the export has begun.
 *
 * @param path of a call, whose `parameters` name the format
 * @param query the caller's query, which places in errors refer to
 */
export async function beginExport(
  address: ServiceAddress,
  path: string,
  parameters: URLSearchParams,
  query: string | undefined,
): Promise<ExportStatus> {
  const headers = { ...formHeaders, prefer: 'respond-async' };
  try {
    return statusIn(await answerOf(address, path, { body: parameters.toString(), headers }, query), address);
  } catch (error) {
    const isFull = error instanceof RefusedCall && error.problem.code === 'export.limit';
    // It may have begun, although nothing says so.
    const isUnknown = error instanceof BrokenAnswer || (error instanceof UnreachableService && !error.isUnsent);
    if (!isFull && !isUnknown) throw error;
    throw withAdvice(error, '"logmill exports list" shows your exports, and "logmill exports delete" removes them.');
  }
}

/** Reads the state in an answer. Throws a CliError if the answer has none. */
function statusIn(body: string, { url }: ServiceAddress): ExportStatus {
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
  return statusIn(body, address);
}

/** An export failed, and has no rows. */
export class FailedExport extends CliError {
  constructor({ code, detail }: { readonly code: string; readonly detail: string }) {
    super(`The export has failed: ${detail} [${code}]`, { details: { code, detail } });
  }
}

/** Waits until an export is complete. Throws a FailedExport if it fails. */
export async function completed(
  address: ServiceAddress,
  id: string,
  context: Pick<CliContext, 'delay' | 'progress'>,
): Promise<ExportStatus> {
  for (;;) {
    const status = await exportStatus(address, id, context);
    if (status.state === 'complete') return status;
    if (status.error !== null) throw new FailedExport(status.error);
    context.progress(`${status.state}: ${counted(status.rows, 'row')}, ${sizeText(status.bytes)}`);
    await context.delay(lookEveryMs);
  }
}

/** The notices in a state; a service may have them only in the headers of the data. */
export const noticesOfStatus = ({ notices }: ExportStatus): readonly JsonObject[] =>
  noticesIn(notices as JsonValue | undefined);

/** Removes an export. False if the service does not do it now; it does so itself an hour after the end. */
export async function removeExport(address: ServiceAddress, id: string): Promise<boolean> {
  const answer = await callService(address, exportPath(id), { method: 'DELETE' });
  return answer.kind === 'success' || (answer.kind === 'problem' && answer.problem.code === 'export.unknown');
}
