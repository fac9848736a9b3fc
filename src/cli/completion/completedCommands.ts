import type { Command, Option } from 'commander';
import { askedArgument } from './completeLine.ts';

/** A command as shells complete it. */
export interface CompletedCommand {
  /** The words after `logmill`; empty for `logmill` itself. */
  readonly path: readonly string[];
  /** The words that may follow: commands, or the values of an argument that has no others. */
  readonly words: readonly Described[];
  readonly options: readonly CompletedOption[];
  /** Whether "logmill completion" is asked for its arguments, because the service knows them. */
  readonly isAsked: boolean;
}

interface Described {
  readonly name: string;
  readonly description: string;
}

export interface CompletedOption {
  /** Such as `-o` and `--output`. */
  readonly flags: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  /** The values that it can have; empty if there are others. */
  readonly values: readonly string[];
}

const help: CompletedOption = {
  flags: ['-h', '--help'],
  description: 'print help',
  takesValue: false,
  values: [],
};

/** The command and all below it, each before those below it. */
export function completedCommands(command: Command, path: readonly string[] = []): readonly CompletedCommand[] {
  return [
    {
      path,
      words: [
        ...command.commands.map((below) => ({ name: below.name(), description: below.description() })),
        ...command.registeredArguments.flatMap(({ argChoices = [] }) =>
          argChoices.map((name) => ({ name, description: '' })),
        ),
      ],
      options: [...command.options.filter(({ hidden }) => !hidden).map(completedOption), help],
      isAsked: command.registeredArguments.some((argument) => argument.name() === askedArgument),
    },
    ...command.commands.flatMap((below) => completedCommands(below, [...path, below.name()])),
  ];
}

function completedOption({ short, long, description, required, optional, argChoices }: Option): CompletedOption {
  return {
    flags: [short, long].filter((flag) => flag !== undefined && flag !== null),
    description,
    takesValue: required || optional,
    values: argChoices ?? [],
  };
}

/** Where a command stands in the scripts: each of its words after a space. */
export const placeOf = (path: readonly string[]): string => path.map((word) => ` ${word}`).join('');

/** The flags of options that take a value, each after the place of its command. */
export const placesOfValues = (
  command: CompletedCommand,
  isWanted: (option: CompletedOption) => boolean,
): readonly string[] =>
  command.options
    .filter((option) => option.takesValue && isWanted(option))
    .flatMap(({ flags }) => flags.map((flag) => `${placeOf(command.path)} ${flag}`));

/** A text in single quotes, for sh, bash and zsh. */
export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
