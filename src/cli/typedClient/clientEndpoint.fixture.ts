import type { ClientEndpoint } from './readEndpoints.ts';

/** An endpoint that can be called in every way. */
export const everyWay: ClientEndpoint = {
  method: 'logsAll',
  path: '/api/endpoints/query/logs.all',
  description: '',
  parameters: [],
  row: null,
  takesQueries: true,
  streams: true,
  hasPages: true,
  tailPath: '/api/endpoints/tail/logs.all',
};

/** One that has nothing but its answer. */
export const plainEndpoint: ClientEndpoint = {
  ...everyWay,
  method: 'usageCounts',
  path: '/api/endpoints/query/usage.counts',
  takesQueries: false,
  streams: false,
  hasPages: false,
  tailPath: null,
};

/** What a client is made from. */
export const clientApi = { version: '1.0.0', headerPrefix: 'SVC', endpoints: [everyWay, plainEndpoint] };
