import type { OperationDescription } from './operationDescription.ts';
import { count, instant, list, object, text } from './schemaParts.ts';

const scope = 'manage and query, without a restriction of what the token can read';
const bytes = { type: 'string', format: 'binary' };

/** The operations, by name. */
export const backupOperations: Readonly<Record<string, OperationDescription>> = {
  'backups.create': {
    scope,
    answer: {
      description: 'The backup. Its files can now be read.',
      schema: object({
        id: text,
        idle_seconds: { ...count, description: 'Logmill drops the backup if no file is read for this long.' },
        created_at: instant,
        version: { type: 'string', description: 'Version of the service.' },
        events: count,
        files: list(
          object({
            name: text,
            kind: { enum: ['sealed', 'active', 'log', 'store'] },
            bytes: count,
            modified_ms: { ...count, description: 'Milliseconds since 1970.' },
          }),
        ),
      }),
      statuses: ['201'],
    },
    errors: ['backup.overloaded', 'backup.unsupported', 'auth.project', 'service.folder_taken'],
  },
  'backups.read_file': {
    scope,
    answer: { description: 'The bytes of the file.', schema: bytes },
    errors: ['backup.unknown', 'auth.project'],
  },
  'backups.end': {
    scope,
    answer: { description: 'The backup was dropped.', schema: object({ ended: text }) },
    errors: ['backup.unknown', 'auth.project'],
  },
};
