import { type CompletedCommand, type CompletedOption, placeOf } from './completedCommands.ts';

/** The completion script for fish. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  const below = commands.filter(({ path }) => path.length > 0);
  return `# Completion of logmill for fish. To use it: logmill completion fish | source
function __logmill_at
  set -l at ''
  for word in (commandline -opc)[2..]
    switch "$at $word"
      case ${below.map(({ path }) => fishQuoted(placeOf(path))).join(' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
function __logmill_ask
  set -l before (commandline -opc)[2..]
  set -l begun (commandline -ct)
  logmill completion fish "$before $begun" 2>/dev/null
end
${commands.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, words, options, isAsked }: CompletedCommand): readonly string[] {
  const at = `complete -c logmill -n ${fishQuoted(`__logmill_at ${fishQuoted(placeOf(path))}`)}`;
  return [
    ...(isAsked || words.length > 0 ? [`${at} -f`] : []),
    ...(isAsked ? [`${at} -a '(__logmill_ask)'`] : []),
    ...words.map(({ name, description }) => `${at} -a ${fishQuoted(name)} -d ${fishQuoted(description)}`),
    ...options.map((option) => `${at}${flagsOf(option)}${valueFlags(option)} -d ${fishQuoted(option.description)}`),
  ];
}

const flagsOf = ({ flags }: CompletedOption): string =>
  flags.map((flag) => (flag.startsWith('--') ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`)).join('');

function valueFlags({ takesValue, values }: CompletedOption): string {
  if (!takesValue) return '';
  return values.length === 0 ? ' -r -F' : ` -x -a ${fishQuoted(values.join(' '))}`;
}

/** A text in single quotes, for fish. */
const fishQuoted = (text: string): string =>
  `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
