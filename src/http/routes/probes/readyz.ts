import type { SeenNode } from '../../../ports/nodeList.ts';
import { jsonAnswer, type Route, type RouteCall } from '../../route.ts';

const answer = async ({ services }: RouteCall) => {
  await services.checkReady();
  const space = services.space();
  // The service is still ready, because calls are answered.
  return jsonAnswer({
    status: 'ok',
    ...(space?.isLow ? { ingestion: 'ingest.disk_full' } : {}),
    ...(space?.isSealingStopped ? { sealing: 'service.disk_full' } : {}),
    ...(services.storeContact().isAway ? { store: 'service.store_unavailable' } : {}),
    ...(services.nodes === null ? {} : { node: services.nodes.id, nodes: services.nodes.list().map(nodeView) }),
  });
};

const nodeView = ({ id, version, silentMs, isAlive }: SeenNode) => ({
  id,
  version,
  state: isAlive ? 'alive' : 'silent',
  silent_seconds: Math.round(silentMs / 1000),
});

/** 200 once definitions are loaded and the engine answers; 503 before that and while draining (contract, section 8). */
export const readyz: Route = {
  operation: 'probes.readyz',
  methods: ['GET'],
  path: '/readyz',
  urlParameters: 'open',
  summary: 'Says whether the service can answer queries now.',
  credential: 'none',
  handle: answer,
};

/** Alias of `readyz`. */
export const health: Route = {
  operation: 'probes.health',
  methods: ['GET'],
  path: '/health',
  urlParameters: 'open',
  summary: 'Same as /readyz.',
  credential: 'none',
  handle: answer,
};

/** Alias of `readyz`, which Loki clients ask before they send. */
export const ready: Route = {
  operation: 'probes.ready',
  methods: ['GET'],
  path: '/ready',
  urlParameters: 'open',
  summary: 'Same as /readyz.',
  credential: 'none',
  handle: answer,
};
