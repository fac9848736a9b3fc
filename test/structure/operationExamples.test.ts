import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { environmentName, settingNames } from '../../src/start/settings.ts';
import { readContainerfile } from '../support/containerfile.ts';

const root = join(import.meta.dirname, '..', '..');
const examples = join(root, 'examples');
const settings = new Set(settingNames.map(environmentName));

const unknownSettings = (names: Iterable<string>) =>
  [...names].filter((name) => name.startsWith('LOGMILL_') && !settings.has(name));

describe('the unit of systemd', () => {
  const path = join(examples, 'systemd', 'logmill.service');
  const unit = readFileSync(path, 'utf8');
  const analyze = (...args: readonly string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  const isThere = analyze('--version').status === 0;

  it('names settings that there are, and hands the token over as a credential', () => {
    const named = [...unit.matchAll(/\b(LOGMILL_[A-Z_]+)=/g)].map(([, name = '']) => name);
    expect(named).toContain('LOGMILL_ADMIN_TOKEN_FILE');
    expect(unknownSettings(named)).toEqual([]);
    const [, credential] = /^LoadCredential=([^:]+):/m.exec(unit) ?? [];
    expect(unit).toContain(`LOGMILL_ADMIN_TOKEN_FILE=%d/${credential}\n`);
    expect(unit).toContain(`LOGMILL_DATA_DIR=/var/lib/${/^StateDirectory=(.+)$/m.exec(unit)?.[1]}\n`);
    expect(unit).toMatch(/^Restart=on-failure\n.*^RestartPreventExitStatus=2\n/ms);
  });

  it.skipIf(!isThere)('is understood by systemd, and exposes little', () => {
    const verified = analyze('verify', path);
    expect([verified.status, verified.stderr]).toEqual([0, '']);
    // Out of 100; a service without any protection has 96.
    const rated = analyze('security', '--offline=true', '--threshold=20', path);
    expect([rated.status, rated.stdout.slice(-200)]).toEqual([0, expect.stringContaining('exposure level')]);
  });
});

describe('the image', () => {
  const { stages } = readContainerfile(readFileSync(join(examples, 'container', 'Containerfile'), 'utf8'));
  const last = stages.at(-1);

  it('copies what there is, and runs chores that there are', () => {
    const manifest: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const [build] = stages;
    expect(stages).toHaveLength(2);
    for (const { sources } of build?.copies ?? []) {
      for (const source of sources) expect([source, existsSync(join(root, source))]).toEqual([source, true]);
    }
    const chores = build?.runs.flatMap((run) => /npm run (\S+)/.exec(run)?.[1] ?? []);
    expect(chores).toEqual(['build']);
    for (const chore of chores ?? []) expect(manifest.scripts).toHaveProperty(chore);
  });

  it('runs as a user without rights, that owns the data folder alone, and is watched by the command itself', () => {
    expect(last?.single.get('USER')).toBe('node');
    const dataDir = last?.environment.get('LOGMILL_DATA_DIR');
    expect(last?.single.get('VOLUME')).toBe(dataDir);
    expect(last?.runs.join()).toContain(`install -d -o node -g node -m 0700 ${dataDir}`);
    expect(last?.single.get('EXPOSE')).toBe(last?.environment.get('LOGMILL_PORT'));
    expect(last?.single.get('ENTRYPOINT')).toBe('["logmill"]');
    expect(last?.single.get('HEALTHCHECK')).toMatch(/ CMD \["logmill", "health"\]$/);
    expect(unknownSettings(last?.environment.keys() ?? [])).toEqual([]);
  });

  it('is composed read-only, without rights, with its data in a volume and its token in a secret', () => {
    const composed = parse(readFileSync(join(examples, 'container', 'compose.yaml'), 'utf8'));
    const { logmill } = composed.services;
    expect(existsSync(join(examples, 'container', logmill.build.context, logmill.build.dockerfile))).toBe(true);
    expect(logmill).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      ports: [expect.stringMatching(new RegExp(`^127\\.0\\.0\\.1:\\d+:${last?.environment.get('LOGMILL_PORT')}$`))],
    });
    const [volume, mounted] = logmill.volumes[0].split(':');
    expect(mounted).toBe(last?.environment.get('LOGMILL_DATA_DIR'));
    expect(composed.volumes).toHaveProperty(volume);
    expect(Object.keys(composed.secrets)).toEqual(logmill.secrets);
    expect(logmill.environment.LOGMILL_ADMIN_TOKEN_FILE).toBe(`/run/secrets/${logmill.secrets[0]}`);
    expect(unknownSettings(Object.keys(logmill.environment))).toEqual([]);
  });
});
