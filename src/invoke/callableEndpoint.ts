import type { EndpointVersion } from '../endpoints/endpointStore.ts';
import type { Source } from '../sources/source.ts';

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
> & {
  /** Only of an endpoint of the service itself (decision 40); no definition can have it. */
  readonly service?: ServiceEndpoint;
};

/** Such an endpoint needs the scope `observe`, and a token that is not restricted to projects. */
export interface ServiceEndpoint {
  /** What its query reads, instead of the declared sources. */
  readonly sources: ReadonlyMap<string, Source>;
  /** Awaited before it is run, so that it shows what happened before. Never rejects. */
  settle(): Promise<void>;
}
