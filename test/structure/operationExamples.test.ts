import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { allRoutes } from '../../src/http/routes/allRoutes.ts';
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

describe('the manifest for Kubernetes', () => {
  const manifests = parseAllDocuments(readFileSync(join(examples, 'kubernetes', 'logmill.yaml'), 'utf8')).map(
    (document) => document.toJS(),
  );
  const [service, set] = manifests;
  const { spec } = set.spec.template;
  const [container] = spec.containers;
  const { stages } = readContainerfile(readFileSync(join(examples, 'container', 'Containerfile'), 'utf8'));
  const image = stages.at(-1)?.environment;

  it('runs one replica behind a service that finds it by its labels and its port', () => {
    expect(manifests.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
      'v1 Service',
      'apps/v1 StatefulSet',
    ]);
    expect(set.spec).toMatchObject({ replicas: 1, serviceName: service.metadata.name });
    const { labels } = set.spec.template.metadata;
    expect([service.spec.selector, set.spec.selector.matchLabels]).toEqual([labels, labels]);
    const [port] = container.ports;
    expect(String(port.containerPort)).toBe(image?.get('LOGMILL_PORT'));
    expect(service.spec.ports).toEqual([expect.objectContaining({ targetPort: port.name })]);
  });

  it('keeps the data on the volume, and names settings and probes that there are', () => {
    const environment = new Map<string, string>(
      container.env.map(({ name, value }: { readonly name: string; readonly value: string }) => [name, value]),
    );
    expect(unknownSettings(environment.keys())).toEqual([]);
    // Kubernetes would set LOGMILL_PORT to an address.
    expect(spec.enableServiceLinks).toBe(false);
    const mounts: readonly { readonly name: string; readonly mountPath: string }[] = container.volumeMounts;
    const [claim] = set.spec.volumeClaimTemplates;
    const data = mounts.find(({ name }) => name === claim.metadata.name);
    expect(environment.get('LOGMILL_DATA_DIR')?.startsWith(`${data?.mountPath}/`)).toBe(true);
    const others: readonly { readonly name: string }[] = spec.volumes;
    expect(mounts.map(({ name }) => name)).toEqual([claim.metadata.name, ...others.map(({ name }) => name)]);
    const token = mounts.find(({ name }) => name === 'token');
    expect(environment.get('LOGMILL_ADMIN_TOKEN_FILE')).toBe(`${token?.mountPath}/admin-token`);
    const paths = new Set(allRoutes.map(({ path }) => path));
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
      expect(container[probe].httpGet.port).toBe(container.ports[0].name);
      expect(paths).toContain(container[probe].httpGet.path);
    }
    expect(container.livenessProbe.httpGet.path).toBe('/livez');
  });

  it('runs without rights and with bounds, as the composed image does', () => {
    expect(spec).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const composed = parse(readFileSync(join(examples, 'container', 'compose.yaml'), 'utf8')).services.logmill;
    expect(container.resources.limits.memory.toLowerCase()).toBe(`${composed.mem_limit}i`);
    expect(`${spec.terminationGracePeriodSeconds}s`).toBe(composed.stop_grace_period);
  });
});

describe('the shippers whose queue is configured apart', () => {
  it('keep what waits on disk', () => {
    const collector = parse(readFileSync(join(examples, 'otel-collector.yaml'), 'utf8'));
    const { storage, block_on_overflow: blocks } = collector.exporters.otlp_http.sending_queue;
    expect([blocks, collector.service.extensions]).toEqual([true, [storage]]);
    expect(collector.extensions).toHaveProperty(storage);
    expect(collector.receivers.file_log.storage).toBe(storage);
    const pipelines = parse(readFileSync(join(examples, 'logstash', 'pipelines.yml'), 'utf8'));
    expect(pipelines).toEqual([expect.objectContaining({ 'queue.type': 'persisted', 'queue.checkpoint.writes': 1 })]);
    expect(existsSync(join(examples, basename(pipelines[0]['path.config'])))).toBe(true);
  });
});
