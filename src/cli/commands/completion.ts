import { Argument, Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { bashCompletion } from '../completion/bashCompletion.ts';
import { completedCommands } from '../completion/completedCommands.ts';
import { completeLine } from '../completion/completeLine.ts';
import { fishCompletion } from '../completion/fishCompletion.ts';
import { zshCompletion } from '../completion/zshCompletion.ts';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/**
 * `logmill completion`: prints a script by which a shell completes commands, options, and what the service knows. With a
 * line, as the scripts call it, it prints what can stand in place of its last word.
 */
export function completionCommand(context: CliContext): Command {
  const shell = new Argument('<shell>', 'your shell');
  // Not `choices`, which would check the value before it is found to be blank.
  shell.argChoices = Object.keys(scripts);
  const command = new Command('completion')
    .description('print a script that completes commands, options, endpoints and fields in your shell')
    .addArgument(shell)
    .argument('[line]', 'a command line without "logmill": print what can stand in place of its last word')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Endpoints and fields are those of the service at LOGMILL_URL, with LOGMILL_TOKEN. Add the line of your shell to its
start file:
  bash  source <(logmill completion bash)
  zsh   source <(logmill completion zsh)    (after compinit)
  fish  logmill completion fish | source`,
    );
  return command.action(async (given: string, line: string | undefined, options: { readonly json?: boolean }) => {
    const wanted = shell.argChoices?.find((name): name is keyof typeof scripts => name === given);
    if (wanted === undefined) {
      throw new CliError(`<shell> is "${given}"; it must be one of ${Object.keys(scripts).join(', ')}.`, {
        exitCode: 2,
      });
    }
    if (command.parent === null) throw new Error('completion needs the commands beside it');
    const answer =
      line === undefined
        ? { script: scripts[wanted](completedCommands(command.parent)) }
        : { words: await completeLine(line, command.parent, context) };
    if (options.json === true) context.out(`${JSON.stringify(answer, undefined, 2)}\n`);
    else context.out(answer.script ?? answer.words.map((word) => `${word}\n`).join(''));
  });
}
