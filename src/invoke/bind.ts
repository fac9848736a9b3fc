import { ServiceError } from '../core/errors.ts';
import { bindParameters } from '../endpoints/bindParameters.ts';
import type { ParameterDeclaration } from '../endpoints/parameterDeclaration.ts';
import type { ChosenFormat, FormatName } from '../formats/resultFormat.ts';
import type { ParameterValues } from '../googlesql/resolve/parameterValue.ts';
import type { Notice } from '../googlesql/resolve/tree.ts';
import type { TokenRestrictions } from '../tokens/restrictions.ts';
import type { CallerQuery } from './callerQueryText.ts';
import { formatOptions, formatsOf, type OptionName, takeFormatOptions } from './formatOptions.ts';
import { type PageAsk, takePage } from './pages/pageParameters.ts';
import type { ParameterEntry } from './parameterEntry.ts';
import { splitParameters } from './splitParameters.ts';
import { takeStream } from './streams/streamParameter.ts';
import { requireAllowedValues, requireCallerQueries, withLockedParameters } from './tokenPolicies.ts';

export interface BoundCall {
  /** The caller query, or null for the stored query. */
  readonly callerQuery: CallerQuery | null;
  readonly isDryRun: boolean;
  readonly format: ChosenFormat;
  /** Whether the rows are to be sent while they are computed. The format is then one that can be. */
  readonly isStream: boolean;
  /** Null if the call does not ask for pages. */
  readonly page: PageAsk | null;
  /** One value per declared parameter. */
  readonly parameters: ParameterValues;
  readonly notices: readonly Notice[];
}

export interface BindTarget {
  readonly parameters: readonly ParameterDeclaration[];
  readonly sandbox: boolean;
  readonly strictParameters: boolean;
}

export interface BindBounds {
  readonly queryTextBytesMax: number;
  readonly parameterBytesMax: number;
}

/** Formats that can be written before the last row is known. */
export const streamedFormats: readonly FormatName[] = ['ndjson', 'csv', 'tsv', 'arrow'];

/** The format of a stream: the named one, else the accepted one, else NDJSON. Throws `stream.unsuitable`. */
function streamedFormat(named: FormatName | null, accepted: FormatName): FormatName {
  const format = named ?? (accepted === 'json' ? 'ndjson' : accepted);
  if (streamedFormats.includes(format)) return format;
  throw new ServiceError(
    'stream.unsuitable',
    `The format ${format} is written only as a whole; a stream has one of ${streamedFormats.join(', ')}.`,
    { errors: [{ parameter: 'format', value: format, allowed: streamedFormats }] },
  );
}

/**
 * Decides which query a call runs and converts its parameters to their declared types (contract, sections 1 and 3),
 * within the restrictions of its token. The parameter `format` takes precedence over the `accepted` format.
 */
export function bindCall(
  entries: readonly ParameterEntry[],
  endpoint: BindTarget,
  restrictions: TokenRestrictions | null,
  bounds: BindBounds,
  accepted: FormatName = 'json',
): BoundCall {
  const { page, others: unpaged } = takePage(entries, endpoint.parameters);
  const { isStream, others: unstreamed } = takeStream(unpaged, endpoint.parameters);
  const split = splitParameters(unstreamed, endpoint.sandbox, bounds.queryTextBytesMax);
  const { callerQuery, isDryRun } = split;
  requireCallerQueries(callerQuery, restrictions);
  const wanted = isStream ? streamedFormat(split.format, accepted) : (split.format ?? accepted);
  const isStrict = endpoint.strictParameters || restrictions?.strictParameters === true;
  const { format, others, unsuitable } = takeFormatOptions(wanted, split.declared, endpoint.parameters);
  if (isStrict) refuseOptions(unsuitable);
  const bound = withLockedParameters(others, endpoint.parameters, restrictions);
  const { values, notices } = bindParameters(endpoint.parameters, bound, {
    isStrict,
    valueBytesMax: bounds.parameterBytesMax,
    ...(restrictions?.parameters === undefined ? {} : { keptTo: restrictions.parameters }),
  });
  requireAllowedValues(values, endpoint.parameters, restrictions);
  return {
    ...{ callerQuery, isDryRun, isStream, format, page },
    parameters: values,
    notices: [...notices, ...unsuitable.map(optionIgnored)],
  };
}

/** The notice of an option that the format of the call does not have. */
function optionIgnored(option: OptionName): Notice {
  return {
    code: 'format.option_ignored',
    message: `${option} is an option of ${formatsOf(option)} only, so it was ignored.`,
    parameter: option,
  };
}

/** Throws `parameter.invalid` for options that the format of the call does not have. */
function refuseOptions(options: readonly OptionName[]): void {
  const [option] = options;
  if (option === undefined) return;
  throw new ServiceError(
    'parameter.invalid',
    `${option} is an option of ${formatsOf(option)} only. Leave it out, or ask for one of these formats.`,
    {
      errors: options.map((each) => ({ parameter: each, expected: `the format ${formatOptions[each].join(' or ')}` })),
    },
  );
}
