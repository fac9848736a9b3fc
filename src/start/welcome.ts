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
 * What a started service says on standard output. The first line announces that it is ready
 * (contract, section 8); the administration token is shown on a terminal or in demo mode only (section 4).
 */
export function welcome({ url, adminToken, demo }: RunningService, options: WelcomeOptions): string {
  const lines = [`Logmill is ready, listening on ${url}`];
  const adminFile = `${options.dataDir.replace(/\/$/, '')}/${adminTokenFileName}`;
  const isDemo = demo !== undefined && demo !== 'foreign';
  if (adminToken !== undefined && (options.isTerminal || isDemo)) {
    lines.push('', `Administration token, kept in ${adminFile}:`, `  ${adminToken}`);
  } else if (adminToken !== undefined) {
    lines.push(`The administration token is in ${adminFile}`);
  }
  if (demo === 'foreign') {
    lines.push(`${options.dataDir} holds data of its own, so no sample data was added.`);
  }
  if (isDemo) {
    const { events, fromMicros, toMicros } = demo.fill;
    lines.push(
      '',
      `Sample data: ${events} events from ${iso(fromMicros)} to ${iso(toMicros)} added, of the projects ${demoProjects.join(' and ')}.`,
    );
    lines.push('Calls to try; their token is valid for a day:');
    for (const { title, command } of demoCalls(url, demo.queryToken)) lines.push('', `# ${title}`, command);
    lines.push('', `Every call, to be looked up and tried in a browser with the token above: ${url}/docs`);
  }
  return `${lines.join('\n')}\n`;
}

function iso(micros: number): string {
  return `${new Date(micros / 1000).toISOString().slice(0, 19)}Z`;
}
