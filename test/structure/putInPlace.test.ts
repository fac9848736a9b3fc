import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const project = new URL('../../scripts/project.mjs', import.meta.url).href;

const script = `
  import { cpSync } from 'node:fs';
  import { putInPlace } from ${JSON.stringify(project)};
  const [folder, name] = process.argv.slice(1);
  for (let round = 0; round < 15; round += 1) {
    cpSync(folder + '/' + name, folder + '/' + name + '.tmp', { recursive: true });
    putInPlace(folder + '/' + name + '.tmp', folder + '/dist');
  }
`;

it('leaves one whole build where several end at the same time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'logmill-place-'));
  const names = ['one', 'two', 'three', 'four'];
  const files = Array.from({ length: 100 }, (_, i) => `part-${i}.js`);
  for (const name of names) {
    mkdirSync(join(folder, name, 'parts'), { recursive: true });
    for (const file of files) writeFileSync(join(folder, name, 'parts', file), name);
  }
  const children = names.map((name) =>
    spawn(process.execPath, ['--input-type=module', '-e', script, '--', folder, name], { stdio: 'inherit' }),
  );
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
  expect(codes).toEqual([0, 0, 0, 0]);
  const parts = join(folder, 'dist', 'parts');
  expect(readdirSync(parts).sort()).toEqual(files.toSorted());
  expect(new Set(files.map((file) => readFileSync(join(parts, file), 'utf8'))).size).toBe(1);
  expect(readdirSync(folder).sort()).toEqual(['dist', ...names].sort());
});

it('removes what is left of builds that were ended, and nothing else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'logmill-left-'));
  const ended = spawn(process.execPath, ['--eval', '']);
  await once(ended, 'exit');
  const kept = ['dist', `dist-${process.ppid}.tmp`, 'dist-notes.tmp'];
  const left = [`dist-${ended.pid}.tmp`, `dist-${ended.pid}.tmp.old.tmp`, `dist-${process.pid}.tmp`];
  for (const name of [...kept, ...left]) mkdirSync(join(folder, name, 'parts'), { recursive: true });
  const { removeLeftBuilds } = await import(project);
  removeLeftBuilds(folder);
  expect(readdirSync(folder).sort()).toEqual(kept.toSorted());
});
