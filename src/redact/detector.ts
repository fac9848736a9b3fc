import type { TextView } from './textView.ts';

/** Tells of one match: its part of the view that must not survive, and, within it, what names the thing itself. */
export type Report = (from: number, to: number, coreFrom?: number, coreTo?: number) => void;

/** Finds one kind of personal data or secret in a text. Linear in the length of the text, whatever it holds. */
export interface Detector {
  /** The name under which it is switched on, and its recall is published. */
  readonly name: string;
  /** What its marks and counts say: `[REDACTED:ip]` for IPv4 and IPv6 alike. */
  readonly kind: string;
  /**
   * What every text with a match holds; cheap, may match too often, never too seldom. Without flags, so that
   * the hints of all detectors can be looked for at once. Null where there is none.
   */
  readonly hint: RegExp | null;
  find(view: TextView, report: Report): void;
  /** One spelling for what may be written in several, so that pseudonyms of one thing are the same. */
  canonical(core: string): string;
}
