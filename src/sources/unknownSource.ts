import { ServiceError } from '../core/errors.ts';
import { nearestName } from '../core/nearestName.ts';

/** `source.unknown` for a name that none of the sources has; `parameter` is where it was given, if not as a part of the path. */
export function unknownSource(name: string, names: readonly string[], parameter?: string): ServiceError {
  const value = name.slice(0, 100);
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return new ServiceError('source.unknown', `There is no source ${JSON.stringify(value)}.${hint}`, {
    errors: [
      {
        ...(parameter === undefined ? {} : { parameter }),
        value,
        allowed: names,
        ...(nearest === undefined ? {} : { nearest }),
      },
    ],
  });
}
