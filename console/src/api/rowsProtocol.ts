import type { Json } from './losslessJson.ts';
import type { Meta, Problem } from './types.ts';

export type Row = Readonly<Record<string, Json>>;

export interface RowsAnswer {
  readonly rows: readonly Row[];
  readonly meta: Meta;
  /** From sending the call to having the rows. */
  readonly elapsedMs: number;
}

/** An answer with the call that it is for, which downloads repeat in another format. */
export interface RowsOfCall extends RowsAnswer {
  readonly path: string;
  readonly body: Json;
}

/** What the page asks its worker for. */
export type RowsRequest =
  | {
      readonly id: number;
      readonly kind: 'call';
      readonly base: string;
      readonly path: string;
      readonly body: Json;
      readonly charsMax: number | null;
      readonly isFresh: boolean;
    }
  | { readonly id: number; readonly kind: 'abort' };

/** What the worker answers. */
export type RowsResponse =
  | { readonly id: number; readonly kind: 'rows'; readonly answer: RowsAnswer }
  | {
      readonly id: number;
      readonly kind: 'failed';
      readonly status: number;
      readonly message: string;
      readonly problem: Partial<Problem>;
      readonly retryAfter: number | null;
    };
