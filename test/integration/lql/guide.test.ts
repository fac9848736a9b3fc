import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';
import { edgeEvents, functionEvents, now } from './lqlEvents.ts';

const guide = readFileSync(new URL('../../../docs/guides/lql.md', import.meta.url), 'utf8');

/** What the first column of a section's table shows as code, without operators alone. */
function shownIn(section: string): readonly string[] {
  const [, text = ''] = guide.split(`\n## ${section}\n`);
  const rows = (text.split('\n## ')[0] ?? '').matchAll(/^\| (`.*?) \| /gm);
  return [...rows]
    .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code))
    .filter((code) => !code.startsWith(':'));
}

const clauses = [
  ...shownIn('Search for text'),
  ...shownIn('Filter by members and columns'),
  ...shownIn('Filter by time').map((value) => `t:${value}`),
];

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros: now });
  await service.send('edge_logs', edgeEvents);
  await service.send('function_logs', functionEvents);
});
afterAll(() => service.close());

it('shows clauses of every kind', () => {
  expect(clauses.length).toBeGreaterThan(22);
});

it.each(clauses)('the guide shows a clause that is answered: %s', async (clause) => {
  const { status, text } = await service.call('logs.all', { project: 'own', lql: `f:edge_logs ${clause}` });
  expect(status, text).toBe(200);
});
