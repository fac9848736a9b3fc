import type { SharedSubject } from '../../ports/changeFeed.ts';
import { RepeatedSelect } from './repeatedSelect.ts';
import type { StoreDatabase } from './schema.ts';

/** Where stores read how often their subject was changed, by any node. */
export interface GenerationSource {
  read(subject: SharedSubject): Promise<number>;
  /** Grows with each change that it hears of without being asked. */
  heard(subject: SharedSubject): number;
  /** Tells it of a durable change of this node, and the number that the change has. */
  made(subject: SharedSubject, generation: number): void;
}

/** Reads the database each time. */
export class StoredGenerations implements GenerationSource {
  readonly #current: RepeatedSelect<{ readonly generation: number }>;

  constructor(database: StoreDatabase) {
    this.#current = new RepeatedSelect(
      database,
      database.selectFrom('generations').select('generation').where('subject', '=', ''),
    );
  }

  async read(subject: SharedSubject): Promise<number> {
    return (await this.#current.first(subject))?.generation ?? 0;
  }

  heard(): number {
    return 0;
  }

  made(): void {}
}
