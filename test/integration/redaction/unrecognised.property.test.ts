import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ManualTimer } from '../../../src/core/timer.ts';
import { SeededRandom } from '../../../src/demo/seededRandom.ts';
import { compileStored } from '../../../src/googlesql/compile.ts';
import { alteredTexts } from '../../../src/googlesql/plan/alteredTexts.ts';
import { redactedRows } from '../../../src/invoke/redaction.ts';
import type { Redactor } from '../../../src/redact/createRedactor.ts';
import { RedactionCounts } from '../../../src/redact/redactionCounts.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import { type LabelledFile, type LabelledText, readCorpus } from '../../redaction/readCorpus.ts';
import { never, onEngine } from '../../support/enginesUnderTest.ts';
import { redactHere } from '../../support/redactHere.ts';
import { RedactedStore } from './redactedStore.ts';

const textsOfFile = 40;
const columnsOfFile = 60;
const sources = new Map(builtinSources.map((source) => [source.name, source] as const));

/** Ends and separators beside which a value keeps its bounds, and others. */
type Texts = readonly [string, ...string[]];
const words: Texts = [
  "' '",
  "', '",
  "' | '",
  "'<'",
  "')'",
  "'q='",
  "'&x='",
  "''",
  "'a'",
  "'1'",
  "'.'",
  "'/'",
  "'v '",
  "'x-'",
];
const patterns: Texts = ["'[a-z]+'", "'[0-9]+'", "'@.*'", "'[.]'"];

/** A random expression over the texts of an event, of functions of every kind. */
function expressionOf(random: SeededRandom, depth: number): string {
  const one = (items: Texts): string => random.pick(items);
  if (depth === 0) return one(['t.event_message', 'string(m.text)', 'string(m.other)', 'lax_string(m.text)']);
  const text = (): string => expressionOf(random, depth - 1);
  const made: readonly [() => string, ...(() => string)[]] = [
    () => text(),
    () => `coalesce(${text()}, 'none')`,
    () => `if(m.n > 1, ${text()}, ${text()})`,
    () => `case when ${text()} is null then 'a' else ${text()} end`,
    () => `greatest(${text()}, ${text()})`,
    () => `nullif(${text()}, 'x')`,
    () => `trim(${text()})`,
    () => `normalize(${text()}, ${one(['nfc', 'nfd', 'nfkc', 'nfkd'])})`,
    () => `to_json_string(${text()})`,
    () => `to_json_string(struct(${text()} as a, m.n as n))`,
    () => `json_value(to_json_string(struct(${text()} as a)), '$.a')`,
    () => `array_to_string([${text()}, ${text()}], ${one(words)})`,
    () => `concat(${text()}, ${one(words)}, ${text()})`,
    () => `concat(${one(words)}, ${text()}, ${one(words)})`,
    () => `${text()} || ${one(words)} || m.n`,
    () => `format('${one(['%s %s', '%s, %T', '(%t) %20s', '%s/%s', '%.9s %s'])}', ${text()}, ${text()})`,
    () => `(select string_agg(x, ${one(words)}) from unnest([${text()}, ${text()}]) as x)`,
    () => `[${text()}, ${text()}][offset(${one(['0', '1'])})]`,
    () => `array_first(array_reverse([${text()}, ${text()}]))`,
    () => `left(${text()}, ${one(['5', '9', '14'])})`,
    () => `substr(${text()}, ${one(['3', '6'])})`,
    () => `split(${text()}, ${one(["' '", "'.'", "'@'"])})[safe_offset(0)]`,
    () => `regexp_extract(${text()}, ${one(patterns)})`,
    () => `regexp_replace(${text()}, ${one(patterns)}, ${one(words)})`,
    () => `replace(${text()}, '.', ${one(words)})`,
    () => `${one(['upper', 'lower', 'reverse', 'initcap'])}(${text()})`,
    () => `to_base64(cast(${text()} as bytes))`,
    () => `repeat(${text()}, 2)`,
    () => `to_json_string(struct(${text()} as a, [${text()}] as b), true)`,
    () => `format(concat('%s', ${one(words)}, '%T'), ${text()}, ${text()})`,
    () => `cast(cast(${text()} as bytes) as string)`,
    () => `safe_convert_bytes_to_string(reverse(cast(${text()} as bytes)))`,
    () => `to_hex(cast(${text()} as bytes) || cast(${text()} as bytes))`,
    () => `to_base64((select string_agg(cast(x as bytes), b${one(words)}) from unnest([${text()}, ${text()}]) as x))`,
    () => `(select percentile_disc(x, 0.5 respect nulls) over () from unnest([${text()}]) as x)`,
    () => `struct(${text()} as a, ${text()} as b).b`,
  ];
  return random.pick(made)();
}

