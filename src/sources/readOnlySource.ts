import { ServiceError } from '../core/errors.ts';

/** Makes `source.read_only`. */
export function readOnlySource(name: string): ServiceError {
  return new ServiceError(
    'source.read_only',
    `The source ${name} reads a table that others fill, so Logmill neither stores nor deletes events of it. Change the table itself.`,
    { errors: [{ parameter: 'source', value: name }] },
  );
}
