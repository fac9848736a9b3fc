// Shared by the scripts of this package: its folder, running a step, installing and building. Plain JavaScript of an
// old dialect, because it also runs on Node versions that the product rejects.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Ends the process with a message on Node versions that the product does not support. */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  fail(
    `Logmill needs Node.js 20.19 or newer; this is ${process.versions.node}. ` +
      'Install a newer version (https://nodejs.org/en/download) and run the command again.',
  );
}

export function fail(sentence) {
  console.error(`\n${sentence}`);
  process.exit(1);
}

/** Runs a command in the package's folder with its output shown; returns its exit code. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (result.error) throw result.error;
  return result.status === null ? 1 : result.status;
}

/** The path of a development tool. */
export function tool(name) {
  return join(root, 'node_modules', '.bin', name);
}

/**
 * Runs `npm ci` unless every package of package-lock.json is installed in its version. Compares contents: a fresh
 * checkout has new file times, and a complete folder must not need the network.
 */
export function installIfNeeded() {
  const missing = missingPackages();
  if (missing.length === 0) return;
  console.log(`Installing packages (missing or outdated: ${missing.length}, such as ${missing[0]}) ...`);
  const npm = process.env.npm_execpath;
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const code = npm === undefined ? run('npm', args) : run(process.execPath, [npm, ...args]);
  if (code !== 0) {
    fail(
      `"npm ci" failed with exit code ${code}. Its messages are above. ` +
        'If the package registry cannot be reached, check the network or the proxy, then run the command again.',
    );
  }
}

function missingPackages() {
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const installedFile = join(root, 'node_modules', '.package-lock.json');
  const names = Object.keys(wanted).filter((path) => path !== '' && !wanted[path].optional);
  if (!existsSync(installedFile)) return names;
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages;
  return names.filter((path) => !installed[path] || installed[path].version !== wanted[path].version);
}

/** Bundles src/ and console/ into dist/ when a source changed since the last build. */
export function buildIfNeeded() {
  removeLeftBuilds(root);
  // Part of the build: if several builds end at the same time, the stamp is that of the last one.
  const stampFile = join(root, 'dist', '.build-stamp');
  const stamp = sourcesDigest();
  const built = existsSync(join(root, 'dist', 'cli', 'main.js'));
  if (built && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  console.log('Building ...');
  // Built in a temporary folder and moved into place, so that an interrupted build never leaves half of one.
  const aside = join(root, buildAside(process.pid));
  const code = run(process.execPath, [join(root, 'scripts', 'bundle.mjs'), aside]);
  if (code !== 0) {
    rmSync(aside, { recursive: true, force: true });
    fail('The build failed. Its messages are above.');
  }
  writeFileSync(join(aside, '.build-stamp'), stamp);
  putInPlace(aside, join(root, 'dist'));
}

/**
 * The folder of a build in progress, named by machine and process, because process ids are unique only on their machine
 * or container.
 */
export function buildAside(pid) {
  return `dist-${thisHost}-${pid}.tmp`;
}

const thisHost = hostname().replace(/[^A-Za-z0-9.]/g, '_');

/**
 * Longest duration of a build, including one for a test run. Older folders are leftovers, even if another process now
 * has the id, or they are from another machine.
 */
const buildMsMax = 24 * 3_600_000;

/** Removes the leftovers of builds whose processes ended early. */
export function removeLeftBuilds(folder) {
  for (const name of readdirSync(folder)) {
    const [, host, pid] = /^dist-(?:([A-Za-z0-9._]+)-)?(\d+)\.tmp/.exec(name) || [];
    if (pid === undefined) continue;
    const path = join(folder, name);
    const isEnded = host === thisHost && !isRunning(Number(pid));
    if (isEnded || isOld(path)) rmSync(path, { recursive: true, force: true });
  }
}

function isOld(path) {
  try {
    return Date.now() - statSync(path).mtimeMs > buildMsMax;
  } catch (error) {
    // Its own process has moved it, or another one has removed it.
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Whether another process with this id is running. */
function isRunning(pid) {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process belongs to another user.
    return error.code === 'EPERM';
  }
}

/**
 * Moves a folder to the path of another one, if there is one. If several processes do so at the same time, each does it
 * completely, and the last one stays. Nothing is removed under the final path, where it could belong to another
 * process.
 */
export function putInPlace(made, place) {
  const old = `${made}.old.tmp`;
  for (;;) {
    unless(['ENOENT'], () => renameSync(place, old));
    const isThere = unless(['ENOTEMPTY', 'EEXIST'], () => renameSync(made, place));
    rmSync(old, { recursive: true, force: true });
    if (isThere) return;
  }
}

/** Whether a step was done; false if it failed with one of these codes. */
function unless(codes, step) {
  try {
    step();
    return true;
  } catch (error) {
    if (codes.includes(error.code)) return false;
    throw error;
  }
}

function sourcesDigest() {
  const hash = createHash('sha256');
  const files = [
    ...filesBelow(join(root, 'src')),
    ...filesBelow(join(root, 'console')),
    join(root, 'package-lock.json'),
    join(root, 'scripts', 'bundle.mjs'),
    join(root, 'scripts', 'bundleConsole.mjs'),
  ];
  for (const file of files.sort()) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${relative(root, file)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** Every file below a folder. */
export function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}
