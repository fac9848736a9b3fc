import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The installed browser; undefined where there is none, and its tests are left out by name. */
export const chromiumPath: string | undefined = places.find((path) => existsSync(path));

/**
 * Each browser context opens a window, and each window loads two pages for suggestions below its address bar, which nobody
 * sees. They take half of the processor time of a context.
 */
const addressBar = ['WebUIOmniboxPopup', 'WebUIOmniboxFullPopup', 'WebUIOmniboxAimPopup'];

/** Those that Playwright turns off on Linux. Chromium takes only the last list, so it has to name them again. */
const ofPlaywright = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

/** Starts it, without a window on a screen. As root it has no sandbox of its own. */
export async function openChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('There is no Chromium here.');
  return await chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      `--disable-features=${[...ofPlaywright, ...addressBar].join(',')}`,
    ],
  });
}
