import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { redacting, restrictedTo } from '../tokens/restrictions.ts';
import { type AskedRow, CachedCalls, cachingEndpoint, rawAddress, tokenOf } from './cachedCalls.fixture.ts';
import type { CallableEndpoint } from './callableEndpoint.ts';
import { formatMicros } from './formatMicros.ts';

const cachedId = '11111111-1111-4111-8111-111111111111';
const uncachedId = '22222222-2222-4222-8222-222222222222';
const tokens = {
  open: tokenOf('open'),
  other: tokenOf('other'),
  fresh: tokenOf('fresh', { scopes: [{ kind: 'query' }, { kind: 'query:fresh' }] }),
  p: tokenOf('p', { restrictions: restrictedTo(['p']) }),
  pq: tokenOf('pq', { restrictions: restrictedTo(['q', 'p']) }),
  redacted: tokenOf('redacted', { restrictions: redacting(null) }),
  redactedP: tokenOf('redactedP', { restrictions: redacting(restrictedTo(['p'])) }),
  capped: tokenOf('capped', { restrictions: { projects: null, maxRows: 3 } }),
  locked: tokenOf('locked', { restrictions: { projects: null, parameters: { project: ['q'] } } }),
};

/**
 * Two queries whose keys have the same hash, because V8 hashes texts of this length by their length
 * (`String::kMaxHashCalcLength`). Only a comparison of the whole keys distinguishes them.
 */
const colliding = ['a', 'b'].map((name) => `select ${name} -- ${'x'.repeat(17_000)}`);

const call = fc.record({
  kind: fc.constant('call' as const),
  token: fc.constantFrom(...(Object.keys(tokens) as (keyof typeof tokens)[])),
  endpoint: fc.constantFrom('cached', 'cached', 'cached', 'uncached'),
  by: fc.constantFrom('id', 'name'),
  project: fc.constantFrom('p', 'p', 'p', 'q', '', null),
  other: fc.constantFrom('', null, null, 'x'),
  unknown: fc.boolean(),
  isReversed: fc.boolean(),
  sql: fc.constantFrom(null, null, null, null, 'select 1', 'select  1', 'select rand()', ...colliding),
  redacts: fc.constantFrom(false, false, true),
  values: fc.constantFrom(undefined, undefined, 'plain', 'records'),
  freshness: fc.constantFrom(
    {},
    {},
    {},
    { mustRun: true },
    { maxAgeSeconds: 3 },
    { onlyIfCached: true },
    { onlyIfCached: true, maxAgeSeconds: 3 },
  ),
  times: fc.constantFrom(1, 1, 1, 3),
});
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

const step = fc.oneof(
  { weight: 8, arbitrary: call },
  // Only repeated calls can be answered from the cache, and calls that differ in every way seldom repeat.
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('twice' as const),
      first: call,
      second: call,
      keepsToken: fc.boolean(),
      collides: fc.boolean(),
      seconds: fc.constantFrom(0, 4),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.constantFrom(0, 1, 2, 4, 9, 11, 30) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('goBack' as const), seconds: fc.constantFrom(1, 20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('purge' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('removal' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('edit' as const),
      maxRows: fc.constantFrom(5, 6),
      redactPii: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('engine' as const), fails: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('outage' as const), seconds: fc.constantFrom(8, 11, 16), call }),
  },
);

const failed = new ServiceError('engine.failed', 'The query engine failed.');

/** Models a service without a cache, and which answers are allowed. */
class Model {
  readonly calls: CachedCalls;
  cached: CallableEndpoint = cachingEndpoint({ cacheSeconds: 10, warmSeconds: 5, staleIfErrorSeconds: 5 });
  readonly uncached = cachingEndpoint({ id: uncachedId, name: 'example.uncached', cacheSeconds: 0, warmSeconds: null });
  /** The rows that each entity tag was given to. */
  readonly #tags = new Map<string, AskedRow>();
  /** Runs up to this number must not be shown for the endpoint that caches. */
  oldRuns = 0;

  constructor() {
    this.calls = new CachedCalls([this.cached, this.uncached]);
  }

  purge(): void {
    this.oldRuns = this.calls.runCount;
    this.calls.cache.purge(cachedId);
  }

  /** Deletes events, of which any result may hold some. */
  removal(): void {
    this.oldRuns = this.calls.runCount;
    this.calls.cache.dropAll();
  }

  edit({ maxRows, redactPii }: Pick<CallableEndpoint, 'maxRows' | 'redactPii'>): void {
    this.oldRuns = this.calls.runCount;
    const version = this.cached.version + 1;
    this.cached = { ...this.cached, version, maxRows, redactPii, query: `stored ${version}` };
    this.calls.change(this.cached);
  }

