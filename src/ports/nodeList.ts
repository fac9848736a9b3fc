/** A node of the service, as the others see it. */
export interface SeenNode {
  /** Made at each start; says nothing about where the node runs. */
  readonly id: string;
  readonly version: string;
  readonly startedMicros: number;
  /** Time since it last said that it is alive, in milliseconds. */
  readonly silentMs: number;
  /** Whether its shares of limits still count. */
  readonly isAlive: boolean;
}

/** The nodes that serve the same data. */
export interface NodeList {
  /** This node. */
  readonly id: string;
  /** The nodes that were seen last, this one included, in order of start. Answers from memory. */
  list(): readonly SeenNode[];
  /** Milliseconds since this node last exchanged anything with the others; 0 if there are no others to reach. */
  readonly outOfContactMs: number;
}
