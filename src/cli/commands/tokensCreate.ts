import { Command, Option } from 'commander';
import { isUuid } from '../../core/ids.ts';
import { scopeNotices } from '../../manage/scopeNotices.ts';
import { tokenView } from '../../manage/tokenView.ts';
import { parseScopes, scopeForms } from '../../tokens/scope.ts';
import type { TokenRecord } from '../../tokens/tokenStore.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { expiryMicros } from '../expiry.ts';
import { addRestrictionOptions, type RestrictionFlags, restrictionsOfFlags } from '../restrictionFlags.ts';
import { restrictionsText } from '../restrictionsText.ts';
import { addSettingOptions, type SettingFlags } from '../settingOptions.ts';
import { folderOwner, type OpenedTokens, withTokens } from '../tokenManagementOf.ts';

interface CreateOptions extends SettingFlags, RestrictionFlags {
  readonly scope: readonly string[];
  readonly expires?: string;
  readonly description: string;
  readonly json?: boolean;
}

/** `logmill tokens create`: creates a token and prints it once. */
export function tokensCreateCommand(context: CliContext): Command {
  const command = new Command('create')
    .description('create a token and print it; it cannot be shown again')
    .addOption(
      new Option(
        '--scope <scope>',
        `what the token may do; may be repeated; one of ${scopeForms.join(', ')}; an endpoint also by its name`,
      )
        .argParser(collect)
        .makeOptionMandatory()
        .default([], 'none'),
    );
  addRestrictionOptions(command)
    .option(
      '--expires <when>',
      'when the token expires: a duration such as 90d or 12h, or a time such as 2027-01-31T00:00:00Z (default: never)',
    )
    .addOption(new Option('--description <text>', 'what the token is for').default('', 'none'))
    .option('--json', 'print JSON');
  return addSettingOptions(command, ['dataDir']).action((options: CreateOptions) => create(options, context));
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, ...value.split(',').map((scope) => scope.trim())];
}

async function create(options: CreateOptions, context: CliContext): Promise<void> {
  const nowMicros = context.clock.nowMicros();
  // Before the store is opened, which can fail too.
  const plain = options.scope.filter((scope) => endpointNameIn(scope) === null);
  if (plain.length > 0 || options.scope.length === 0) parseScopes(plain);
  const wanted = {
    description: options.description,
    restrictions: restrictionsOfFlags(options),
    expiresAtMicros: options.expires === undefined ? null : expiryMicros(options.expires, nowMicros),
  };
  const { text, record, notices } = await withTokens(options, context, async ({ tokens, named, endpointIdOf }) => {
    const scopes = parseScopes(await Promise.all(options.scope.map((scope) => withEndpointId(scope, endpointIdOf))));
    return {
      ...(await tokens.create({ ...wanted, scopes }, folderOwner)),
      notices: await scopeNotices(scopes, named),
    };
  });
  const view = tokenView(record, nowMicros);
  if (options.json === true) {
    context.out(`${JSON.stringify({ token: text, ...view, notices }, undefined, 2)}\n`);
  } else {
    context.out(`${text}\n`);
    const until = view.expires_at === null ? 'It does not expire' : `It expires ${view.expires_at}`;
    context.err(
      `Created token ${view.id} with the ${view.scopes.length === 1 ? 'scope' : 'scopes'} ${view.scopes.join(', ')}. ${until}. Save it now: it cannot be shown again.\n`,
    );
  }
  const { projects: _, ...others } = view.restrictions;
  const restricted = restrictionsText(others);
  if (restricted !== '') context.err(`Restrictions: ${restricted}.\n`);
  for (const { message } of notices) context.err(`${message}\n`);
  for (const sentence of reachOf(record)) context.err(`${sentence}\n`);
}

/** The name of the endpoint in a scope; null if there is none. */
function endpointNameIn(scope: string): string | null {
  const name = /^query:endpoint:(.+)$/.exec(scope)?.[1] ?? null;
  return name === null || isUuid(name) ? null : name;
}

/** The scope with the ID of its endpoint, if it has the name. */
async function withEndpointId(scope: string, endpointIdOf: OpenedTokens['endpointIdOf']): Promise<string> {
  const name = endpointNameIn(scope);
  if (name === null) return scope;
  const id = await endpointIdOf(name);
  if (id !== undefined) return `query:endpoint:${id}`;
  throw new CliError(`There is no endpoint named ${name}. "logmill endpoints list" lists the endpoints.`, {
    exitCode: 2,
  });
}

/**
 * Says which projects the token reaches (contract, section 4: a token without `projects` can read every project). Also
 * says that `manage` reaches all endpoints and sources, because these do not belong to a project.
 */
function reachOf({ scopes, restrictions }: TokenRecord): readonly string[] {
  const projects = restrictions?.projects ?? null;
  const reads = scopes.some(({ kind }) => kind === 'query' || kind === 'query:endpoint');
  const manages = scopes.some(({ kind }) => kind === 'manage');
  if (projects !== null) {
    return [
      `It is restricted to the events of ${projects.join(', ')}.`,
      ...(manages
        ? ['With the scope manage, it can still change endpoints and sources, which all projects share.']
        : []),
    ];
  }
  if (!reads) return ['It is not restricted to projects.'];
  return ['It is not restricted to projects: it can read the events of every project. --project restricts a token.'];
}
