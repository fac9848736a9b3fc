import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build, killAll, runCommand, startService } from './startedService.ts';

let environment: Record<string, string>;

beforeAll(async () => {
  build();
  const service = await startService(['--source-aliases', 'edge.requests=edge_logs']);
  const token = readFileSync(join(service.dataDir, 'admin-token'), 'utf8').trim();
  environment = { LOGMILL_URL: service.url, LOGMILL_TOKEN: token };
});
afterAll(killAll);

const sources = (...args: string[]) => runCommand(['sources', ...args], { environment });
const event = `${JSON.stringify({ project: 'p', event_message: 'x' })}\n`;

it('logmill sources adds a source, gives it other names, and lists it; events are taken at once', async () => {
  const added = await sources('add', 'nginx_logs', '--description', 'Access logs', '--alias', 'nginx', 'nginx.access');
  expect(added).toMatchObject({ code: 0, stderr: '' });
  for (const name of ['nginx_logs', 'nginx.access', 'edge.requests']) {
    const sent = await runCommand(['ingest', '-', '--source', name], { environment, input: event });
    expect(sent).toMatchObject({ code: 0, stderr: '' });
  }
  const changed = await sources('alias', 'nginx_logs', 'nginx');
  expect(changed.stdout).toBe('The source nginx_logs has the alias nginx.\n');
  const refused = await runCommand(['ingest', '-', '--source', 'nginx.access'], { environment, input: event });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('nginx_logs') });
  const listed = JSON.parse((await sources('list', '--json')).stdout);
  expect(listed.at(-1)).toEqual({
    name: 'nginx_logs',
    description: 'Access logs',
    project_field: 'project',
    aliases: ['nginx'],
    origin: 'added',
  });
  expect((await sources('list')).stdout).toMatch(/│ edge_logs +│ project +│ edge\.requests +│ builtin/);
  expect((await sources('alias', 'nginx_logs')).stdout).toBe('The source nginx_logs has no aliases.\n');
  expect(await sources('add', 'edge_logs')).toMatchObject({ code: 1, stderr: expect.stringContaining('is taken') });
});
