import type { RE2JS } from 're2js';
import type { Detector } from './detector.ts';
import { basic } from './detectors/basic.ts';
import { bearer } from './detectors/bearer.ts';
import { card } from './detectors/card.ts';
import { email } from './detectors/email.ts';
import { iban } from './detectors/iban.ts';
import { ipv4 } from './detectors/ipv4.ts';
import { ipv6 } from './detectors/ipv6.ts';
import { jwt } from './detectors/jwt.ts';
import { keyPrefix } from './detectors/keyPrefix.ts';
import { namedSecret } from './detectors/namedSecret.ts';
import { ownPattern } from './detectors/ownPattern.ts';
import { phone } from './detectors/phone.ts';
import { reverseDns } from './detectors/reverseDns.ts';
import { userInfo } from './detectors/userInfo.ts';
import { writtenSecret } from './detectors/writtenSecret.ts';
import { builtinFieldRules, FieldRules } from './fieldRules.ts';
import { plainMarks, pseudonymMarks } from './marks.ts';
import { RedactionCounts } from './redactionCounts.ts';
import { canonicalOf, hintOf, redactText, type TextRedaction } from './redactText.ts';
import { type JsonPlace, type JsonRewrite, rewriteJson } from './rewriteJson.ts';
import { isMark } from './textView.ts';

/** Detectors that are always at work. */
export const defaultDetectors: readonly Detector[] = [
  ipv4,
  ipv6,
  reverseDns,
  email,
  jwt,
  bearer,
  basic,
  userInfo,
  keyPrefix,
  namedSecret,
  writtenSecret,
];

/** Detectors that are at work where the configuration names them. */
export const optionalDetectors = { phone, card, iban } as const;

export type OptionalDetector = keyof typeof optionalDetectors;

/** What an installation adds to the redaction of personal data; there is nothing that takes away from it. */
export interface RedactorConfig {
  readonly detectors?: readonly OptionalDetector[];
  /** Patterns of its own: a name for the marks, and the pattern, compiled within limits. */
  readonly patterns?: readonly { readonly name: string; readonly pattern: RE2JS }[];
  /** Members to be replaced whole: a name, or names of nested members joined by dots. */
  readonly fields?: readonly string[];
  /** With a key, marks of stored values are pseudonyms, the same for the same value. */
  readonly pseudonymKey?: Uint8Array | undefined;
}

/** By the name of a column, where its values come from. */
export type ColumnOrigins = ReadonlyMap<string, ColumnOrigin>;

export interface ColumnOrigin {
  /** The paths of members that they were read from. */
  readonly paths: readonly (readonly string[])[];
  /** How many names that the query gave may stand above those members: no rule by path knows of them. */
  readonly ownNames: number;
  /**
   * Whether they may hold what the caller wrote, or a text made of it. A pseudonym of that would tell him whether a
   * value that he guessed is the one behind a mark, so that nothing in the column gets any but a plain mark.
   */
  readonly isGiven: boolean;
  /** Whether objects in them may have been read from a text: detectors look at names in texts, so at these as well. */
  readonly isRead: boolean;
}

const unknownOrigin: ColumnOrigin = { paths: [], ownNames: 0, isGiven: true, isRead: false };

/** The redactor of a configuration. Throws RangeError for a pattern whose name cannot stand in a mark. */
export function createRedactor(config: RedactorConfig = {}): Redactor {
  return new Redactor(config);
}

/** Takes personal data and secrets out of values (contract, section 6). Redacting twice changes nothing more. */
export class Redactor {
  /** What the outcome depends on, the same text for the same configuration; part of cache keys. Holds no secret. */
  readonly description: string;
  /** Of stored values. */
  readonly #redaction: TextRedaction;
  /** Of what a caller may have written. */
  readonly #givenRedaction: TextRedaction;
  readonly #fields: FieldRules;
  readonly #kindOf: JsonRewrite['kindOf'] = (name, above) => this.#fields.kindOf(name, above);

  constructor({ detectors = [], patterns = [], fields = [], pseudonymKey }: RedactorConfig) {
    const optional = [...new Set(detectors)].sort();
    for (const { name } of patterns) requireName(name);
    const marks = pseudonymKey === undefined ? plainMarks : pseudonymMarks(pseudonymKey);
    this.#fields = new FieldRules([...builtinFieldRules, ...fields.map((field) => ({ field, kind: 'field' }))]);
    const all = [
      ...defaultDetectors,
      ...optional.map((name) => optionalDetectors[name]),
      ...patterns.map(({ name, pattern }) => ownPattern(name, pattern)),
    ];
    this.#redaction = { detectors: all, hint: hintOf(all), fields: this.#fields, marks };
    this.#givenRedaction = { ...this.#redaction, marks: plainMarks };
    this.description = JSON.stringify({
      detectors: optional,
      patterns: patterns.map(({ name, pattern }) => [name, pattern.toString(), pattern.flags()]),
      fields: [...new Set(fields)].sort(),
      marks: marks.description,
    });
  }

