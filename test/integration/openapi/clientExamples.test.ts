import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/commandLine.ts';
import { compileClient } from '../../support/compiledClient.ts';
import { at, second } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const now = at('2026-05-01T12:00:00Z');
const guides = join(import.meta.dirname, '..', '..', '..', 'docs', 'guides');
const run = promisify(execFile);
const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;

/** The examples of the guides that use a generated client. */
const examplesOf = (guide: string, language: 'ts' | 'python', client: string): readonly string[] =>
  readFileSync(join(guides, guide), 'utf8')
    .split('```')
    .filter((block) => block.startsWith(`${language}\n`) && block.includes(client))
    .map((block) => block.slice(language.length + 1));

describe.each(['api-description.md', 'exports.md'])('%s', (guide) => {
  let service: WholeService;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'logmill-examples-'));
    service = await startWholeService({ nowMicros: now });
    await service.send('edge_logs', [
      { timestamp: now - second, project: 'orchardlanternquartz', event_message: 'ONE-ROW' },
    ]);
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const address = 'http://127.0.0.1:4000';
  async function write(lang: 'ts' | 'python', file: string, example: string): Promise<string> {
    expect(await runCommandLine(service, ['client', '--lang', lang, '--out', join(folder, file)])).toMatchObject({
      code: 0,
    });
    expect(example).toContain(address);
    return example.replace(address, service.url);
  }
  const environment = () => ({ ...process.env, LOGMILL_TOKEN: service.adminToken });

  it('has an example in TypeScript that compiles and runs as it stands', async () => {
    const examples = examplesOf(guide, 'ts', './logmill-client.ts');
    expect(examples).toHaveLength(1);
    for (const example of examples) {
      const use = await write('ts', 'logmill-client.ts', example);
      const client = readFileSync(join(folder, 'logmill-client.ts'), 'utf8');
      const out = await compileClient(folder, { 'logmill-client.ts': client, 'use.ts': use }, ['node']);
      await run(process.execPath, [join(out, 'use.js')], { cwd: folder, env: environment() });
    }
  });

  it.skipIf(!hasPython)('has an example in Python that runs as it stands', async () => {
    const examples = examplesOf(guide, 'python', 'from logmill_client import');
    expect(examples).toHaveLength(1);
    for (const example of examples) {
      writeFileSync(join(folder, 'use.py'), await write('python', 'logmill_client.py', example));
      await run('python3', ['-W', 'error', 'use.py'], { cwd: folder, env: environment() });
    }
  });
});
