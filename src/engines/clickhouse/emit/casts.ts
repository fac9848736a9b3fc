import type { CastExpr } from '../../../googlesql/resolve/tree.ts';
import { sameType } from '../../../googlesql/types.ts';
import { castJsonToText, readJson } from './jsonRead.ts';
import { engineType } from './literal.ts';
import { notPushed } from './notPushed.ts';
import type { Place } from './place.ts';
import { boolText, floatText, integerText } from './textCasts.ts';
import { dayMicros, daysOf, microsOf, remainder } from './times.ts';

/** Half away from zero; the remainder is exact, so no sum is rounded. */
export const roundedFloat = (x: string): string => `(trunc(${x}) + if(abs(${x} - trunc(${x})) >= 0.5, sign(${x}), 0))`;

/** Writes a cast that cannot fail, or gives NULL for a value that cannot be cast. */
export function emitCast(cast: CastExpr, place: Place): string {
  const { value, type } = cast;
  const from = value.type;
  if (sameType(from, type)) return place.expr(value);
  if (from.kind === 'NULL') return `CAST(NULL, 'Nullable(${engineType(type)})')`;
  const name = `${cast.safe ? 'SAFE_CAST' : 'CAST'} of ${from.kind} to ${type.kind}`;
  if (from.kind === 'JSON') return castJson(cast, place, name);
  const x = place.expr(value);
  switch (`${from.kind} ${type.kind}`) {
    case 'INT64 FLOAT64':
      return `toFloat64(${x})`;
    case 'INT64 STRING':
      return `toString(${x})`;
    case 'INT64 BOOL':
      return `(${x} != 0)`;
    case 'BOOL INT64':
      return `toInt64(${x})`;
    case 'BOOL STRING':
      return `multiIf(${x}, 'true', NOT ${x}, 'false', NULL)`;
    case 'TIMESTAMP DATETIME':
    case 'DATETIME TIMESTAMP':
      return x;
    case 'TIMESTAMP DATE':
    case 'DATETIME DATE':
      return daysOf(x);
    case 'TIMESTAMP TIME':
    case 'DATETIME TIME':
      return remainder(x, dayMicros);
    case 'DATE TIMESTAMP':
    case 'DATE DATETIME':
      return microsOf(x);
  }
  if (!cast.safe) return notPushed(name);
  switch (`${from.kind} ${type.kind}`) {
    case 'STRING INT64':
      return integerText(x);
    case 'STRING FLOAT64':
      return floatText(x);
    case 'STRING BOOL':
      return boolText(x);
    case 'FLOAT64 INT64':
      return `if(isFinite(${x}), accurateCastOrNull(${roundedFloat(x)}, 'Int64'), NULL)`;
    default:
      return notPushed(name);
  }
}

function castJson({ value, type, safe, isImplicit }: CastExpr, place: Place, name: string): string {
  const member = place.member(value);
  if (member === null) return notPushed(name);
  if (isImplicit) return readJson(member, type.kind === 'STRING' ? 'STRING' : notPushed(name));
  if (type.kind === 'STRING') return safe ? readJson(member, 'STRING') : castJsonToText(member);
  if (safe && type.kind === 'FLOAT64') return floatText(readJson(member, 'STRING'));
  return notPushed(name);
}
