import { type ExportRecord, expiryOf, noticesOf } from '../../../exports/exportRecord.ts';
import { formatMicros } from '../../../invoke/formatMicros.ts';

export const exportPath = (id: string): string => `/api/exports/${id}`;
export const exportDataPath = (id: string): string => `${exportPath(id)}/data`;

/** An export as its owner sees it. */
export function exportView(record: ExportRecord): Readonly<Record<string, unknown>> {
  const { id, endpoint, format, state, rows, bytes, createdMicros, deadlineMicros, endedMicros, failure, result } =
    record;
  const expiry = expiryOf(record);
  return {
    id,
    endpoint,
    format: format.name,
    state,
    rows,
    bytes,
    created_at: formatMicros(createdMicros),
    deadline: formatMicros(deadlineMicros),
    ended_at: endedMicros === null ? null : formatMicros(endedMicros),
    expires_at: expiry === null ? null : formatMicros(expiry),
    truncated_by: result?.truncatedBy ?? null,
    notices: result === null ? [] : noticesOf(result),
    data: result === null ? null : exportDataPath(id),
    error: failure,
  };
}
