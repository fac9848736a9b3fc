import { counted } from '../core/counted.ts';
import { asServiceError, ServiceError } from '../core/errors.ts';
import { isDiskFull } from '../core/isDiskFull.ts';
import type { ExportState } from './exportRecord.ts';

export const diskFull = (cause?: unknown): ServiceError =>
  new ServiceError('service.disk_full', 'The disk of the service has too little space for the export.', {
    retryAfterSeconds: 60,
    cause,
  });

/** The error for the caller if a file of an export could not be written, or anything else failed. */
export function asExportError(error: unknown): ServiceError {
  return isDiskFull(error) ? diskFull(error) : asServiceError(error);
}

/** `own`: exports of the token. */
export const tokenIsFull = (own: number): ServiceError =>
  limit(`This token already has ${counted(own, 'export')}, running or kept. Delete one that is no longer needed.`);

export const serviceIsFull = (): ServiceError =>
  limit('The service already has as many exports as it keeps. Try again later.');

/** `all`: exports of all tokens for the same projects. */
export const tenantIsFull = (all: number): ServiceError =>
  limit(
    `Tokens for the same projects already have ${counted(all, 'export')}, and the service keeps the other places for others. Delete one that is no longer needed.`,
  );

const limit = (why: string): ServiceError => new ServiceError('export.limit', why, { retryAfterSeconds: 60 });

export const noDiskSpace = (): ServiceError =>
  new ServiceError(
    'export.disk_full',
    'The exports of tokens for the same projects, or of all tokens, take as much disk space as they may. Delete exports that are no longer needed, or export less.',
  );

export function unknownExport(id: string): ServiceError {
  return new ServiceError(
    'export.unknown',
    'This token has no export with this ID. An export is removed one hour after its end.',
    { errors: [{ value: id.slice(0, 64) }] },
  );
}

export function notComplete(id: string, state: ExportState, detail?: string): ServiceError {
  const why =
    state === 'failed' ? `has failed: ${detail ?? ''}` : `is ${state}. Read its data when its state is complete.`;
  return new ServiceError('export.incomplete', `The export ${id.slice(0, 64)} ${why}`, {
    ...(state === 'failed' ? {} : { retryAfterSeconds: 1 }),
  });
}

export const cancelled = (): ServiceError => new ServiceError('query.cancelled', 'The export was deleted.');

export const tooLate = (limitMs: number): ServiceError =>
  new ServiceError(
    'query.timeout',
    `The export took longer than the limit of ${limitMs} ms. Export a shorter range of time.`,
  );

export const interrupted = (): ServiceError =>
  new ServiceError('export.interrupted', 'The service was stopped while the export was running. Start it again.');

export const removedEvents = (): ServiceError =>
  new ServiceError(
    'export.events_removed',
    'Events that the export may contain were deleted, or the rules of retention or redaction changed, so its data was removed. Start it again.',
  );

export const endpointChanged = (): ServiceError =>
  new ServiceError(
    'export.endpoint_changed',
    'The endpoint of the export was changed or deleted, so its data was removed. Start it again.',
  );
