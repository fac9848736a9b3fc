import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestStorage } from '../storage.fixture.ts';
import { answerOf, appendRequests, grouped, type Request, statementOf } from './requiredRuns.fixture.ts';

/** Project names: usual ones, one within another, one in another case, and some that are no runs. */
const projects = [
  'abcdefghijklmnopqrst',
  'xabcdefghijklmnopqrsty',
  'ABCDEFGHIJKLMNOPQRST',
  'qrstuvwxyzabcdefghij',
  'short',
  'a-longer-name-with-dashes',
  '*',
];
const tokens = ['eyJhbGciOiJIUzI1NiJ9', '0123456789abcdef0123456789abcdef', 'tuvwxyz0123456789', 'klmnopqrstuvwxyzabc'];

interface Line extends Pick<Request, 'project' | 'request'> {
  readonly url: string;
}

/** A word of a URL: the name of its project if it is null, else a text; then a part of it, and its case. */
const word = fc
  .record({
    text: fc.oneof(
      { weight: 3, arbitrary: fc.constant(null) },
      { weight: 4, arbitrary: fc.constantFrom(...projects, ...tokens, 'rest', 'ü', 'X', '0', '\0') },
    ),
    cut: fc.constantFrom(null, null, null, { from: 0, to: 16 }, { from: -16, to: Infinity }, { from: 1, to: -1 }),
    isUpper: fc.constantFrom(false, false, false, false, false, true),
  })
  .map(({ text, cut, isUpper }) => (project: string) => {
    const whole = text ?? project;
    const part = cut === null ? whole : whole.slice(cut.from, cut.to);
    return isUpper ? part.toUpperCase() : part;
  });
const separator = fc.constantFrom('', '', '', '', '/', '.', '-', '_', '&x=', '\n', 'é', '-'.repeat(9000));
/** Null for the usual URL of the project. */
const url = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 3, arbitrary: fc.array(fc.tuple(word, separator), { minLength: 1, maxLength: 4 }) },
);
const line = (isRegular: boolean): fc.Arbitrary<Line> =>
  fc
    .record({
      project: fc.constantFrom(...projects),
      url,
      form: fc.constantFrom('plain', 'plain', 'plain', 'none', ...(isRegular ? [] : ['two', 'one', 'number'])),
    })
    .map(({ project, url, form }) => {
      const given = url?.map(([word, after]) => word(project) + after).join('') ?? `https://${project}.example.co/rest`;
      if (form === 'none') return { project, url: given, request: { method: 'GET' } };
      if (form === 'two') return { project, url: given, request: [{ url: given }, { url: 'second' }] };
      if (form === 'one') return { project, url: given, request: [{ url: given }] };
      return { project, url: given, request: { url: form === 'number' ? 1234567890123456 : given } };
    });

type Step =
  | { readonly kind: 'append'; readonly lines: readonly Line[] }
  | { readonly kind: 'seal' | 'merge' | 'restart' };
/** Few events are sealed at a time, so that few others can have the same runs. */
const step = (isRegular: boolean): fc.Arbitrary<readonly Step[]> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .array(line(isRegular), { minLength: 1, maxLength: 3 })
        .map((lines): readonly Step[] => [{ kind: 'append', lines }, { kind: 'seal' }]),
    },
    {
      weight: 1,
      arbitrary: fc
        .array(line(isRegular), { minLength: 1, maxLength: 12 })
        .map((lines): readonly Step[] => [{ kind: 'append', lines }]),
    },
    { weight: 2, arbitrary: fc.constant<readonly Step[]>([{ kind: 'merge' }]) },
    { weight: 1, arbitrary: fc.constant<readonly Step[]>([{ kind: 'restart' }]) },
  );

/** A part of the URL of a stored event, as a plain pattern. */
interface Part {
  /** Counts from the last. */
  readonly event: number;
  readonly start: number;
  readonly length: number;
}
const part: fc.Arbitrary<Part> = fc.record({
  event: fc.nat({ max: 15 }),
  start: fc.nat(),
  length: fc.constantFrom(16, 16, 17, 20, 24, 30),
});

/** As a plain pattern; of a URL with a run of this length, a part of a run. */
function patternOf({ start, length }: Part, url: string): string {
  const runs = (url.match(/[0-9A-Za-z]+/g) ?? []).filter((run) => run.length >= length);
  const text = runs[start % Math.max(1, runs.length)] ?? url;
  const begin = start % Math.max(1, text.length - length + 1);
  return text.slice(begin, begin + length).replaceAll(/[^\w\-/:.]/g, '.');
}

