import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requestHeaders, responseHeaders } from '../../src/http/headerTable.ts';

const root = join(import.meta.dirname, '..', '..');
const tables = { request: requestHeaders('SVC'), response: responseHeaders };
const documented = new Set(Object.values(tables).flatMap((table) => table.map(({ name }) => name.toLowerCase())));

/** `headers['x-source']` and `headers.host`, but not members of lists. */
const named =
  /\bheaders(?:\['([a-z-]+)'\]|\.(accept|authorization|connection|cookie|expect|forwarded|from|host|origin|range|traceparent|tracestate|via)\b)/g;

describe('headers', () => {
  it('are in the tables wherever the code names one', () => {
    const folder = join(root, 'src', 'http');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const found = files.flatMap((name) =>
      [...readFileSync(join(folder, name), 'utf8').matchAll(named)].map(([, quoted, dotted]) => quoted ?? dotted ?? ''),
    );
    expect(found.length).toBeGreaterThan(15);
    expect([...new Set(found)].filter((name) => !documented.has(name))).toEqual([]);
  });

  it.each(Object.entries(tables))('have a row each on the page: those of a %s', (_, table) => {
    const page = readFileSync(join(root, 'docs', 'reference', 'http.md'), 'utf8');
    for (const { name, meaning } of table) expect(page).toContain(`| \`${name}\` | ${meaning} |`);
  });
});
