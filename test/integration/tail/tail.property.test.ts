import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/core/errors.ts';
import { noFacts } from '../../../src/invoke/callFacts.ts';
import { type Tails, tailsMax } from '../../../src/invoke/tail/tails.ts';
import type { QueryEngine } from '../../../src/ports/queryEngine.ts';
import type { StorageHarness } from '../../../src/ports/storageHarness.contract.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import { countOfRun, engineUnderTest, onEngine } from '../../support/enginesUnderTest.ts';
import { EngineTails, Followed, tailPlan } from '../../support/engineTails.ts';
import type { TailPart } from '../../support/tailing.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));
const sql = `select concat(event_message, ' ', item) as v
  from (select event_message, metadata from sources.pooler_logs union all select event_message, metadata from sources.rest_api_logs) as t
  cross join unnest(json_value_array(t.metadata.list)) as item
  where item != 'c'`;

const ending = (digit: string) =>
  `select event_message as v from sources.pooler_logs where event_message like '%${digit}'`;

/** The engine, and how many statements it was given. */
function counting(engine: QueryEngine) {
  let count = 0;
  const run: QueryEngine['run'] = (...given) => {
    count++;
    return engine.run(...given);
  };
  return { engine: { run, explain: engine.explain.bind(engine) }, statements: () => count };
}

/** The engine, if a read of more events fails with this code. */
function reading(engine: QueryEngine, eventsMax: number, code: ServiceError['code']): QueryEngine {
  const run: QueryEngine['run'] = async (request, ...others) => {
    const { after = 0, to = 0 } = request.arrivals ?? {};
    if (to - after > eventsMax) throw new ServiceError(code, 'too many events');
    return await engine.run(request, ...others);
  };
  return { run, explain: engine.explain.bind(engine) };
}

type Step = { readonly kind: 'append'; readonly events: number } | { readonly kind: (typeof others)[number] };
const others = ['age', 'merge', 'kill', 'restart', 'reconnect'] as const;
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('append' as const), events: fc.integer({ min: 1, max: 40 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom(...others) }) },
);

