// npm pack: takes away what only the package needs (prepack.mjs).
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './project.mjs';

rmSync(join(root, 'npm-shrinkwrap.json'), { force: true });
