import { expect, it } from 'vitest';
import { Turns } from '../../core/concurrency/turns.ts';
import type { DescribedEndpoint } from '../../invoke/describedEndpoints.ts';
import { parseScope } from '../../tokens/scope.ts';
import { ApiDocuments } from './apiDocuments.ts';

it('compiles endpoints in the turns of the token that asks', async () => {
  const head = { id: '00000000-0000-4000-8000-000000000001', name: 'a.name' };
  const turnsTaken: string[] = [];
  const turns = new Turns(() => 0);
  turns.next = async (owner?: string) => void turnsTaken.push(owner ?? '');
  const documents = new ApiDocuments({
    routes: [],
    endpoints: {
      list: async () => [head],
      find: async (_id, _nowMicros, own): Promise<DescribedEndpoint | undefined> => {
        await own?.next();
        return undefined;
      },
    },
    headerPrefix: 'SVC',
    values: 'plain',
    version: '0',
    turns,
  });
  const token = {
    publicId: 'asks',
    description: '',
    scopes: [parseScope('manage'), parseScope('query')],
    slot: null,
    restrictions: null,
    expiresAtMicros: null,
  };
  await documents.read(token, 0);
  expect(turnsTaken).toEqual(['asks']);
});
