import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { turnsTaken } from '../../test/support/turnsTaken.ts';
import { describeInSteps } from '../invoke/describe.ts';
import { DescribedEndpoints } from '../invoke/describedEndpoints.ts';
import { builtinSources } from '../sources/builtin.ts';
import { checkReport } from './checkReport.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source] as const));
const id = '00000000-0000-4000-8000-000000000001';
const conditions = Array.from({ length: 1_500 }, (_, n) => ` and id <> 'x${n}'`).join('');
const query = `with a as (select id, timestamp from sources.edge_logs where true${conditions}) select id from a`;
const large = { name: 'a.large', query, parameters: [], sandbox: true, maxRows: 100, cacheSeconds: 0 };

beforeEach(() => {
  // However fast the machine is, each look at the clock finds the turn to be over: what is counted is the steps.
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 10));
});
afterEach(() => {
  vi.restoreAllMocks();
});

it('describes a definition in steps, one for each pass over its query', () => {
  expect([...describeInSteps(large, sources)].length).toBeGreaterThanOrEqual(5);
});

it('yields to other work while a large definition is checked', async () => {
  const input = { id, name: 'a.large', query, parameters: {}, sandbox: true };
  let problem: string | null = '';
  const turns = await turnsTaken(async () => {
    ({ problem } = await checkReport(input, id, sources, new Map()));
  });
  expect(problem).toBeNull();
  expect(turns).toBeGreaterThanOrEqual(3);
});

it('yields to other work while a large endpoint is described to its callers', async () => {
  const own = { ...large, id, version: 1, description: '' };
  const described = new DescribedEndpoints(
    { list: async () => [], findById: async () => undefined },
    [own as unknown as ConstructorParameters<typeof DescribedEndpoints>[1][number]],
    sources,
  );
  let columns = 0;
  const turns = await turnsTaken(async () => {
    columns = (await described.find(id, 0))?.description?.columns.length ?? 0;
  });
  expect(columns).toBe(1);
  expect(turns).toBeGreaterThanOrEqual(4);
});
