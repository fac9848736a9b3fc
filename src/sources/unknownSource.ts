import { ServiceError } from '../core/errors.ts';
import { nearestName } from '../core/nearestName.ts';

/** Makes `source.unknown` with the nearest name. `parameter` is the parameter that had the name, if it was not in the path. */
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
