import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { itemsIn, itemsText } from './arrayParameter.ts';
import { bindParameters } from './bindParameters.ts';
import { checkDeclaration } from './checkDeclaration.ts';
import { declaration } from './declaration.fixture.ts';
import type { ValueList } from './givenParameter.ts';
import type { ParameterDeclaration } from './parameterDeclaration.ts';

const ids = (more: Partial<ParameterDeclaration> = {}) => declaration({ name: 'ids', type: 'array<string>', ...more });

/** The elements that a value binds as, `null`, or the message that it is refused with. */
function bound(declared: ParameterDeclaration, text: string | ValueList | undefined): unknown {
  const entry =
    typeof text === 'object' ? (['ids', text.texts[0] ?? '', text] as const) : (['ids', text ?? ''] as const);
  try {
    const value = bindParameters([declared], text === undefined ? [] : [entry], { isStrict: false }).values.get('ids');
    if (value?.kind !== 'array') return value?.kind;
    return value.elements.map((each) => ('value' in each ? each.value : 'micros' in each ? each.micros : each.days));
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
}

const repeated = (...texts: string[]): ValueList => ({ form: 'repeated', texts });
const array = (...texts: string[]): ValueList => ({ form: 'array', texts });

describe('an array parameter', () => {
  it.each<[string, ParameterDeclaration, string | ValueList | undefined, unknown]>([
    ['one value', ids(), 'a', ['a']],
    ['separated by commas', ids(), 'a,b,a', ['a', 'b', 'a']],
    ['repeated', ids(), repeated('a', 'b,c'), ['a', 'b', 'c']],
    ['a JSON array in one text', ids(), '["a,b",7,true]', ['a,b', '7', 'true']],
    ['an array of a body, as it is', ids(), array('a,b', '[c'), ['a,b', '[c']],
    ['an array without elements', ids(), array(), []],
    ['whole numbers with all digits', ids({ type: 'array<int64>' }), '[9007199254740993]', [9007199254740993n]],
    ['numbers', ids({ type: 'array<float64>' }), '1.5,-2', [1.5, -2]],
    ['truth values', ids({ type: 'array<bool>' }), 'true,0', [true, false]],
    ['times', ids({ type: 'array<timestamp>' }), '1970-01-01,1970-01-01T00:00:01Z', [0, 1_000_000]],
    ['dates', ids({ type: 'array<date>' }), '1970-01-02', [1]],
    ['absent', ids(), undefined, 'null'],
    ['empty, which is absent', ids(), '', 'null'],
    ['absent, with a default', ids({ default: '["x,y","z"]' }), undefined, ['x,y', 'z']],
    ['empty elements where they are allowed', ids({ allowEmpty: true }), 'a,', ['a', '']],
  ])('binds %s', (_, declared, text, elements) => {
    expect(bound(declared, text)).toEqual(elements);
  });

  it.each<[string, ParameterDeclaration, string | ValueList | undefined, string]>([
    ['an empty element', ids(), 'a,,b', 'must not have an empty element; element 2 is empty'],
    [
      'a wrong element',
      ids({ type: 'array<int64>' }),
      '1,b',
      'Element 2 of the parameter "ids" must be a whole number; it is "b".',
    ],
    [
      'an element that is not allowed',
      ids({ allowed: ['cat', 'dog'] }),
      'cat,dgo',
      'Element 2 of the parameter "ids" must be one of cat, dog; it is "dgo". Did you mean dog?',
    ],
    [
      'an element out of bounds',
      ids({ type: 'array<int64>', max: '5' }),
      repeated('5', '6'),
      'Element 2 of the parameter "ids" must be at most 5',
    ],
    ['too many elements', ids({ maxItems: 2 }), 'a,b,c', 'must have at most 2 elements; it has 3'],
    [
      'a text that only begins like an array',
      ids(),
      '[a',
      'must be a JSON array of strings, numbers or booleans if it begins with [',
    ],
    ['a nested array', ids(), '[["a"]]', 'must be a JSON array of strings, numbers or booleans'],
    ['none where one is required', ids({ required: true }), array(), 'is required'],
    [
      'several values of a parameter that takes one',
      declaration({ name: 'ids' }),
      repeated('a', 'b'),
      'given more than once',
    ],
    [
      'an array for a parameter that takes one',
      declaration({ name: 'ids' }),
      array('a'),
      'is an array; it must be a string',
    ],
    [
      'more bytes than sixteen values may have',
      ids(),
      array(...Array.from({ length: 17 }, () => 'x'.repeat(4096))),
      'must have at most 65536 bytes',
    ],
  ])('refuses %s', (_, declared, text, message) => {
    expect(bound(declared, text)).toContain(message);
  });

  it('reads what it writes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
        expect(itemsIn(itemsText(texts))).toEqual(texts);
      }),
    );
  });

  it.each<[Partial<ParameterDeclaration>, string]>([
    [{ maxItems: 5 }, ''],
    [{ pattern: '^a', maxLength: 4, allowEmpty: true }, ''],
    [{ default: 'b', pattern: '^a' }, 'is "b" and element 1 must match the pattern ^a'],
    [{ min: '1' }, 'does not apply to the type array<string>'],
    [{ onUnknown: 'default', default: 'a' }, 'does not apply to the type array<string>'],
  ])('is declared with what its elements must satisfy: %o', (more, problem) => {
    const issues = checkDeclaration(ids(more)).map((issue) => issue.problem);
    if (problem === '') expect(issues).toEqual([]);
    else expect(issues.join()).toContain(problem);
  });

  it('alone may have a number of elements', () => {
    expect(checkDeclaration(declaration({ name: 'one', maxItems: 5 }))[0]?.problem).toContain('only to arrays');
  });
});
