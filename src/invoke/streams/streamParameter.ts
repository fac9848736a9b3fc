import type { ParameterDeclaration } from '../../endpoints/parameterDeclaration.ts';
import type { ParameterEntry } from '../parameterEntry.ts';
import { flagOf, severalValues } from '../splitParameters.ts';

const name = 'stream';

/**
 * Takes `stream` from the parameters of a call, unless the endpoint declares a parameter of this name: it was free before
 * there were streams. White space alone counts as absent.
 */
export function takeStream(
  entries: readonly ParameterEntry[],
  declared: readonly Pick<ParameterDeclaration, 'name'>[],
): { readonly isStream: boolean; readonly others: readonly ParameterEntry[] } {
  const entry = entries.find((each) => each[0] === name);
  if (entry === undefined || declared.some((each) => each.name === name)) return { isStream: false, others: entries };
  if (entry[2] !== undefined) throw severalValues(name);
  const isStream = entry[1].trim() !== '' && flagOf(name, entry[1]);
  return { isStream, others: entries.filter((each) => each[0] !== name) };
}
