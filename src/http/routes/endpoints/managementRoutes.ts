import type { Route } from '../../route.ts';
import { checkEndpoint } from './check.ts';
import { createEndpoint } from './create.ts';
import { deployEndpoints } from './deploy.ts';
import { diffEndpoint } from './diff.ts';
import { listEndpoints } from './list.ts';
import { patchEndpoint } from './patch.ts';
import { makePrimary } from './primary.ts';
import { readEndpoint } from './read.ts';
import { removeEndpoint } from './remove.ts';
import { replaceEndpoint } from './replace.ts';
import { restoreEndpoint } from './restore.ts';
import { runEndpoint } from './run.ts';
import { readVersion } from './version.ts';
import { listVersions } from './versions.ts';

/** All operations on endpoints except calls. They need the scope `manage`. */
export const managementRoutes: readonly Route[] = [
  listEndpoints,
  createEndpoint,
  checkEndpoint,
  runEndpoint,
  deployEndpoints,
  readEndpoint,
  replaceEndpoint,
  patchEndpoint,
  removeEndpoint,
  listVersions,
  readVersion,
  diffEndpoint,
  restoreEndpoint,
  makePrimary,
];
