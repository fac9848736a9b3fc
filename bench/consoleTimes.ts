import { readFileSync, rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import type { Browser, BrowserContext, Page, Response } from 'playwright-core';
import { openChromium } from '../test/console/chromium.ts';
import { signIn } from '../test/console/signIn.ts';
import { BenchedService, token } from './benchedService.ts';
import { median, percentile, rounded } from './percentile.ts';
import { measuredProjects } from './projects.ts';
import { say } from './say.ts';
import { prepareEvents, presentMs, workingCopy } from './suite/preparedEvents.ts';
import { newRunFolder, sharedFolder } from './suite/scratch.ts';
import { machineNow } from './suite/shiftedClock.mjs';

/**
 * Measures the console in Chromium: its first load, the time from Enter to rows and the calls of Enter, the time from a
 * key to its frame, and the frames of a long list. Repeats all with a slowed processor.
 */
const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '15' },
    slow: { type: 'string', default: '1,4' },
    /** Rows that the list has before it is scrolled. */
    list: { type: 'string', default: '100000' },
    /** Prints the calls of the first round of each search. */
    calls: { type: 'boolean', default: false },
  },
});

const rounds = Number(options.rounds);
const project = measuredProjects.large;
const searches: Readonly<Record<string, string>> = {
  'an hour': 't:last@1h',
  'a day': 't:last@24h',
  'errors of a day': 'm.response.status_code:>=500 t:last@24h',
  'a word of a day': '"orders" t:last@24h',
  'errors of 30 days': 'm.response.status_code:>=500 t:last@30d',
};
const scrolledFrames = 200;
/** If no older rows come within this time, there are none. */
const pageWaitMs = 10_000;
const probe = readFileSync(join(import.meta.dirname, 'console', 'probe.js'), 'utf8');

const folder = newRunFolder();
try {
  await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const dataDir = workingCopy(await prepareEvents(sharedFolder, Number(options.events), say), join(folder, 'data'));
  const service = await BenchedService.start(dataDir, {
    BENCH_CLOCK_OFFSET_MS: String(presentMs - machineNow()),
    NODE_OPTIONS: `--import ${join(import.meta.dirname, 'suite', 'shiftedClock.mjs')}`,
  });
  const browser = await openChromium();
  try {
    const session = await signedIn(browser, service.url);
    for (const slow of options.slow.split(',').map(Number)) await measure(browser, service.url, session, slow);
  } finally {
    await browser.close();
    await service.stop();
  }
}

type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

async function signedIn(browser: Browser, url: string): Promise<Session> {
  const page = await browser.newPage();
  await page.goto(`${url}/console/`);
  await signIn(page, token);
  const session = await page.context().storageState();
  await page.context().close();
  return session;
}

function placeOf(url: string, lql: string): string {
  return `${url}/console/#/explore?${new URLSearchParams({ p: project, q: `f:edge_logs ${lql}` })}`;
}

