import { ServiceError } from '../../../core/errors.ts';
import type { HttpServices } from '../../services.ts';

/** Throws `export.unsupported` if the service has no exports. */
export function requireExports({ exports }: Pick<HttpServices, 'exports'>): NonNullable<HttpServices['exports']> {
  if (exports !== null) return exports;
  throw new ServiceError(
    'export.unsupported',
    'Several nodes share this service, and an export would be on the disk of one of them. Read the rows in pages instead (page_size).',
  );
}
