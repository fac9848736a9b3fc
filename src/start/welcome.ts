import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { demoProjects } from '../demo/generate.ts';
import { adminTokenFileName } from './adminToken.ts';
import { demoCalls } from './demoCalls.ts';
import type { RunningService } from './startService.ts';

export interface WelcomeOptions {
  readonly dataDir: string;
  /** Whether the text goes to a terminal. */
  readonly isTerminal: boolean;
}

/**
 * The text that a started service prints on standard output. The first line announces that it is ready (contract,
 * section 8). The administration token and the link to the console are shown only on a terminal or in demo mode (section 4).
 */
export function welcome(service: RunningService, options: WelcomeOptions): string {
  const { url, adminToken, demo } = service;
  const lines = [`Logmill is ready, listening on ${url}`];
  const adminFile = `${options.dataDir.replace(/\/$/, '')}/${adminTokenFileName}`;
  const isDemo = demo !== undefined && demo !== 'foreign';
  if (adminToken !== undefined && (options.isTerminal || isDemo)) {
    lines.push('', `Administration token, kept in ${adminFile}:`, `  ${adminToken}`);
  } else if (adminToken !== undefined) {
    lines.push(`The administration token is in ${adminFile}`);
  }
  if (demo === 'foreign') {
    lines.push(`${options.dataDir} already holds other data, so no sample data was added.`);
  }
  if (isDemo) {
    const { events, fromMicros, toMicros } = demo.fill;
    lines.push(
      '',
      `Added ${events} sample events of the projects ${demoProjects.join(' and ')}, from ${iso(fromMicros)} to ${iso(toMicros)}.`,
    );
    lines.push('Calls to try (their token is valid for one day):');
    for (const { title, command } of demoCalls(url, demo.queryToken)) lines.push('', `# ${title}`, command);
    lines.push(
      '',
      '# For the commands in the documentation, in any shell:',
      `export LOGMILL_URL=${url} LOGMILL_DATA_DIR=${shellText(resolve(options.dataDir))}`,
      // The file is missing if the administration token was given in a setting.
      ...(existsSync(adminFile) ? [`export LOGMILL_TOKEN="$(cat "$LOGMILL_DATA_DIR/${adminTokenFileName}")"`] : []),
      '',
      `To read about every call and try it in a browser with the token above, open ${url}/docs`,
    );
  }
  // Like the token: whoever reads the log of a service must not become its administrator.
  if (options.isTerminal || isDemo) lines.push('', ...consoleLines(service));
  return `${lines.join('\n')}\n`;
}

function consoleLines(service: RunningService): readonly string[] {
  if (!service.hasConsole) return ['There is no console, because it was not built. Run "npm run build" and restart.'];
  return ['The console, signed in (the link works once, for ten minutes):', `  ${service.consoleLink()}`];
}

/** One word for a POSIX shell. */
const shellText = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

function iso(micros: number): string {
  return `${new Date(micros / 1000).toISOString().slice(0, 19)}Z`;
}
