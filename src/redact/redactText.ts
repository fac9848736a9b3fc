import type { Detector } from './detector.ts';
import type { FieldRules } from './fieldRules.ts';
import { fieldsInText, nameHint } from './fieldsInText.ts';
import type { MarkWriter } from './marks.ts';
import type { RedactionCounts } from './redactionCounts.ts';
import { type Replacement, withoutOverlaps } from './spans.ts';
import { encodedHint, TextView } from './textView.ts';

export interface TextRedaction {
  readonly detectors: readonly Detector[];
  /** Matches every text that must be examined; null for all texts. */
  readonly hint: RegExp | null;
  readonly fields: FieldRules;
  readonly marks: MarkWriter;
}

/**
 * A mark may expose another match, such as a key that letters of an address touched. So the text is examined again until
 * nothing is found, usually at the second pass.
 */
const passesMax = 4;

/** Redacts a text that is not JSON as a whole: marks replace what the detectors and field rules find. */
export function redactText(text: string, redaction: TextRedaction, counts: RedactionCounts): string {
  if (redaction.hint?.test(text) === false) return text;
  let result = text;
  for (let pass = 0; pass < passesMax; pass++) {
    const replacements = replacementsIn(TextView.of(result), redaction);
    if (replacements.length === 0) break;
    result = replaced(result, replacements, redaction.marks, counts);
  }
  return result;
}

/**
 * One expression that matches every text in which a detector or field rule could find something. Most texts are short and
 * have no match, and one test costs a tenth of one test per detector.
 */
export function hintOf(detectors: readonly Detector[]): RegExp | null {
  const sources = [encodedHint.source, nameHint.source];
  for (const { hint } of detectors) {
    if (hint === null) return null;
    sources.push(hint.source);
  }
  return new RegExp([...new Set(sources.flatMap(alternativesOf))].join('|'));
}

/** The alternatives of an expression. Several detectors share some, and each costs time at every character. */
function alternativesOf(source: string): readonly string[] {
  const found: string[] = [];
  let from = 0;
  let depth = 0;
  let isInClass = false;
  for (let at = 0; at < source.length; at++) {
    const unit = source.charAt(at);
    if (unit === '\\') at++;
    else if (isInClass) isInClass = unit !== ']';
    else if (unit === '[') isInClass = true;
    else if (unit === '(') depth++;
    else if (unit === ')') depth--;
    else if (unit === '|' && depth === 0) {
      found.push(source.slice(from, at));
      from = at + 1;
    }
  }
  return [...found, source.slice(from)];
}

/** The canonical spelling, if one detector of the kind matches the whole text; otherwise the text. */
export function canonicalOf(kind: string, text: string, detectors: readonly Detector[]): string {
  const ofKind = detectors.filter((detector) => detector.kind === kind);
  const found = detected(TextView.of(text), ofKind).find(({ from, to }) => from === 0 && to === text.length);
  return found?.canonical() ?? text;
}

function replacementsIn(view: TextView, { detectors, fields }: TextRedaction): readonly Replacement[] {
  const found = detected(view, detectors);
  for (const { from, to, kind, isNumber } of fieldsInText(view, fields)) {
    const span = { from: view.rawOffset(from), to: view.rawOffset(to) };
    const value = view.text.slice(from, to);
    found.push({ ...span, kind: isNumber ? undefined : kind, canonical: () => canonicalOf(kind, value, detectors) });
  }
  return found.length === 0 ? found : withoutOverlaps(found);
}

function detected(view: TextView, detectors: readonly Detector[]): Replacement[] {
  const found: Replacement[] = [];
  for (const detector of detectors) {
    if (detector.hint?.test(view.text) === false) continue;
    detector.find(view, (from, to, coreFrom = from, coreTo = to) => {
      found.push({
        from: view.rawOffset(from),
        to: view.rawOffset(to),
        kind: detector.kind,
        canonical: () => detector.canonical(view.text.slice(coreFrom, coreTo)),
      });
    });
  }
  return found;
}

function replaced(
  text: string,
  replacements: readonly Replacement[],
  marks: MarkWriter,
  counts: RedactionCounts,
): string {
  let result = '';
  let done = 0;
  for (const { from, to, kind, canonical } of replacements) {
    result += text.slice(done, from);
    if (kind === undefined) result += 'null';
    else {
      result += marks.write(kind, canonical);
      counts.add(kind);
    }
    done = to;
  }
  return result + text.slice(done);
}
