import type { EndpointVersion } from '../endpoints/endpointStore.ts';

/** What a call needs to know of one version of a definition (contract, section 3). */
export type CallableEndpoint = Pick<
  EndpointVersion,
  | 'id'
  | 'name'
  | 'version'
  | 'query'
  | 'parameters'
  | 'maxRows'
  | 'sandbox'
  | 'redactPii'
  | 'strictParameters'
  | 'values'
  | 'timeoutMs'
  | 'retention'
  | 'cacheSeconds'
  | 'warmSeconds'
  | 'staleIfErrorSeconds'
>;
