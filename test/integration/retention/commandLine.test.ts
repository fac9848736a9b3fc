import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommandLine } from '../../support/commandLine.ts';
import { onEngine } from '../../support/enginesUnderTest.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros: Date.parse('2026-05-20T12:00:00Z') * 1000 });
});
afterAll(() => service.close());

const run = (...args: string[]) => runCommandLine(service, args);

it(onEngine('logmill sources retention shows and sets how long events of a source are kept'), async () => {
  expect(await run('sources', 'retention', 'edge_logs')).toMatchObject({
    out: 'edge_logs: no time limit (default)\n',
  });
  expect(await run('sources', 'retention', 'edge_logs', '--days', '30')).toMatchObject({
    code: 0,
    out: 'edge_logs: 30 days (source)\n',
  });
  expect(await run('sources', 'retention', 'edge_logs', '--off')).toMatchObject({
    out: 'edge_logs: no time limit (source)\n',
  });
  expect(await run('sources', 'retention', 'edge_logs', '--default')).toMatchObject({
    out: 'edge_logs: no time limit (default)\n',
  });
  expect(await run('sources', 'retention', 'edge_logs', '--days', '0')).toMatchObject({ code: 2 });
  expect(await run('sources', 'retention', 'edge_logs', '--days', '3', '--off')).not.toMatchObject({ code: 0 });
  expect((await run('sources', 'retention', 'edge_log')).err).toContain('Did you mean edge_logs?');
});

it(onEngine('logmill projects retention changes one rule of a project and leaves the others'), async () => {
  await run('projects', 'retention', 'p', '--days', '9');
  await run('projects', 'retention', 'p', '--source', 'edge_logs', '--days', '1');
  const { out } = await run('projects', 'retention', 'p');
  expect(out).toContain('edge_logs: 1 day (source and project)\n');
  expect(out).toContain('auth_logs: 9 days (project)\n');
  const only = await run('projects', 'retention', 'p', '--source', 'edge_logs', '--default');
  expect(only.out).toBe('edge_logs: 9 days (project)\n');
});

it(onEngine('logmill projects delete-events deletes only with --yes, and waits where it is asked to'), async () => {
  await service.send('edge_logs', [{ project: 'q', event_message: 'one' }]);
  const refused = await run('projects', 'delete-events', 'q', '--before', '2026-06-01');
  expect(refused).toMatchObject({ code: 2, out: '' });
  expect(refused.err).toContain('all events of project q before 2026-06-01');
  expect((await service.call('logs.all', { project: 'q' })).body.result).toHaveLength(1);
  const done = await run('projects', 'delete-events', 'q', '--yes', '--wait');
  expect(done).toMatchObject({ code: 0, out: expect.stringContaining('complete: 1 event removed'), err: '' });
  expect((await service.call('logs.all', { project: 'q' })).body.result).toEqual([]);
  expect((await run('projects', 'deletions', 'q')).out).toMatch(/│ all +│ +│ complete +│ 1 /);
  const [listed] = JSON.parse((await run('projects', 'deletions', 'q', '--json')).out);
  expect(listed).toMatchObject({ project: 'q', state: 'complete', removed: { events: 1 } });
});

it(
  onEngine('logmill projects delete-events asks whether the name is right where there was nothing to delete'),
  async () => {
    await service.send('edge_logs', [{ project: 'orchard', event_message: 'one' }]);
    const misspelt = await run('projects', 'delete-events', 'orchrad', '--yes', '--wait');
    expect(misspelt).toMatchObject({ code: 0, out: expect.stringContaining('complete: 0 events removed') });
    expect(misspelt.err).toContain('no such events of project orchrad. Check the name');
    expect((await service.call('logs.all', { project: 'orchard' })).body.result).toHaveLength(1);
  },
);
