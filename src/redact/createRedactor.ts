import type { RE2JS } from 're2js';
import type { Detector } from './detector.ts';
import { basic } from './detectors/basic.ts';
import { bearer } from './detectors/bearer.ts';
import { card } from './detectors/card.ts';
import { isDoubtfulName, isSecretNumber, isSecretUnder } from './detectors/doubtfulNames.ts';
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
import { secretUrl } from './detectors/secretUrl.ts';
import { toolSecret } from './detectors/toolSecret.ts';
import { userInfo } from './detectors/userInfo.ts';
import { writtenSecret } from './detectors/writtenSecret.ts';
import { builtinFieldRules, FieldRules } from './fieldRules.ts';
import { plainMarks, pseudonymMarks } from './marks.ts';
import { RedactionCounts } from './redactionCounts.ts';
import { canonicalOf, hintOf, redactText, type TextRedaction } from './redactText.ts';
import { type JsonPlace, type JsonRewrite, rewriteJson } from './rewriteJson.ts';
import { isMark } from './textView.ts';

/** Detectors that are always enabled. */
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
  toolSecret,
  secretUrl,
];

/** Detectors that the configuration can enable. */
export const optionalDetectors = { phone, card, iban } as const;

export type OptionalDetector = keyof typeof optionalDetectors;

/** What an installation adds to redaction. It cannot disable anything. */
export interface RedactorConfig {
  readonly detectors?: readonly OptionalDetector[];
  /** Custom patterns: the name in the mark, and the pattern, compiled within limits. */
  readonly patterns?: readonly { readonly name: string; readonly pattern: RE2JS }[];
  /** Members to replace as a whole: a name, or the names of nested members joined by dots. */
  readonly fields?: readonly string[];
  /** With a key, marks of stored values are pseudonyms, equal for equal values. */
  readonly pseudonymKey?: Uint8Array | undefined;
}

/** The origin of each column's values, by column name. */
export type ColumnOrigins = ReadonlyMap<string, ColumnOrigin>;

export interface ColumnOrigin {
  /** The member paths that the values were read from. */
  readonly paths: readonly (readonly string[])[];
  /** The most names that the query itself put above those members; rules by path ignore them. */
  readonly ownNames: number;
  /**
   * Whether the values may contain text from the caller, or text made from it. A pseudonym of it would reveal whether a
   * guessed value is the one that a mark replaces, so the column gets only plain marks.
   */
  readonly isGiven: boolean;
  /** Whether objects in the values may have been parsed from a string. Detectors then also examine member names. */
  readonly isRead: boolean;
}

const unknownOrigin: ColumnOrigin = { paths: [], ownNames: 0, isGiven: true, isRead: false };

/** Makes a redactor. Throws RangeError for a pattern whose name is not allowed in a mark. */
export function createRedactor(config: RedactorConfig = {}): Redactor {
  return new Redactor(config);
}

