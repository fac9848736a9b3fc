import type { EmitContext } from './emitContext.ts';
import { checked } from './sqlText.ts';

const bounds = {
  DATE: `DATE '0001-01-01' AND DATE '9999-12-31'`,
  TIMESTAMP: `TIMESTAMP '0001-01-01 00:00:00' AND TIMESTAMP '9999-12-31 23:59:59.999999'`,
} as const;

/**
 * A date or time that is computed, an error beyond the years 0001 to 9999, which the engine would
 * leave. `what` begins the sentence of the error.
 */
export function withinYears(
  engineType: keyof typeof bounds,
  what: string,
  args: readonly string[],
  context: EmitContext,
  body: (...names: readonly string[]) => string,
): string {
  return checked(args, context, `${what} is beyond the years 0001 to 9999.`, (...names) => {
    const result = body(...names);
    return `CASE WHEN ${result} BETWEEN ${bounds[engineType]} THEN ${result} END`;
  });
}
