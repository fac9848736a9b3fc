import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSyslogServer } from '../../../src/ingest/syslog/syslogServer.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const run = promisify(execFile);
// Senders use the time of the machine.
const nowMicros = Date.now() * 1000;

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({
    nowMicros,
    settings: { syslogPort: 0, syslogSource: 'edge_logs', syslogProject: 'machines' },
  });
});
afterAll(() => service.close());

async function rows(project = 'machines') {
  const sql = 'select event_message, metadata from edge_logs order by event_message';
  const start = new Date(nowMicros / 1000 - 3_600_000).toISOString();
  const end = new Date(nowMicros / 1000 + 3_600_000).toISOString();
  const range = { iso_timestamp_start: start, iso_timestamp_end: end };
  return (await service.call('logs.all', { project, ...range, sql })).body.result;
}

/** Resolves with the row of a message once it is stored. */
async function rowOf(message: string) {
  const find = async () => (await rows()).find((row) => row.event_message === message);
  await expect.poll(find).toBeDefined();
  return await find();
}

async function send(bytes: string | Buffer): Promise<Socket> {
  const socket = connect({ port: service.syslogPort ?? 0, host: '127.0.0.1' });
  await once(socket, 'connect');
  socket.end(bytes);
  return socket;
}

describe('messages of syslog', () => {
  it('are stored as events of the declared source and project, whatever they say', async () => {
    const time = new Date(nowMicros / 1000).toISOString();
    await send(`<34>1 ${time} web su 7 - [origin project="other"] framed by a line\n`);
    const counted = `<13>1 ${time} web app - - - counted, over\ntwo lines`;
    await send(`${Buffer.byteLength(counted)} ${counted}`);
    expect(await rowOf('framed by a line')).toMatchObject({
      metadata: {
        facility: 'auth',
        severity: 'crit',
        host: 'web',
        app_name: 'su',
        proc_id: '7',
        structured_data: { origin: { project: 'other' } },
      },
    });
    expect(await rowOf('counted, over\ntwo lines')).toMatchObject({ metadata: { app_name: 'app' } });
    expect(await rows('other')).toEqual([]);
  });

  it('that are too long are rejected, and the next one of the connection is stored', async () => {
    await send(`<13>${'x'.repeat(70_000)}\n<13>after a long one\n`);
    expect(await rowOf('after a long one')).toBeDefined();
    const warnings = service.observations.filter(({ kind }) => kind === 'warning');
    expect(JSON.stringify(warnings)).toContain('70004 bytes');
  });
});

describe.skipIf(!existsSync('/usr/bin/openssl'))('over TLS', () => {
  let folder: string;
  let credentials: { readonly cert: string; readonly key: string };
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'logmill-syslog-tls-'));
    const [certFile, keyFile] = [join(folder, 'own.crt'), join(folder, 'own.key')];
    await run('/usr/bin/openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
      ...['-addext', 'subjectAltName=DNS:localhost', '-keyout', keyFile, '-out', certFile],
    ]);
    credentials = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** A server that keeps what senders with the certificate of `credentials` send, and how to reach it. */
  async function listen(handshakeMs = 60_000) {
    const stored: string[] = [];
    const { cert, key } = credentials;
    const server = createSyslogServer(
      {
        ingest: {
          async acceptEach({ body }) {
            stored.push(Buffer.from(body).toString());
            return { eventCount: 1, rejections: [], failures: new Map() };
          },
        },
        clock: service.clock,
        observe: () => undefined,
        wait: async () => undefined,
      },
      { source: 's', project: 'p', connectionsMax: 10, batchMax: 10, tls: { cert, key, ca: cert, handshakeMs } },
    );
    const port = await server.listen({ host: '127.0.0.1', port: 0 });
    return { server, stored, to: { port, host: '127.0.0.1', servername: 'localhost', ca: cert } };
  }

  it('only senders with a certificate of the authority are read', async () => {
    const { server, stored, to } = await listen();
    try {
      const stranger = connectTls(to, () => stranger.write('<13>of a stranger\n'));
      // The refusal is an error of this side, too.
      stranger.on('error', () => undefined).resume();
      await new Promise<void>((resolve) => stranger.once('close', () => resolve()));
      const known = connectTls({ ...to, ...credentials }, () => known.end('<13>of a known sender\n'));
      await expect.poll(() => stored).toEqual(['\n<13>of a known sender']);
      known.destroy();
    } finally {
      await server.close();
    }
  });

  it('a sender that only writes loses nothing when it closes the connection', async () => {
    const { server, stored, to } = await listen();
    try {
      const { raw, through } = unread(to);
      const known = connectTls({ ...to, ...credentials, socket: through });
      await once(known, 'secureConnect');
      raw.pause();
      // More than fits on the way.
      const messages = Array.from({ length: 40_000 }, (_, n) => `<13>${n} ${'x'.repeat(100)}\n`);
      await new Promise((resolve) => known.write(messages.join(''), resolve));
      raw.destroy();
      await expect.poll(() => stored.join('').split('\n<13>').length - 1).toBe(messages.length);
    } finally {
      await server.close();
    }
  });

  it('a sender that stays, or does not begin its handshake, does not hold up the stop', async () => {
    const { server, to } = await listen();
    const silent = connect(to).on('error', () => undefined);
    const known = connectTls({ ...to, ...credentials }).on('error', () => undefined);
    await once(known, 'secureConnect');
    const fromMs = performance.now();
    await server.close();
    // The handshake may take a minute.
    expect(performance.now() - fromMs).toBeLessThan(20_000);
    silent.destroy();
    known.destroy();
  });

  it('a sender that does not begin its handshake is closed when its time is over', async () => {
    const { server, to } = await listen(100);
    try {
      const silent = connect(to).resume();
      await once(silent, 'close');
    } finally {
      await server.close();
    }
  });
});

