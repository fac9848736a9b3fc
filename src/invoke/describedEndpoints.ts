import { LRUCache } from 'lru-cache';
import { inTurns, Pause, type Turns } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';
import type { EndpointHead, EndpointVersion } from '../endpoints/endpointStore.ts';
import type { EngineLimits } from '../googlesql/engineLimits.ts';
import type { Source } from '../sources/source.ts';
import type { CallableEndpoint } from './callableEndpoint.ts';
import { describeInSteps, type EndpointDescription } from './describe.ts';

/** The part of an endpoint that its callers are shown. */
export type TellingEndpoint = CallableEndpoint & Pick<EndpointVersion, 'description' | 'primary'>;

/** An endpoint of the service itself (serviceEndpoints.ts). No definition can use its name. */
export type OwnEndpoint = CallableEndpoint & Pick<EndpointVersion, 'description'>;

export interface DescribedEndpoint {
  readonly endpoint: TellingEndpoint;
  /** Null if the stored query no longer compiles. */
  readonly description: EndpointDescription | null;
}

/** Finds the current endpoints. */
export interface CurrentEndpoints {
  /** The same array as long as none has changed. */
  list(nowMicros: number): Promise<readonly EndpointHead[]>;
  findById(id: string, nowMicros: number): Promise<EndpointVersion | undefined>;
}

/** An entry of the list: enough to decide whether a token may call it. */
export type TellingHead = Pick<TellingEndpoint, 'id' | 'name' | 'service'>;

/** Cached descriptions. One takes some kilobytes. */
const descriptionsMax = 2000;

/** The current endpoints with their descriptions. Each is compiled once per set of inputs. */
export class DescribedEndpoints {
  readonly #endpoints: CurrentEndpoints;
  readonly #own: readonly OwnEndpoint[];
  readonly #sources: ReadonlyMap<string, Source>;
  readonly #limits: EngineLimits | undefined;
  readonly #known = new LRUCache<string, { readonly description: EndpointDescription }>({
    max: descriptionsMax,
  });

  #declared: readonly EndpointHead[] | undefined;
  #all: readonly TellingHead[] = [];

  /** `limits` are those of the engine that runs the queries. */
  constructor(
    endpoints: CurrentEndpoints,
    own: readonly OwnEndpoint[],
    sources: ReadonlyMap<string, Source>,
    limits?: EngineLimits,
  ) {
    this.#endpoints = endpoints;
    this.#own = own;
    this.#sources = sources;
    this.#limits = limits;
  }

  /** The same array as long as none has changed. */
  async list(nowMicros: number): Promise<readonly TellingHead[]> {
    const declared = await this.#endpoints.list(nowMicros);
    if (this.#declared !== declared) {
      this.#declared = declared;
      this.#all = [...declared, ...this.#own];
    }
    return this.#all;
  }

  /** Undefined if the endpoint does not exist. Compiles in turns of whoever asks. */
  async find(id: string, nowMicros: number, turns?: Turns): Promise<DescribedEndpoint | undefined> {
    const endpoint = await this.#endpointOf(id, nowMicros);
    if (endpoint === undefined) return undefined;
    const key = keyOf(endpoint);
    const known = this.#known.get(key);
    if (known !== undefined) return { endpoint, ...known };
    const pause = new Pause(turns);
    const description = await this.#descriptionOf(endpoint, pause);
    // A source that it reads may be added later, so a failure is not cached.
    if (description !== null) this.#known.set(key, { description });
    return { endpoint, description };
  }

  async #endpointOf(id: string, nowMicros: number): Promise<TellingEndpoint | undefined> {
    const own = this.#own.find((each) => each.id === id);
    return own === undefined ? this.#endpoints.findById(id, nowMicros) : { ...own, primary: true };
  }

  async #descriptionOf(endpoint: TellingEndpoint, pause: Pause): Promise<EndpointDescription | null> {
    try {
      const sources = endpoint.service?.sources ?? this.#sources;
      return await inTurns(describeInSteps(endpoint, sources, this.#limits), pause);
    } catch (error) {
      // It was stored when the dialect still accepted it; a call is refused in the same way.
      if (error instanceof ServiceError && error.code === 'definition.invalid') return null;
      throw error;
    }
  }
}

/** Everything that a description depends on, except the sources, which are only ever added. */
function keyOf({ service, name, query, parameters, sandbox, maxRows, cacheSeconds }: TellingEndpoint): string {
  return JSON.stringify([service !== undefined, name, query, parameters, sandbox, maxRows, cacheSeconds]);
}
