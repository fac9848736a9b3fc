import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readSettings, type SettingInputs } from './readSettings.ts';
import { renderSettings } from './renderSettings.ts';
import { environmentName, fileName, flagName, settingNames, settingsSchema } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'logmill-settings-'));
const secret = 'a-secret-of-more-than-thirty-two-characters';

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function read(inputs: Partial<SettingInputs> = {}) {
  return readSettings({ environment: {}, flags: {}, ...inputs });
}

describe('readSettings', () => {
  it('starts with nothing given', () => {
    const { settings } = read();
    expect(settings).toMatchObject({
      host: '127.0.0.1',
      port: 4000,
      dataDir: './data',
      values: 'plain',
      memory: 512 * 2 ** 20,
    });
    expect(settings.adminToken).toBeUndefined();
  });

  it('lets flags win over the environment, the environment over the file, the file over the defaults', () => {
    const configFile = file('order.yaml', 'port: 1\nhost: file\nvalues: records\n');
    const environment = { LOGMILL_PORT: '2', LOGMILL_HOST: 'environment', LOGMILL_CONFIG: configFile };
    const { settings, origins } = read({ environment, flags: { port: '3' } });
    expect(settings).toMatchObject({ port: 3, host: 'environment', values: 'records', logLevel: 'info' });
    expect(origins.get('port')).toBe('--port');
    expect(origins.get('host')).toBe('LOGMILL_HOST');
    expect(origins.get('values')).toBe(`${configFile}, line 3`);
  });

  it.each([
    ['512MiB', 512 * 2 ** 20],
    ['2 GiB', 2 * 2 ** 30],
    ['1.5gib', 1.5 * 2 ** 30],
    ['800MB', 800e6],
    ['268435456', 2 ** 28],
  ])('reads %s as %d bytes of memory', (memory, bytes) => {
    expect(read({ flags: { memory } }).settings.memory).toBe(bytes);
  });

  it.each<[string, Record<string, string>, string]>([
    [
      'a port that is no number',
      { LOGMILL_PORT: 'abc' },
      'LOGMILL_PORT is "abc"; port is a whole number from 0 to 65535.',
    ],
    [
      'a port out of range',
      { LOGMILL_PORT: '65536' },
      'LOGMILL_PORT is "65536"; port is a whole number from 0 to 65535.',
    ],
    ['an unknown profile', { LOGMILL_VALUES: 'raw' }, 'LOGMILL_VALUES is "raw"; values is plain or records.'],
    [
      'a folder that the engine cannot open files in',
      { LOGMILL_DATA_DIR: '/srv/what?' },
      'LOGMILL_DATA_DIR is "/srv/what?"; data_dir is the path of a folder without a question mark.',
    ],
    ['an unknown size', { LOGMILL_MEMORY: '5 parsecs' }, 'memory is a size such as 512MiB'],
    ['a retention of parts of days', { LOGMILL_RETENTION_DAYS: '1.5' }, 'retention_days is a whole number'],
    [
      'a misspelt name, with the nearest',
      { LOGMILL_PROT: '1' },
      'There is no setting LOGMILL_PROT. Did you mean LOGMILL_PORT?',
    ],
    [
      'a name that lacks its last word',
      { LOGMILL_DATA: '/tmp/x' },
      'There is no setting LOGMILL_DATA. Did you mean LOGMILL_DATA_DIR?',
    ],
    [
      'a name that several begin with',
      { LOGMILL_DISK: '1' },
      'There is no setting LOGMILL_DISK. Did you mean LOGMILL_DISK_BUDGET or LOGMILL_DISK_FREE_MIN?',
    ],
    ['a name unlike any other', { LOGMILL_XYZZYPLUGHXYZZY: '1' }, 'logmill config print'],
    [
      'a missing file',
      { LOGMILL_CONFIG: join(folder, 'absent.yaml') },
      'cannot be read: no such file or directory (ENOENT)',
    ],
    [
      'a missing token file',
      { LOGMILL_QUERY_TOKEN_FILE: join(folder, 'absent') },
      'cannot be read: no such file or directory (ENOENT)',
    ],
  ])('refuses %s', (_title, environment, expected) => {
    expect(() => read({ environment })).toThrow(expected);
  });

  it('refuses a token that is too short without quoting it', () => {
    const attempt = () => read({ environment: { LOGMILL_ADMIN_TOKEN: 'hunter2' } });
    expect(attempt).toThrow('LOGMILL_ADMIN_TOKEN: admin_token is a string of 32 characters or more');
    expect(attempt).not.toThrow('hunter2');
  });

  it('names every problem at once', () => {
    const attempt = () => read({ environment: { LOGMILL_PORT: 'x', LOGMILL_VALUES: 'y', LOGMILL_HOTS: 'z' } });
    expect(attempt).toThrow(/LOGMILL_HOTS[\s\S]*LOGMILL_PORT[\s\S]*LOGMILL_VALUES/);
  });

  it('names the line and the nearest name of an unknown key in the file', () => {
    const configFile = file('unknown.yaml', 'port: 4000\ndata_dri: /tmp/x\n');
    expect(() => read({ configFile })).toThrow(
      `${configFile}, line 2: There is no setting data_dri. Did you mean data_dir?`,
    );
  });

  it('refuses a file that is no mapping, that is broken, or that gives a list', () => {
    expect(() => read({ configFile: file('list.yaml', '- 1\n') })).toThrow('must be a YAML mapping');
    expect(() => read({ configFile: file('broken.yaml', 'port: [1\n') })).toThrow('is not valid YAML');
    expect(() => read({ configFile: file('value.yaml', 'port: [1]\n') })).toThrow('takes one value');
  });

  it('ignores what container platforms inject and says so', () => {
    const environment = {
      LOGMILL_PORT: 'tcp://10.0.171.239:4000',
      LOGMILL_PORT_4000_TCP_ADDR: '10.0.171.239',
      LOGMILL_SERVICE_HOST: '10.0.171.239',
      LOGMILL_SERVICE_PORT_HTTP: '4000',
    };
    const { settings, notes } = read({ environment });
    expect(settings.port).toBe(4000);
    expect(notes).toHaveLength(4);
  });

  it('leaves LOGMILL_URL and LOGMILL_TOKEN to the command line client, and empty values unset', () => {
    const { settings } = read({
      environment: { LOGMILL_URL: 'http://x', LOGMILL_TOKEN: 'y', LOGMILL_DEFAULT_PROJECT: '' },
    });
    expect(settings.defaultProject).toBeUndefined();
  });

  it('reads a token from its file without the line break at its end', () => {
    const { settings } = read({ environment: { LOGMILL_ADMIN_TOKEN_FILE: file('token', `${secret}\n`) } });
    expect(settings.adminToken).toBe(secret);
  });

  it('refuses a token given directly and by file', () => {
    const environment = { LOGMILL_ADMIN_TOKEN: secret, LOGMILL_ADMIN_TOKEN_FILE: file('token2', secret) };
    expect(() => read({ environment })).toThrow('both give admin_token; use one of them');
  });
});

