import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Licences that a production dependency may have. */
const allowed = new Set(['MIT', 'ISC', 'BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0', '0BSD']);

/** Further licences that development tools may have, because they are not distributed with the product. */
const allowedInDevelopment = new Set(['MPL-2.0', 'Zlib']);

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
}

/** Fails when a production dependency, direct or not, has a licence outside the allowed list. */
function checkLicences(): void {
  const lock: { packages: Record<string, LockedPackage> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  );
  const refused: string[] = [];
  let checked = 0;
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path === '') continue;
    const license = entry.license ?? licenseOfManifest(path);
    checked++;
    if (!isAllowed(license, entry.dev === true))
      refused.push(`${path}@${entry.version ?? '?'}: ${license ?? 'no licence named'}`);
  }
  if (refused.length > 0) {
    console.error(`Licences outside the allowed list:\n  ${refused.join('\n  ')}`);
    process.exit(1);
  }
  console.log(`   ${checked} packages, all under allowed licences`);
}

function isAllowed(license: string | undefined, isDevelopment: boolean): boolean {
  if (license === undefined) return false;
  // An SPDX choice "(MIT OR GPL-2.0)" is allowed if one of its arms is; a conjunction if all are.
  const arms = license.replaceAll(/[()]/g, '').split(' OR ');
  return arms.some((arm) =>
    arm
      .split(' AND ')
      .every((name) => allowed.has(name.trim()) || (isDevelopment && allowedInDevelopment.has(name.trim()))),
  );
}

function licenseOfManifest(path: string): string | undefined {
  const manifest: { license?: unknown } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
  return typeof manifest.license === 'string' ? manifest.license : undefined;
}

checkLicences();
