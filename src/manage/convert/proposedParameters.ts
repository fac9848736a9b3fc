import { isReservedParameterName } from '../../endpoints/parameterDeclaration.ts';
import type { LiteralPlace, RelativeStart, TextPlaces } from '../../googlesql/syntax/comparedLiterals.ts';
import { levels } from '../../lql/query.ts';

/** A part of a query's text that a parameter can replace. */
export interface Replacement {
  /** Offsets in the text. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** A parameter that a definition could have in place of what the query's text says. */
export interface ProposedParameter {
  readonly name: string;
  /** The fields of its declaration in a definition. The default is the value in the text, so calls without it get the same rows. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly replacements: readonly Replacement[];
  /** Whether the proposed definition has it. Free text is off, because callers with redacted rows cannot match it. */
  readonly isOn: boolean;
}

/** Most parameters of literals, and of lengths of time; each may be checked with the compiler. */
const ofKindMax = 12;
const valueCharsMax = 200;

/**
 * Proposes parameters for the literals of a query: relative times become `@minutes` and `@end`, absolute times `@from`
 * and `@to`, and other literals are named after the member that they are compared with.
 *
 * @param taken names that the definition has already
 */
export function proposedParameters(places: TextPlaces, taken: Iterable<string>): readonly ProposedParameter[] {
  const names = new Names(taken);
  const proposed = [...relativeTimes(places, names)];
  let count = 0;
  for (const literal of places.literals) {
    const parameter = count < ofKindMax ? ofLiteral(literal, names) : null;
    if (parameter === null) continue;
    proposed.push(parameter);
    count++;
  }
  return proposed;
}

const minutesPerUnit: Readonly<Record<string, bigint>> = { minute: 1n, hour: 60n, day: 1440n };

function* relativeTimes({ relativeStarts, nows }: TextPlaces, names: Names): Generator<ProposedParameter> {
  for (const start of relativeStarts.slice(0, ofKindMax)) {
    const length = lengthOf(start);
    if (length === null) continue;
    const name = names.free(`${length.unit}s`);
    yield {
      name,
      fields: {
        type: 'int64',
        default: String(length.count),
        min: '0',
        description: `Length of the time range in ${length.unit}s.`,
      },
      replacements: [{ from: start.pos.offset, to: start.end, text: `interval @${name} ${length.unit}` }],
      isOn: true,
    };
  }
  if (nows.length === 0) return;
  const name = names.free('end');
  yield {
    name,
    fields: { type: 'timestamp', description: 'End of the time range. If absent, the time of the call.' },
    replacements: nows.map(({ pos, end }) => ({
      from: pos.offset,
      to: end,
      text: `ifnull(@${name}, current_timestamp())`,
    })),
    isOn: true,
  };
}

function lengthOf({ count, unit }: RelativeStart): { readonly count: bigint; readonly unit: string } | null {
  const minutes = minutesPerUnit[unit];
  if (minutes !== undefined) return { count: count * minutes, unit: 'minute' };
  return unit === 'second' ? { count, unit } : null;
}

const suffixes: Readonly<Record<string, string>> = {
  equal: '',
  not_equal: '_not',
  min: '_min',
  max: '_max',
  like: '_like',
  pattern: '_pattern',
  contains: '_text',
};

function ofLiteral(literal: LiteralPlace, names: Names): ProposedParameter | null {
  const { member, comparison, type, value } = literal;
  const last = member?.at(-1);
  if (member === null || comparison === null || comparison === 'element' || last === undefined) return null;
  if (value === '' || value.length > valueCharsMax) return null;
  const isTime = type === 'timestamp' && last.toLowerCase() === 'timestamp';
  const ofTime = comparison === 'min' ? 'from' : comparison === 'max' ? 'to' : undefined;
  const name = names.free(isTime && ofTime !== undefined ? ofTime : `${last}${suffixes[comparison] ?? ''}`);
  const isLevel = last === 'level' && comparison === 'equal' && levels.some((level) => level === value);
  const { pos, end } = literal;
  return {
    name,
    fields: {
      ...(isLevel ? { type: 'enum', allowed: [...levels] } : { type: comparison === 'pattern' ? 'regex' : type }),
      default: value,
      description: `${describing[comparison]} ${member.join('.')}.`.slice(0, 300),
    },
    replacements: [{ from: pos.offset, to: end, text: `@${name}` }],
    isOn: last !== 'event_message',
  };
}

const describing: Readonly<Record<string, string>> = {
  equal: 'Value of',
  not_equal: 'Excluded value of',
  min: 'Lowest value of',
  max: 'Highest value of',
  like: 'LIKE pattern of',
  pattern: 'RE2 pattern of',
  contains: 'Part of',
};

/** Gives out names of parameters, each once. */
class Names {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string>) {
    this.#taken = new Set([...taken].map((name) => name.toLowerCase()));
  }

  /** The nearest free name that a parameter can have. Reserved and taken ones get a number. */
  free(wanted: string): string {
    const plain =
      wanted
        .replaceAll(/[^A-Za-z0-9_]/g, '_')
        .replace(/^[^A-Za-z]+/, '')
        .slice(0, 56) || 'value';
    for (let n = 1; ; n++) {
      const name = n === 1 ? plain : `${plain}_${n}`;
      const key = name.toLowerCase();
      if (isReservedParameterName(key) || this.#taken.has(key)) continue;
      this.#taken.add(key);
      return name;
    }
  }
}
