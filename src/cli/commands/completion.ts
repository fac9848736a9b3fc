import { Argument, Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { bashCompletion } from '../completion/bashCompletion.ts';
import { completedCommands } from '../completion/completedCommands.ts';
import { fishCompletion } from '../completion/fishCompletion.ts';
import { zshCompletion } from '../completion/zshCompletion.ts';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/** `logmill completion`: prints a script by which a shell completes commands and options. */
export function completionCommand(context: CliContext): Command {
  const shell = new Argument('<shell>', 'your shell');
  // Not `choices`, which would check the value before it is found to be blank.
  shell.argChoices = Object.keys(scripts);
  const command = new Command('completion')
    .description('print a script that completes commands and options in your shell')
    .addArgument(shell)
    .addHelpText(
      'after',
      `
Add the line of your shell to its start file:
  bash  source <(logmill completion bash)
  zsh   source <(logmill completion zsh)    (after compinit)
  fish  logmill completion fish | source`,
    );
  return command.action((given: string) => {
    const wanted = shell.argChoices?.find((name): name is keyof typeof scripts => name === given);
    if (wanted === undefined) {
      throw new CliError(`<shell> is "${given}"; it must be one of ${Object.keys(scripts).join(', ')}.`, {
        exitCode: 2,
      });
    }
    if (command.parent === null) throw new Error('completion needs the commands beside it');
    context.out(scripts[wanted](completedCommands(command.parent)));
  });
}
