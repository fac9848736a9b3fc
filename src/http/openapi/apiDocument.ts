import type { AuthenticatedToken } from '../../tokens/authenticator.ts';

/** A description of the API, and its entity tag. */
export interface ApiDocument {
  readonly body: Buffer;
  readonly entityTag: string;
}

export interface ApiDocumentReader {
  /** The description of what the token may call. */
  read(token: AuthenticatedToken, nowMicros: number): Promise<ApiDocument>;
}
