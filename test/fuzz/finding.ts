/** Something that must never happen, with the input that made it happen. */
export interface Finding {
  readonly rule: string;
  readonly input: string;
  readonly detail: string;
}

/** What one fuzzer did. `counts` says how far its inputs came, so that a fuzzer that tests nothing is seen. */
export interface FuzzReport {
  readonly name: string;
  readonly inputs: number;
  readonly counts: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
}

export interface FuzzRun {
  /** The same seed gives the same inputs in the same order. */
  readonly seed: string;
  readonly isOver: () => boolean;
  /** Told of each finding at once, so that a run that is broken off has said what it knew. */
  readonly found: (finding: Finding) => void;
}

/** Counts outcomes and keeps findings, one for each different rule and detail. */
export class FuzzLog {
  readonly counts = new Map<string, number>();
  readonly findings: Finding[] = [];
  readonly #known = new Set<string>();
  readonly #found: FuzzRun['found'];

  constructor(found: FuzzRun['found']) {
    this.#found = found;
  }

  count(outcome: string): void {
    this.counts.set(outcome, (this.counts.get(outcome) ?? 0) + 1);
  }

  add(finding: Finding): void {
    // Numbers and quoted parts differ from input to input where the defect is the same.
    const [sameUpToHere = ''] = finding.detail.split('\nLINE ');
    const key = `${finding.rule} ${sameUpToHere.slice(0, 200).replaceAll(/'.*?'|\d+/g, '#')}`;
    if (this.#known.has(key)) return;
    this.#known.add(key);
    this.findings.push(finding);
    this.#found(finding);
  }
}
