import { readBool } from '../core/boolText.ts';
import type { ParameterDeclaration } from '../endpoints/parameterDeclaration.ts';
import type { ChosenFormat, FormatName } from '../formats/resultFormat.ts';
import type { ParameterEntry } from './parameterEntry.ts';
import { flagOf, severalValues } from './splitParameters.ts';

/** The options of formats, with the formats that have them. */
export const formatOptions: Readonly<Record<'csv_guard' | 'bom', readonly FormatName[]>> = {
  csv_guard: ['csv', 'tsv'],
  bom: ['csv', 'tsv'],
};

/** The format of a call with its options. */
export interface TakenOptions {
  readonly format: ChosenFormat;
  /** The parameters that are no options. */
  readonly others: readonly ParameterEntry[];
  /** Options that the call switches on, but its format does not have. */
  readonly unsuitable: readonly OptionName[];
}

export type OptionName = keyof typeof formatOptions;

/**
 * Takes the options of the format from the parameters of a call. A name that the endpoint declares is a parameter like any
 * other, because these names were free before there were formats.
 */
export function takeFormatOptions(
  name: FormatName,
  entries: readonly ParameterEntry[],
  declarations: readonly Pick<ParameterDeclaration, 'name'>[],
): TakenOptions {
  const isOption = (entry: string): entry is OptionName =>
    Object.hasOwn(formatOptions, entry) && !declarations.some((declaration) => declaration.name === entry);
  const on = new Set<OptionName>();
  const unsuitable = new Set<OptionName>();
  const others: ParameterEntry[] = [];
  for (const entry of entries) {
    const [option, value, list] = entry;
    if (!isOption(option)) others.push(entry);
    else if (formatOptions[option].includes(name)) {
      if (list !== undefined) throw severalValues(option);
      if (value.trim() !== '' && flagOf(option, value)) on.add(option);
    } else if (list !== undefined || readBool(value) === undefined) others.push(entry);
    else if (readBool(value) === true) unsuitable.add(option);
  }
  const format = { name, isGuarded: on.has('csv_guard'), hasMark: on.has('bom') };
  return { format, others, unsuitable: [...unsuitable] };
}

/** The formats that have the option, for messages. */
export const formatsOf = (option: OptionName): string => formatOptions[option].join(' and ');
