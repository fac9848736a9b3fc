import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../core/errors.ts';
import type { EndpointHead, EndpointVersion } from '../endpoints/endpointStore.ts';
import type { Source } from '../sources/source.ts';
import { describeEndpoint, type EndpointDescription } from './describe.ts';

export interface DescribedEndpoint {
  readonly endpoint: EndpointVersion;
  /** Null where the stored query does not compile any more. */
  readonly description: EndpointDescription | null;
}

/** Where the current endpoints come from. */
export interface CurrentEndpoints {
  /** The same array as long as none has changed. */
  list(nowMicros: number): Promise<readonly EndpointHead[]>;
  findById(id: string, nowMicros: number): Promise<EndpointVersion | undefined>;
}

/** Descriptions that are kept. One takes some kilobytes. */
const descriptionsMax = 2000;

/** The current endpoints with what they promise. Each version is compiled once. */
export class DescribedEndpoints {
  readonly #endpoints: CurrentEndpoints;
  readonly #sources: ReadonlyMap<string, Source>;
  readonly #known = new LRUCache<string, { readonly description: EndpointDescription | null }>({
    max: descriptionsMax,
  });

  constructor(endpoints: CurrentEndpoints, sources: ReadonlyMap<string, Source>) {
    this.#endpoints = endpoints;
    this.#sources = sources;
  }

  /** The same array as long as none has changed. */
  list(nowMicros: number): Promise<readonly EndpointHead[]> {
    return this.#endpoints.list(nowMicros);
  }

  /** Undefined where there is no such endpoint. Lets other work go on before it compiles. */
  async find(id: string, nowMicros: number): Promise<DescribedEndpoint | undefined> {
    const endpoint = await this.#endpoints.findById(id, nowMicros);
    if (endpoint === undefined) return undefined;
    const key = `${endpoint.id} ${endpoint.version}`;
    const known = this.#known.get(key);
    if (known !== undefined) return { endpoint, ...known };
    await nextTurn();
    const description = this.#descriptionOf(endpoint);
    this.#known.set(key, { description });
    return { endpoint, description };
  }

  #descriptionOf(endpoint: EndpointVersion): EndpointDescription | null {
    try {
      return describeEndpoint(endpoint, this.#sources);
    } catch (error) {
      // Stored when the dialect still read it; a call of it is refused in the same way.
      if (error instanceof ServiceError && error.code === 'definition.invalid') return null;
      throw error;
    }
  }
}
