import { Command } from 'commander';
import { scopeNotices } from '../../manage/scopeNotices.ts';
import { tokenView } from '../../manage/tokenView.ts';
import { parseScopes, scopeForms } from '../../tokens/scope.ts';
import type { TokenRecord } from '../../tokens/tokenStore.ts';
import type { CliContext } from '../cliContext.ts';
import { expiryMicros } from '../expiry.ts';
import { addRestrictionOptions, type RestrictionFlags, restrictionsOfFlags } from '../restrictionFlags.ts';
import { restrictionsText } from '../restrictionsText.ts';
import { addSettingOptions, type SettingFlags } from '../settingOptions.ts';
import { folderOwner, withTokens } from '../tokenManagementOf.ts';

interface CreateOptions extends SettingFlags, RestrictionFlags {
  readonly scope: readonly string[];
  readonly expires?: string;
  readonly description: string;
  readonly json?: boolean;
}

/** `logmill tokens create`: makes a token and shows it, once. */
export function tokensCreateCommand(context: CliContext): Command {
  const command = new Command('create')
    .description('make a token and show it, once')
    .requiredOption('--scope <scope>', `what the token may do; may be repeated: ${scopeForms.join(', ')}`, collect, []);
  addRestrictionOptions(command)
    .option('--expires <when>', 'a span such as 90d or 12h, or a time such as 2027-01-31T00:00:00Z (default: never)')
    .option('--description <text>', 'what the token is for', '')
    .option('--json', 'print JSON');
  return addSettingOptions(command, ['dataDir']).action((options: CreateOptions) => create(options, context));
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, ...value.split(',').map((scope) => scope.trim())];
}

async function create(options: CreateOptions, context: CliContext): Promise<void> {
  const nowMicros = context.clock.nowMicros();
  const request = {
    description: options.description,
    scopes: parseScopes(options.scope),
    restrictions: restrictionsOfFlags(options),
    expiresAtMicros: options.expires === undefined ? null : expiryMicros(options.expires, nowMicros),
  };
  const { text, record, notices } = await withTokens(options, context, async ({ tokens, named }) => ({
    ...(await tokens.create(request, folderOwner)),
    notices: await scopeNotices(request.scopes, named),
  }));
  const view = tokenView(record, nowMicros);
  if (options.json === true) {
    context.out(`${JSON.stringify({ token: text, ...view, notices }, undefined, 2)}\n`);
  } else {
    context.out(`${text}\n`);
    const until = view.expires_at === null ? 'does not expire' : `expires ${view.expires_at}`;
    context.err(`Token ${view.id} may ${view.scopes.join(', ')}; it ${until}. It is shown only now: keep it.\n`);
  }
  const { projects: _, ...others } = view.restrictions;
  const keptTo = restrictionsText(others);
  if (keptTo !== '') context.err(`It is kept to: ${keptTo}.\n`);
  for (const { message } of notices) context.err(`${message}\n`);
  for (const sentence of reachOf(record)) context.err(`${sentence}\n`);
}

/**
 * Contract, section 4: a token without `projects` can read every project, and `tokens create` says so. As endpoints and
 * sources belong to no project, it says as well how far `manage` reaches with them.
 */
function reachOf({ scopes, restrictions }: TokenRecord): readonly string[] {
  const projects = restrictions?.projects ?? null;
  const reads = scopes.some(({ kind }) => kind === 'query' || kind === 'query:endpoint');
  const manages = scopes.some(({ kind }) => kind === 'manage');
  if (projects !== null) {
    return [
      `It is restricted to the events of ${projects.join(', ')}.`,
      ...(manages ? ['With manage it still changes endpoints and sources, which all projects share.'] : []),
    ];
  }
  if (!reads) return ['It is not restricted to projects.'];
  return ['It is not restricted to projects: it can read the events of every project. --project restricts a token.'];
}
