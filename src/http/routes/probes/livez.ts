import { jsonAnswer, type Route } from '../../route.ts';

/** Answers as long as the process runs and its event loop is not blocked. */
export const livez: Route = {
  operation: 'probes.livez',
  methods: ['GET'],
  path: '/livez',
  urlParameters: 'open',
  summary: 'Says whether the process is alive.',
  credential: 'none',
  handle: async () => jsonAnswer({ status: 'ok' }),
};
