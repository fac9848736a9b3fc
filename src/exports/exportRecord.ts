import type { ErrorCode } from '../core/errorCatalogue.ts';
import type { ChosenFormat, FormatColumn, FormatName } from '../formats/resultFormat.ts';
import type { Notice } from '../googlesql/resolve/tree.ts';
import type { EndpointIdentity } from '../invoke/calledEndpoint.ts';
import type { ParameterEntry } from '../invoke/parameterEntry.ts';
import type { RedactionReport } from '../invoke/redaction.ts';
import type { ValuesProfile } from '../ports/queryEngine.ts';

/**
 * - `running`: the query runs, and rows are written.
 * - `waiting`: for a place among the exports that run at the same time.
 * - `complete`: the rows can be read.
 */
export type ExportState = 'waiting' | 'running' | 'complete' | 'failed';

/** Formats of exports: the others are for results that fit on a page. */
export const exportFormats = [
  'json',
  'ndjson',
  'csv',
  'tsv',
  'arrow',
  'parquet',
] as const satisfies readonly FormatName[];

/** Why an export failed, as in a problem document. */
export interface ExportFailure {
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: string;
}

/** A complete result, on disk as JSON rows. Every format is made from it. */
export interface ExportResult {
  readonly columns: readonly FormatColumn[];
  /** Bytes of each part of the file of rows. */
  readonly parts: readonly number[];
  /** `meta` of an answer, as JSON. */
  readonly meta: string;
  readonly asOfMicros: number;
  readonly truncatedBy: string | null;
}

/** Whether the rows were redacted. */
export function isRedacted({ meta }: Pick<ExportResult, 'meta'>): boolean {
  return (JSON.parse(meta) as { readonly redaction: RedactionReport }).redaction.applied;
}

/** The notices in `meta`. */
export function noticesOf({ meta }: Pick<ExportResult, 'meta'>): readonly Notice[] {
  return (JSON.parse(meta) as { readonly notices: readonly Notice[] }).notices;
}

/** An export as it is kept. Times are microseconds since 1970. */
export interface ExportRecord {
  readonly id: string;
  /** Public ID of the only token that reaches it. */
  readonly tokenId: string;
  /** The owner of its place and its disk space (`placeOwnerOf`). */
  readonly placeOwner: string;
  /** The only projects whose events its rows can have; null for any, and absent from records of older versions. */
  readonly projects?: readonly string[] | null;
  /** Hash of the rights that the token had. With other ones, the call might have other rows. */
  readonly rights: string;
  readonly endpoint: { readonly id: string; readonly name: string; readonly version: number };
  readonly identity: EndpointIdentity;
  /** The parameter `version` of the call, if it has one. */
  readonly version: readonly ParameterEntry[];
  /** What else of the service the rows depend on (`ExportsOptions.basis`). */
  readonly basis: string;
  readonly format: ChosenFormat;
  readonly profile: ValuesProfile;
  readonly createdMicros: number;
  readonly deadlineMicros: number;
  readonly state: ExportState;
  readonly rows: number;
  /** Bytes of the rows as JSON. */
  readonly bytes: number;
  /** Null until it is complete or has failed. */
  readonly endedMicros: number | null;
  readonly failure: ExportFailure | null;
  readonly result: ExportResult | null;
  /** Sizes of the files that formats were written to, by file name. */
  readonly files: Readonly<Record<string, number>>;
  /** Cells of these files that are not as in the rows (`guardedNotice`), by file name. Absent without such files. */
  readonly guardedCells?: Readonly<Record<string, number>>;
}

/** How long an export is kept once it has ended. */
export const exportKeptMicros = 60 * 60 * 1_000_000;

/** Null while it runs. */
export function expiryOf({ endedMicros }: Pick<ExportRecord, 'endedMicros'>): number | null {
  return endedMicros === null ? null : endedMicros + exportKeptMicros;
}
