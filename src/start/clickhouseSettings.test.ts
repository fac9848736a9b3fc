import { describe, expect, it } from 'vitest';
import { urlsOf } from './clickhouseSettings.ts';
import { readSettings } from './readSettings.ts';

const read = (environment: Readonly<Record<string, string>>) => readSettings({ environment, flags: {} }).settings;

describe('the settings of events in ClickHouse', () => {
  it('are off by default', () => {
    expect(read({})).toMatchObject({ events: 'embedded', clickhouseDatabase: 'logmill', clickhouseQuorum: 'auto' });
  });

  it('take several servers, and refuse what is no address of one', () => {
    const clickhouseUrl = 'http://a.test:8123, https://b.test:8443/';
    expect(read({ LOGMILL_CLICKHOUSE_URL: clickhouseUrl }).clickhouseUrl).toBe(clickhouseUrl);
    expect(urlsOf(clickhouseUrl)).toEqual(['http://a.test:8123', 'https://b.test:8443']);
    for (const url of [
      'a.test:8123',
      'tcp://a.test',
      'http://u:p@a.test',
      'http://a.test/db',
      'http://a.test?x=1',
      ',',
    ]) {
      expect(() => read({ LOGMILL_CLICKHOUSE_URL: url })).toThrow('clickhouse_url is one or more http');
    }
  });

  it('take a quorum as a number, or auto', () => {
    expect(read({ LOGMILL_CLICKHOUSE_QUORUM: '3' }).clickhouseQuorum).toBe(3);
    for (const quorum of ['0', '1.5', 'all']) {
      expect(() => read({ LOGMILL_CLICKHOUSE_QUORUM: quorum })).toThrow('clickhouse_quorum is auto or a whole number');
    }
  });

  it('never show a password in a refusal', () => {
    expect(() => read({ LOGMILL_CLICKHOUSE_PASSWORD: 'secret', LOGMILL_CLICKHOUSE_PASSWORD_FILE: '/none' })).toThrow(
      'LOGMILL_CLICKHOUSE_PASSWORD and LOGMILL_CLICKHOUSE_PASSWORD_FILE both give clickhouse_password; use one of them.',
    );
  });
});
