import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Pause, type Turns } from '../../core/concurrency/turns.ts';
import { ServiceError } from '../../core/errors.ts';
import type {
  DescribedEndpoint,
  DescribedEndpoints,
  TellingEndpoint,
  TellingHead,
} from '../../invoke/describedEndpoints.ts';
import { mayCall } from '../../invoke/findEndpoint.ts';
import type { ValuesProfile } from '../../ports/queryEngine.ts';
import type { AuthenticatedToken } from '../../tokens/authenticator.ts';
import { formatRestrictions } from '../../tokens/restrictions.ts';
import { formatScope } from '../../tokens/scope.ts';
import type { Route } from '../route.ts';
import type { ApiDocument, ApiDocumentReader } from './apiDocument.ts';
import { apiDocument } from './document.ts';

/** Everything that descriptions are made from. */
export interface ApiSources {
  readonly routes: readonly Route[];
  readonly endpoints: Pick<DescribedEndpoints, 'list' | 'find'>;
  readonly headerPrefix: string;
  /** The form of values if neither the call nor the definition chooses one. */
  readonly values: ValuesProfile;
  /** Version of the service. */
  readonly version: string;
  readonly turns: Turns;
}

/** Limits of the cache: distinct permissions of tokens, and bytes. */
const documentsMax = 64;
const documentBytesMax = 64 * 2 ** 20;

/** Endpoints in one description, which says if it leaves some out. */
const endpointsMax = 1000;

/** Caches descriptions of the API by what a token may do. Any change of an endpoint empties the cache. */
export class ApiDocuments implements ApiDocumentReader {
  readonly #sources: ApiSources;
  readonly #documents = new LRUCache<string, ApiDocument>({ max: documentsMax, maxSize: documentBytesMax });
  readonly #making = new Map<string, Promise<ApiDocument>>();
  #of: readonly TellingHead[] | undefined;

  constructor(sources: ApiSources) {
    this.#sources = sources;
  }

  async read(token: AuthenticatedToken, nowMicros: number): Promise<ApiDocument> {
    const heads = await this.#sources.endpoints.list(nowMicros);
    if (this.#of !== heads) {
      this.#documents.clear();
      this.#making.clear();
      this.#of = heads;
    }
    const key = keyOf(token);
    const known = this.#documents.get(key) ?? this.#making.get(key);
    if (known !== undefined) return known;
    const making = this.#make(heads, token, nowMicros);
    this.#making.set(key, making);
    try {
      const made = await making;
      if (this.#of === heads) this.#documents.set(key, made, { size: made.body.length });
      return made;
    } finally {
      if (this.#making.get(key) === making) this.#making.delete(key);
    }
  }

  async #make(heads: readonly TellingHead[], token: AuthenticatedToken, nowMicros: number): Promise<ApiDocument> {
    const { routes, endpoints, headerPrefix, values, version } = this.#sources;
    const turns = this.#sources.turns.of(token.publicId);
    const described: DescribedEndpoint[] = [];
    let isCut = false;
    for (const head of heads) {
      if (!mayCall(head, token)) continue;
      const found = await endpoints.find(head.id, nowMicros, turns);
      if (found === undefined || !declaresHeld(found.endpoint, token)) continue;
      isCut = described.length === endpointsMax;
      if (isCut) break;
      described.push(found);
    }
    const body = await apiDocument({
      routes: routes.filter((route) => mayUse(route, token)),
      endpoints: described,
      isCut,
      token,
      headerPrefix,
      values,
      version,
      pause: new Pause(turns),
    });
    const digest = createHash('sha256').update(body).digest('base64url').slice(0, 32);
    return { body, entityTag: `W/"${digest}"` };
  }
}

/** The cache key: tokens with the same permissions get the same description. */
function keyOf({ scopes, restrictions }: AuthenticatedToken): string {
  return `${[...new Set(scopes.map(formatScope))].sort().join(' ')}\n${formatRestrictions(restrictions) ?? ''}`;
}

/** Whether the route's own check admits the token. */
function mayUse(route: Route, token: AuthenticatedToken): boolean {
  if (route.credential !== 'token') return true;
  try {
    route.authorise?.(token);
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

/** Contract, section 4: a token with a lock can call only endpoints that declare that parameter. */
function declaresHeld({ parameters }: TellingEndpoint, { restrictions }: AuthenticatedToken): boolean {
  const declared = new Set(parameters.map(({ name }) => name));
  return Object.keys(restrictions?.parameters ?? {}).every((name) => declared.has(name));
}
