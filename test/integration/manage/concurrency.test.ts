import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ManagedService, startManagedService } from './managedService.ts';

let managed: ManagedService;
beforeAll(async () => {
  managed = await startManagedService();
});
afterAll(() => managed.close());

const editors = 50;
const rounds = 4;

/** A definition whose parts all say the same number, so that a mixture of two of them is seen. */
const numbered = (n: number) => ({
  name: 'edited.at-once',
  description: `edit ${n}`,
  query: `select ${n} as n, @p as p`,
  parameters: { p: { type: 'int64', default: String(n) } },
  max_rows: 100 + n,
});

interface Numbered {
  readonly description: string;
  readonly query: string;
  readonly max_rows: number;
  readonly parameters: { readonly p: { readonly default: string } };
}

function numberIn({ description, query, max_rows, parameters }: Numbered): number {
  const numbers = [
    description.slice('edit '.length),
    query.split(' ')[1],
    String(max_rows - 100),
    parameters.p.default,
  ];
  expect(new Set(numbers).size, `a mixture of versions: ${numbers.join(', ')}`).toBe(1);
  return Number(numbers[0]);
}

describe('many edits of one endpoint at once', () => {
  it('with If-Match: one wins each round, versions have no gaps, and readers never see a mixture', async () => {
    const { body: created } = await managed.ask('POST', '', numbered(0));
    const { id } = created.endpoint;
    let isReading = true;
    const seen = new Set<number>();
    const reader = (async () => {
      while (isReading) {
        const { status, body } = await managed.service.call('edited.at-once', {});
        expect(status, JSON.stringify(body)).toBe(200);
        const [row] = body.result;
        expect(row?.n).toBe(row?.p);
        seen.add(Number(row?.n));
        numberIn((await managed.ask('GET', `/${id}`)).body);
      }
    })();
    const winners = [0];
    for (let round = 1; round <= rounds; round++) {
      const tag = (await managed.ask('GET', `/${id}`)).headers.get('etag') ?? '';
      const edits = await Promise.all(
        Array.from({ length: editors }, (_, i) =>
          managed.ask('PUT', `/${id}`, numbered(round * 1000 + i), { 'if-match': tag }),
        ),
      );
      const statuses = edits.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status === 412)).toHaveLength(editors - 1);
      winners.push(round * 1000 + statuses.indexOf(200));
    }
    isReading = false;
    await reader;
    const { body } = await managed.ask('GET', `/${id}/versions`);
    expect(body.result.map(({ version }: { version: number }) => version)).toEqual(
      Array.from({ length: rounds + 1 }, (_, i) => rounds + 1 - i),
    );
    for (const [i, winner] of winners.entries()) {
      expect(numberIn((await managed.ask('GET', `/${id}/versions/${i + 1}`)).body)).toBe(winner);
    }
    expect(seen.size).toBeGreaterThan(0);
    for (const n of seen) expect(winners).toContain(n);
  });

  it('without If-Match: each makes a version of its own, in some order', async () => {
    const { body: created } = await managed.ask('POST', '', { ...numbered(0), name: 'edited.freely' });
    const { id } = created.endpoint;
    const edits = await Promise.all(
      Array.from({ length: 50 }, (_, i) => managed.ask('PATCH', `/${id}`, { max_rows: 200 + i })),
    );
    expect(edits.map(({ status }) => status)).toEqual(edits.map(() => 200));
    const versions = edits.map(({ body }) => body.endpoint.version).sort((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: 50 }, (_, i) => i + 2));
  });
});

describe('endpoints that share a name, created, switched and deleted at once', () => {
  it('have exactly one primary after every step', async () => {
    const name = 'shared.at-once';
    const primaries = async () => {
      const { body } = await managed.ask('GET', `?name=${name}`);
      const { result } = body as { result: readonly { readonly id: string; readonly primary: boolean }[] };
      if (result.length > 0) expect(result.filter(({ primary }) => primary)).toHaveLength(1);
      return result.map(({ id }) => id);
    };
    const create = () => managed.ask('POST', '', { ...numbered(1), name, primary: false });
    const created = await Promise.all(Array.from({ length: 10 }, create));
    expect(created.filter(({ body }) => body.endpoint.primary)).toHaveLength(1);
    const ids = await primaries();
    expect(ids).toHaveLength(10);
    await Promise.all([
      ...ids.map((id) => managed.ask('POST', `/${id}/primary`)),
      ...ids.slice(5).map((id) => managed.ask('DELETE', `/${id}?allow_breaking=true`)),
      ...ids.map(() => primaries()),
      create(),
      managed.ask('PATCH', `/${ids[0]}?allow_breaking=true`, { name: 'shared.elsewhere' }),
    ]);
    const left = await primaries();
    expect(left.length).toBeGreaterThanOrEqual(5);
    expect((await managed.service.call(name, {})).status).toBe(200);
  });
});
