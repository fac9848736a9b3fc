import { ServiceError } from '../core/errors.ts';
import type { Timer } from '../core/timer.ts';
import { holdParameters, holdReadTexts, outputLineage, ownNames } from '../googlesql/plan/lineage.ts';
import type { ResolvedQuery } from '../googlesql/resolve/tree.ts';
import type { ColumnOrigins, Redactor } from '../redact/createRedactor.ts';
import { RedactionCounts } from '../redact/redactionCounts.ts';
import { redactRows, type ShownRows } from '../redact/redactRows.ts';
import type { RedactingThreads } from '../redact/thread/redactingThreads.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import type { CallHeader } from './callHeader.ts';

/** The content of `meta.redaction` (contract, section 1). */
export interface RedactionReport {
  readonly applied: boolean;
  /** Number of marks in the rows, by kind. */
  readonly counts: Readonly<Record<string, number>>;
}

export const notRedacted: RedactionReport = { applied: false, counts: {} };

/**
 * Whether the definition, token or request demands redaction. The header can only add it: `true` demands it, any other
 * value changes nothing, and one `true` among repeated headers is enough.
 */
export function isRedactionDemanded(
  header: CallHeader,
  endpoint: { readonly redactPii: boolean },
  { restrictions }: Pick<AuthenticatedToken, 'restrictions'>,
): boolean {
  return endpoint.redactPii || restrictions?.redact === true || asksForRedaction(header);
}

export function asksForRedaction({ value }: CallHeader): boolean {
  return value?.split(',').some((each) => each.trim().toLowerCase() === 'true') ?? false;
}

export interface RedactedRows {
  readonly rows: Uint8Array;
  readonly report: RedactionReport;
}

export interface RedactionServices {
  readonly redactor: Redactor;
  /** Redacts rows that take longer than a turn. */
  readonly redactingThreads: Pick<RedactingThreads, 'redact'>;
  readonly timer: Timer;
}

/** Rows of at most this size take a few milliseconds. */
const atOnceBytesMax = 32 * 1024;

/**
 * Redacts the rows of a result (JSON objects separated by commas). For a query that is redacted at the scan, this is a
 * second check: anything it still finds was written by the caller, because stored values are already marks.
 *
 * @throws ServiceError `query.timeout` if it takes longer than `limitMs`, and the reason of an aborted `signal`
 */
export async function redactedRows(
  {
    rows,
    query,
    isRedactedAtScan,
    tokenId,
    limitMs,
    signal,
  }: {
    readonly rows: Uint8Array;
    readonly query: ResolvedQuery;
    readonly isRedactedAtScan: boolean;
    readonly tokenId: string;
    readonly limitMs: number;
    readonly signal: AbortSignal;
  },
  { redactor, redactingThreads, timer }: RedactionServices,
): Promise<RedactedRows> {
  const origins = originsOf(query, isRedactedAtScan);
  if (rows.byteLength <= atOnceBytesMax) return withReport(redactRows(rows, origins, redactor));
  const late = new AbortController();
  const cancel = timer.after(limitMs, () =>
    late.abort(
      new ServiceError(
        'query.timeout',
        `Redacting the rows took longer than the limit of ${limitMs} ms. Ask for fewer rows or shorter texts.`,
      ),
    ),
  );
  try {
    return withReport(await redactingThreads.redact(tokenId, rows, origins, AbortSignal.any([signal, late.signal])));
  } finally {
    cancel();
  }
}

function withReport({ rows, counts }: ShownRows): RedactedRows {
  return { rows, report: { applied: true, counts } };
}

/** Removes from a run's failure what a redacted call must not show. The cause is only for the log. */
export function redactedFailure(error: unknown, redactor: Redactor): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'sql.data') return error;
  const shown = (text: string): string => redactor.redactGiven(text, new RedactionCounts());
  return new ServiceError(error.code, shown(error.message), {
    errors: error.errors.map((item) => (item.message === undefined ? item : { ...item, message: shown(item.message) })),
    cause: error.cause,
  });
}

/** By query: the origins of its columns, without and with redaction at the scan. */
interface Origins {
  readonly open: ColumnOrigins;
  readonly redactedAtScan: ColumnOrigins;
}

const known = new WeakMap<ResolvedQuery, Origins>();

/** The origins of the columns of a query, for `redactRows`. */
export function originsOf(query: ResolvedQuery, isRedactedAtScan: boolean): ColumnOrigins {
  const origins = known.get(query) ?? madeOrigins(query);
  known.set(query, origins);
  return isRedactedAtScan ? origins.redactedAtScan : origins.open;
}

function madeOrigins(query: ResolvedQuery): Origins {
  const [lineage, names, given] = [outputLineage(query), ownNames(query), holdParameters(query)];
  const read = holdReadTexts(query);
  const originsWith = (isGiven: (i: number) => boolean): ColumnOrigins =>
    new Map(
      query.columns.map(({ name }, i) => [
        name,
        { paths: lineage[i] ?? [], ownNames: names[i] ?? 0, isGiven: isGiven(i), isRead: read[i] !== false },
      ]),
    );
  return { open: originsWith((i) => given[i] !== false), redactedAtScan: originsWith(() => true) };
}
