// node scripts/installClickHouse.mjs: installs ClickHouse as a library for tests (chdb), unless it is installed. It is too large to be a
// dependency (about 550 MB), so it goes into a cache folder: `.cache`, or the folder that CLICKHOUSE_CACHE names, which several
// working copies can share. Prints the folder. Ends with 1 and a sentence if it cannot be installed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { putInPlace, root } from './project.mjs';

/** Exact versions, also of what chdb itself depends on. It names an exact version of its library for each platform. */
const packages = {
  chdb: '3.4.0',
  '@clickhouse/client-common': '1.23.0',
  'node-addon-api': '6.1.0',
  'node-gyp-build': '4.8.4',
};

/** Written last, after the library has answered. */
const stampName = 'installed.json';

const installMsMax = 300_000;

/** The folder of this version, whether or not it is installed. */
export function clickHouseFolder() {
  const cache = resolve(root, process.env.CLICKHOUSE_CACHE || '.cache');
  return join(cache, `chdb-${packages.chdb}`);
}

/** Whether ClickHouse is installed, in exactly these versions. */
export function isClickHouseInstalled(folder = clickHouseFolder()) {
  const stamp = join(folder, stampName);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === JSON.stringify(packages);
}

/**
 * Installs ClickHouse unless it is installed. Returns null, or a sentence that says why it could not be installed. An
 * interrupted installation leaves nothing under the final path, and several at the same time do not disturb each other.
 */
export function installClickHouse() {
  const folder = clickHouseFolder();
  if (isClickHouseInstalled(folder)) return null;
  const unsupported = unsupportedPlatform();
  if (unsupported !== null) return unsupported;
  const aside = `${folder}-${hostname().replace(/[^A-Za-z0-9.]/g, '_')}-${process.pid}.tmp`;
  try {
    mkdirSync(aside, { recursive: true });
    const manifest = { name: 'clickhouse-for-tests', private: true, dependencies: packages, overrides: packages };
    writeFileSync(join(aside, 'package.json'), JSON.stringify(manifest));
    const failure = installPackages(aside) ?? answerFailure(aside);
    if (failure !== null) return failure;
    writeFileSync(join(aside, stampName), JSON.stringify(packages));
    putInPlace(aside, folder);
    return null;
  } catch (error) {
    return `ClickHouse for tests could not be installed in ${folder}: ${error.message}. Check that the folder is writable and its disk has 1 GB free.`;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

function unsupportedPlatform() {
  const platform = `${process.platform} ${process.arch}`;
  if (!['linux x64', 'linux arm64', 'darwin x64', 'darwin arm64'].includes(platform)) {
    return `ClickHouse for tests does not exist for ${platform}. It runs on Linux and macOS, x64 and arm64.`;
  }
  if (process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime) {
    return 'ClickHouse for tests needs a Linux with glibc; this one has another C library, such as musl of Alpine.';
  }
  return null;
}

function installPackages(folder) {
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--legacy-peer-deps'];
  const options = { cwd: folder, encoding: 'utf8', timeout: installMsMax };
  const npm = process.env.npm_execpath;
  const result =
    npm === undefined ? spawnSync('npm', args, options) : spawnSync(process.execPath, [npm, ...args], options);
  if (result.status === 0) return null;
  const reason =
    result.error === undefined ? result.stderr.trim().split('\n').slice(-5).join('\n') : result.error.message;
  return (
    `npm could not install chdb ${packages.chdb} (ClickHouse for tests, about 550 MB): ${reason}\n` +
    'If the package registry cannot be reached, check the network or the proxy, then run the command again.'
  );
}

/** Loads the library in a process of its own and asks it for its version. */
function answerFailure(folder) {
  const script = `process.stdout.write(require('chdb').query('SELECT version()', 'TabSeparated')); process.reallyExit(0);`;
  const result = spawnSync(process.execPath, ['-e', script], { cwd: folder, encoding: 'utf8', timeout: installMsMax });
  if (/^\d+\.\d+/.test(result.stdout ?? '')) return null;
  const reason = result.error?.message ?? (result.stderr.trim() || `it ended with ${result.signal ?? result.status}`);
  return `chdb ${packages.chdb} (ClickHouse for tests) is installed but does not run here: ${reason}`;
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const failure = installClickHouse();
  if (failure !== null) {
    console.error(failure);
    process.exit(1);
  }
  console.log(clickHouseFolder());
}
