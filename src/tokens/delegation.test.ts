import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInNetworks } from '../core/network.ts';
import { isNoWider, isWithinProjects, requireNoWider, type TokenReach } from './delegation.ts';
import { type Action, allows } from './permission.ts';
import { type RestrictionsJson, restrictionsOf } from './restrictions.ts';
import { parseScopes, scopeForms } from './scope.ts';

const endpointIds = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
const scopes = scopeForms.flatMap((form) => {
  if (form.endsWith('<id>')) return endpointIds.map((id) => form.replace('<id>', id));
  return form.endsWith('<name>') ? ['ingest:source:a', 'ingest:source:b'] : [form];
});

const some = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 });

const restrictions = fc
  .record(
    {
      projects: some(['a', 'b', 'c']),
      redact: fc.constant(true as const),
      parameters: fc
        .record({ project: some(['a', 'b']), tier: some(['FREE', 'PRO', '01']) }, { requiredKeys: [] })
        .filter((rules) => Object.keys(rules).length > 0),
      caller_queries: fc.constant(false as const),
      strict_parameters: fc.constant(true as const),
      rate: fc.record({ requests: fc.integer({ min: 1, max: 4 }), seconds: fc.integer({ min: 1, max: 4 }) }),
      concurrency: fc.integer({ min: 1, max: 3 }),
      max_rows: fc.integer({ min: 1, max: 3 }),
      networks: some(['10.0.0.0/8', '10.1.0.0/16', '10.1.2.3', '0.0.0.0/0', '::/0', '2001:db8::/32']),
    },
    { requiredKeys: [] },
  )
  .map((json) => restrictionsOf(json));

const reach: fc.Arbitrary<TokenReach> = fc.record({
  scopes: some(scopes).map(parseScopes),
  restrictions,
  expiresAtMicros: fc.option(fc.integer({ min: 1, max: 4 })),
});

/** Something that a token may or may not do, with what decides it. */
interface Deed {
  readonly action: Action;
  readonly atMicros: number;
  readonly address: string;
  readonly project: string;
  readonly isRaw: boolean;
  /** Names that the endpoint declares, and what the call gives for them. */
  readonly declared: readonly string[];
  readonly given: Readonly<Record<string, string>>;
  readonly hasUnknown: boolean;
  readonly hasCallerQuery: boolean;
  /** So many requests at once, then so many more a second. */
  readonly burst: number;
  readonly perSecond: number;
  readonly atOnce: number;
  readonly rows: number;
}

const deed: fc.Arbitrary<Deed> = fc.record({
  action: fc.oneof(
    fc.constantFrom(...endpointIds).map((endpointId): Action => ({ kind: 'query', endpointId })),
    fc.constantFrom('a', 'b', 'c').map((source): Action => ({ kind: 'ingest', source })),
    fc
      .constantFrom('query:fresh', 'query:version', 'query:explain', 'observe', 'manage')
      .map((kind): Action => ({ kind }) as Action),
  ),
  atMicros: fc.integer({ min: 0, max: 5 }),
  address: fc.constantFrom('10.1.2.3', '10.1.9.9', '10.9.9.9', '192.0.2.1', '2001:db8::1', '2001:db9::1'),
  project: fc.constantFrom('a', 'b', 'c', 'd'),
  isRaw: fc.boolean(),
  declared: fc.subarray(['project', 'tier']),
  given: fc.record(
    { project: fc.constantFrom('a', 'b', 'c'), tier: fc.constantFrom('FREE', 'PRO', '01', '1') },
    { requiredKeys: [] },
  ),
  hasUnknown: fc.boolean(),
  hasCallerQuery: fc.boolean(),
  burst: fc.integer({ min: 1, max: 5 }),
  perSecond: fc.constantFrom(0.2, 0.25, 0.5, 1, 1.5, 3),
  atOnce: fc.integer({ min: 1, max: 4 }),
  rows: fc.integer({ min: 1, max: 4 }),
});

/** What the call gives together with what the token binds; undefined where the token may not make it. */
function bound(token: TokenReach, { declared, given }: Deed): Readonly<Record<string, string>> | undefined {
  const values = { ...given } as Record<string, string>;
  for (const [name, allowed] of Object.entries(token.restrictions?.parameters ?? {})) {
    if (!declared.includes(name)) return undefined;
    const value = values[name] ?? (allowed.length === 1 ? allowed[0] : undefined);
    if (value === undefined || !allowed.includes(value)) return undefined;
    values[name] = value;
  }
  return values;
}

function may(token: TokenReach, wanted: Deed): boolean {
  const { projects, redact, callerQueries, strictParameters, rate, concurrency, maxRows, networks } =
    token.restrictions ?? { projects: null };
  const isQuery = wanted.action.kind === 'query';
  return (
    allows(token.scopes, wanted.action) &&
    (token.expiresAtMicros === null || wanted.atMicros < token.expiresAtMicros) &&
    (networks === undefined || isInNetworks(wanted.address, networks)) &&
    (projects === null || projects.includes(wanted.project)) &&
    (rate === undefined || (wanted.burst <= rate.requests && wanted.perSecond <= rate.requests / rate.seconds)) &&
    (!isQuery ||
      (!(wanted.isRaw && redact === true) &&
        !(wanted.hasCallerQuery && callerQueries === false) &&
        !(wanted.hasUnknown && strictParameters === true) &&
        (concurrency === undefined || wanted.atOnce <= concurrency) &&
        (maxRows === undefined || wanted.rows <= maxRows) &&
        bound(token, wanted) !== undefined))
  );
}

