// npm pack: builds, and puts the versions that were tested into the package. Without them an installation
// would take the newest of every indirect dependency, also such as need a newer Node than the product.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildIfNeeded, requireNode, root } from './project.mjs';

requireNode();
buildIfNeeded();
copyFileSync(join(root, 'package-lock.json'), join(root, 'npm-shrinkwrap.json'));
