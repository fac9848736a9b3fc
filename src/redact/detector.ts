import type { TextView } from './textView.ts';

/** Reports a match: the part of the view to replace, and within it the value itself, without its surroundings. */
export type Report = (from: number, to: number, coreFrom?: number, coreTo?: number) => void;

/** Finds one kind of personal data or secret in a text, in time linear in its length. */
export interface Detector {
  /** The name in the configuration and in the documentation. */
  readonly name: string;
  /** The kind in marks and counts: `[REDACTED:ip]` for both IPv4 and IPv6. */
  readonly kind: string;
  /**
   * A cheap test that matches every text with a match, and perhaps others. It has no flags, so that the hints of all
   * detectors can be combined. Null if there is none.
   */
  readonly hint: RegExp | null;
  find(view: TextView, report: Report): void;
  /** One spelling for equal values, so that their pseudonyms are equal. */
  canonical(core: string): string;
}