describe('a token that is not wider than its maker', () => {
  it('may do nothing that its maker may not do', () => {
    let noWiderCount = 0;
    let deedCount = 0;
    // Most random pairs have nothing to do with each other: a child is its maker with some things changed.
    const pair = fc
      .tuple(reach, reach, fc.subarray(['scopes', 'restrictions', 'expiresAtMicros', 'part'] as const))
      .map(([maker, other, changed]): { maker: TokenReach; child: TokenReach } => {
        const parts = changed.filter((name) => name !== 'part').map((name) => [name, other[name]]);
        const mixed = { projects: null, ...maker.restrictions, ...other.restrictions };
        const child = { ...maker, ...Object.fromEntries(parts) };
        return { maker, child: changed.includes('part') ? { ...child, restrictions: mixed } : child };
      });
    fc.assert(
      fc.property(pair, fc.array(deed, { minLength: 20, maxLength: 40 }), ({ maker, child }, deeds) => {
        if (!isNoWider(child, maker)) return;
        noWiderCount++;
        for (const each of deeds) {
          if (!may(child, each)) continue;
          deedCount++;
          // Whatever the child's locks bind, the maker may ask for by name.
          const given = each.action.kind === 'query' ? { ...each, given: bound(child, each) ?? {} } : each;
          expect(may(maker, given), JSON.stringify({ maker, child, each })).toBe(true);
        }
      }),
      { numRuns: 3000 },
    );
    expect(noWiderCount).toBeGreaterThan(300);
    expect(deedCount).toBeGreaterThan(100);
  });

  it('can be a token with the rights of its maker', () => {
    fc.assert(
      fc.property(
        reach,
        (token) => isNoWider(token, token) && isWithinProjects(token.restrictions, token.restrictions),
      ),
    );
  });

  const query = parseScopes(['query', 'manage']);
  const of = (json: RestrictionsJson): TokenReach => ({
    scopes: query,
    restrictions: restrictionsOf(json),
    expiresAtMicros: null,
  });

  it.each<[string, RestrictionsJson, RestrictionsJson, string]>([
    ['other projects', { projects: ['c'] }, { projects: ['a', 'b'] }, 'restricted to projects'],
    ['rows that are not redacted', {}, { redact: true }, 'only redacted rows'],
    ['a parameter that is not locked', {}, { parameters: { project: 'a' } }, 'only with project=a'],
    ['another lock', { parameters: { project: 'b' } }, { parameters: { project: 'a' } }, 'only with project=a'],
    ['more values', { parameters: { t: ['a', 'b'] } }, { parameters: { t: 'a' } }, 'only with t=a'],
    ['caller queries', {}, { caller_queries: false }, 'caller queries'],
    ['unknown parameters', {}, { strict_parameters: true }, 'unknown parameters'],
    ['no rate', {}, { rate: { requests: 5, seconds: 1 } }, '5 requests in 1 seconds'],
    ['a larger burst', { rate: { requests: 6, seconds: 60 } }, { rate: { requests: 5, seconds: 1 } }, '5 requests'],
    ['a higher speed', { rate: { requests: 5, seconds: 1 } }, { rate: { requests: 5, seconds: 2 } }, 'in 2 seconds'],
    ['more at once', { concurrency: 3 }, { concurrency: 2 }, 'at most 2 queries'],
    ['more rows', { max_rows: 3 }, { max_rows: 2 }, 'at most 2 rows'],
    ['every network', {}, { networks: ['10.0.0.0/8'] }, 'only from 10.0.0.0/8'],
    ['a larger network', { networks: ['10.0.0.0/7'] }, { networks: ['10.0.0.0/8'] }, 'only from 10.0.0.0/8'],
  ])('does not have %s', (_, child, maker, sentence) => {
    expect(isNoWider(of(maker), of(child)), 'the other way round').toBe(
      // Some are wider than one another.
      !(child.projects !== undefined || child.parameters?.project === 'b' || child.rate?.requests === 6),
    );
    expect(() => requireNoWider(of(child), of(maker))).toThrow(sentence);
  });

  it('does not expire later or have other scopes', () => {
    const maker = { ...of({}), expiresAtMicros: 5 };
    expect(() => requireNoWider(of({}), maker)).toThrow('expires before');
    expect(() => requireNoWider({ ...maker, expiresAtMicros: 6 }, maker)).toThrow('expires before');
    requireNoWider({ ...maker, expiresAtMicros: 5 }, maker);
    expect(() => requireNoWider({ ...maker, scopes: parseScopes(['ingest']) }, maker)).toThrow('does not have ingest');
    expect(isNoWider({ ...maker, scopes: parseScopes([`query:endpoint:${endpointIds[0]}`]) }, maker)).toBe(true);
  });
});
