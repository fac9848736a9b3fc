import { plainJson, readJsonBody } from '../../jsonBody.ts';
import type { Route } from '../../route.ts';
import { managedAnswer, managedRoute } from '../endpoints/managed.ts';
import { managedProject } from './managedProject.ts';

const deleteEvents = managedRoute({
  operation: 'projects.delete_events',
  methods: ['DELETE'],
  path: '/api/projects/:project/events',
  urlParameters: ['source', 'before'],
  summary: 'Deletes the stored events of a project. After the answer, no query shows them.',
  async handle(call, token) {
    const project = managedProject(call, token);
    const { options, requestId, services } = call;
    const deletion = await services.deletionManagement.delete(
      project,
      { source: options.get('source'), before: options.get('before') },
      { actor: token.publicId, requestId },
    );
    const location = `/api/projects/${encodeURIComponent(project)}/deletions/${deletion.id}`;
    return { ...managedAnswer(deletion, { location }), status: 202 };
  },
});

const listDeletions = managedRoute({
  operation: 'projects.deletions',
  methods: ['GET'],
  path: '/api/projects/:project/deletions',
  urlParameters: [],
  summary: 'Lists the last 1,000 deletions of events of a project, newest first.',
  async handle(call, token) {
    const project = managedProject(call, token);
    return managedAnswer({ deletions: await call.services.deletionManagement.list(project) });
  },
});

const readDeletion = managedRoute({
  operation: 'projects.deletion',
  methods: ['GET'],
  path: '/api/projects/:project/deletions/:id',
  urlParameters: [],
  summary: 'Returns the progress of a deletion of events, and what it has removed.',
  async handle(call, token) {
    const project = managedProject(call, token);
    return managedAnswer(await call.services.deletionManagement.read(project, call.pathParts.id ?? ''));
  },
});

const readRetention = managedRoute({
  operation: 'projects.retention',
  methods: ['GET'],
  path: '/api/projects/:project/retention',
  urlParameters: [],
  summary: 'Returns how long events of a project are kept, by source.',
  async handle(call, token) {
    const project = managedProject(call, token);
    return managedAnswer(call.services.retentionManagement.ofProject(project));
  },
});

const setRetention = managedRoute({
  operation: 'projects.set_retention',
  methods: ['PUT'],
  path: '/api/projects/:project/retention',
  urlParameters: [],
  takesBody: true,
  summary: 'Sets how long events of a project are kept. Older events disappear from answers at once.',
  async handle(call, token) {
    const project = managedProject(call, token);
    const { requestId, services } = call;
    const input = plainJson(await readJsonBody(call));
    const by = { actor: token.publicId, requestId };
    return managedAnswer(await services.retentionManagement.setOfProject(project, input, by));
  },
});

export const projectRoutes: readonly Route[] = [deleteEvents, listDeletions, readDeletion, readRetention, setRetention];
