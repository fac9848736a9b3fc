import type { TextView } from './textView.ts';

/** Tells of one match: its part of the view that must not survive, and, within it, what names the thing itself. */
export type Report = (from: number, to: number, coreFrom?: number, coreTo?: number) => void;

/** Finds one kind of personal data or secret in a text. Linear in the length of the text, whatever it holds. */
export interface Detector {
  /** The name under which it is switched on, and its recall is published. */
  readonly name: string;
  /** What its marks and counts say: `[REDACTED:ip]` for IPv4 and IPv6 alike. */
  readonly kind: string;
  /** Whether the text of a view can hold a match at all; cheap, may say yes too often, never no too often. */
  couldMatch(text: string): boolean;
  find(view: TextView, report: Report): void;
  /** One spelling for what may be written in several, so that pseudonyms of one thing are the same. */
  canonical(core: string): string;
}
