/** A code that a generated client raises itself, because no answer of the service has it. */
export interface ClientError {
  /** The languages whose client raises it. */
  readonly languages: readonly ('TypeScript' | 'Python')[];
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  readonly docs: string;
}

const both = ['TypeScript', 'Python'] as const;

/** Every code that begins with `client.`. The docs page of errors is generated from this table. */
export const clientErrorCatalogue: Readonly<Record<string, ClientError>> = {
  'client.unreachable': {
    languages: both,
    retryable: true,
    docs: 'The service did not answer: the connection was refused, ended before the answer, or took too long. The client has already repeated the call (`retries`). Check the address and whether the service runs.',
  },
  'client.unreadable': {
    languages: both,
    retryable: false,
    docs: 'The answer is not what this version of Logmill sends, such as the page of a proxy, or lacks a member. Check the address. If the service was upgraded, generate the client again.',
  },
  'client.cut': {
    languages: both,
    retryable: true,
    docs: 'A stream or the data of an export was cut off before its end. Do not use the rows that were read as the whole result.',
  },
  'client.rows_missing': {
    languages: both,
    retryable: false,
    docs: 'A tail left out rows, because it was away for more than 15 minutes or its rows were not read fast enough. To go on instead, handle them in `onMissing` (TypeScript) or `on_missing` (Python).',
  },
  'client.endpoint_unknown': {
    languages: both,
    retryable: false,
    docs: 'The client has no endpoint of this name for this kind of call. The message lists those that it has. If the endpoint is new, generate the client again.',
  },
  'client.int64_unsafe': {
    languages: ['TypeScript'],
    retryable: false,
    docs: 'An INT64 column has a value that a `number` cannot hold exactly. Generate the client with `--int64 bigint`.',
  },
};
