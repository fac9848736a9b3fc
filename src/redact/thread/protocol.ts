import type { ColumnOrigins } from '../createRedactor.ts';
import type { ShownRows } from '../redactRows.ts';

/** Messages to a redaction thread: the rows of one call in parts, then the origins of their columns. */
export type RedactingRequest =
  | { readonly kind: 'rows'; readonly bytes: Uint8Array }
  | { readonly kind: 'redact'; readonly origins: ColumnOrigins };

export type RedactingReply = ShownRows;
