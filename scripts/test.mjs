// npm test: installs what is missing, builds what is stale, runs every test. Arguments go to vitest.
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { clickHouseFolder, installClickHouse, isClickHouseInstalled } from './installClickHouse.mjs';
import { buildAside, buildIfNeeded, installIfNeeded, requireNode, root, run, tool } from './project.mjs';

/** Where Linux keeps files in memory. */
const shared = '/dev/shm';
/** Bytes that a run may need there, with room to spare. */
const roomMin = 8 * 1024 ** 3;

requireNode();
installIfNeeded();
if (!isClickHouseInstalled()) {
  console.log(`Installing ClickHouse for tests (550 MB, once) in ${clickHouseFolder()} ...`);
  const failure = installClickHouse();
  if (failure !== null) console.warn(`${failure}\nTests that need ClickHouse are left out.`);
}
// Many tests run the built command. They need not look for changes of the sources again (test/acceptance/startedService.ts).
buildIfNeeded();
process.env.TESTS_ARE_BUILT = '1';
const compiled = join(root, buildAside(process.pid));
// It needs an installed package.
const { compileSources } = await import('./compileSources.mjs');
await compileSources(compiled);
process.env.TESTS_SOURCES = compiled;
// Each process would read these certificates at its start, for two thirds of the time that an empty one takes. Tests reach no
// other machine.
delete process.env.NODE_EXTRA_CA_CERTS;
const memory = folderInMemory();
if (memory !== null) process.env.TMPDIR = memory;
const status = run(tool('vitest'), ['run', ...process.argv.slice(2)]);
rmSync(compiled, { recursive: true, force: true });
if (memory !== null) rmSync(memory, { recursive: true, force: true });
process.exit(status);

/**
 * Makes a folder in memory for temporary files, because tests wait for the disk a fifth of their time. Null if the system has
 * none, or too little room in it. Removes what a run left there that was interrupted.
 */
function folderInMemory() {
  if (process.env.TMPDIR !== undefined || process.platform !== 'linux') return null;
  const prefix = 'logmill-tests-';
  try {
    for (const name of readdirSync(shared)) {
      const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN;
      if (pid > 0 && !existsSync(`/proc/${pid}`)) rmSync(join(shared, name), { recursive: true, force: true });
    }
    const { bavail, bsize } = statfsSync(shared);
    if (bavail * bsize < roomMin || freemem() < roomMin) return null;
    const folder = join(shared, `${prefix}${process.pid}`);
    mkdirSync(folder);
    // Some tests start processes of another user.
    chmodSync(folder, 0o1777);
    return folder;
  } catch {
    return null;
  }
}
