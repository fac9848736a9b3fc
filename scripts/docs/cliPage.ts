import type { Command } from 'commander';
import { documentedProgram } from './documentedProgram.ts';

/** The page of the command line, from the commands' own help. */
export async function cliPage(): Promise<string> {
  const sections = allOf(await documentedProgram(), []).map(([name, command]) => {
    command.configureOutput({ getOutHelpWidth: () => 110 });
    const help = command.helpInformation().trimEnd();
    return `## ${name}\n\n\`\`\`text\n${help}\n\`\`\``;
  });
  return `# Command line

Most commands call a running service over HTTP. \`LOGMILL_URL\` sets its address (default: \`http://127.0.0.1:4000\`), and \`LOGMILL_TOKEN\` the token.
These commands work differently:

- \`health\` needs no token.
- \`tokens\` opens the store in the data folder, also while a service runs. \`doctor\` and \`backup --data-dir\` read that folder, and \`restore\` creates one.
- \`test\`, \`config\` and \`completion\` need neither a service nor a data folder.

You can also give each flag that is a [setting](settings.md) as an environment variable or in a file.

Exit codes: 0 success; 1 refused or failed; 2 wrong usage, including invalid settings. Results go to standard output, messages to standard error.
With \`--json\`, an error is a problem document on standard error, with the members of [errors](errors.md) that apply and \`exit_code\`.

${sections.join('\n\n')}
`;
}

function allOf(command: Command, above: readonly string[]): readonly (readonly [string, Command])[] {
  const path = [...above, command.name()];
  return [[path.join(' '), command] as const, ...command.commands.flatMap((below) => allOf(below, path))];
}
