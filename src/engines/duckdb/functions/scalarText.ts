import type { SqlType } from '../../../googlesql/types.ts';

/**
 * Writes values as GoogleSQL casts them to STRING ("Conversion rules"). Each function takes an expression that may be
 * written more than once.
 */
export function scalarText(value: string, type: SqlType): string {
  switch (type.kind) {
    case 'FLOAT64':
      return floatText(value);
    case 'TIMESTAMP':
      return `(${datetimeText(value)} || '+00')`;
    case 'DATETIME':
      return datetimeText(value);
    case 'TIME':
      return timeText(value);
    case 'BYTES':
      return `decode(${value})`;
    case 'INTERVAL':
      return intervalText(value);
    default:
      return `CAST(${value} AS VARCHAR)`;
  }
}

/** 15 significant digits if they are exact, otherwise 17; `9` for 9.0, `1e+20`, `NaN`, `inf`; zero has no sign. */
export function floatText(value: string): string {
  const short = `printf('%.15g', ${value})`;
  return `(CASE WHEN isnan(${value}) THEN 'NaN' WHEN ${value} = 0 THEN '0' WHEN CAST(${short} AS DOUBLE) = ${value} THEN ${short} ELSE printf('%.17g', ${value}) END)`;
}

/** `2026-05-01 05:59:59.250`: no fraction, or 3 or 6 digits, as few as are exact. */
export function datetimeText(value: string): string {
  return `(strftime(${value}, '%Y-%m-%d %H:%M:%S') || ${fractionText(`epoch_us(${value})`)})`;
}

export function timeText(value: string): string {
  return `(left(CAST(${value} AS VARCHAR), 8) || ${fractionText(`epoch_us(${value})`)})`;
}

function fractionText(micros: string): string {
  const fraction = `((${micros} % 1000000 + 1000000) % 1000000)`;
  return `CASE WHEN ${fraction} = 0 THEN '' WHEN ${fraction} % 1000 = 0 THEN '.' || lpad(CAST(${fraction} // 1000 AS VARCHAR), 3, '0') ELSE '.' || lpad(CAST(${fraction} AS VARCHAR), 6, '0') END`;
}

/** The months of an INTERVAL, including years. */
export const monthsOf = (value: string): string => `(datepart('year', ${value}) * 12 + datepart('month', ${value}))`;
/** The part of an INTERVAL below days, in microseconds. */
export const microsOf = (value: string): string =>
  `(datepart('hour', ${value}) * 3600000000 + datepart('minute', ${value}) * 60000000 + datepart('microsecond', ${value}))`;

/** `[-]Y-M D [-]H:M:S[.F]`. */
export function intervalText(value: string): string {
  const months = monthsOf(value);
  const micros = microsOf(value);
  const monthText = `CASE WHEN ${months} < 0 THEN '-' ELSE '' END || CAST(abs(${months}) // 12 AS VARCHAR) || '-' || CAST(abs(${months}) % 12 AS VARCHAR)`;
  const clock = `CAST(abs(${micros}) // 3600000000 AS VARCHAR) || ':' || CAST(abs(${micros}) // 60000000 % 60 AS VARCHAR) || ':' || CAST(abs(${micros}) // 1000000 % 60 AS VARCHAR)`;
  const sign = `CASE WHEN ${micros} < 0 THEN '-' ELSE '' END`;
  return `(${monthText} || ' ' || CAST(datepart('day', ${value}) AS VARCHAR) || ' ' || ${sign} || ${clock} || ${fractionText(`abs(${micros})`)})`;
}

/** ISO 8601, as in JSON: `P1Y2M3DT4H5M6.7S`, each part with its own sign, `P0Y` if it is empty. */
export function intervalIsoText(value: string): string {
  const months = monthsOf(value);
  const micros = microsOf(value);
  // Both operators of the engine round towards zero, so each part has the sign of the whole.
  const part = (count: string, letter: string): string =>
    `CASE WHEN ${count} = 0 THEN '' ELSE CAST(${count} AS VARCHAR) || '${letter}' END`;
  const seconds = `CASE WHEN ${micros} % 60000000 = 0 THEN '' ELSE CASE WHEN ${micros} < 0 THEN '-' ELSE '' END || CAST(abs(${micros}) // 1000000 % 60 AS VARCHAR) || rtrim(${fractionText(`abs(${micros})`)}, '0') || 'S' END`;
  const date = `${part(`(${months} // 12)`, 'Y')} || ${part(`(${months} % 12)`, 'M')} || ${part(`datepart('day', ${value})`, 'D')}`;
  const time = `${part(`(${micros} // 3600000000)`, 'H')} || ${part(`(${micros} // 60000000 % 60)`, 'M')} || ${seconds}`;
  return `('P' || ${date} || CASE WHEN ${micros} <> 0 THEN 'T' || ${time} WHEN ${months} = 0 AND datepart('day', ${value}) = 0 THEN '0Y' ELSE '' END)`;
}
