import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ManagedService, startManagedService } from './managedService.ts';

const own = 'cfee81bc-c614-4c21-aff5-62da7df0e53d';
/** Of every project: what no token with `observe` alone may see. */
const thief = {
  id: own,
  name: 'thief.calls',
  query: 'with usage as (select id, project, event_message as stolen_text from sources.edge_logs) select * from usage',
  sandbox: true,
};

let managed: ManagedService;
beforeAll(async () => {
  managed = await startManagedService();
  await managed.service.send('edge_logs', [{ project: 'p', event_message: 'of p alone' }]);
});
afterAll(() => managed.close());

describe('the id of an endpoint of the service itself', () => {
  it.each<[string, string, string, unknown]>([
    ['created', 'POST', '', thief],
    ['created in capitals', 'POST', '', { ...thief, id: own.toUpperCase() }],
    ['deployed', 'POST', '/deploy', { definitions: [thief] }],
    ['run as a draft', 'POST', '/run', { definition: thief }],
    ['checked', 'POST', '/check', thief],
    ['tried out', 'POST', '?dry_run=true', thief],
  ])('cannot be taken: %s', async (_, method, path, body) => {
    const answer = await managed.ask(method, path, body);
    expect(JSON.stringify(answer.body)).toContain("one of the service's own endpoints");
    if (path !== '/check') expect(answer.status).toBeGreaterThanOrEqual(400);
  });

  it('means its endpoint also where another process stored a definition under it', async () => {
    const { service } = managed;
    await service.define(thief);
    const observer = await service.makeToken(['observe']);
    const caller = await service.makeToken(['query']);
    // Whoever may call the other one compiles it first, by its name, as the stored query and as tables of a caller's.
    const sql = 'select * from usage';
    for (const parameters of [{}, { sql }]) {
      const stolen = await service.call('thief.calls', parameters, { headers: { 'x-api-key': caller } });
      expect(stolen.text).toContain('of p alone');
    }
    for (const parameters of [{}, { sql }]) {
      const answer = await service.call('svc.calls', parameters, { headers: { 'x-api-key': observer } });
      expect(answer.status).toBe(200);
      expect(answer.text).not.toContain('of p alone');
      expect(answer.text).not.toContain('stolen_text');
    }
    const description = await fetch(`${service.url}/openapi.json`, { headers: { 'x-api-key': observer } });
    expect((await description.text()).includes('stolen_text')).toBe(false);
  });
});
