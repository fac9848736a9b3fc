import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtinSources } from '../sources/builtin.ts';
import { SourceRegistry } from '../sources/sourceRegistry.ts';
import { readWebhooks } from './readWebhooks.ts';

let folder: string;
const registry = new SourceRegistry();
for (const source of builtinSources) registry.add({ source, description: '', origin: 'builtin' });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-webhooks-'));
  writeFileSync(join(folder, 'a.secret'), 'sixteen bytes or more\r\n');
  writeFileSync(join(folder, 'short.secret'), 'short');
});
afterAll(() => rmSync(folder, { recursive: true }));

function read(yaml: string) {
  const file = join(folder, 'webhooks.yaml');
  writeFileSync(file, yaml);
  return readWebhooks(file, registry);
}

const signed = (more = '') => `signature: { header: X-Sig, secret_files: [a.secret]${more} }`;
const hook = (...lines: string[]) => `webhooks:\n  a:\n${lines.map((line) => `    ${line}\n`).join('')}`;

it('reads a declaration, with the secret without its line end', () => {
  const webhook = read(hook('source: edge_logs', 'project: p', signed())).get('a');
  expect(webhook).toMatchObject({
    source: 'edge_logs',
    project: { kind: 'fixed', project: 'p' },
    deliveryHeader: null,
  });
  expect(webhook?.signature).toMatchObject({ header: 'x-sig', algorithm: 'sha256', signed: [{ kind: 'body' }] });
  expect(webhook?.signature.secrets.map(String)).toEqual(['sixteen bytes or more']);
});

it('declares none without a file', () => {
  expect(readWebhooks(undefined, registry).size).toBe(0);
});

it.each([
  [
    hook('source: edge_logz', 'project: p', signed()),
    /line 3: There is no source "edge_logz". Did you mean edge_logs\?/,
  ],
  [hook('source: edge_logs', signed()), /project must be given, or project_from/],
  [hook('source: edge_logs', 'project: p', 'project_from: q', 'projects: any', signed()), /and not both/],
  [hook('source: edge_logs', 'project_from: q', signed()), /projects must be given with project_from/],
  [hook('source: edge_logs', 'project: p', signed(', signed: "x"')), /needs \{body\} in signed/],
  [hook('source: edge_logs', 'project: p', signed(', timestamp_header: X-T')), /needs \{timestamp\} in signed/],
  [hook('source: edge_logs', 'project: p', signed(', signed: "{id}{body}"')), /needs a delivery_id_header/],
  [hook('source: edge_logs', 'project: p', signed(', header2: x')), /Unrecognized key/],
  [hook('source: edge_logs', 'project: p', 'time: a..b', signed()), /time must be a path/],
  [
    hook('source: edge_logs', 'project: p', 'signature: { header: X, secret_files: [short.secret] }'),
    /fewer than 16 bytes/,
  ],
  [hook('source: edge_logs', 'project: p', 'signature: { header: X, secret_files: [none] }'), /cannot be read/],
  ['webhooks: [', /not valid YAML/],
])('refuses %s', (yaml, message) => {
  expect(() => read(yaml)).toThrow(message);
});