/** A connection from which nothing is read any more once it is paused. */
function unread(to: { readonly port: number; readonly host: string }) {
  const take = (count: number, buffer: Uint8Array) => through.push(Buffer.from(buffer.subarray(0, count)));
  // Without `onread`, some bytes are read after `pause`.
  const raw = connect({ ...to, onread: { buffer: Buffer.alloc(64 * 1024), callback: take } });
  const through = new Duplex({
    read: () => undefined,
    write: (bytes, _encoding, done) => void raw.write(bytes, done),
  });
  return { raw, through };
}

interface Paths {
  readonly folder: string;
  readonly input: string;
  readonly config: string;
}

/** Where .ci/run unpacks it: its package cannot be installed beside that of rsyslog. */
const syslogNg = '/opt/syslog-ng';
const modules = join(syslogNg, 'usr', 'lib', 'syslog-ng', '3.38');

const syslogNgProgram = {
  program: join(syslogNg, 'usr', 'sbin', 'syslog-ng'),
  environment: {
    LD_LIBRARY_PATH: ['usr/lib/syslog-ng', 'usr/lib/x86_64-linux-gnu', 'lib/x86_64-linux-gnu']
      .map((path) => join(syslogNg, path))
      .join(':'),
  },
};
// A library that the machine lacks leaves out the modules that need it.
const { stdout: listed } = spawnSync(syslogNgProgram.program, ['--version', '--module-path', modules], {
  env: syslogNgProgram.environment,
  encoding: 'utf8',
});
const hasSyslogNg = ['afsocket', 'affile', 'syslogformat'].every((name) => listed?.includes(name) === true);

const ofSyslogNg = (name: string, destination: (port: number | undefined) => string) => ({
  ...syslogNgProgram,
  name,
  isThere: hasSyslogNg,
  args: ({ folder, config }: Paths) => [
    ...['--foreground', '--no-caps', '--module-path', modules, '--cfgfile', config],
    ...[
      '--persist-file',
      join(folder, 'persist'),
      '--control',
      join(folder, 'control'),
      '--pidfile',
      join(folder, 'pid'),
    ],
  ],
  config: ({ input }: Paths, port: number | undefined) => `@version: 3.38
log {
  source { file("${input}" flags(no-parse) program-override("shop") default-facility(local1) default-priority(warning)); };
  destination { ${destination(port)}; };
};
`,
});

const daemons = [
  {
    name: 'rsyslog, with octet counting',
    isThere: existsSync('/usr/sbin/rsyslogd'),
    program: '/usr/sbin/rsyslogd',
    environment: {},
    args: ({ folder, config }: Paths) => ['-n', '-f', config, '-i', join(folder, 'pid')],
    config: ({ folder, input }: Paths, port: number | undefined) => `global(workDirectory="${folder}")
module(load="imfile" mode="polling" pollingInterval="1")
input(type="imfile" file="${input}" tag="shop" severity="warning" facility="local1")
action(type="omfwd" target="127.0.0.1" port="${port}" protocol="tcp" tcp_framing="octet-counted" template="RSYSLOG_SyslogProtocol23Format")
`,
  },
  ofSyslogNg('syslog-ng, RFC 5424 with octet counting', (port) => `syslog("127.0.0.1" port(${port}) transport("tcp"))`),
  ofSyslogNg('syslog-ng, RFC 3164 in lines', (port) => `network("127.0.0.1" port(${port}) transport("tcp"))`),
];

// Left out by name where the machine lacks the sender.
describe('the sender', () => {
  it.skipIf(!existsSync('/usr/bin/logger')).each(['--rfc5424', '--rfc3164'])('logger %s', async (form) => {
    const message = `of logger ${form}`;
    const to = ['--server', '127.0.0.1', '--port', String(service.syslogPort), '--tcp'];
    await run('/usr/bin/logger', [...to, form, '--priority', 'local0.warning', '--tag', 'shop', '--', message], {
      // RFC 3164 has no time zone.
      env: { TZ: 'UTC' },
    });
    expect(await rowOf(message)).toMatchObject({
      metadata: { facility: 'local0', severity: 'warning', app_name: 'shop' },
    });
  });

  describe.each(daemons)('$name', ({ name, isThere, program, args, config, environment }) => {
    it.skipIf(!isThere)('sends the lines of a file', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'logmill-syslog-'));
      const paths = { folder, input: join(folder, 'app.log'), config: join(folder, 'sender.conf') };
      writeFileSync(paths.input, `of ${name}\n`);
      writeFileSync(paths.config, config(paths, service.syslogPort));
      const daemon = spawn(program, args(paths), { stdio: 'ignore', env: { ...environment, TZ: 'UTC' } });
      try {
        expect(await rowOf(`of ${name}`)).toMatchObject({
          metadata: { facility: 'local1', severity: 'warning', app_name: 'shop' },
        });
      } finally {
        const ended = once(daemon, 'exit');
        daemon.kill('SIGKILL');
        await ended;
        rmSync(folder, { recursive: true });
      }
    });
  });
});
