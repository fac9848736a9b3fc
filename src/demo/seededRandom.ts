import { uuidV7 } from '../core/ids.ts';

/** A reproducible source of chance: the same seed gives the same sequence on every machine. */
export class SeededRandom {
  #state: number;

  constructor(seed: string) {
    // FNV-1a over the UTF-16 units of the seed.
    let hash = 0x811c9dc5;
    for (let at = 0; at < seed.length; at++) {
      hash = Math.imul(hash ^ seed.charCodeAt(at), 0x01000193);
    }
    this.#state = hash >>> 0;
  }

  /** At least 0 and less than 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number, both bounds included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[Math.floor(this.next() * choices.length)] ?? choices[0];
  }

  /** One of the choices, with the probability of its weight. */
  weighted<T>(choices: readonly (readonly [T, number])[]): T {
    let rest = this.next() * choices.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [choice, weight] of choices) {
      rest -= weight;
      if (rest < 0) return choice;
    }
    throw new Error('weighted needs at least one choice of positive weight');
  }

  /** A count with the given mean, distributed like independent arrivals (Poisson, by Knuth's method). */
  arrivals(mean: number): number {
    const limit = Math.exp(-mean);
    let count = 0;
    for (let product = this.next(); product > limit; product *= this.next()) count++;
    return count;
  }

  /** A positive number with the given median and a long tail (log-normal), like latencies. */
  latency(median: number, spread = 0.6): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return median * Math.exp(spread * normal);
  }

  hex(digits: number): string {
    let text = '';
    while (text.length < digits) text += this.integer(0, 15).toString(16);
    return text;
  }

  /** A UUID v7 of the given time. */
  uuid(timestampMicros: number): string {
    return uuidV7(timestampMicros / 1000, {
      bytes: (count) => Uint8Array.from({ length: count }, () => this.integer(0, 255)),
    });
  }
}
