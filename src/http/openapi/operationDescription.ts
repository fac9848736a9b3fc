import type { ErrorCode } from '../../core/errorCatalogue.ts';
import type { JsonObject } from '../../core/jsonValue.ts';

/** The parts of an operation's description that are not in the route table. */
export interface OperationDescription {
  /** The required scope in words; undefined if any token, or none, is enough. */
  readonly scope?: string;
  /** Parameters other than those of the path. */
  readonly parameters?: readonly JsonObject[];
  /** Content of the request body by media type, and an example as JSON text. */
  readonly body?: { readonly content: JsonObject; readonly example: string };
  /** Example values of the query string. */
  readonly query?: readonly (readonly [name: string, value: string])[];
  readonly answer: {
    readonly description: string;
    readonly schema: JsonObject;
    /** Default: 200. */
    readonly statuses?: readonly ('200' | '201' | '202' | '204' | '206' | '302')[];
  };
  /** Error codes in addition to `commonErrors`. */
  readonly errors?: readonly ErrorCode[];
  /** The answers to failed calls, if they are not problem documents with the statuses of the catalogue. */
  readonly errorResponses?: (codes: readonly ErrorCode[]) => JsonObject;
}
