import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { documentedLimits } from '../../scripts/docs/limitsPage.ts';
import { errorCatalogue } from '../../src/core/errorCatalogue.ts';
import { limits } from '../../src/core/limits.ts';
import { clickhouseSettings } from '../../src/start/clickhouseSettings.ts';
import { settingNames } from '../../src/start/settings.ts';
import { syslogSettings } from '../../src/start/syslogSettings.ts';

const rows = Object.values(documentedLimits).flat();

/** Settings that are not limits. A new setting is either one of these or a row on the page of limits. */
const unbounded = [
  ...['host', 'port', 'dataDir', 'adminToken', 'adminTokenFile', 'queryToken', 'queryTokenFile', 'ingestToken'],
  ...[
    'ingestTokenFile',
    'store',
    'storeFile',
    'defaultProject',
    'endpointsDir',
    'webhooksFile',
    'values',
    'engineThreads',
    'segmentEvents',
    'warmingPercent',
    'slowQueryMs',
    'sources',
    'sourceAliases',
    'trustedProxies',
  ],
  ...[
    'redactDetectors',
    'redactFields',
    'redactPatterns',
    'redactKey',
    'headerPrefix',
    'tokenInUrl',
    'logLevel',
    'logFormat',
    'corsOrigins',
    'tracesEndpoint',
    'tracesHeaders',
    'tracesPercent',
  ],
  ...Object.keys(clickhouseSettings),
  ...Object.keys(syslogSettings).filter((name) => name !== 'syslogConnectionsMax'),
];

it('documents every setting that is a limit', () => {
  const documented = rows.map(({ bound }) => bound).filter((bound) => typeof bound === 'string');
  expect(settingNames.filter((name) => !documented.includes(name) && !unbounded.includes(name))).toEqual([]);
});

it('documents every limit that is no setting', () => {
  const source = readFileSync(join(import.meta.dirname, '..', '..', 'scripts', 'docs', 'limitsPage.ts'), 'utf8');
  const defaults = ['callerQueryBytesMax', 'parameterBytesMax'];
  const undocumented = Object.keys(limits).filter((name) => !source.includes(`limits.${name}`));
  expect(undocumented).toEqual(defaults);
});

it('documents a limit for every error code that stands for one', () => {
  const codes = Object.keys(errorCatalogue).filter((code) =>
    /\.(too_|head_too_|overloaded|timeout|memory|rows_max|rate_)/.test(code),
  );
  const documented = new Set<unknown>(rows.map(({ beyond }) => beyond));
  expect(codes.length).toBeGreaterThan(10);
  expect(codes.filter((code) => !documented.has(code))).toEqual([]);
});

it('has the page as it is generated, with a row for each', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'reference', 'limits.md'), 'utf8');
  for (const { what } of rows) expect(page).toContain(`| ${what} |`);
});
