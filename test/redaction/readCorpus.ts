import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRedactor, type OptionalDetector, type Redactor } from '../../src/redact/createRedactor.ts';

export interface LabelledText {
  readonly text: string;
  /** Detector and value of each part that must not survive, in the order of the text. */
  readonly marks: readonly (readonly [detector: string, value: string])[];
  readonly form: string;
  readonly source: string;
}

export interface LabelledFile {
  readonly name: string;
  readonly texts: readonly LabelledText[];
  readonly redactor: Redactor;
}

const folder = join(import.meta.dirname, 'corpus');

/** Detectors that are off by default are on for their own texts, and all of them for the look-alikes. */
const optional: Readonly<Record<string, readonly OptionalDetector[]>> = {
  phone: ['phone'],
  card: ['card'],
  iban: ['iban'],
  lookalikes: ['phone', 'card', 'iban'],
};

/** The corpus, a file for each family of detectors. */
export function readCorpus(): readonly LabelledFile[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => {
      const name = file.replace(/\.json$/, '');
      const texts = JSON.parse(readFileSync(join(folder, file), 'utf8')) as readonly LabelledText[];
      return { name, texts, redactor: createRedactor({ detectors: optional[name] ?? [] }) };
    });
}

/** Detector of the corpus → kind of its marks. */
export const kindOfDetector: Readonly<Record<string, string>> = {
  ipv4: 'ip',
  ipv6: 'ip',
  email: 'email',
  jwt: 'key',
  bearer: 'key',
  basic: 'key',
  userinfo: 'key',
  key_prefix: 'key',
  named_secret: 'key',
  written_secret: 'key',
  tool_secret: 'key',
  secret_url: 'key',
  phone: 'phone',
  card: 'card',
  iban: 'iban',
};

/** The text as it must read after redaction. */
export function expectedOf({ text, marks }: LabelledText): string {
  let expected = '';
  let done = 0;
  for (const [detector, value] of marks) {
    const at = text.indexOf(value, done);
    const kind = kindOfDetector[detector];
    if (at < 0 || kind === undefined) throw new Error(`the corpus has no ${detector} "${value}" in: ${text}`);
    expected += `${text.slice(done, at)}[REDACTED:${kind}]`;
    done = at + value.length;
  }
  return expected + text.slice(done);
}
