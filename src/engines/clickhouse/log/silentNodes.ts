import type { NodeMarks } from '../../../ports/commitLedger.ts';

/** How often this node hears of the others until one that said nothing is taken for dead. */
export const hearingsMax = 5;

interface Heard {
  readonly mark: number;
  /** How often the mark was the same again. */
  readonly repeats: number;
}

/**
 * Finds nodes that say nothing any more. It compares marks, and counts how often it heard of them: clocks of nodes differ, and
 * while the store is away, all nodes are silent.
 */
export class SilentNodes {
  #heard: ReadonlyMap<string, Heard> = new Map();

  /** Nodes to be taken for dead, with their last marks. */
  get silent(): NodeMarks {
    return new Map(
      [...this.#heard].filter(([, { repeats }]) => repeats >= hearingsMax).map(([node, { mark }]) => [node, mark]),
    );
  }

  /** Takes the marks of all other nodes, as this node has just heard of them. */
  heard(marks: NodeMarks): void {
    this.#heard = new Map(
      [...marks].map(([node, mark]) => {
        const known = this.#heard.get(node);
        return [node, { mark, repeats: known?.mark === mark ? known.repeats + 1 : 0 }];
      }),
    );
  }
}
