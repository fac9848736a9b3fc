import { describe, expect, it } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { bindCall } from './bind.ts';
import type { ParameterEntry } from './parameterEntry.ts';

const bind = (entries: readonly ParameterEntry[], strictParameters: boolean) =>
  bindCall(entries, { parameters: [], sandbox: true, strictParameters }, null, {
    queryTextBytesMax: 1000,
    parameterBytesMax: 1000,
  });

describe('an option that the format of the call does not have', () => {
  const guarded = [
    ['csv_guard', 'true'],
    ['bom', '1'],
  ] as const;

  it('is ignored with a notice', () => {
    const { format, notices } = bind([['format', 'ndjson'], ...guarded], false);
    expect(format).toEqual({ name: 'ndjson', isGuarded: false, hasMark: false });
    expect(notices.map(({ code, parameter }) => [code, parameter])).toEqual([
      ['format.option_ignored', 'csv_guard'],
      ['format.option_ignored', 'bom'],
    ]);
    expect(bind([['format', 'tsv'], ...guarded], false)).toMatchObject({
      format: { name: 'tsv', isGuarded: true, hasMark: true },
      notices: [],
    });
    expect(bind([['csv_guard', 'false']], true).notices).toEqual([]);
  });

  it('is refused if parameters are strict, and the error says which formats have it', () => {
    const refused = () => bind([['format', 'ndjson'], ...guarded], true);
    expect(refused).toThrow(ServiceError);
    expect(refused).toThrow('csv_guard is an option of csv and tsv only.');
    expect(bind([['format', 'csv'], ...guarded], true).format.isGuarded).toBe(true);
  });
});