/** Replaces personal data and secrets in values (contract, section 6). Idempotent. */
export class Redactor {
  /** Identifies the configuration in cache keys. Contains no secret. */
  readonly description: string;
  /** For stored values. */
  readonly #redaction: TextRedaction;
  /** For values that may come from the caller. */
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
   * Redacts a string. `path` names the members that it was read from, outermost first; below a personal member, the whole
   * string becomes one mark. A string that is JSON stays JSON.
   */
  redactString(text: string, path: readonly string[], counts: RedactionCounts): string {
    const kind = this.#fields.kindOfPath(path) ?? kindOfText(text, path);
    return kind === undefined
      ? this.#shown(text, { path, depth: 0 }, counts, this.#redaction)
      : whole(text, kind, counts, this.#redaction);
  }

  /** Like `redactString`, for a string that may contain text from the caller: without pseudonyms. */
  redactGiven(text: string, counts: RedactionCounts): string {
    return this.#shown(text, { path: [], depth: 0 }, counts, this.#givenRedaction);
  }

  /** Whether a path is personal by name, so that numbers read from it become null. */
  isPersonal(path: readonly string[]): boolean {
    return this.#fields.kindOfPath(path) !== undefined;
  }

  /**
   * Redacts a JSON text: strings are redacted and numbers below personal members become null. Member names and all other
   * bytes stay. `path` as for `redactString`. Throws Error if the text is not JSON, because such text cannot be shown.
   */
  redactJson(text: string, counts: RedactionCounts, path: readonly string[] = []): string {
    return this.#rewritten(
      text,
      { kindOf: this.#kindOf, kindOfText, isSecretNumber: isNumberSecret },
      counts,
      path,
      () => this.#redaction,
    );
  }

  /**
   * Like `redactJson`, for rows: an array of objects. `origins` says which members the values of each column were read from,
   * so that rules also apply to renamed members, and which values may come from the caller.
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
    // Rows repeat their names, and examining a name takes as long as examining a value.
    const plainNames = new Set<string>();
    const name = (content: string, above: readonly string[]): string | undefined => {
      if (!read.has(above[0] ?? '') || plainNames.has(content)) return undefined;
      const shown = redactText(content, redactionOf(above), counts);
      if (shown === content) plainNames.add(content);
      return shown;
    };
    const kindOfTextIn = (content: string, path: readonly string[]): string | undefined => {
      const own = kindOfText(content, path);
      if (own !== undefined || path.length !== 1) return own;
      for (const origin of origins.get(path[0] ?? '')?.paths ?? []) {
        const kind = kindOfText(content, origin);
        if (kind !== undefined) return kind;
      }
      return undefined;
    };
    const isNumberSecretIn = (digits: string, path: readonly string[]): boolean =>
      isNumberSecret(digits, path) ||
      (path.length === 1 && (origins.get(path[0] ?? '')?.paths ?? []).some((origin) => isNumberSecret(digits, origin)));
    return this.#rewritten(
      text,
      { kindOf, kindOfText: kindOfTextIn, isSecretNumber: isNumberSecretIn },
      counts,
      [],
      redactionOf,
      read.size === 0 ? undefined : name,
    );
  }

  /** Counts the marks in a text. */
  countMarks(text: string, counts: RedactionCounts): void {
    for (const [, ...kinds] of text.matchAll(this.#redaction.marks.pattern)) counts.add(kinds.find(Boolean) ?? '');
  }

  #rewritten(
    text: string,
    { kindOf, kindOfText: kindIn, isSecretNumber: isNumberSecretIn }: KindRules,
    counts: RedactionCounts,
    path: readonly string[],
    redactionOf: (path: readonly string[]) => TextRedaction,
    name?: JsonRewrite['name'],
  ): string {
    const result = rewriteJson(
      text,
      {
        kindOf,
        isSecretNumber: isNumberSecretIn,
        string: (content, personal, place) => {
          const redaction = redactionOf(place.path);
          const kind = personal ?? kindIn(content, place.path);
          return kind === undefined
            ? this.#shown(content, place, counts, redaction, kindOf)
            : whole(content, kind, counts, redaction);
        },
        ...(name !== undefined && { name }),
      },
      { path, depth: 0 },
      this.#fields.kindOfPath(path),
    );
    if (result === undefined) throw new Error('the value to redact is not JSON');
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

  /** Redacts a string that is JSON. Its member names come from the sender, so detectors examine them too. */
  #shownAsJson(
    text: string,
    place: JsonPlace,
    counts: RedactionCounts,
    redaction: TextRedaction,
    kindOf: JsonRewrite['kindOf'],
  ): string | undefined {
    // Counted separately, because the string is redacted again if it turns out not to be JSON.
    const ownCounts = new RedactionCounts();
    const result = rewriteJson(
      text,
      {
        kindOf,
        isSecretNumber: isNumberSecret,
        string: (content, personal, inner) => {
          const kind = personal ?? kindOfText(content, inner.path);
          return kind === undefined
            ? this.#shown(content, inner, ownCounts, redaction, kindOf)
            : whole(content, kind, ownCounts, redaction);
        },
        name: (content) => redactText(content, redaction, ownCounts),
      },
      place,
    );
    if (result !== undefined) counts.addAll(ownCounts);
    return result;
  }
}

interface KindRules {
  readonly kindOf: JsonRewrite['kindOf'];
  readonly kindOfText: (text: string, path: readonly string[]) => string | undefined;
  readonly isSecretNumber: (digits: string, path: readonly string[]) => boolean;
}

/** The kind of a text in a member whose name alone does not tell whether it is a secret. */
function kindOfText(text: string, path: readonly string[]): string | undefined {
  const name = path.at(-1) ?? '';
  return isDoubtfulName(name) && isSecretUnder(name, text) ? 'key' : undefined;
}

const isNumberSecret = (digits: string, path: readonly string[]): boolean => isSecretNumber(path.at(-1) ?? '', digits);

function whole(text: string, kind: string, counts: RedactionCounts, { marks, detectors }: TextRedaction): string {
  if (isMark(text)) return text;
  counts.add(kind);
  return marks.write(kind, () => canonicalOf(kind, text, detectors));
}

const nameInMark = /^[a-z][a-z0-9_]{0,31}$/;

function requireName(name: string): void {
  if (!nameInMark.test(name)) {
    throw new RangeError(
      `the pattern name "${name}" is not allowed in a mark; use 1 to 32 characters of a-z, 0-9 and _, starting with a letter`,
    );
  }
}
