import type { RetentionDeclaration } from '../endpoints/definition.ts';
import type { ParameterValues } from '../googlesql/resolve/parameterValue.ts';
import type { Notice } from '../googlesql/resolve/tree.ts';
import { formatMicros } from './formatMicros.ts';

const dayMicros = 86_400_000_000;

/**
 * The notice `retention.clamped` if the caller's explicit start lies before the window (contract, section 2, "logs.all,
 * retention variant"). `nowMicros` is the time of the run.
 */
export function retentionNotice(
  retention: RetentionDeclaration | null,
  parameters: ParameterValues,
  nowMicros: number,
): readonly Notice[] {
  if (retention === null) return [];
  const start = parameters.get(retention.start);
  if (start?.kind !== 'timestamp') return [];
  const chosen = parameters.get(retention.parameter);
  const choice = chosen?.kind === 'string' ? chosen.value : '';
  const days = Object.hasOwn(retention.days, choice)
    ? (retention.days[choice] ?? retention.otherwise)
    : retention.otherwise;
  const windowStartMicros = nowMicros - days * dayMicros;
  if (start.micros >= windowStartMicros) return [];
  return [
    {
      code: 'retention.clamped',
      message: `${retention.start} is before the retention window of ${days} ${days === 1 ? 'day' : 'days'}; rows are returned from ${formatMicros(windowStartMicros)} on.`,
      parameter: retention.start,
    },
  ];
}
