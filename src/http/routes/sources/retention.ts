import { plainJson, readJsonBody } from '../../jsonBody.ts';
import { managedAnswer, managedRoute } from '../endpoints/managed.ts';
import { everyProjectRoute } from '../projects/managedProject.ts';

export const readSourceRetention = managedRoute({
  operation: 'sources.retention',
  methods: ['GET'],
  path: '/api/sources/:name/retention',
  urlParameters: [],
  summary: 'Returns how long events of a source are kept if their project has no rule of its own.',
  async handle({ pathParts, services }) {
    return managedAnswer(services.retentionManagement.ofSource(pathParts.name ?? ''));
  },
});

export const setSourceRetention = everyProjectRoute({
  operation: 'sources.set_retention',
  methods: ['PUT'],
  path: '/api/sources/:name/retention',
  urlParameters: [],
  takesBody: true,
  summary: 'Sets how long events of a source are kept. Older events disappear from answers at once.',
  async handle(call, token) {
    const { pathParts, requestId, services } = call;
    const input = plainJson(await readJsonBody(call));
    const by = { actor: token.publicId, requestId };
    return managedAnswer(await services.retentionManagement.setOfSource(pathParts.name ?? '', input, by));
  },
});
