import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ExampleService, startExampleService } from './exampleService.ts';

let service: ExampleService;
beforeEach(async () => {
  service = await startExampleService();
});
afterEach(() => service.server.close());

const path = '/api/endpoints/query/example.rows?project=hold&dry_run=true';

async function described(response: Response): Promise<Readonly<Record<string, unknown>>> {
  return (JSON.parse(await response.text()) as { readonly dry_run: Readonly<Record<string, unknown>> }).dry_run;
}

describe('a dry run asks the engine for', () => {
  it.each(['', '&sql=select+1', '&lql=error'])('nothing where the caller is no manager: %s', async (query) => {
    const response = await service.call(`${path}${query}`, { token: 'explain-token' });
    expect(response.status).toBe(200);
    expect(Object.keys(await described(response))).toEqual(['language', 'tables', 'columns', 'parameters', 'rows_max']);
    expect(service.engine.runs).toEqual([]);
    expect(service.engine.explained).toEqual([]);
  });

  it.each(['', '&sql=select+1', '&lql=error'])(
    'its statement and plan, and no rows, for a manager: %s',
    async (query) => {
      const dryRun = await described(await service.call(`${path}${query}`, { token: 'manager-token' }));
      expect(dryRun.engine).toEqual({ statement: 'SELECT of the engine', plan: 'SCAN of the engine' });
      expect(service.engine.runs).toEqual([]);
      expect(service.engine.explained).toHaveLength(1);
    },
  );
});
