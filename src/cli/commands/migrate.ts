import { Command, Option } from 'commander';
import { counted } from '../../core/counted.ts';
import type { CopiedEvents, CopyProgress } from '../../start/copyEvents.ts';
import { type MigrationTarget, migrateDefinitions } from '../../start/migrateDefinitions.ts';
import { abandonEventCopy, type EventTarget, migrateEvents } from '../../start/migrateEvents.ts';
import { readSettings } from '../../start/readSettings.ts';
import type { CopiedRows } from '../../stores/sql/copyDefinitions.ts';
import type { UnfinishedCopy } from '../../stores/sql/sqlEventCopies.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { plainTable } from '../plainTable.ts';
import { addSettingOptions, type SettingFlags, settingFlags } from '../settingOptions.ts';

interface MigrateFlags extends SettingFlags {
  readonly to?: MigrationTarget;
  readonly eventsTo?: EventTarget;
  readonly abandon?: boolean;
  readonly json?: boolean;
}

/** `logmill migrate`: copies definitions between the data folder and PostgreSQL, and events between it and ClickHouse. */
export function migrateCommand(context: CliContext): Command {
  const command = new Command('migrate')
    .description(
      'copy endpoints, tokens, sources, retention rules and the audit trail between the data folder and PostgreSQL, or events between the data folder and ClickHouse, while no service runs',
    )
    .addOption(
      new Option(
        '--to <target>',
        'copy definitions to postgres (the database of LOGMILL_STORE) or to folder (the data folder)',
      ).choices(['postgres', 'folder']),
    )
    .addOption(
      new Option(
        '--events-to <target>',
        'copy events to clickhouse (the database of LOGMILL_CLICKHOUSE_URL) or to folder, and compare them; continues after an interruption',
      ).choices(['clickhouse', 'folder']),
    )
    .option(
      '--abandon',
      'with --events-to: give up a copy of events that was begun and not finished, so that services start again; changes no events',
    )
    .option('--json', 'print JSON');
  return addSettingOptions(command, ['dataDir']).action(
    async (options: MigrateFlags) => await migrate(options, context),
  );
}

async function migrate(options: MigrateFlags, context: CliContext): Promise<void> {
  const { to, eventsTo } = options;
  if (to === undefined && eventsTo === undefined) {
    throw new CliError('Say what to copy: --to for definitions, --events-to for events, or both.', { exitCode: 2 });
  }
  const { settings } = readSettings({
    environment: context.environment,
    flags: settingFlags(options),
    configFile: options.config,
  });
  const { clock, randomness } = context;
  if (options.abandon === true) {
    if (eventsTo === undefined || to !== undefined) {
      throw new CliError('Use --abandon with --events-to and without --to.', { exitCode: 2 });
    }
    showAbandoned(eventsTo, await abandonEventCopy({ settings, clock }, eventsTo), options.json === true, context);
    return;
  }
  const rows = to === undefined ? null : await copyDefinitionsTo(to);
  if (options.json !== true && to !== undefined && rows !== null) showRows(to, rows, context);
  const events = eventsTo === undefined ? null : await copyEventsTo(eventsTo);
  if (options.json === true) {
    const definitions = rows === null ? {} : { to, rows: Object.fromEntries(rows) };
    context.out(`${JSON.stringify({ ...definitions, ...(events === null ? {} : { events_to: eventsTo, events }) })}\n`);
  } else if (eventsTo !== undefined && events !== null) showEvents(eventsTo, events, context);

  async function copyDefinitionsTo(target: MigrationTarget): Promise<CopiedRows> {
    const done = context.onInterrupt(
      () =>
        '\nInterrupted. The target holds what it held before, or the whole copy. Run the same command again to be sure.\n',
    );
    try {
      return await migrateDefinitions(settings, target, clock.nowMicros());
    } finally {
      done();
    }
  }

  async function copyEventsTo(target: EventTarget): Promise<CopiedEvents> {
    const done = context.onInterrupt(() => '\nInterrupted. Run the same command again to continue.\n');
    try {
      return await migrateEvents({
        settings,
        target,
        clock,
        randomness,
        observe: (observation) => {
          if (observation.kind === 'warning') context.err(`${observation.message}\n`);
        },
        progress: progressTo(context),
      });
    } finally {
      done();
    }
  }
}

function showRows(to: MigrationTarget, rows: CopiedRows, context: CliContext): void {
  const next =
    to === 'postgres' ? 'Start the service with the same LOGMILL_STORE.' : 'Start the service without LOGMILL_STORE.';
  context.out(
    plainTable(
      ['table', 'rows'],
      [...rows].map(([table, count]) => [table, String(count)]),
    ),
  );
  const total = [...rows.values()].reduce((sum, count) => sum + count, 0);
  context.out(`Copied and compared: ${counted(total, 'row')}. ${next}\n`);
}

function showEvents(to: EventTarget, { copied, equal }: CopiedEvents, context: CliContext): void {
  const next = to === 'clickhouse' ? 'LOGMILL_EVENTS=clickhouse' : 'LOGMILL_EVENTS=embedded';
  context.out(
    `Copied ${counted(copied, 'event')}. Both stores have the same ${counted(equal, 'event')}. Start the service with ${next}.\n`,
  );
}

function showAbandoned(
  target: EventTarget,
  { origin, place }: UnfinishedCopy,
  isJson: boolean,
  context: CliContext,
): void {
  if (isJson) {
    context.out(`${JSON.stringify({ events_to: target, abandoned: { origin, place } })}\n`);
    return;
  }
  const advice =
    target === 'clickhouse'
      ? 'Before a service keeps events there, drop that database, or name another one with LOGMILL_CLICKHOUSE_DATABASE.'
      : 'A service on that folder shows only those events. Name an empty folder to have none.';
  context.out(
    `The copy was given up. ${capitalised(place)} still holds the events that were copied. ${advice} Nothing was changed in ${origin}.\n`,
  );
}

const capitalised = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Milliseconds between two lines of progress. */
const progressEveryMs = 2_000;

/** Shows progress on a terminal, now and then. */
function progressTo(context: CliContext): (progress: CopyProgress) => void {
  let shownMs = Number.NEGATIVE_INFINITY;
  return ({ step, events, share }) => {
    const nowMs = context.clock.nowMicros() / 1000;
    if (!context.isTerminal || nowMs - shownMs < progressEveryMs) return;
    shownMs = nowMs;
    context.err(`${step}: ${counted(events, 'event')} (about ${Math.floor(share * 100)} %)\n`);
  };
}
