// npm run build: compiles src/ to dist/ when it is stale.
import { buildIfNeeded, requireNode } from './project.mjs';

requireNode();
buildIfNeeded();
