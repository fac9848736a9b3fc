import type { Route } from '../route.ts';
import { listAudit } from './audit/list.ts';
import { backupRoutes } from './backups/backupRoutes.ts';
import { consoleRoutes } from './console/consoleRoutes.ts';
import { docsPage } from './docs/page.ts';
import { runDoctor } from './doctor/run.ts';
import { bulkRoutes } from './elastic/bulk.ts';
import { elasticProbes } from './elastic/probes.ts';
import { convertQuery } from './endpoints/convert.ts';
import { readFieldsOfEndpoint } from './endpoints/fields.ts';
import { managementRoutes } from './endpoints/managementRoutes.ts';
import { purgeEndpoint } from './endpoints/purge.ts';
import { queryEndpoint } from './endpoints/query.ts';
import { tailEndpoint } from './endpoints/tail.ts';
import { appendEvents } from './events/append.ts';
import { exportRoutes } from './exports/exportRoutes.ts';
import { listFunctions } from './functions/list.ts';
import { pushToLoki } from './loki/push.ts';
import { readMetrics } from './metrics/read.ts';
import { readOpenApi } from './openapi/read.ts';
import { exportLogs } from './otlp/exportLogs.ts';
import { livez } from './probes/livez.ts';
import { health, ready, readyz } from './probes/readyz.ts';
import { projectRoutes } from './projects/projectRoutes.ts';
import { killQuery } from './queries/kill.ts';
import { listQueries } from './queries/list.ts';
import { readSchemas } from './schemas/read.ts';
import { sessionRoutes } from './session/sessionRoutes.ts';
import { sourceRoutes } from './sources/sourceRoutes.ts';
import { tokenRoutes } from './tokens/tokenRoutes.ts';
import { receiveWebhook } from './webhooks/receive.ts';

/** Every route of the public listener. The server, the OpenAPI document, the docs and tests read this list. */
export const allRoutes: readonly Route[] = [
  queryEndpoint,
  tailEndpoint,
  readFieldsOfEndpoint,
  purgeEndpoint,
  convertQuery,
  listFunctions,
  ...managementRoutes,
  ...tokenRoutes,
  ...sessionRoutes,
  listAudit,
  ...backupRoutes,
  ...exportRoutes,
  listQueries,
  killQuery,
  ...appendEvents,
  exportLogs,
  pushToLoki,
  ...bulkRoutes,
  ...elasticProbes,
  receiveWebhook,
  ...sourceRoutes,
  ...projectRoutes,
  readMetrics,
  runDoctor,
  readOpenApi,
  ...readSchemas,
  ...consoleRoutes,
  ...docsPage,
  livez,
  readyz,
  health,
  ready,
];
