import { changeCount } from '../changeCount.ts';

/**
 * Bytes that several owners share. No owner may hold more than it leaves free: a lone one gets half, and each further one
 * half of the rest ("dynamic thresholds", Choudhury and Hahne, 1998). So whatever some owners hold, and for however long,
 * others find room.
 */
export class ByteBudget {
  readonly #bytesMax: () => number;
  readonly #byOwner = new Map<string, number>();
  #heldBytes = 0;

  /** `bytesMax`: may change, if the budget is a part of another one. */
  constructor(bytesMax: number | (() => number)) {
    this.#bytesMax = typeof bytesMax === 'number' ? () => bytesMax : bytesMax;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Whether the owner may hold this much more. */
  hasRoom(owner: string, bytes: number): boolean {
    return (this.#byOwner.get(owner) ?? 0) + bytes <= this.mostBytes(owner);
  }

  /** What the owner may hold, with what it holds now: as much as it then leaves free. */
  mostBytes(owner: string): number {
    return (this.#bytesMax() - this.#heldBytes + (this.#byOwner.get(owner) ?? 0)) / 2;
  }

  /** Changes what the owner holds, whether there is room or not. */
  change(owner: string, bytes: number): void {
    this.#heldBytes += bytes;
    changeCount(this.#byOwner, owner, bytes);
  }
}
