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
const hasArrow = spawnSync('python3', ['-c', 'import pyarrow, requests']).status === 0;
const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;

/** The examples of a guide in a language that name something. */
const examplesOf = (guide: string, language: 'ts' | 'python', named: string): readonly string[] =>
  readFileSync(join(guides, guide), 'utf8')
    .split('```')
    .filter((block) => block.startsWith(`${language}\n`) && block.includes(named))
    .map((block) => block.slice(language.length + 1));

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

/** With the variables that `npm start` prints. */
const environment = () => ({ ...process.env, LOGMILL_URL: service.url, LOGMILL_TOKEN: service.adminToken });

describe.each(['api-description.md', 'exports.md'])('%s', (guide) => {
  async function writeClient(lang: 'ts' | 'python', file: string): Promise<void> {
    expect(await runCommandLine(service, ['client', '--lang', lang, '--out', join(folder, file)])).toMatchObject({
      code: 0,
    });
  }

  it('has an example in TypeScript that compiles and runs as it stands', async () => {
    const examples = examplesOf(guide, 'ts', './logmill-client.ts');
    expect(examples).toHaveLength(1);
    for (const use of examples) {
      await writeClient('ts', 'logmill-client.ts');
      const client = readFileSync(join(folder, 'logmill-client.ts'), 'utf8');
      const out = await compileClient(folder, { 'logmill-client.ts': client, 'use.ts': use }, ['node']);
      await run(process.execPath, [join(out, 'use.js')], { cwd: folder, env: environment() });
    }
  });

  it.skipIf(!hasPython)('has an example in Python that runs as it stands', async () => {
    const examples = examplesOf(guide, 'python', 'from logmill_client import');
    expect(examples).toHaveLength(1);
    for (const example of examples) {
      await writeClient('python', 'logmill_client.py');
      writeFileSync(join(folder, 'use.py'), example);
      await run('python3', ['-W', 'error', 'use.py'], { cwd: folder, env: environment() });
    }
  });
});

describe('result-formats.md', () => {
  it.skipIf(!hasArrow)('has an example of Arrow in Python that runs as it stands', async () => {
    const [example = '', ...others] = examplesOf('result-formats.md', 'python', 'pyarrow');
    expect(others).toEqual([]);
    writeFileSync(join(folder, 'arrow.py'), example);
    const { stdout } = await run('python3', ['-W', 'error', 'arrow.py'], { cwd: folder, env: environment() });
    expect(stdout).toContain('event_message: string');
    expect(stdout.trimEnd()).toMatch(/ 1$/);
  });
});
