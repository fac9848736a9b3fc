/** A request header that changes an answer, with its full name for messages. */
export interface CallHeader {
  readonly name: string;
  readonly value: string | undefined;
}
