import type { EndpointVersion } from '../endpoints/endpointStore.ts';
import type { Source } from '../sources/source.ts';

/** The part of a definition version that a call needs (contract, section 3). */
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
  | 'stream'
> & {
  /** Present only on endpoints of the service itself (decision 40), never on definitions. */
  readonly service?: ServiceEndpoint;
};

/** An endpoint of the service itself. It needs the scope `observe` and a token without project restriction. */
export interface ServiceEndpoint {
  /** The sources that its query reads instead of the declared ones. */
  readonly sources: ReadonlyMap<string, Source>;
  /** Awaited before a run, so that the run sees everything that happened before. Never rejects. */
  settle(): Promise<void>;
}
