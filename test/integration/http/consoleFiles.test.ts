import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConsoleFiles } from '../../../src/start/consoleFiles.ts';
import { type ExampleService, startExampleService } from './exampleService.ts';

const script = `export const x = '${'x'.repeat(3000)}';`;
let folder: string;
let built: ExampleService;
let unbuilt: ExampleService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-console-'));
  mkdirSync(join(folder, 'console', 'assets'), { recursive: true });
  writeFileSync(join(folder, 'secret.txt'), 'SECRET');
  writeFileSync(join(folder, 'console', 'index.html'), '<!doctype html><title>Console</title>');
  writeFileSync(join(folder, 'console', 'assets', 'main-1a2b.js'), script);
  writeFileSync(join(folder, 'console', 'assets', 'font-1a2b.woff2'), 'font');
  built = await startExampleService({}, { consoleFiles: loadConsoleFiles(join(folder, 'console')) });
  unbuilt = await startExampleService({}, { consoleFiles: loadConsoleFiles(join(folder, 'nowhere')) });
});
afterAll(async () => {
  await built.server.close();
  await unbuilt.server.close();
  rmSync(folder, { recursive: true, force: true });
});

const get = (service: ExampleService, path: string, init: RequestInit = {}) =>
  service.call(path, { token: null, redirect: 'manual', ...init });

describe('the console', () => {
  it('is a page that loads and calls this service alone, and is asked for again each time', async () => {
    const response = await get(built, '/console/');
    expect([response.status, await response.text()]).toEqual([200, '<!doctype html><title>Console</title>']);
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'cross-origin-opener-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    const policy = headers['content-security-policy'] ?? '';
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy).not.toMatch(/unsafe|https?:|\*|blob:/);
    const again = await get(built, '/console/', { headers: { 'if-none-match': headers.etag ?? '' } });
    expect([again.status, await again.text(), again.headers.get('cross-origin-opener-policy')]).toEqual([
      304,
      '',
      'same-origin',
    ]);
  });

  it.each([
    ['main-1a2b.js', 'text/javascript; charset=utf-8', script],
    ['font-1a2b.woff2', 'font/woff2', 'font'],
  ])('has files that browsers keep: %s', async (name, type, text) => {
    const response = await get(built, `/console/assets/${name}`, { headers: { 'accept-encoding': 'gzip, br' } });
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([200, type, text]);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const coding = text.length > 1024 ? 'gzip' : null;
    expect(response.headers.get('content-encoding')).toBe(coding);
    const head = await get(built, `/console/assets/${name}`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it.each([
    '/console/assets/',
    '/console/assets/nothing.js',
    '/console/assets/..%2Findex.html',
    '/console/assets/..%2F..%2Fsecret.txt',
    '/console/assets/%2Fetc%2Fpasswd',
    '/console/assets/__proto__',
    '/console/assets/%00',
    '/console/index.html',
    '/console/../secret.txt',
    '/console/assets/main-1a2b.js/',
    '/console/assets/MAIN-1A2B.js',
  ])('has no other file: %s', async (path) => {
    // `fetch` would resolve the dots.
    const answer = await built.raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).not.toContain('SECRET');
  });

  it.each([
    ['/console', 'console/'],
    ['/', 'console/'],
  ])('is found from %s, also below the path of a proxy', async (path, location) => {
    const response = await get(built, path);
    expect([response.status, response.headers.get('location')]).toEqual([302, location]);
    expect(new URL(location, `https://example.test/logs${path}`).href).toBe('https://example.test/logs/console/');
  });

  it('says how to build it where it was not built, and the reference page is the first page', async () => {
    for (const path of ['/console/', '/console/assets/main-1a2b.js']) {
      const response = await get(unbuilt, path);
      expect([response.status, await response.json()]).toEqual([
        404,
        expect.objectContaining({ code: 'console.missing', detail: expect.stringContaining('npm run build') }),
      ]);
    }
    expect((await get(unbuilt, '/')).headers.get('location')).toBe('docs');
  });
});
