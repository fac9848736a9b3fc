import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Plugin } from 'vitest/config';

/** Where `npm test` has compiled the sources (scripts/compileSources.mjs). Undefined for a single test file run by hand. */
const folder = process.env.TESTS_SOURCES;

const sources = join(import.meta.dirname, '..', '..', 'src');

/** Modules that are substituted in tests (vitest.config.ts), and that tests of themselves load as they are. */
const substituted = /\/(?:engineCommand|redactingProgram)\.ts$/;

/** Gives test files the compiled modules in place of their sources. */
const plugin: Plugin = {
  name: 'compiled sources',
  enforce: 'pre',
  resolveId(source, importer) {
    if (folder === undefined || importer === undefined || !/^\..*\.ts$/.test(source) || substituted.test(source))
      return;
    const path = relative(sources, resolve(dirname(importer), source));
    if (path.startsWith('..')) return;
    const compiled = join(folder, path.replace(/ts$/, 'js'));
    return existsSync(compiled) ? compiled : undefined;
  },
};

/** For the plugins of all test projects. */
export const compiledSources: readonly Plugin[] = folder === undefined ? [] : [plugin];

/** What Node loads itself, once in each worker. */
export const loadedByNode: readonly RegExp[] =
  folder === undefined ? [] : [new RegExp(`^${folder.replace(/[^\w/]/g, '\\$&')}/`)];
