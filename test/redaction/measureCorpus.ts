import { RedactionCounts } from '../../src/redact/redactionCounts.ts';
import { kindOfDetector, type LabelledText, readCorpus } from './readCorpus.ts';

export interface Measure {
  readonly detector: string;
  readonly kind: string;
  /** Labelled values of the detector, and how many of them are wholly under marks of its kind. */
  readonly labelled: number;
  readonly found: number;
  /** Marks of its kind that touch no labelled value of that kind. */
  readonly false: number;
}

interface Span {
  readonly kind: string;
  readonly from: number;
  readonly to: number;
}

/**
 * What the detectors find of the corpus. A false mark is counted against every detector of its kind that
 * could have written it: those of the text's own file, in look-alikes all.
 */
export function measureCorpus(): readonly Measure[] {
  const measures = new Map(
    Object.entries(kindOfDetector).map(([detector, kind]) => [
      detector,
      { detector, kind, labelled: 0, found: 0, false: 0 },
    ]),
  );
  for (const { texts, redactor } of readCorpus()) {
    const detectors = new Set(texts.flatMap(({ marks }) => marks.map(([detector]) => detector)));
    for (const entry of texts) {
      const marks = marksOf(entry.text, redactor.redactString(entry.text, [], new RedactionCounts()));
      const labels = labelsOf(entry);
      for (const { detector, kind, from, to } of labels) {
        const measure = measures.get(detector);
        if (measure === undefined) throw new Error(`the corpus names an unknown detector ${detector}`);
        measure.labelled++;
        if (marks.some((mark) => mark.kind === kind && mark.from <= from && mark.to >= to)) measure.found++;
      }
      for (const mark of marks) {
        if (labels.some(({ kind, from, to }) => kind === mark.kind && from < mark.to && to > mark.from)) continue;
        for (const measure of measures.values()) {
          const isSuspect = detectors.size === 0 || detectors.has(measure.detector);
          if (measure.kind === mark.kind && isSuspect) measure.false++;
        }
      }
    }
  }
  return [...measures.values()];
}

function labelsOf({ text, marks }: LabelledText): readonly (Span & { readonly detector: string })[] {
  let done = 0;
  return marks.map(([detector, value]) => {
    const from = text.indexOf(value, done);
    done = from + value.length;
    return { detector, kind: kindOfDetector[detector] ?? '', from, to: done };
  });
}

/** Where in the text the marks of its redacted form stand, found by what is left between them. */
function marksOf(text: string, redacted: string): readonly Span[] {
  if (redacted === text) return [];
  const marks: Span[] = [];
  let at = 0;
  let written = 0;
  const found = [...redacted.matchAll(/\[REDACTED:([a-z_]+)\]/g)];
  for (const [index, match] of found.entries()) {
    const from = at + match.index - written;
    written = match.index + match[0].length;
    const rest = redacted.slice(written, found[index + 1]?.index);
    const to = index === found.length - 1 ? text.length - rest.length : text.indexOf(rest, from);
    marks.push({ kind: match[1] ?? '', from, to });
    at = to;
  }
  return marks;
}
