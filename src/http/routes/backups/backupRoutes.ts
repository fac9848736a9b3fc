import { backupIdleMsMax } from '../../../backup/backupSessions.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { AuthenticatedToken } from '../../../tokens/authenticator.ts';
import { requireScope } from '../../../tokens/permission.ts';
import { jsonAnswer, type Route } from '../../route.ts';

/**
 * A backup has the unredacted events of every project. It needs the scopes `manage` and `query`, and a token that is not
 * restricted to projects, values, rows or redaction.
 */
function requireEverything({ scopes, restrictions }: AuthenticatedToken): void {
  requireScope(scopes, { kind: 'manage' });
  if (!scopes.some(({ kind }) => kind === 'query')) {
    throw new ServiceError(
      'auth.scope',
      'A backup contains every event, so it also needs the scope query, for all endpoints.',
    );
  }
  if (restrictions === null) return;
  const { projects, parameters, redact, callerQueries, maxRows, streamMaxRows } = restrictions;
  const isKept =
    [parameters, redact, callerQueries, maxRows, streamMaxRows].some((each) => each !== undefined) || projects !== null;
  if (isKept) {
    throw new ServiceError(
      'auth.project',
      'A backup contains every event of every project. Use a token without a restriction of what it can read.',
    );
  }
}

const common = {
  codeWhenFull: 'query.overloaded',
  bodyBytesMax: () => 0,
  authorise: requireEverything,
} as const;

const noStore = { 'cache-control': 'no-store' };

const createBackup: Route = {
  ...common,
  credential: 'token',
  operation: 'backups.create',
  methods: ['POST'],
  path: '/api/backups',
  urlParameters: [],
  summary:
    'Starts a backup of everything acknowledged so far, to be read file by file. The backup expires if nothing is read from it for ten minutes.',
  async handle({ requestId, services }, { publicId }) {
    const { id, contents } = await services.backups.begin(publicId);
    await services.audit.record({
      atMicros: services.clock.nowMicros(),
      actor: publicId,
      action: 'backup.create',
      target: id,
      version: null,
      requestId,
    });
    const expires = { idle_seconds: backupIdleMsMax / 1000 };
    return { ...jsonAnswer({ id, ...expires, ...contents }, noStore), status: 201 };
  },
};

const readBackupFile: Route = {
  ...common,
  credential: 'token',
  operation: 'backups.read_file',
  methods: ['GET'],
  path: '/api/backups/:id/files/:name',
  urlParameters: [],
  mediaType: 'application/octet-stream',
  summary: 'Returns a file of a backup that the same token started.',
  async handle({ pathParts, services }, { publicId }) {
    const { file, bytes } = await services.backups.open(pathParts.id ?? '', pathParts.name ?? '', publicId);
    return {
      status: 200,
      headers: { 'content-type': 'application/octet-stream', 'content-length': String(file.bytes), ...noStore },
      body: bytes,
    };
  },
};

const endBackup: Route = {
  ...common,
  credential: 'token',
  operation: 'backups.end',
  methods: ['DELETE'],
  path: '/api/backups/:id',
  urlParameters: [],
  summary: 'Ends a backup that the same token started.',
  async handle({ pathParts, services }, { publicId }) {
    const id = pathParts.id ?? '';
    await services.backups.end(id, publicId);
    return jsonAnswer({ ended: id }, noStore);
  },
};

/** Backups of the running service. */
export const backupRoutes: readonly Route[] = [createBackup, readBackupFile, endBackup];
