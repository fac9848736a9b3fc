import type { OperationDescription } from './operationTable.ts';
import { count, instant, list, object, text } from './schemaParts.ts';

const scope = 'manage and query, of a token that is kept to nothing less than every event';
const bytes = { type: 'string', format: 'binary' };

/** By the name of the operation. */
export const backupOperations: Readonly<Record<string, OperationDescription>> = {
  'backups.create': {
    scope,
    answer: {
      description: 'Its files can be read.',
      schema: object({
        id: text,
        idle_seconds: { ...count, description: 'It is given up when nothing of it is read for so long.' },
        created_at: instant,
        version: { type: 'string', description: 'Of the service.' },
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
    errors: ['backup.overloaded', 'auth.project', 'service.folder_taken'],
  },
  'backups.read_file': {
    scope,
    answer: { description: 'The bytes of the file.', schema: bytes },
    errors: ['backup.unknown', 'auth.project'],
  },
  'backups.end': {
    scope,
    answer: { description: 'The state is let go.', schema: object({ ended: text }) },
    errors: ['backup.unknown', 'auth.project'],
  },
};
