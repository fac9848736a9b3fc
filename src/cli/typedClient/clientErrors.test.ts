import { expect, it } from 'vitest';
import { clientApi } from './clientEndpoint.fixture.ts';
import { clientErrorCatalogue } from './clientErrors.ts';
import { renderPythonClient } from './python/renderPythonClient.ts';
import { renderClient } from './renderClient.ts';

const codesIn = (client: string) => [...new Set(client.match(/client\.[a-z][a-z0-9_]*(?=['"])/g))].sort();
const described = (language: 'TypeScript' | 'Python') =>
  Object.keys(clientErrorCatalogue)
    .filter((code) => clientErrorCatalogue[code]?.languages.includes(language))
    .sort();

it('describes every code that a client raises, and no other', () => {
  const typescript = (['number', 'bigint'] as const).map((int64) => renderClient({ ...clientApi, int64 })).join('\n');
  expect(codesIn(typescript)).toEqual(described('TypeScript'));
  expect(codesIn(renderPythonClient(clientApi))).toEqual(described('Python'));
});
