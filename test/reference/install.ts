import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const version = '1.13.0';
const folder = join(tmpdir(), `logmill-zetasql-${version}`);
const packageFolder = join(folder, 'node_modules', '@fivetrandevelopers', 'zetasql');

/** Where the package with Google's reference evaluator lies. It is no dependency of this one: 340 MB, and only recording needs it. */
export interface ReferencePackage {
  /** Its modules are resolved from here. */
  readonly folder: string;
  readonly server: string;
  readonly protos: string;
}

/** The package where `installReference` once put it, or null. */
export function installedReference(): ReferencePackage | null {
  const server = join(packageFolder, 'lib', 'zetasql', serverName());
  if (!existsSync(server)) return null;
  return { folder, server, protos: join(packageFolder, 'lib', 'zetasql', 'protos') };
}

/** Fetches the package with npm into a folder of its own, unless it is there. */
export function installReference(): ReferencePackage {
  const installed = installedReference();
  if (installed !== null) return installed;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const name = `@fivetrandevelopers/zetasql@${version}`;
  console.log(`Installing ${name} into ${folder} ...`);
  const args = ['install', '--prefix', folder, '--save-exact', '--ignore-scripts', '--no-audit', '--no-fund', name];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: 'inherit' });
  const fetched = installedReference();
  if (status !== 0 || fetched === null) throw new Error(`${name} could not be installed; npm's messages are above`);
  return fetched;
}

function serverName(): string {
  const arm = process.arch.startsWith('arm') ? '_arm' : '';
  return `remote_server${arm}${process.platform === 'darwin' ? '' : '.so'}`;
}
