import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const src = join(import.meta.dirname, '..', '..', 'src');

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.ts$/.test(file) && !/\.(test|contract|fixture)\.ts$/.test(file),
);

/** Imports that a file needs as soon as it is loaded. */
const loadedAtOnce = (file: string) =>
  [...readFileSync(join(src, file), 'utf8').matchAll(/^import (?!type )[^;]*?from '([^']+)';/gms)].map(
    ([, specifier = '']) => specifier,
  );

it('loads the library of PostgreSQL only where a store in PostgreSQL is opened', () => {
  expect(files.filter((file) => loadedAtOnce(file).includes('pg'))).toEqual([]);
  const outside = files.filter((file) => !file.startsWith(join('stores', 'postgres')));
  expect(outside.length).toBeGreaterThan(500);
  const opened = outside.flatMap((file) =>
    loadedAtOnce(file)
      // The address is checked with the settings, and needs no library.
      .filter((specifier) => /stores\/postgres\/(?!postgresAddress)/.test(specifier))
      .map((specifier) => `${file}: ${specifier}`),
  );
  expect(opened).toEqual([]);
});
