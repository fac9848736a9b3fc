import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The installed browser; undefined where there is none, and its tests are left out by name. */
export const chromiumPath: string | undefined = places.find((path) => existsSync(path));

/** Starts it, without a window. As root it has no sandbox of its own. */
export async function openChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('There is no Chromium here.');
  return await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}
