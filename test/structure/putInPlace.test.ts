import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
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

it('removes what is left of builds that were ended or are too old to be under way, and nothing else', async () => {
  const { buildAside, removeLeftBuilds } = await import(project);
  const folder = mkdtempSync(join(tmpdir(), 'logmill-left-'));
  const ended = spawn(process.execPath, ['--eval', '']);
  await once(ended, 'exit');
  const own = buildAside(process.ppid);
  // From a machine or container whose processes are not visible here, so its id says nothing.
  const elsewhere = `dist-elsewhere-${ended.pid}.tmp`;
  const kept = ['dist', own, elsewhere, `dist-${ended.pid}.tmp`, 'dist-notes.tmp'];
  const left = [buildAside(ended.pid), `${buildAside(ended.pid)}.old.tmp`, buildAside(process.pid)];
  for (const name of [...kept, ...left]) mkdirSync(join(folder, name, 'parts'), { recursive: true });
  removeLeftBuilds(folder);
  expect(readdirSync(folder).sort()).toEqual(kept.toSorted());
  const longAgo = new Date(Date.now() - 25 * 3_600_000);
  for (const name of kept) utimesSync(join(folder, name), longAgo, longAgo);
  removeLeftBuilds(folder);
  expect(readdirSync(folder).sort()).toEqual(['dist', 'dist-notes.tmp']);
});
