// npm run build: bundles src/ into dist/ when it is stale.
import { buildIfNeeded, requireNode } from './project.mjs';

requireNode();
buildIfNeeded();
