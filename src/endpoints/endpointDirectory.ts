import { LRUCache } from 'lru-cache';
import { ChangeWatch } from '../ports/changeWatch.ts';
import type { EndpointHead, EndpointStore, EndpointVersion } from './endpointStore.ts';

interface Snapshot {
  readonly generation: number;
  readonly all: readonly EndpointHead[];
  readonly byId: ReadonlyMap<string, EndpointHead>;
  readonly primaryByName: ReadonlyMap<string, EndpointHead>;
}

const heldEntriesMax = 10_000;
/** Estimated bytes of the definitions in memory. */
const heldBytesMax = 64 * 2 ** 20;

/**
 * Keeps the endpoints of a running server in memory: the complete list, and the definitions of those in use. It sees
 * changes of this process at once, those of another one within half a second.
 */
export class EndpointDirectory {
  readonly #store: EndpointStore;
  readonly #watch: ChangeWatch;
  readonly #onChange: (endpoints: readonly EndpointHead[]) => void;
  /**
   * By id and version, whose definition never changes in one history of the store. If an older copy of the store is
   * restored, the same version can be made again with another definition, but not at the same time.
   */
  readonly #held = new LRUCache<string, EndpointVersion>({ max: heldEntriesMax, maxSize: heldBytesMax });
  #snapshot: Snapshot | undefined;

  /** `onChange` receives the current endpoints before any look-up returns a change. */
  constructor(store: EndpointStore, onChange: (endpoints: readonly EndpointHead[]) => void = () => undefined) {
    this.#store = store;
    this.#onChange = onChange;
    this.#watch = new ChangeWatch(store);
  }

  async findById(id: string, nowMicros: number): Promise<EndpointVersion | undefined> {
    return this.#versionOf((await this.#current(nowMicros)).byId.get(id.toLowerCase()));
  }

  /** The primary endpoint of this name. */
  async findByName(name: string, nowMicros: number): Promise<EndpointVersion | undefined> {
    return this.#versionOf((await this.#current(nowMicros)).primaryByName.get(name));
  }

  /** A version, current or old, of an endpoint that is not deleted. */
  async findVersion(id: string, version: number, nowMicros: number): Promise<EndpointVersion | undefined> {
    const head = (await this.#current(nowMicros)).byId.get(id.toLowerCase());
    return head === undefined ? undefined : this.#versionOf({ ...head, version });
  }

  /**
   * An object that stays the same until the result of any look-up above changes. Undefined if memory alone cannot show
   * that it is current; look-ups then ask the store.
   */
  revision(nowMicros: number): object | undefined {
    const generation = this.#watch.known(nowMicros);
    const snapshot = this.#snapshot;
    return snapshot !== undefined && snapshot.generation === generation ? snapshot : undefined;
  }

  async list(nowMicros: number): Promise<readonly EndpointHead[]> {
    return (await this.#current(nowMicros)).all;
  }

  /** Undefined if the endpoint was deleted meanwhile. */
  async #versionOf(head: EndpointHead | undefined): Promise<EndpointVersion | undefined> {
    if (head === undefined) return undefined;
    const key = `${head.id} ${head.version} ${head.updatedAtMicros}`;
    const known = this.#held.get(key) ?? (await this.#store.findVersion(head.id, head.version));
    if (known === undefined) return undefined;
    const found = known.primary === head.primary ? known : { ...known, primary: head.primary };
    if (this.#held.peek(key) !== found) this.#held.set(key, found, { size: 2 * found.query.length + 4096 });
    return found;
  }

  async #current(nowMicros: number): Promise<Snapshot> {
    // Read before the list, so that a snapshot is never older than its generation.
    const generation = await this.#watch.generation(nowMicros);
    if (this.#snapshot?.generation === generation) return this.#snapshot;
    const all = await this.#store.listHeads();
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
