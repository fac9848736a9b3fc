import type { Route } from '../../route.ts';
import { createToken } from './create.ts';
import { explainToken } from './explain.ts';
import { listTokens } from './list.ts';
import { readToken } from './read.ts';
import { revokeToken } from './revoke.ts';
import { rotateToken } from './rotate.ts';

/** Everything that is done with tokens (contract, section 4). */
export const tokenRoutes: readonly Route[] = [
  listTokens,
  createToken,
  readToken,
  revokeToken,
  rotateToken,
  explainToken,
];