describe(onEngine('a tail'), () => {
  let harness: StorageHarness;
  beforeAll(async () => {
    harness = await engineUnderTest.open({ partEvents: 60, mergeParts: 3 });
  });
  afterAll(async () => await harness.close());

  const opener = new EngineTails(() => harness.clock);
  const tailsNow = (engine?: QueryEngine): Tails => opener.over(harness.engine, engine);
  const planOf = (text: string, projects: readonly string[] | null = null, isRedacted = false) =>
    tailPlan(text, harness.engine, projects, isRedacted);
  const store = async (source: string, project: string, messages: readonly string[]): Promise<void> => {
    const hot = (sources.get(source)?.hotColumns ?? []).map(() => null);
    const stored = messages.map((eventMessage) => ({
      ...{ id: 'x', timestampMicros: harness.clock.nowMicros(), project, eventMessage, hot, irregular: [] },
      metadata: '{"list":["a","b","c","d"]}',
    }));
    await harness.engine.log.append({ source, events: stored, identity: null });
  };
  let events = 0;
  const messagesOf = (count: number) => Array.from({ length: count }, () => `event ${events++}`);

  it('gives each row once and in order, whatever happens to engine, service and connection', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
        let tails = tailsNow();
        const [elements, odd, even] = [
          new Followed(planOf(sql)),
          new Followed(planOf(ending('1'))),
          new Followed(planOf(ending('2'))),
        ];
        const all = [elements, odd, even];
        const expected: string[] = [];
        const stored: string[] = [];
        for (const each of all) await each.connect(tails);
        for (const { kind, ...more } of steps) {
          if (kind === 'append' && 'events' in more) {
            const isPooler = more.events % 2 === 0;
            const messages = messagesOf(more.events);
            await store(isPooler ? 'pooler_logs' : 'rest_api_logs', 'p', messages);
            expected.push(...messages.flatMap((message) => ['a', 'b', 'd'].map((item) => `${message} ${item}`)));
            if (isPooler) stored.push(...messages);
          } else if (kind === 'age') await harness.age();
          else if (kind === 'merge') await harness.merge?.();
          else if (kind === 'kill') await harness.crash();
          else {
            for (const each of all) each.leave();
            if (kind === 'restart') {
              await harness.restart();
              tails = tailsNow();
            }
            for (const each of all) await each.connect(tails);
          }
        }
        const found = [expected, ...['1', '2'].map((digit) => stored.filter((message) => message.endsWith(digit)))];
        await expect.poll(() => all.map(({ seen }) => seen.length)).toEqual(found.map(({ length }) => length));
        for (const each of all) each.leave();
        expect(all.flatMap(({ announced }) => announced)).toEqual([]);
        expect(all.map(({ seen }) => seen)).toEqual(found);
      }),
      { numRuns: countOfRun(4, { of: 2 }) },
    );
  });

  it('gives tails that are read together what each gives alone, and nothing of other projects', async () => {
    const { engine, statements } = counting(harness.engine.queries);
    const tails = tailsNow(engine);
    const conditions = [
      "event_message like '%1%'",
      'length(event_message) > 2',
      "event_message = '3' or true",
      'event_message is null',
    ];
    const meets: ((message: string) => boolean)[] = [
      (m) => m.includes('1'),
      (m) => m.length > 2,
      () => true,
      () => false,
    ];
    const projects = [['p'], ['q'], ['p', 'q']];
    const cases = projects.flatMap((each) =>
      conditions.map((condition, i) => ({ condition, meets: meets[i], projects: each })),
    );
    // The events of the other project are no numbers.
    const number = { condition: 'cast(event_message as int64) >= 0', meets: () => true, projects: ['q'] };
    const all = [...cases, number].map(({ condition, ...more }) => ({
      ...more,
      tail: new Followed(
        planOf(`select event_message as v from sources.pooler_logs where ${condition}`, more.projects),
      ),
    }));
    const failing = new Followed(
      planOf('select event_message as v from sources.pooler_logs where cast(event_message as int64) > 0', ['p']),
    );
    for (const { tail } of all) await tail.connect(tails);
    await failing.connect(tails);
    const before = statements();
    const stored = { p: ['a1', 'b22', '3', 'text'], q: ['1', '22', '333', '14'] };
    await store('pooler_logs', 'q', stored.q);
    const expected = (messages: readonly (readonly [string, string])[]) =>
      all.map((each) =>
        messages.flatMap(([project, m]) => (each.projects.includes(project) && each.meets?.(m) === true ? [m] : [])),
      );
    const ofQ = stored.q.map((message) => ['q', message] as const);
    await expect.poll(() => all.map(({ tail }) => tail.seen)).toEqual(expected(ofQ));
    expect(statements() - before).toBeLessThan(all.length / 2);
    expect(failing.announced).toEqual([]);
    await store('pooler_logs', 'p', stored.p);
    const both = [...ofQ, ...stored.p.map((message) => ['p', message] as const)];
    await expect.poll(() => all.map(({ tail }) => tail.seen)).toEqual(expected(both));
    await expect.poll(() => failing.announced).toMatchObject([{ event: 'end', data: { code: 'sql.data' } }]);
    expect(all.flatMap(({ tail }) => tail.announced)).toEqual([]);
    for (const { tail } of all) tail.leave();
  });

  it.each(['query.fetch_max', 'query.memory', 'query.timeout'] as const)(
    'goes on to be read with others after more events than the engine can read at once (%s)',
    async (code) => {
      const { engine, statements } = counting(reading(harness.engine.queries, 12, code));
      const tails = tailsNow(engine);
      const digits = Array.from({ length: 8 }, (_, n) => `${n}`);
      const all = digits.map((digit) => new Followed(planOf(ending(digit), [code])));
      for (const tail of all) await tail.connect(tails);
      const stored: string[] = [];
      const burst = async (count: number) => {
        const messages = messagesOf(count);
        stored.push(...messages);
        await store('pooler_logs', code, messages);
        const expected = digits.map((digit) => stored.filter((message) => message.endsWith(digit)));
        await expect.poll(() => all.map(({ seen }) => seen)).toEqual(expected);
      };
      for (let n = 0; n < 3; n++) await burst(40);
      const before = statements();
      await burst(10);
      // After a timeout, reads begin with very few events, and each has twice as many as the one before.
      expect(statements() - before).toBeLessThan(code === 'query.timeout' ? all.length : all.length / 2);
      expect(all.flatMap(({ announced }) => announced)).toEqual([]);
      for (const tail of all) tail.leave();
    },
  );

  it('is read apart from tails of a token whose tail took too long, also after that one connects again', async () => {
    const { queries } = harness.engine;
    let together = 0;
    const has = (query: unknown, text: string) => inspect(query, { depth: null }).includes(text);
    const run: QueryEngine['run'] = async (request, ...others) => {
      if (!has(request.query, 'guilty')) return await queries.run(request, ...others);
      if (has(request.query, '%0')) together++;
      throw new ServiceError('query.timeout', 'too slow');
    };
    const tails = tailsNow({ run, explain: queries.explain.bind(queries) });
    const digits = ['0', '1', '2', '3'];
    const all = digits.map((digit) => new Followed(planOf(ending(digit), ['apart'])));
    for (const tail of all) await tail.connect(tails);
    const stored: string[] = [];
    const runner = { id: 'guilty', concurrencyMax: null };
    for (const text of ['guilty', 'guilty too', 'guilty again']) {
      const slow = new Followed({ ...planOf(ending(text), ['apart']), runner });
      await slow.connect(tails);
      const messages = messagesOf(10);
      stored.push(...messages);
      await store('pooler_logs', 'apart', messages);
      const expected = digits.map((digit) => stored.filter((message) => message.endsWith(digit)));
      await expect.poll(() => all.map(({ seen }) => seen)).toEqual(expected);
      slow.leave();
    }
    expect(together).toBe(1);
    expect(all.flatMap(({ announced }) => announced)).toEqual([]);
    for (const tail of all) tail.leave();
  });

  it('leaves places for others, however many tokens for the same projects read', async () => {
    const tails = tailsNow();
    const plan = planOf('select event_message as v from sources.edge_logs');
    const open = (tokenId: string, placeOwner: string) =>
      tails.open({
        ...{ plan, format: 'ndjson', lastEventId: null, start: {}, facts: noFacts(), tokenId, placeOwner },
        requireRights: async () => undefined,
        signal: new AbortController().signal,
      });
    const half = tailsMax.all / 2;
    const opened = await Promise.all(Array.from({ length: half }, (_, n) => open(`${n}`, 'tenant')));
    await expect(open('one more', 'tenant')).rejects.toThrow(`already have ${half} open tails`);
    opened.push(await open('another', 'another'));
    for (const stream of opened) stream.destroy();
    await expect.poll(() => tails.openCount).toBe(0);
  });

  // Reading takes long in ClickHouse, and has no part in it.
  it.skipIf(engineUnderTest.name === 'ClickHouse')(
    'tells a reader that takes nothing how many rows it has left out',
    async () => {
      const tails = tailsNow();
      const plan = planOf('select event_message as v from sources.edge_logs');
      const quick = new Followed(plan);
      await quick.connect(tails);
      const slow = await tails.open({
        ...{
          plan,
          format: 'ndjson',
          lastEventId: null,
          start: {},
          facts: noFacts(),
          tokenId: 'slow',
          placeOwner: 'slow',
        },
        requireRights: async () => undefined,
        signal: new AbortController().signal,
      });
      // Its queue holds about a thousand of them.
      const count = 12_000;
      for (let from = 0; from < count; from += 800) {
        await store(
          'edge_logs',
          'p',
          Array.from({ length: 800 }, (_, i) => `${from + i} ${'x'.repeat(200)}`),
        );
        await expect.poll(() => quick.seen.length).toBe(from + 800);
      }
      let text = '';
      const parts = (): TailPart[] =>
        text
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line));
      slow.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      await expect.poll(() => parts().at(-1)?.event).toBe('dropped');
      const rows = parts().filter(({ event }) => event === 'row').length;
      expect(parts().at(-1)?.data).toEqual({ count: count - rows, exact: true });
      await store('edge_logs', 'p', ['after']);
      await expect.poll(() => parts().at(-1)?.data.v).toBe('after');
      expect(quick.announced).toEqual([]);
      slow.destroy();
      quick.leave();
    },
  );
});
