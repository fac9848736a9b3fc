import { ServiceError } from '../../../core/errors.ts';
import { allows } from '../../../tokens/permission.ts';
import { plainJson, readJsonBody } from '../../jsonBody.ts';
import type { Route } from '../../route.ts';
import { managedAnswer, managedRoute } from '../endpoints/managed.ts';
import { everyProjectRoute, requireEveryProject } from '../projects/managedProject.ts';
import { readSourceRetention, setSourceRetention } from './retention.ts';

const listSources: Route = {
  operation: 'sources.list',
  methods: ['GET'],
  path: '/api/sources',
  urlParameters: [],
  summary: 'Lists the sources that the token may send events to, or all sources with the scope manage.',
  credential: 'token',
  codeWhenFull: 'query.overloaded',
  bodyBytesMax: () => 0,
  authorise({ scopes }) {
    if (scopes.some(({ kind }) => kind === 'ingest' || kind === 'ingest:source' || kind === 'manage')) return;
    throw new ServiceError('auth.scope', 'This token may not list sources; it needs the scope ingest or manage.');
  },
  async handle({ services }, { scopes }) {
    const isManager = allows(scopes, { kind: 'manage' });
    const sources = services.sourceManagement
      .list()
      .filter(({ name }) => isManager || allows(scopes, { kind: 'ingest', source: name }));
    return managedAnswer({ sources });
  },
};

const createSource = managedRoute({
  operation: 'sources.create',
  methods: ['POST'],
  path: '/api/sources',
  urlParameters: [],
  takesBody: true,
  summary: 'Adds a source. Events can be sent to it at once, unless it reads a table that others fill.',
  async handle(call, token) {
    const { requestId, services } = call;
    const input = plainJson(await readJsonBody(call));
    // A table opens the events of every project in it.
    if (isObject(input) && 'table' in input) requireEveryProject(token);
    const source = await services.sourceManagement.create(input, { actor: token.publicId, requestId });
    return { ...managedAnswer(source), status: 201 };
  },
});

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const setAliases = managedRoute({
  operation: 'sources.set_aliases',
  methods: ['PUT'],
  path: '/api/sources/:name/aliases',
  urlParameters: [],
  takesBody: true,
  summary: 'Sets the other names that events of a source may be sent under.',
  async handle(call, { publicId }) {
    const { pathParts, requestId, services } = call;
    const input = plainJson(await readJsonBody(call));
    const by = { actor: publicId, requestId };
    return managedAnswer(await services.sourceManagement.setAliases(pathParts.name ?? '', input, by));
  },
});

const readRejections = everyProjectRoute({
  operation: 'sources.rejections',
  methods: ['GET'],
  path: '/api/sources/:name/rejections',
  urlParameters: [],
  summary:
    'Counts the events of a source that this node rejected since its start, by reason, with a recent one of each.',
  async handle({ pathParts, services, turns }) {
    const name = pathParts.name ?? '';
    return managedAnswer({ source: name, rejections: await services.sourceManagement.rejectionsOf(name, turns) });
  },
});

const readMembersRead = everyProjectRoute({
  operation: 'sources.members_read',
  methods: ['GET'],
  path: '/api/sources/:name/members-read',
  urlParameters: [],
  summary:
    'Counts the queries that this node ran since its start, by the members of the source that they read, and says which members are typed columns.',
  async handle({ pathParts, services }) {
    const name = pathParts.name ?? '';
    return managedAnswer({ source: name, members: services.sourceManagement.membersReadOf(name) });
  },
});

export const sourceRoutes: readonly Route[] = [
  listSources,
  createSource,
  setAliases,
  readRejections,
  readMembersRead,
  readSourceRetention,
  setSourceRetention,
];