  async check(asked: Call): Promise<void> {
    const { calls } = this;
    const endpoint = asked.endpoint === 'cached' ? this.cached : this.uncached;
    const token = tokens[asked.token];
    // A refresh that an earlier call started belongs to that call.
    await calls.settle();
    const runsBefore = calls.runCount;
    const given: [string, string | null][] = [
      ['project', asked.project],
      ['other', asked.other],
      ['sql', asked.sql],
      ['ref', asked.unknown ? 'x' : null],
    ];
    const parameters = given.flatMap(([name, value]): [string, string][] => (value === null ? [] : [[name, value]]));
    const outcome = await calls
      .call({
        idOrName: asked.by === 'id' ? endpoint.id : endpoint.name,
        parameters: asked.isReversed ? parameters.reverse() : parameters,
        token,
        freshness: asked.freshness,
        redacts: asked.redacts,
        ...(asked.values === undefined ? {} : { values: asked.values }),
      })
      .catch((error: unknown) => error);

    const isCached = endpoint.cacheSeconds > 0 && !(asked.sql?.includes('rand()') ?? false);
    const demand: { mustRun?: boolean; maxAgeSeconds?: number; onlyIfCached?: boolean } = asked.freshness;
    const mustRun = demand.mustRun === true && asked.token === 'fresh';
    const isNew = (run: number) => run > runsBefore;
    const isRedacted = asked.redacts || endpoint.redactPii || token.restrictions?.redact === true;
    if (outcome instanceof ServiceError) {
      if (outcome.code === 'cache.only_if_cached') expect(demand.onlyIfCached).toBe(true);
      else if (outcome.code === 'parameter.locked') expect([asked.token, asked.project]).toEqual(['locked', 'p']);
      else expect([outcome.code, calls.failure?.code]).toEqual(['engine.failed', 'engine.failed']);
      return;
    }
    if (outcome instanceof Error) throw outcome;
    const answer = outcome as Awaited<ReturnType<CachedCalls['call']>>;
    const { row } = answer;
    expect(row).toMatchObject({
      text: asked.sql ?? endpoint.query,
      parameters: [
        ['project', asked.token === 'locked' ? 'q' : asked.project === '' ? null : asked.project],
        ['other', asked.other === '' ? null : asked.other],
      ],
      projects: token.restrictions?.projects ?? null,
      rowsMax: Math.min(endpoint.maxRows, token.restrictions?.maxRows ?? endpoint.maxRows),
      profile: asked.values ?? 'plain',
      // The stored query runs unredacted for everyone; its rows are redacted for calls that demand it.
      isRedactedAtScan: isRedacted && asked.sql !== null,
      client: isRedacted ? '[REDACTED:ip]' : rawAddress,
    });
    expect(answer.redaction).toEqual(
      isRedacted ? { applied: true, counts: { ip: 1 } } : { applied: false, counts: {} },
    );
    expect(row).toEqual(this.#tags.get(answer.entityTag) ?? row);
    this.#tags.set(answer.entityTag, row);
    expect(answer.asOf).toBe(formatMicros(row.nowMicros));
    expect(answer.notices.includes('parameter.unknown')).toBe(asked.unknown);
    expect(answer.notices.includes('cache.no_cache_ignored')).toBe(demand.mustRun === true && !mustRun);
    const ageSeconds = (calls.clock.nowMicros() - row.nowMicros) / 1e6;
    if (!isCached) {
      expect([answer.outcome, isNew(row.run), ageSeconds]).toEqual(['bypass', true, 0]);
      return;
    }
    expect(row.run).toBeGreaterThan(this.oldRuns);
    if (demand.onlyIfCached === true) expect(answer.outcome).toBe('hit');
    expect(ageSeconds).toBeGreaterThanOrEqual(0);
    expect(isNew(row.run)).toBe(answer.outcome === 'miss' || answer.outcome === 'refresh');
    if (mustRun) expect(isNew(row.run)).toBe(true);
    if (!isNew(row.run)) {
      expect(ageSeconds).toBeLessThan(demand.maxAgeSeconds ?? Number.POSITIVE_INFINITY);
      if (ageSeconds >= endpoint.cacheSeconds) {
        expect([answer.outcome, answer.notices.includes('cache.stale')]).toEqual(['stale', true]);
        expect(calls.failure).not.toBeNull();
        expect(ageSeconds).toBeLessThan(endpoint.cacheSeconds + endpoint.staleIfErrorSeconds);
      } else expect(answer.outcome).toBe('hit');
    }
  }
}

describe('the cache, beside a model that has none', () => {
  it('gives no answer that the model could not give, whatever is called, edited, purged, broken or waited for', async () => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }), async (steps) => {
        const model = new Model();
        for (const each of steps) {
          if (each.kind === 'call') {
            if (each.times === 1) await model.check(each);
            else await Promise.all(Array.from({ length: each.times }, () => model.check(each)));
          } else if (each.kind === 'twice') {
            const { endpoint, project, other, sql, values } = each.collides
              ? { ...each.first, sql: colliding[0] ?? null }
              : each.first;
            await model.check({ ...each.first, sql: each.collides ? (colliding[1] ?? null) : sql });
            await model.calls.passSeconds(each.seconds);
            const { token } = each.keepsToken ? each.first : each.second;
            await model.check({ ...each.second, endpoint, project, other, sql, values, token });
          } else if (each.kind === 'wait') await model.calls.passSeconds(each.seconds);
          else if (each.kind === 'goBack') model.calls.clock.advanceMs(-1000 * each.seconds);
          else if (each.kind === 'purge') model.purge();
          else if (each.kind === 'removal') model.removal();
          else if (each.kind === 'edit') model.edit(each);
          else if (each.kind === 'outage') {
            await model.check(each.call);
            model.calls.failure = failed;
            await model.calls.passSeconds(each.seconds);
            await model.check(each.call);
          } else model.calls.failure = each.fails ? failed : null;
        }
        for (const observation of model.calls.observations) {
          const { kind } = observation;
          const label = kind === 'cache.answered' ? `${kind} ${observation.outcome}` : kind;
          seen.set(label, (seen.get(label) ?? 0) + 1);
        }
      }),
      { numRuns: 150 },
    );
    // A test run that never reaches these outcomes would prove nothing.
    for (const outcome of ['hit', 'miss', 'refresh', 'stale']) {
      expect([outcome, seen.get(`cache.answered ${outcome}`) ?? 0]).not.toEqual([outcome, 0]);
    }
    expect(seen.get('cache.refreshed') ?? 0).toBeGreaterThan(0);
    expect(seen.get('cache.evicted') ?? 0).toBeGreaterThan(0);
  });
});
