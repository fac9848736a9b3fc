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

it('reads the declaration of a sender whose header has both the time and the signatures', () => {
  const more = ', prefix: v1=, timestamp_prefix: t=, signed: "{timestamp}.{body}"';
  const webhook = read(hook('source: edge_logs', 'project: p', signed(more))).get('a');
  expect(webhook?.signature).toMatchObject({
    prefix: 'v1=',
    signed: [{ kind: 'timestamp' }, { kind: 'text', text: '.' }, { kind: 'body' }],
    timestamp: { header: 'x-sig', prefix: 't=', toleranceSeconds: 300 },
  });
});

it('declares none without a file', () => {
  expect(readWebhooks(undefined, registry).size).toBe(0);
});

it.each([
  [
    hook('source: edge_logz', 'project: p', signed()),
    /line 3: There is no source "edge_logz". Did you mean edge_logs\?/,
  ],
  [hook('source: edge_logs', signed()), /project \(line 2, column 3\) must be given, or project_from/],
  [hook('source: edge_logs', 'project: p', 'project_from: q', 'projects: "any"', signed()), /and not both/],
  [
    hook('source: edge_logs', 'project_from: q', signed()),
    /projects \(line 2, column 3\) must be given with project_from/,
  ],
  [hook('source: edge_logs', 'project: p', signed(', signed: "x"')), /needs \{body\} in signed/],
  [hook('source: edge_logs', 'project: p', signed(', timestamp_header: X-T')), /needs \{timestamp\} in signed/],
  [hook('source: edge_logs', 'project: p', signed(', signed: "{id}{body}"')), /needs a delivery_id_header/],
  [
    hook('source: edge_logs', 'project: p', signed(', timestamp_prefix: t=, prefix: v1=')),
    /needs \{timestamp\} in signed/,
  ],
  [
    hook('source: edge_logs', 'project: p', signed(', timestamp_prefix: t=, signed: "{timestamp}.{body}"')),
    /needs a prefix that tells a signature from the time/,
  ],
  [
    hook(
      'source: edge_logs',
      'project: p',
      signed(', timestamp_prefix: t=, prefix: v1=, timestamp_header: X-T, signed: "{timestamp}.{body}"'),
    ),
    /and not in both/,
  ],
  [
    hook('source: edge_logs', 'project: p', signed(', heder: x')),
    /webhooks\.a\.signature\.heder \(line 5, column \d+\) is not a field; allowed: header, .*Did you mean header\?$/,
  ],
  [
    hook('sources: edge_logs', 'project: p', signed()),
    /webhooks\.a\.source \(line 2.*\) is missing\.\n.*Did you mean source\?/,
  ],
  ['webhooks:\n  A b: {}\n', /webhooks\.A b \(line 2, column \d+\) must have 1 to 63 characters/],
  ['webhook:\n  a: {}\n', /webhook \(line 1, column \d+\) is not a field; allowed: webhooks\. Did you mean webhooks\?/],
  ['webhooks: 7\n', /webhooks \(line 1, column \d+\) must map names to webhooks/],
  ['webhooks:\n  a: 7\n', /webhooks\.a .* must be a map with source, project and signature/],
  [hook('source: 7', 'project: p', signed()), /source .* must be text/],
  [hook('source: edge_logs', 'project: p', 'signature: text'), /signature .* must be a map with header/],
  [hook('source: edge_logs', 'project: p', 'signature: { header: X }'), /secret_files .* is missing/],
  [
    hook('source: edge_logs', 'project: p', 'signature: { header: X, secret_files: [] }'),
    /must be a list of 1 or 2 files/,
  ],
  [
    hook('source: edge_logs', 'project: p', signed(', tolerance_seconds: 0')),
    /whole number of seconds from 1 to 86400/,
  ],
  [
    hook('source: edge_logs', 'project_from: p', 'projects: []', signed()),
    /must be a list of 1 to 1000 projects, or any/,
  ],
  [hook('source: edge_logs', 'project: p', 'time: a..b', signed()), /time \(line 5, column 5\) must be a path/],
  [
    hook('source: edge_logs', 'project: p', 'signature: { header: X, secret_files: [short.secret] }'),
    /fewer than 16 bytes/,
  ],
  [hook('source: edge_logs', 'project: p', 'signature: { header: X, secret_files: [none] }'), /cannot be read/],
  ['webhooks: [', /not valid YAML/],
])('refuses %s', (yaml, message) => {
  expect(() => read(yaml)).toThrow(message);
});
