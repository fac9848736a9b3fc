import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { endpointsCheckCommand } from './endpointsCheck.ts';
import { endpointsDeleteCommand } from './endpointsDelete.ts';
import { endpointsDeployCommand, endpointsDiffCommand } from './endpointsDeploy.ts';
import { endpointsDevCommand } from './endpointsDev.ts';
import { endpointsExportCommand } from './endpointsExport.ts';
import { endpointsImportCommand } from './endpointsImport.ts';
import { endpointsListCommand } from './endpointsList.ts';
import { endpointsNewCommand } from './endpointsNew.ts';
import { endpointsPrimaryCommand } from './endpointsPrimary.ts';
import { endpointsPurgeCommand } from './endpointsPurge.ts';
import { endpointsRestoreCommand } from './endpointsRestore.ts';
import { endpointsRunCommand } from './endpointsRun.ts';
import { endpointsShowCommand } from './endpointsShow.ts';
import { endpointsVersionsCommand } from './endpointsVersions.ts';

/** `logmill endpoints …`: manages the endpoints of a running service. */
export function endpointsCommand(context: CliContext): Command {
  return new Command('endpoints')
    .description('manage the endpoints of a running service')
    .addCommand(endpointsListCommand(context))
    .addCommand(endpointsShowCommand(context))
    .addCommand(endpointsNewCommand(context))
    .addCommand(endpointsCheckCommand(context))
    .addCommand(endpointsRunCommand(context))
    .addCommand(endpointsDevCommand(context))
    .addCommand(endpointsDiffCommand(context))
    .addCommand(endpointsDeployCommand(context))
    .addCommand(endpointsExportCommand(context))
    .addCommand(endpointsImportCommand(context))
    .addCommand(endpointsVersionsCommand(context))
    .addCommand(endpointsRestoreCommand(context))
    .addCommand(endpointsDeleteCommand(context))
    .addCommand(endpointsPrimaryCommand(context))
    .addCommand(endpointsPurgeCommand(context));
}
