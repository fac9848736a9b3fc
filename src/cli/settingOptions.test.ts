import { Command } from 'commander';
import { expect, it } from 'vitest';
import { addSettingOptions } from './settingOptions.ts';

it('shows the descriptions of settings as clauses, with the name of the product as it is written', () => {
  const texts = addSettingOptions(new Command()).options.map(({ description }) => description);
  expect(texts.join('\n')).toContain('database in ClickHouse for the events; Logmill creates it, and its tables');
  expect(texts.filter((text) => /\blogmill\b(?!\.)/.test(text.replaceAll(/postgres:\/\/\S+/g, '')))).toEqual([]);
});