  /**
   * A text as it is shown. `path` names the members that it was read from, outermost first; below a
   * personal member all of it becomes one mark. A text that is JSON is JSON afterwards.
   */
  redactString(text: string, path: readonly string[], counts: RedactionCounts): string {
    const kind = this.#fields.kindOfPath(path);
    return kind === undefined
      ? this.#shown(text, { path, depth: 0 }, counts, this.#redaction)
      : whole(text, kind, counts, this.#redaction);
  }

  /** As `redactString`, of a text that may hold what a caller wrote: without pseudonyms. */
  redactGiven(text: string, counts: RedactionCounts): string {
    return this.#shown(text, { path: [], depth: 0 }, counts, this.#givenRedaction);
  }

  /** Whether what was read along the path is personal by its name, so that numbers of it become null. */
  isPersonal(path: readonly string[]): boolean {
    return this.#fields.kindOfPath(path) !== undefined;
  }

  /**
   * A JSON text: strings redacted, numbers under personal members null, names of members and every other
   * byte as they were. `path` names the members that it was read from, as in `redactString`. Throws Error
   * if it is not JSON, for what cannot be read cannot be shown.
   */
  redactJson(text: string, counts: RedactionCounts, path: readonly string[] = []): string {
    return this.#rewritten(text, this.#kindOf, counts, path, () => this.#redaction);
  }

  /**
   * As `redactJson`, of rows: an array of objects. `origins` says for columns by their name which members
   * their values were read from, so that renaming a member undoes no rule about it, and which of them a caller may
   * have written.
   */
  redactRows(text: string, origins: ColumnOrigins, counts: RedactionCounts): string {
    const fields = this.#fields;
    const kindOf = (name: string, above: readonly string[]): string | undefined => {
      const own = fields.kindOf(name, above);
      if (own !== undefined) return own;
      const [column, ...below] = above;
      const { paths, ownNames } = origins.get(column ?? name) ?? unknownOrigin;
      for (const path of paths) {
        if (column === undefined) {
          const kind = fields.kindOfPath(path);
          if (kind !== undefined) return kind;
          continue;
        }
        for (let given = 0; given <= Math.min(ownNames, below.length); given++) {
          const kind = fields.kindOf(name, [...path, ...below.slice(given)]);
          if (kind !== undefined) return kind;
        }
      }
      return undefined;
    };
    const redactionOf = ([column = '']: readonly string[]): TextRedaction =>
      (origins.get(column) ?? unknownOrigin).isGiven ? this.#givenRedaction : this.#redaction;
    const read = new Set([...origins].flatMap(([column, { isRead }]) => (isRead ? [column] : [])));
    const name = (content: string, above: readonly string[]): string | undefined =>
      read.has(above[0] ?? '') ? redactText(content, redactionOf(above), counts) : undefined;
    return this.#rewritten(text, kindOf, counts, [], redactionOf, read.size === 0 ? undefined : name);
  }

  /** Adds the marks that stand in a text. */
  countMarks(text: string, counts: RedactionCounts): void {
    for (const [, ...kinds] of text.matchAll(this.#redaction.marks.pattern)) counts.add(kinds.find(Boolean) ?? '');
  }

  #rewritten(
    text: string,
    kindOf: JsonRewrite['kindOf'],
    counts: RedactionCounts,
    path: readonly string[],
    redactionOf: (path: readonly string[]) => TextRedaction,
    name?: JsonRewrite['name'],
  ): string {
    const result = rewriteJson(
      text,
      {
        kindOf,
        string: (content, kind, place) => {
          const redaction = redactionOf(place.path);
          return kind === undefined
            ? this.#shown(content, place, counts, redaction, kindOf)
            : whole(content, kind, counts, redaction);
        },
        ...(name !== undefined && { name }),
      },
      { path, depth: 0 },
      this.#fields.kindOfPath(path),
    );
    if (result === undefined) throw new Error('what is to be redacted is not JSON');
    return result;
  }

  #shown(
    text: string,
    place: JsonPlace,
    counts: RedactionCounts,
    redaction: TextRedaction,
    kindOf: JsonRewrite['kindOf'] = this.#kindOf,
  ): string {
    if (/^\s*[{[]/.test(text)) {
      const asJson = this.#shownAsJson(text, place, counts, redaction, kindOf);
      if (asJson !== undefined) return asJson;
    }
    return redactText(text, redaction, counts);
  }

  /** A text that is JSON. Names of its members are text of its writer, so detectors look at them as well. */
  #shownAsJson(
    text: string,
    place: JsonPlace,
    counts: RedactionCounts,
    redaction: TextRedaction,
    kindOf: JsonRewrite['kindOf'],
  ): string | undefined {
    // Counted apart: where the text turns out not to be JSON after all, it is redacted anew.
    const ownCounts = new RedactionCounts();
    const result = rewriteJson(
      text,
      {
        kindOf,
        string: (content, kind, inner) =>
          kind === undefined
            ? this.#shown(content, inner, ownCounts, redaction, kindOf)
            : whole(content, kind, ownCounts, redaction),
        name: (content) => redactText(content, redaction, ownCounts),
      },
      place,
    );
    if (result !== undefined) counts.addAll(ownCounts);
    return result;
  }
}

function whole(text: string, kind: string, counts: RedactionCounts, { marks, detectors }: TextRedaction): string {
  if (isMark(text)) return text;
  counts.add(kind);
  return marks.write(kind, () => canonicalOf(kind, text, detectors));
}

const nameInMark = /^[a-z][a-z0-9_]{0,31}$/;

function requireName(name: string): void {
  if (!nameInMark.test(name)) {
    throw new RangeError(
      `the pattern name "${name}" cannot stand in a mark; use 1 to 32 of a-z, 0-9 and _, beginning with a letter`,
    );
  }
}