const eventOf = ({ text }: LabelledText, i: number, file: string, other: string) => ({
  id: `${file}-${i}`,
  event_message: text,
  metadata: { file, n: i, text, other },
});

/** Some texts of a file, spread over all of it, each with the one that stands beside it in a row. */
function sampleOf({ texts }: LabelledFile): readonly (readonly [LabelledText, LabelledText])[] {
  const step = Math.max(1, Math.floor(texts.length / textsOfFile));
  const some = texts.filter((_, i) => i % step === 0).slice(0, textsOfFile);
  return some.map((text, i) => [text, some[(i * 7 + 3) % some.length] ?? text] as const);
}

const redacted = (redactor: Redactor, text: string): string => redactor.redactString(text, [], new RedactionCounts());

const files = readCorpus().filter(({ name }) => name !== 'lookalikes');
let store: RedactedStore;

beforeAll(async () => {
  const events = files.flatMap((file) =>
    sampleOf(file).map(([text, other], i) => eventOf(text, i, file.name, other.text)),
  );
  store = await RedactedStore.open(events, { withHotColumns: true, isSealed: false });
});
afterAll(() => store.close());

describe(onEngine('a column of which nothing is said'), () => {
  it.each(files)('shows no value of the corpus, whatever it is made by: $name', async (file) => {
    const random = new SeededRandom(`unrecognised ${file.name}`);
    const expressions = Array.from({ length: columnsOfFile }, () => expressionOf(random, random.integer(1, 3)));
    const query = compileStored(
      `select ${expressions.map((expression, i) => `${expression} as c${i}`).join(',\n')}
       from sources.edge_logs as t cross join unnest(t.metadata) as m where m.file = '${file.name}' order by cast(m.n as int64)`,
      { sources, parameters: new Map() },
    );
    const told = new Set(alteredTexts(query).map(({ output }) => output));
    const { rows } = await store.engine.run(
      {
        query,
        parameters: new Map(),
        projects: null,
        redaction: null,
        nowMicros: Date.UTC(2026, 5, 2) * 1000,
        rowsMax: 1000,
        bytesMax: 2 ** 26,
        profile: 'plain',
      },
      never,
    );
    const shown = await redactedRows(
      { rows, query, isRedactedAtScan: false, tokenId: 'a', limitMs: 60_000, signal: never },
      { redactor: file.redactor, redactingThreads: redactHere(file.redactor), timer: new ManualTimer() },
    );
    const list = JSON.parse(`[${Buffer.from(shown.rows).toString()}]`) as readonly Readonly<Record<string, unknown>>[];
    const sample = sampleOf(file);
    expect(list).toHaveLength(sample.length);

    const leaks: unknown[] = [];
    let leaksTold = 0;
    for (const [i, row] of list.entries()) {
      const [text, other] = sample[i] ?? [];
      if (text === undefined || other === undefined) throw new Error('a row without its texts');
      const stays = [text, other].map((each) => redacted(file.redactor, each.text)).join('\n');
      const values = [...text.marks, ...other.marks]
        .map(([, value]) => value)
        .filter((value) => !stays.includes(value));
      for (const [column, expression] of expressions.entries()) {
        const value = String(row[`c${column}`]);
        if (!values.some((each) => value.includes(each) || (each.length > 7 && value.includes(each.slice(0, 7)))))
          continue;
        if (told.has(`c${column}`)) leaksTold++;
        else leaks.push({ expression, texts: [text.text, other.text], value });
      }
    }
    expect(leaks).toEqual([]);
    // Both kinds occur, so that the test is one: columns that nothing is said of, and columns that show something.
    expect(told.size).toBeLessThan(columnsOfFile * 0.9);
    expect(leaksTold).toBeGreaterThan(0);
  });
});
