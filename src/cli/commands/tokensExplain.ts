import { Command } from 'commander';
import { callParameters } from '../../http/callParameters.ts';
import type { CallExplanation } from '../../invoke/explainCall.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { addSettingOptions, type SettingFlags } from '../settingOptions.ts';
import { tokenArgumentText, tokenIdOf } from '../tokenIdOf.ts';
import { folderOwner, withTokens } from '../tokenManagementOf.ts';

interface ExplainOptions extends SettingFlags {
  readonly call: string;
  readonly address?: string;
  readonly json?: boolean;
}

/** `logmill tokens explain TOKEN --call …`: says whether a call would be allowed, and why. Exit code 1 if not. */
export function tokensExplainCommand(context: CliContext): Command {
  const command = new Command('explain')
    .description(
      'say rule by rule whether a token may make a call, without making it; exit code 0: allowed, 1: refused',
    )
    .argument('<token>', tokenArgumentText)
    .requiredOption('--call <call>', "endpoint and parameters as in the URL, such as 'usage.api-counts?project=x'")
    .option('--address <address>', 'client address of the call, for tokens that are restricted to networks')
    .option('--json', 'print JSON');
  return addSettingOptions(command, ['dataDir']).action((id: string, options: ExplainOptions) =>
    explain(id, options, context),
  );
}

async function explain(given: string, options: ExplainOptions, context: CliContext): Promise<void> {
  const [idOrName = '', ...query] = options.call.split('?');
  const parameters = callParameters(query.join('?'), {}, Buffer.alloc(0));
  const explanation = await withTokens(options, context, async ({ tokens, explainCall }) =>
    explainCall(await tokens.find(await tokenIdOf(given, tokens), folderOwner), {
      idOrName,
      parameters,
      address: options.address ?? null,
      nowMicros: context.clock.nowMicros(),
    }),
  );
  context.out(`${options.json === true ? JSON.stringify(explanation, undefined, 2) : renderRules(explanation)}\n`);
  const { outcome, status, code } = explanation;
  if (outcome !== 'allowed') throw new CliError(`The call would be refused: ${status} ${code}.`);
}

const marks = { allowed: 'ok', refused: 'NO', not_reached: '-' } as const;

function renderRules({ rules, outcome }: CallExplanation): string {
  const nameWidth = Math.max(...rules.map(({ rule }) => rule.length));
  const lines = rules
    .filter((each) => each.outcome !== 'not_reached')
    .map(({ rule, outcome: held, why }) => `${marks[held]}  ${rule.padEnd(nameWidth)}  ${why}`);
  return [...lines, ...(outcome === 'allowed' ? ['', 'The call would be allowed.'] : [])].join('\n');
}
