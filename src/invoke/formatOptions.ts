import type { ParameterDeclaration } from '../endpoints/parameterDeclaration.ts';
import type { ChosenFormat, FormatName } from '../formats/resultFormat.ts';
import type { ParameterEntry } from './parameterEntry.ts';
import { flagOf, severalValues } from './splitParameters.ts';

/** The options of formats, with the formats that have them. */
export const formatOptions: Readonly<Record<'csv_guard' | 'bom', readonly FormatName[]>> = {
  csv_guard: ['csv', 'tsv'],
  bom: ['csv', 'tsv'],
};

/**
 * Takes the options of the format from the parameters of a call. An option that the format does not have is a parameter like
 * any other, and so is one whose name the endpoint declares, because these names were free before there were formats.
 */
export function takeFormatOptions(
  name: FormatName,
  entries: readonly ParameterEntry[],
  declarations: readonly Pick<ParameterDeclaration, 'name'>[],
): { readonly format: ChosenFormat; readonly others: readonly ParameterEntry[] } {
  const isOption = ([entry]: ParameterEntry) =>
    Object.hasOwn(formatOptions, entry) &&
    formatOptions[entry as keyof typeof formatOptions].includes(name) &&
    !declarations.some((declaration) => declaration.name === entry);
  const isOn = (option: keyof typeof formatOptions): boolean => {
    const entry = entries.find((each) => each[0] === option && isOption(each));
    if (entry === undefined || (entry[2] === undefined && entry[1].trim() === '')) return false;
    if (entry[2] !== undefined) throw severalValues(option);
    return flagOf(option, entry[1]);
  };
  return {
    format: { name, isGuarded: isOn('csv_guard'), hasMark: isOn('bom') },
    others: entries.filter((entry) => !isOption(entry)),
  };
}
