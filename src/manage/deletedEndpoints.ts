import { ServiceError } from '../core/errors.ts';
import { isUuid } from '../core/ids.ts';
import type { DeletedEndpoint, DeletedEndpoints, EndpointPageQuery } from '../endpoints/endpointStore.ts';

/** Reads deleted endpoints. Other ids are `endpoint.unknown`. */
export class DeletedEndpointReader {
  readonly #store: DeletedEndpoints;

  constructor(store: DeletedEndpoints) {
    this.#store = store;
  }

  async find(id: string): Promise<DeletedEndpoint> {
    const endpoint = isUuid(id) ? await this.#store.find(id) : undefined;
    if (endpoint !== undefined) return endpoint;
    const value = id.slice(0, 128);
    throw new ServiceError('endpoint.unknown', `There is no deleted endpoint with the ID "${value}".`, {
      errors: [{ value }],
    });
  }

  listPage(page: EndpointPageQuery): Promise<readonly DeletedEndpoint[]> {
    return this.#store.listPage(page);
  }

  async listVersions(
    id: string,
    page: { readonly limit: number; readonly before: number | null },
  ): Promise<readonly DeletedEndpoint[]> {
    return this.#store.listVersions((await this.find(id)).id, page);
  }

  /** Throws `endpoint.version_unknown`. */
  async findVersion(id: string, version: number): Promise<DeletedEndpoint> {
    const endpoint = await this.find(id);
    const found = await this.#store.findVersion(endpoint.id, version);
    if (found !== undefined) return found;
    throw versionUnknown(endpoint, version);
  }
}

export function versionUnknown(
  { name, version: last }: { readonly name: string; readonly version: number },
  version: number,
): ServiceError {
  return new ServiceError(
    'endpoint.version_unknown',
    `The endpoint ${name} has no version ${version}; its versions are 1 to ${last}.`,
    { errors: [{ value: String(version), expected: `1 to ${last}` }] },
  );
}
