import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { killAll, productionPackages, startService } from './startedService.ts';

const root = join(import.meta.dirname, '..', '..');

afterAll(killAll);

describe('npm pack', () => {
  it('makes a package whose command works beside nothing but its production dependencies', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'logmill-package-'));
    const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
    });
    const tarball = join(folder, packed.trim().split('\n').at(-1) ?? '');
    const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
    expect(files).toEqual(
      expect.arrayContaining([
        'package/LICENSE',
        'package/README.md',
        'package/CHANGELOG.md',
        'package/definitions/logs.all.sql',
        'package/dist/third-party-licences.txt',
      ]),
    );
    expect(files.filter((file) => /\.test\.|\.tsbuildinfo|^package\/(src|test|data)\//.test(file))).toEqual([]);

    const installed = join(folder, 'node_modules', 'logmill');
    mkdirSync(installed, { recursive: true });
    execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
    for (const path of productionPackages()) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      symlinkSync(join(root, path), join(folder, path));
    }
    const licences = readFileSync(join(installed, 'dist', 'third-party-licences.txt'), 'utf8');
    // Of a package that is bundled, with the text that its licence asks to be handed on.
    expect(licences).toMatch(
      /^==== fastify [\d.]+ \(MIT\)\n\n[\s\S]*?The above copyright notice and this permission notice/m,
    );
    const manifest: { bin: Record<string, string> } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    const command = join(installed, manifest.bin.logmill ?? '');
    expect(readFileSync(command, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    const service = await startService([], { command });
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect(await service.stop()).toBe(0);
  });
});
