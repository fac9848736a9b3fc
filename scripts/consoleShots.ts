// npm run console:shots: pictures of each page of the console in two colour schemes and three widths, in .cache/console. The
// service runs on a day of sample data. The upper parts of three, for README and the guide, go to docs/images.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, killAll, startService } from '../test/acceptance/startedService.ts';
import { openChromium } from '../test/console/chromium.ts';

const folder = join(import.meta.dirname, '..', '.cache', 'console');
const project = 'orchardlanternquartz';

const explore = (lql: string, more: Readonly<Record<string, string>> = {}): string =>
  `#/explore?${new URLSearchParams({ p: project, q: lql, ...more }).toString()}`;

const byHour =
  'select timestamp_trunc(timestamp, hour) as hour, metadata.request.method as method, count(*) as requests\nfrom edge_logs\ngroup by hour, method\norder by hour';

/** Name of a picture, the place, what must be there first, and what is clicked then. */
const pages: readonly (readonly [string, string, string, string?])[] = [
  ['explore', explore('f:edge_logs t:last@12h'), '.histogram svg'],
  ['row', explore('f:edge_logs m.response.status_code:>=500 t:last@24h'), '.histogram svg', '.row'],
  ['wrapped', explore('f:edge_logs t:last@12h', { wrap: '1' }), '.histogram svg'],
  ['sparse', explore('f:edge_logs m.response.status_code:>=500 t:last@3h c:count(*) c:group_by(t::minute)'), '.chart'],
  ['error', explore('f:edge_logs m.response.status_code:>= t:last@12h'), '.error-box'],
  ['empty', explore('f:edge_logs m.request.method:TRACE t:last@1h'), '.empty'],
  ['query', `#/query?${new URLSearchParams({ p: project, q: byHour, as: 'chart' }).toString()}`, '.chart'],
  ['endpoints', '#/endpoints', '.list-table'],
  [
    'endpoint',
    `#/endpoints/functions.invocation-stats?${new URLSearchParams({ 'v.project': project, 'v.interval': '1day', run: '1', as: 'chart' }).toString()}`,
    '.chart',
  ],
  [
    'filters',
    explore('f:edge_logs m.response.status_code:>=500 -m.request.method:OPTIONS t:last@24h', { form: 'filters' }),
    '.filter',
  ],
  ['sql', explore('f:edge_logs m.response.status_code:>=500 t:last@24h', { form: 'sql' }), '.search-sql .code'],
  [
    'save',
    `#/endpoints/new?${new URLSearchParams({ lang: 'lql', q: 'f:edge_logs m.response.status_code:>=500 m.request.method:GET t:last@24h', p: project }).toString()}`,
    '.proposed li',
  ],
  ['source', '#/endpoints/logs.all?tab=source', '.code'],
  ['edit', '#/endpoints/usage.api-counts?tab=edit', '.file'],
  ['versions', '#/endpoints/usage.api-counts?tab=versions', '.list-table'],
  ['callers', '#/endpoints/logs.all?tab=callers', '.list-table'],
  ['sources', '#/sources', '.list-table'],
  ['projects', '#/projects', '.list-table'],
  ['project', `#/projects/${project}`, '.list-table'],
  ['source-page', '#/sources/edge_logs', '.list-table'],
  ['tokens', '#/tokens', '.list-table'],
  ['token-new', '#/tokens/new', '.token-form'],
  ['operations', '#/operations', '.card'],
];

const sizes = [
  [390, 844],
  [1280, 800],
  [1600, 1000],
] as const;

/** Pictures in README and the guide. */
const shown: readonly string[] = ['explore', 'query', 'save'];
const images = join(import.meta.dirname, '..', 'docs', 'images');

/** With few colours, a third of the size. Without pngquant, the picture stays as it is, and should not be committed. */
function compress(path: string): void {
  const { error } = spawnSync('pngquant', ['--force', '--ext', '.png', '--strip', '--speed', '1', '64', path]);
  if (error !== undefined) console.warn(`   ${path} is not compressed: install pngquant (apt-get install pngquant).`);
}

build();
const service = await startService(['--demo']);
const token = readFileSync(join(service.dataDir, 'admin-token'), 'utf8').trim();
const base = `${service.url}/console/`;
const browser = await openChromium();
const wanted = process.argv.slice(2);
try {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [width, height] of sizes) {
      const page = await browser.newPage({ colorScheme, viewport: { width, height }, reducedMotion: 'reduce' });
      const target = join(folder, `${colorScheme}-${width}`);
      mkdirSync(target, { recursive: true });
      await page.goto(base);
      await page.getByLabel('Token').waitFor();
      await page.screenshot({ path: join(target, 'sign-in.png') });
      await page.getByLabel('Token').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
      for (const [name, place, first, click] of pages) {
        if (wanted.length > 0 && !wanted.includes(name)) continue;
        await page.goto(base + place);
        await page.locator(first).first().waitFor();
        if (click !== undefined) {
          await page.locator(click).first().click();
          await page.locator('.tree .leaf').first().waitFor();
        }
        await page.waitForLoadState('networkidle');
        await page.screenshot({ path: join(target, `${name}.png`) });
        if (colorScheme !== 'light' || width !== 1280 || !shown.includes(name)) continue;
        mkdirSync(images, { recursive: true });
        const clip = { x: 0, y: 0, width, height: 600 };
        const path = join(images, `console-${name}.png`);
        await page.screenshot({ path, clip });
        compress(path);
      }
      await page.close();
      console.log(`   ${target}`);
    }
  }
} finally {
  await browser.close();
  await service.stop();
  killAll();
}