const conditions = [
  (p: string) => `from sources.edge_logs as t where regexp_contains(t.metadata.request.url, r'${p}')`,
  (p: string) => `from sources.edge_logs as t, unnest(t.metadata.request) as q where regexp_contains(q.url, r'${p}')`,
  (p: string) =>
    `from (select event_message, timestamp, json_value(metadata, '$.x') as x, metadata.request.url as u from sources.edge_logs) as t where (regexp_contains(u, r'${p}') or x = 'y') and u is not null`,
  (p: string) =>
    `from (select event_message, timestamp, metadata.request.url as u from sources.edge_logs) as t where regexp_contains(u, r'${p}') and (regexp_contains(u, r'${p}') or u = '')`,
];

describe('events whose text contains a required run', () => {
  let test: TestStorage;
  beforeAll(async () => {
    test = await TestStorage.open({ frozenFilesMax: 100, mergeFiles: 3 });
  });
  afterAll(async () => {
    await test.close();
  });

  let number = 0;
  const append = async (lines: readonly Pick<Line, 'project' | 'request'>[]) =>
    await appendRequests(
      test,
      lines.map(({ project, request }) => ({ project, request, message: `line ${number++}` })),
    );
  const take = async (each: Step) => {
    if (each.kind === 'append') await append(each.lines);
    if (each.kind === 'seal') await test.storage.sealNow();
    if (each.kind === 'merge') await test.storage.mergeNow();
    if (each.kind === 'restart') await test.reopen();
  };

  it.each([true, false])(
    'are all read, whatever the urls, seals and merges; all events regular: %s',
    async (isRegular) => {
      await test.close();
      test = await TestStorage.open({ frozenFilesMax: 100, mergeFiles: isRegular ? 20 : 5 });
      const urls: string[] = ['abcdefghijklmnopqrst'];
      await fc.assert(
        fc.asyncProperty(
          fc.array(step(isRegular), { minLength: 1, maxLength: 5 }),
          fc.array(part, { minLength: 6, maxLength: 6 }),
          fc.constantFrom(...conditions),
          fc.constantFrom(null, null, null, [projects[0] ?? '', projects[1] ?? '']),
          fc.constantFrom(false, false, false, false, false, true),
          async (steps, parts, from, only, isRedacted) => {
            for (const each of steps.flat()) {
              await take(each);
              if (each.kind === 'append') urls.push(...each.lines.map(({ url }) => url));
            }
            for (const part of parts) {
              const pattern = patternOf(part, urls.at(-1 - (part.event % urls.length)) ?? '');
              const select = (p: string) => `select t.event_message as v ${from(p)} order by v`;
              const whole = await answerOf(test, select(grouped(pattern)), { only, isRedacted });
              expect(await answerOf(test, select(pattern), { only, isRedacted }), pattern).toBe(whole);
            }
          },
        ),
        // Each run goes on with the segments that the one before it left.
        { numRuns: 20, endOnFailure: true },
      );
    },
  );

  it('are sought only in segments and projects that can have them', async () => {
    await test.close();
    test = await TestStorage.open({ frozenFilesMax: 100, mergeFiles: 100 });
    const [large = '', within = '', , other = ''] = projects;
    const own = (project: string) => ({ project, request: { url: `https://${project}.example.co/rest` } });
    await append([own(large), own(within), own('short')]);
    await test.storage.sealNow();
    await append([own(other), { project: 'short', request: { url: `https://short.example.co/?key=${tokens[0]}` } }]);
    await test.storage.sealNow();
    const [first = '', second = ''] = test.storage.files.lease().files.map(({ alias }) => alias);
    const readOf = async (p: string) => {
      const sql = await statementOf(test, `select t.id ${conditions[0]?.(p)}`);
      return [first, second].map((alias) => {
        if (!sql.includes(`"${alias}"`)) return 'not read';
        return (
          /project_ordinal (?:= \d+|IN \([\d, ]+\))/.exec(
            sql.slice(sql.indexOf(`"${alias}"`)).split(' UNION ')[0] ?? '',
          )?.[0] ?? 'whole'
        );
      });
    };
    expect(await readOf(other)).toEqual(['not read', 'project_ordinal = 0']);
    expect(await readOf(within)).toEqual(['project_ordinal = 2', 'not read']);
    // Also part of another name.
    expect(await readOf(large)).toEqual(['project_ordinal IN (0, 2)', 'not read']);
    expect(await readOf(tokens[0]?.slice(2) ?? '')).toEqual(['not read', 'whole']);
    expect(await readOf(large.toUpperCase())).toEqual(['not read', 'not read']);
    expect(await readOf(`(?i)${large}`)).toEqual(['whole', 'whole']);
  });
});
