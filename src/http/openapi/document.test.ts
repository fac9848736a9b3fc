import { expect, test } from 'vitest';
import { CountedTurns } from '../../../test/support/turnsTaken.ts';
import { Pause, Turns } from '../../core/concurrency/turns.ts';
import { parseScope } from '../../tokens/scope.ts';
import { allRoutes } from '../routes/allRoutes.ts';
import { apiDocument } from './document.ts';

async function documentIn(turns: Turns): Promise<string> {
  const document = await apiDocument({
    routes: allRoutes,
    endpoints: [],
    isCut: false,
    token: { scopes: [parseScope('manage')], restrictions: null },
    headerPrefix: 'SVC',
    values: 'plain',
    version: '0',
    pause: new Pause(turns),
  });
  return document.toString();
}

async function turnsTaken(msPerLook: number): Promise<number> {
  let nowMs = 0;
  const turns = new CountedTurns(() => {
    nowMs += msPerLook;
    return nowMs;
  });
  await documentIn(turns);
  return turns.taken;
}

test('takes a turn before each route if that is slow, and none if the whole document takes less than a turn', async () => {
  expect(await turnsTaken(0)).toBe(0);
  expect(await turnsTaken(10)).toBeGreaterThan(allRoutes.length);
});

test('groups what calls endpoints apart from what manages them', async () => {
  const { paths } = JSON.parse(await documentIn(new Turns())) as {
    paths: Record<string, Record<string, { tags: readonly string[] }>>;
  };
  const groupOf = (path: string, method: string) => paths[path]?.[method]?.tags;
  expect(groupOf('/api/endpoints/query/{idOrName}', 'get')).toEqual(['calls']);
  expect(groupOf('/api/endpoints/convert', 'post')).toEqual(['calls']);
  expect(groupOf('/api/endpoints', 'post')).toEqual(['endpoints']);
  expect(groupOf('/api/endpoints/deploy', 'post')).toEqual(['endpoints']);
});
