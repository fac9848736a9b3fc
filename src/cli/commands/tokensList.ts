import { Command } from 'commander';
import { tokenView } from '../../manage/tokenView.ts';
import type { CliContext } from '../cliContext.ts';
import { plainTable } from '../plainTable.ts';
import { restrictionsText } from '../restrictionsText.ts';
import { addSettingOptions, type SettingFlags } from '../settingOptions.ts';
import { folderOwner, withTokens } from '../tokenManagementOf.ts';

interface ListOptions extends SettingFlags {
  readonly all?: boolean;
  readonly json?: boolean;
}

/** `logmill tokens list`: lists the live tokens, without their secrets. */
export function tokensListCommand(context: CliContext): Command {
  const command = new Command('list')
    .description('list the live tokens, without their secrets')
    .option('--all', 'also list revoked and expired tokens')
    .option('--json', 'print JSON');
  return addSettingOptions(command, ['dataDir']).action((options: ListOptions) => list(options, context));
}

async function list(options: ListOptions, context: CliContext): Promise<void> {
  const every = {
    limit: Number.MAX_SAFE_INTEGER,
    after: null,
    state: options.all === true ? null : ('live' as const),
  };
  const records = await withTokens(options, context, ({ tokens }) => tokens.list(every, folderOwner));
  const nowMicros = context.clock.nowMicros();
  const views = records.map((record) => tokenView(record, nowMicros));
  if (options.json === true) {
    context.out(`${JSON.stringify(views, undefined, 2)}\n`);
    return;
  }
  const rows = views.map(({ id, state, scopes, restrictions, expires_at, last_used_at, description }) => [
    id,
    state,
    scopes.join(', '),
    restrictionsText(restrictions) || 'none',
    expires_at ?? 'never',
    last_used_at ?? 'never',
    description,
  ]);
  context.out(plainTable(['id', 'state', 'scopes', 'restrictions', 'expires', 'last used', 'description'], rows));
}
