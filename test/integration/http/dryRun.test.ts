import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bodyOf, type ExampleService, startExampleService } from './exampleService.ts';

let service: ExampleService;
beforeEach(async () => {
  service = await startExampleService();
});
afterEach(() => service.server.close());

const path = '/api/endpoints/query/example.rows?project=hold&dry_run=true';

describe('a dry run asks the engine for', () => {
  it.each(['', '&sql=select+1', '&lql=error'])('nothing where the caller is no manager: %s', async (query) => {
    const response = await service.call(`${path}${query}`, { token: 'explain-token' });
    expect(response.status).toBe(200);
    expect(Object.keys((await bodyOf(response)).dry_run)).toEqual([
      'language',
      'tables',
      'columns',
      'parameters',
      'rows_max',
    ]);
    expect(service.engine.runs).toEqual([]);
    expect(service.engine.explained).toEqual([]);
  });

  it.each(['', '&sql=select+1', '&lql=error'])(
    'its statement and plan, and no rows, for a manager: %s',
    async (query) => {
      const body = await bodyOf(await service.call(`${path}${query}`, { token: 'manager-token' }));
      expect(body.dry_run.engine).toEqual({ statement: 'SELECT of the engine', plan: 'SCAN of the engine' });
      expect(service.engine.runs).toEqual([]);
      expect(service.engine.explained).toHaveLength(1);
    },
  );
});
