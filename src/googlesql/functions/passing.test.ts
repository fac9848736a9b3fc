import { describe, expect, it } from 'vitest';
import { functionCatalogue } from './catalogue.ts';
import { passing } from './passing.ts';
import type { SignatureType } from './signature.ts';

const textless: readonly SignatureType[] = [
  'INT64',
  'FLOAT64',
  'NUMBER',
  'BOOL',
  'TIMESTAMP',
  'DATETIME',
  'DATE',
  'TIME',
];
const plain = (type: SignatureType): SignatureType =>
  typeof type === 'object' && 'arrayOf' in type ? plain(type.arrayOf) : type;

describe('what the results of functions hold of their operands', () => {
  it('is decided for every function of the catalogue, and for no other', () => {
    const decided = Object.keys(passing).sort();
    const undecided = [...functionCatalogue.keys()].filter((name) => !Object.hasOwn(passing, name));
    expect(undecided, 'decide in src/googlesql/functions/passing.ts what redaction has to know of them').toEqual([]);
    expect(decided).toEqual([...functionCatalogue.keys()].sort());
  });

  it('fits what they give: a truth value where that is all, and a text nowhere but where it is worked out', () => {
    for (const { name, signatures } of functionCatalogue.values()) {
      const results = signatures.map(({ returns }) => plain(returns));
      expect([name, passing[name] === 'truth']).toEqual([name, results.every((type) => type === 'BOOL')]);
      const isText = results.some((type) => type === 'BYTES' || type === 'STRING' || type === 'JSON' || type === 'T');
      const named = ['json_type', 'format_timestamp', 'format_datetime', 'format_date', 'format_time', 'generate_uuid'];
      const takesNoText = ['nothing', 'truth', 'size', 'measure'].includes(passing[name]);
      if (takesNoText) expect([name, isText && !named.includes(name)]).toEqual([name, false]);
      if (['whole', 'member', 'joined', 'part'].includes(passing[name])) {
        expect([name, results.every((type) => textless.includes(type) && type !== 'NUMBER')]).toEqual([name, false]);
      }
    }
  });
});
