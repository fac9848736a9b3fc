import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { allRoutes } from '../../src/http/routes/allRoutes.ts';
import { environmentName, settingNames } from '../../src/start/settings.ts';

const folder = join(import.meta.dirname, '..', '..', 'examples', 'several-machines');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const settings = new Set(settingNames.map(environmentName));
const unknownSettings = (names: readonly string[]) => names.filter((name) => !settings.has(name));
/** Settings without which nodes would not share definitions and events. */
const shared = [
  'LOGMILL_ADMIN_TOKEN_FILE',
  'LOGMILL_STORE_FILE',
  'LOGMILL_EVENTS',
  'LOGMILL_CLICKHOUSE_URL',
  'LOGMILL_CLICKHOUSE_PASSWORD_FILE',
  'LOGMILL_CLICKHOUSE_READER_PASSWORD_FILE',
];

const temporary = mkdtempSync(join(tmpdir(), 'logmill-unit-'));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

describe('the composed cluster', () => {
  const composed = parse(read('compose.yaml'));
  const { balancer, node, clickhouse, postgres } = composed.services;

  it('gives each node the same store, events and secrets, and nothing to keep', () => {
    expect(Object.keys(node.environment)).toEqual(expect.arrayContaining(shared));
    expect(unknownSettings(Object.keys(node.environment))).toEqual([]);
    expect(node).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(node).not.toHaveProperty('volumes');
    expect(Object.keys(node.depends_on).sort()).toEqual(['clickhouse', 'postgres']);
    const files = Object.values<string>(node.environment).filter((value) => value.startsWith('/run/secrets/'));
    expect(files.map((file) => file.replace('/run/secrets/', '')).sort()).toEqual(node.secrets.toSorted());
  });

  it('has every secret that its parts name, each from a file that its first lines make', () => {
    const head = read('compose.yaml').split('\nname:')[0] ?? '';
    const used = [node, clickhouse, postgres].flatMap(({ secrets }) => secrets);
    expect(Object.keys(composed.secrets).sort()).toEqual([...new Set(used)].sort());
    for (const { file } of Object.values<{ readonly file: string }>(composed.secrets)) {
      expect(head).toContain(file.replace('./', ''));
    }
  });

  it('lets nobody but this machine in, and sends calls only to nodes that are ready', () => {
    for (const [name, service] of Object.entries<{ readonly ports?: readonly string[] }>(composed.services)) {
      expect([name, service.ports ?? []]).toEqual([name, name === 'balancer' ? ['127.0.0.1:4000:4000'] : []]);
    }
    expect(existsSync(join(folder, balancer.volumes[0].split(':')[0]))).toBe(true);
    const [, checked] = /option httpchk GET (\S+)/.exec(read('haproxy.cfg')) ?? [];
    expect(allRoutes.map(({ path }) => path)).toContain(checked);
    // A caller must not choose the address that a token is restricted to.
    expect(read('haproxy.cfg')).toMatch(/^ *http-request set-header X-Forwarded-For %\[src\]$/m);
    // A call that reached a node must not be sent again: its events may be stored.
    expect(read('haproxy.cfg')).toMatch(/^ *retry-on conn-failure$/m);
    if (spawnSync('haproxy', ['-v']).status === 0) {
      expect(spawnSync('haproxy', ['-c', '-f', join(folder, 'haproxy.cfg')]).status).toBe(0);
    }
  });

  it('creates the users of ClickHouse with the rights that the guide names', () => {
    const guide = readFileSync(join(folder, '..', '..', 'docs', 'guides', 'several-machines.md'), 'utf8');
    const statements = (text: string) =>
      text.match(/^ *(?:GRANT|CREATE (?:USER \w+|DATABASE \w+)).*?(?= IDENTIFIED|;)/gm);
    const own = statements(read('clickhouse-users.sh'))?.map((text) => text.trim());
    const ofGuide = statements(guide.slice(guide.indexOf('## Events in ClickHouse')))?.map((text) => text.trim());
    expect(own).toHaveLength(9);
    expect(own).toEqual(ofGuide?.slice(0, 9));
    expect(spawnSync('sh', ['-n', join(folder, 'clickhouse-users.sh')]).status).toBe(0);
  });
});

describe('the unit of a node', () => {
  const dropIn = read('node.conf');

  it('names settings that there are, and hands every secret over as a credential', () => {
    const named = [...dropIn.matchAll(/\b(LOGMILL_[A-Z_]+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]);
    const names = named.map(([name = '']) => name);
    expect(unknownSettings(names)).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(shared.filter((name) => name !== 'LOGMILL_ADMIN_TOKEN_FILE')));
    const credentials = [...dropIn.matchAll(/^LoadCredential=([^:]+):/gm)].map(([, name]) => `%d/${name}`);
    expect(named.filter(([name = '']) => name.endsWith('_FILE')).map(([, value]) => value)).toEqual(credentials);
  });

  it.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)('is understood by systemd', () => {
    const unit = join(temporary, 'logmill.service');
    writeFileSync(unit, readFileSync(join(folder, '..', 'systemd', 'logmill.service')));
    mkdirSync(`${unit}.d`);
    writeFileSync(join(`${unit}.d`, 'node.conf'), dropIn);
    const verified = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
    expect([verified.status, verified.stderr]).toEqual([0, '']);
  });
});