async function measure(browser: Browser, url: string, session: Session, slow: number): Promise<void> {
  say(
    `processor ${slow === 1 ? 'as it is' : `slowed ${slow}x`}, load ${loadavg()
      .map((each) => each.toFixed(1))
      .join(' ')}`,
  );
  const open = async (): Promise<Page> => {
    const context = await browser.newContext({ storageState: session, viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(300_000);
    const page = await context.newPage();
    await page.addInitScript({ content: probe });
    const protocol = await context.newCDPSession(page);
    await protocol.send('Emulation.setCPUThrottlingRate', { rate: slow });
    return page;
  };
  await measureLoads(open, url);
  const page = await open();
  await page.goto(placeOf(url, 't:last@24h'));
  await page.locator('.row').first().waitFor();
  await measureSearches(page);
  await measureKeys(page, 'with 1,000 rows');
  await measureList(page);
  await measureKeys(page, 'with the long list');
  await page.context().close();
}

/** First loads, with an empty cache of the browser. */
async function measureLoads(open: () => Promise<Page>, url: string): Promise<void> {
  const usable: number[] = [];
  const withRows: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const page = await open();
    await page.goto(placeOf(url, 't:last@24h'), { waitUntil: 'commit' });
    usable.push(await page.evaluate<number>('probe.load(".search-box input")'));
    withRows.push(await page.evaluate<number>('probe.load(".row")'));
    await page.context().close();
  }
  print(
    ['first load, ms', 'median', 'p95'],
    [
      ['the search can be typed', ...figures(usable)],
      ['rows are there', ...figures(withRows)],
    ],
  );
}

interface SeenCall {
  readonly path: string;
  readonly body: string;
  readonly status: number;
  /** Since Enter. */
  readonly startMs: number;
  /** Before `startMs` if the page has left the answer. */
  readonly endMs: number;
  readonly stages: string;
}

async function measureSearches(page: Page): Promise<void> {
  const field = page.getByRole('combobox', { name: 'Search in LQL' });
  const lines: string[][] = [];
  for (const [name, lql] of Object.entries(searches)) {
    const inPage: number[] = [];
    const painted: number[] = [];
    let calls: readonly SeenCall[] = [];
    for (let round = 0; round < rounds; round++) {
      await field.fill(`f:edge_logs ${lql}`);
      const watch = watchCalls(page);
      await field.press('Enter');
      const times = await page.evaluate<{ inPage: number; painted: number }>('probe.rows()');
      inPage.push(times.inPage);
      painted.push(times.painted);
      await page.waitForLoadState('networkidle');
      const seen = await watch.end();
      if (round === 0) calls = seen;
    }
    lines.push([name, ...figures(inPage), ...figures(painted), String(calls.length)]);
    if (options.calls) for (const call of calls) console.log(JSON.stringify(call));
  }
  print(['Enter to rows, ms', 'median', 'p95', 'painted', 'p95', 'calls'], lines);
}

/** An answer that has not ended so long after its headers counts as left. */
const leftAfterMs = 1_000;

/** The calls of the page and its worker until `end`. */
function watchCalls(page: Page) {
  // The browser has the clock of the machine.
  const started = machineNow();
  const seen: Promise<SeenCall>[] = [];
  const note = async (response: Response): Promise<SeenCall> => {
    const request = response.request();
    // The browser never tells the end of an answer that the page has left.
    await Promise.race([response.finished(), delay(leftAfterMs)]);
    const { startTime, responseEnd } = request.timing();
    const startMs = startTime - started;
    return {
      path: new URL(response.url()).pathname,
      body: request.postData() ?? '',
      status: response.status(),
      startMs: rounded(startMs),
      endMs: rounded(startMs + responseEnd),
      stages: response.headers()['server-timing'] ?? '',
    };
  };
  const take = (response: Response) => seen.push(note(response));
  page.on('response', take);
  return {
    end: async (): Promise<readonly SeenCall[]> => {
      page.off('response', take);
      return await Promise.all(seen);
    },
  };
}

async function measureKeys(page: Page, what: string): Promise<void> {
  const field = page.getByRole('combobox', { name: 'Search in LQL' });
  await field.focus();
  await page.keyboard.press('End');
  await page.evaluate('probe.keys() && probe.long()');
  await page.keyboard.type(' m.request.method:GET "checkout"', { delay: 60 });
  const keys = await page.evaluate<number[]>('probe.keys()');
  const tasks = await page.evaluate<number[]>('probe.long()');
  print(
    [`a key ${what}, ms`, 'median', 'p95', 'tasks above 50 ms'],
    [['until it is painted', ...figures(keys), String(tasks.length)]],
  );
}

async function measureList(page: Page): Promise<void> {
  const field = page.getByRole('combobox', { name: 'Search in LQL' });
  await field.fill('f:edge_logs t:last@40d');
  await field.press('Enter');
  await page.evaluate('probe.rows()');
  const rows = page.getByRole('grid', { name: 'Rows' });
  const countOf = async (): Promise<number> => Number(await rows.getAttribute('aria-rowcount')) - 1;
  const startedMs = performance.now();
  let count = await countOf();
  for (let before = -1; count < Number(options.list) && count !== before; ) {
    before = count;
    await rows.press('End');
    for (const untilMs = performance.now() + pageWaitMs; count === before && performance.now() < untilMs; ) {
      await page.waitForTimeout(20);
      count = await countOf();
    }
  }
  const seconds = (performance.now() - startedMs) / 1000;
  await page.evaluate('probe.long()');
  const frames = await page.evaluate<number[]>(`probe.scroll(${scrolledFrames})`);
  const tasks = await page.evaluate<number[]>('probe.long()');
  const read = `${count.toLocaleString('en')} rows, read in ${rounded(seconds)} s`;
  print(
    [`frame of a screen, ms: ${read}`, 'median', 'p95', 'tasks above 50 ms'],
    [['scrolled', ...figures(frames), String(tasks.length)]],
  );
}

function figures(times: readonly number[]): readonly string[] {
  return [median(times), percentile(times, 0.95)].map((each) => String(rounded(each)));
}

function print(head: readonly string[], lines: readonly (readonly string[])[]): void {
  const table = new Table({ head: [...head], style: { head: [], border: [] } });
  for (const line of lines) table.push([...line]);
  console.log(table.toString());
}