describe('renderSettings', () => {
  it('masks every secret and says where each value came from', () => {
    const printed = renderSettings(read({ environment: { LOGMILL_ADMIN_TOKEN: secret }, flags: { port: '4100' } }));
    expect(printed).not.toContain(secret);
    expect(printed).toContain('admin_token: "********" # LOGMILL_ADMIN_TOKEN');
    expect(printed).toContain('port: 4100 # --port');
    expect(printed).toContain('host: 127.0.0.1 # default');
  });

  it('masks the URL of a store, also from a file and in what is wrong with it', () => {
    const url = 'postgres://ann:very-secret@db/logs';
    expect(renderSettings(read({ environment: { LOGMILL_STORE: url } }))).toContain(
      'store: "********" # LOGMILL_STORE',
    );
    const environment = { LOGMILL_STORE_FILE: file('store', `${url}\n`) };
    expect(read({ environment }).settings.store).toBe(url);
    expect(renderSettings(read({ environment }))).not.toContain('very-secret');
    const wrong = () => read({ environment: { LOGMILL_STORE: `${url}?sslmod=require` } });
    expect(wrong).toThrow(/LOGMILL_STORE: store is .*Did you mean sslmode/);
    expect(wrong).not.toThrow('very-secret');
    expect(renderSettings(read({}))).toContain('store: embedded # default');
  });

  it('prints a document that reads back as the same settings', () => {
    const given = read({ flags: { port: '4100', tokenInUrl: 'true', defaultProject: 'on', memory: '1GiB' } });
    const configFile = file('printed.yaml', renderSettings(given));
    expect(parse(renderSettings(given))).toMatchObject({ port: 4100, default_project: 'on' });
    expect(read({ configFile }).settings).toEqual(given.settings);
  });
});

describe('settingsSchema', () => {
  it.each(settingNames)('describes %s in a sentence and names it alike everywhere', (name) => {
    expect(settingsSchema.shape[name].description).toMatch(/^[A-Z].*\.$/);
    expect(environmentName(name)).toBe(`LOGMILL_${fileName(name).toUpperCase()}`);
    expect(flagName(name)).toBe(`--${fileName(name).replaceAll('_', '-')}`);
  });
});
