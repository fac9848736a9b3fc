import { ChangeWatch } from '../core/changeWatch.ts';
import type { EndpointStore, EndpointVersion } from './endpointStore.ts';

interface Snapshot {
  readonly generation: number;
  readonly all: readonly EndpointVersion[];
  readonly byId: ReadonlyMap<string, EndpointVersion>;
  readonly primaryByName: ReadonlyMap<string, EndpointVersion>;
}

/**
 * The current endpoints in memory, for a running server. Changes by this process show at once,
 * those of another one within half a second.
 */
export class EndpointDirectory {
  readonly #store: EndpointStore;
  readonly #watch: ChangeWatch;
  readonly #onChange: (endpoints: readonly EndpointVersion[]) => void;
  #snapshot: Snapshot | undefined;

  /** `onChange` is told the current endpoints before anyone else sees that they have changed. */
  constructor(store: EndpointStore, onChange: (endpoints: readonly EndpointVersion[]) => void = () => undefined) {
    this.#store = store;
    this.#onChange = onChange;
    this.#watch = new ChangeWatch(store);
  }

  async findById(id: string, nowMicros: number): Promise<EndpointVersion | undefined> {
    return (await this.#current(nowMicros)).byId.get(id.toLowerCase());
  }

  /** Of those that share the name, the primary one. */
  async findByName(name: string, nowMicros: number): Promise<EndpointVersion | undefined> {
    return (await this.#current(nowMicros)).primaryByName.get(name);
  }

  async list(nowMicros: number): Promise<readonly EndpointVersion[]> {
    return (await this.#current(nowMicros)).all;
  }

  async #current(nowMicros: number): Promise<Snapshot> {
    // Read before the list: a snapshot is never older than the generation that it stands for.
    const generation = await this.#watch.generation(nowMicros);
    if (this.#snapshot?.generation === generation) return this.#snapshot;
    const all = await this.#store.list();
    const snapshot: Snapshot = {
      generation,
      all,
      byId: new Map(all.map((endpoint) => [endpoint.id, endpoint])),
      primaryByName: new Map(all.filter((endpoint) => endpoint.primary).map((endpoint) => [endpoint.name, endpoint])),
    };
    this.#snapshot = snapshot;
    this.#onChange(all);
    return snapshot;
  }
}
