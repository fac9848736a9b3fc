import type { ColumnOrigins } from '../createRedactor.ts';
import type { ShownRows } from '../redactRows.ts';

/** What a redacting thread is sent: the rows of one call in parts, and then where their columns come from. */
export type RedactingRequest =
  | { readonly kind: 'rows'; readonly bytes: Uint8Array }
  | { readonly kind: 'redact'; readonly origins: ColumnOrigins };

export type RedactingReply = ShownRows;
