import { expect, it } from 'vitest';
import type { RunningService, StartedDemo } from './startService.ts';
import { welcome } from './welcome.ts';

const sample: StartedDemo = { fill: { events: 9, fromMicros: 0, toMicros: 1_000_000 }, queryToken: 'lm_sample' };

/** A service that counts the links that it makes, because each one signs in. */
function running(of: Partial<RunningService> = {}): RunningService & { readonly links: string[] } {
  const links: string[] = [];
  return {
    url: 'http://127.0.0.1:4000',
    adminToken: undefined,
    demo: undefined,
    syslogPort: undefined,
    hasConsole: true,
    warm: () => {},
    consoleLink: () => {
      links.push(`http://127.0.0.1:4000/console/#code=${links.length}`);
      return links.at(-1) ?? '';
    },
    close: async () => undefined,
    ...of,
    links,
  };
}

const text = (service: RunningService, isTerminal = false) => welcome(service, { dataDir: './data', isTerminal });

it('has a link to the console on a terminal and with sample data', () => {
  for (const [service, isTerminal] of [
    [running(), true],
    [running({ demo: 'foreign' }), true],
    [running({ demo: sample }), false],
  ] as const) {
    expect(text(service, isTerminal)).toContain(`  ${service.links[0] ?? 'no link'}\n`);
    expect(service.links).toHaveLength(1);
  }
});

it('has no link where its output may be kept in a log, and makes none', () => {
  for (const service of [running(), running({ demo: 'foreign' })]) {
    expect(text(service)).not.toContain('/console/');
    expect(service.links).toEqual([]);
  }
});

it('says how to build the console where there is none', () => {
  const service = running({ hasConsole: false, demo: sample });
  expect(text(service)).toContain('Run "npm run build" and restart.');
  expect(service.links).toEqual([]);
});
