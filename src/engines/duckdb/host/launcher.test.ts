import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { builtModule } from '../../../../test/support/builtModule.ts';
import { Launcher } from './launcher.ts';

let folder: string;
beforeEach(() => {
  // A shell would take this name apart.
  folder = mkdtempSync(join(tmpdir(), `it's "a" $HOME \`x\` `));
  vi.stubEnv('TMPDIR', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const connected = `const pipe = require('node:net').connect(process.argv.at(-1));`;
const running = (script: string) => ({
  command: process.execPath,
  args: ['-e', script, `it's "an" $argument`],
  env: { TZ: `it's` },
});

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('a launcher', () => {
  it('starts a program with its arguments, its environment and a pipe', async () => {
    const script = `${connected} pipe.write(JSON.stringify([process.argv[1], process.env.TZ, process.env.HOME ?? null]));
      pipe.once('data', (chunk) => pipe.end(chunk));`;
    const launched = new Launcher().launch(running(script));
    const pipe = await launched.pipe;
    expect(String(await once(pipe, 'data'))).toBe(JSON.stringify([`it's "an" $argument`, `it's`, null]));
    if (process.platform === 'linux') expect(parentOf(await launched.pid)).not.toBe(process.pid);
    pipe.write('back');
    expect(String(await once(pipe, 'data'))).toBe('back');
    expect(await launched.ended).toBe('exit code 0');
  });

  it('reports how a program ended and what it printed, also if it never used its pipe', async () => {
    const launcher = new Launcher();
    const ends = {
      'process.exit(0)': 'exit code 0',
      'console.error("broken"); process.exit(3)': 'exit code 3: broken',
      'process.kill(process.pid, "SIGKILL")': 'signal SIGKILL',
      'console.error("cut"); process.abort()': /^signal SIGABRT: .*cut/s,
      [`${connected} pipe.once('connect', () => { console.error('later'); process.exit(2); })`]: 'exit code 2: later',
    };
    for (const [script, end] of Object.entries(ends)) {
      const launched = launcher.launch(running(script));
      // Nobody reads a pipe before it is there.
      void launched.pipe.then((pipe) => pipe.resume());
      expect(await launched.ended).toEqual(typeof end === 'string' ? end : expect.stringMatching(end));
    }
    const missing = launcher.launch({ command: join(folder, 'missing'), args: [], env: {} });
    expect(await missing.ended).toMatch(/^exit code 127: .*missing/);
    // Nothing is left of them.
    expect(readdirSync(join(folder, readdirSync(folder)[0] ?? ''))).toEqual([]);
  });

  it('loses nothing that a program wrote to its pipe at its end', async () => {
    const bytes = 200_000;
    const script = `${connected} pipe.write(Buffer.alloc(${bytes}), () => process.exit(1));`;
    const launcher = new Launcher();
    const all = Array.from({ length: 5 }, () => launcher.launch(running(script)));
    for (const launched of all) {
      let received = 0;
      void launched.pipe.then((pipe) =>
        pipe.on('data', (chunk: Buffer) => {
          received += chunk.length;
        }),
      );
      expect(await launched.ended).toBe('exit code 1');
      expect(received).toBe(bytes);
    }
  });

  it('kills a program before it is there, and one whose pipe is open', async () => {
    const launcher = new Launcher();
    const script = `${connected} setInterval(() => {}, 1000);`;
    const early = launcher.launch(running(script));
    early.kill();
    expect(await early.ended).toBe('signal SIGKILL');
    const late = launcher.launch(running(script));
    (await late.pipe).resume();
    late.kill();
    expect(await late.ended).toBe('signal SIGKILL');
  });

  it('starts programs after somebody removed its folder', async () => {
    const launcher = new Launcher();
    rmSync(join(folder, readdirSync(folder)[0] ?? ''), { recursive: true });
    expect(await launcher.launch(running('process.exit(4)')).ended).toBe('exit code 4');
  });

  it('is not there if the path of its folder is too long for a socket', () => {
    vi.stubEnv('TMPDIR', join(folder, 'x'.repeat(60)));
    expect(() => new Launcher()).toThrow('is too long for sockets');
  });

  it('leaves no folder behind if the service has too many open files', () => {
    const script = `
      import { closeSync, openSync, readdirSync } from 'node:fs';
      import { Launcher } from ${builtModule('launcher')};
      const held = [];
      try { for (;;) held.push(openSync('/dev/null')); } catch {}
      let failures = 0;
      for (let launcher; launcher === undefined && held.length > 0; ) {
        try { launcher = new Launcher(); } catch { failures++; }
        // Node loses some with each failure.
        for (const each of held.splice(0, 6)) closeSync(each);
      }
      for (const each of held) closeSync(each);
      console.log(failures > 0, readdirSync(process.env.TMPDIR).length);`;
    const limited = 'ulimit -n 64; exec "$0" --input-type=module -e "$1"';
    const { stdout, stderr } = spawnSync('sh', ['-c', limited, process.execPath, script]);
    expect([String(stdout), String(stderr)]).toEqual(['true 1\n', '']);
  });

  it.skipIf(process.platform !== 'linux')(
    'notices the end of a program that the shell no longer waits for',
    async () => {
      const launched = new Launcher().launch(running(`${connected} pipe.once('data', () => process.exit(0));`));
      const pipe = await launched.pipe;
      const pid = await launched.pid;
      process.kill(parentOf(pid), 'SIGKILL');
      pipe.resume().write('end');
      expect(await launched.ended).toBe('it closed its pipe');
      expect(isRunning(pid)).toBe(false);
    },
  );

  it.skipIf(process.platform !== 'linux')('gives up a program that its shell did not start', async () => {
    const launcher = new Launcher();
    const [first] = [launcher.launch(running(`${connected} pipe.resume();`))];
    const shell = parentOf(parentOf(await first.pid));
    process.kill(shell, 'SIGSTOP');
    const waits = launcher.launch(running(''));
    process.kill(shell, 'SIGKILL');
    expect(await waits.ended).toBe('the shell that starts processes has ended');
    first.kill();
    await first.ended;
  });

  it.skipIf(process.platform !== 'linux')('tells that its shell has ended, while its programs go on', async () => {
    const launcher = new Launcher();
    const launched = launcher.launch(running(`${connected} pipe.on('data', (chunk) => pipe.end(chunk));`));
    const pipe = await launched.pipe;
    process.kill(parentOf(parentOf(await launched.pid)), 'SIGKILL');
    await expect.poll(() => launcher.hasEnded).toBe(true);
    pipe.write('back');
    expect(String(await once(pipe, 'data'))).toBe('back');
    expect(await launched.ended).toBe('exit code 0');
    expect(() => launcher.launch(running(''))).toThrow('has ended');
  });
});

describe.skipIf(process.platform !== 'linux')('engine processes', () => {
  /** Runs a script in a process of its own, whose first engine process is the first. */
  const printedBy = (script: string) => {
    const head = `
      import { readFileSync } from 'node:fs';
      import { setTimeout } from 'node:timers/promises';
      import { EngineConnection } from ${builtModule('engineConnection')};
      const parentOf = (pid) => Number(/^PPid:\\s+(\\d+)/m.exec(readFileSync('/proc/' + pid + '/status', 'latin1'))[1]);
      const all = [];
      const isChild = async () => {
        const engine = new EngineConnection(1);
        await engine.program;
        all.push(engine);
        return parentOf(engine.pid) === process.pid;
      };`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', head + script]);
    return [String(stdout), String(stderr)];
  };

  it('are started by a launcher after the first, which starts anew if somebody ended it', () => {
    const printed = printedBy(`
      console.log([await isChild(), await isChild(), await isChild()]);
      process.kill(parentOf(parentOf(all[1].pid)), 'SIGKILL');
      // Until the process hears of it. A process that it starts meanwhile is lost.
      for (let tries = 0; !(await isChild().catch(() => false)) && tries < 100; tries++) await setTimeout(10);
      console.log(await isChild());
      for (const each of all) each.kill();
      console.log(new Set(await Promise.all(all.map(({ ended }) => ended))));`);
    expect(printed).toEqual(["[ true, false, false ]\nfalse\nSet(1) { 'signal SIGKILL' }\n", '']);
  });

  it('end with a service that is killed, and leave nothing behind', async () => {
    const [stdout] = printedBy(`
      await isChild();
      await isChild();
      console.log(all.map(({ pid }) => pid).join(' '));
      process.kill(process.pid, 'SIGKILL');`);
    const pids = String(stdout).trim().split(' ').map(Number);
    expect(pids).toHaveLength(2);
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
    await expect.poll(() => readdirSync(folder)).toEqual([]);
  });
});
