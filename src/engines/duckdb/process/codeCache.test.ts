import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { engineCommand } from '../../../../test/support/builtEngineCommand.ts';
import { firstEngineAnswer } from '../../../../test/support/firstEngineAnswer.ts';
import { codeCacheOf, compiled, encodeCodeCache, readCodeCache, wrapped } from './codeCache.ts';

const modules = join(import.meta.dirname, '..', '..', '..', '..', 'node_modules');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-code-cache-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a code cache', () => {
  const text = wrapped('module.exports = 1;');
  const write = () => {
    const path = join(folder, 'main.cache');
    writeFileSync(path, encodeCodeCache('abc', { text, code: compiled('main.cjs', text).createCachedData() }));
    return path;
  };

  it('gives the program and its code, which V8 takes', () => {
    const cached = readCodeCache(write(), 'abc');
    expect(cached?.text).toBe(text);
    expect(compiled('main.cjs', text, cached?.code).cachedDataRejected).toBe(false);
  });

  it('is not used for another program', () => {
    expect(readCodeCache(write(), 'abd')).toBeUndefined();
  });

  it.each([
    ['Node', process.version],
    ['processor', ` ${process.arch} `],
  ])('is not used with another %s', (_what, named) => {
    const path = write();
    const bytes = readFileSync(path, 'latin1');
    writeFileSync(
      path,
      bytes.replace(
        named,
        named.replace(/\w/, (first) => (first === 'x' ? 'y' : 'x')),
      ),
      'latin1',
    );
    expect(readCodeCache(path, 'abc')).toBeUndefined();
  });

  it('is not used if it is missing, empty or cut anywhere', () => {
    expect(readCodeCache(join(folder, 'none.cache'), 'abc')).toBeUndefined();
    const path = write();
    for (let bytes = statSync(path).size - 1; bytes >= 0; bytes -= 97) {
      truncateSync(path, bytes);
      expect(readCodeCache(path, 'abc')).toBeUndefined();
    }
  });

  it('keeps lines where they are, and one byte for each character', () => {
    const source = `'use strict';\n  // A…\n  /** ≤ */\n\n   * ü\nmodule.exports = '…';\n`;
    const lines = wrapped(source).split('\n');
    expect(lines.slice(1, 6)).toEqual(['  // A?', '  /** ? */', '', '   * ?', "module.exports = '…';"]);
  });
});

describe('the built engine', () => {
  const program = () => engineCommand().args.at(-1) ?? '';
  const digestOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

  it('has a code cache that fits it', () => {
    const digest = digestOf(program());
    const cached = readCodeCache(codeCacheOf(program()), digest);
    const text = cached?.text ?? '';
    // V8 keeps one byte for each character of such a text.
    expect([...text].filter((character) => character > '\u00ff')).toEqual([]);
    expect(text.length).toBeGreaterThan(0);
    // In a process of its own, because tests set flags of V8, which refuses the code of a process with others.
    const [textPath, codePath] = [join(folder, 'text'), join(folder, 'code')];
    writeFileSync(textPath, text);
    writeFileSync(codePath, cached?.code ?? '');
    const script = `
      const { readFileSync } = require('node:fs');
      const cachedData = readFileSync(process.argv[2]);
      const script = new (require('node:vm').Script)(readFileSync(process.argv[1], 'utf8'), { cachedData });
      console.log(script.cachedDataRejected);`;
    expect(execFileSync(process.execPath, ['-e', script, textPath, codePath]).toString().trim()).toBe('false');
    // A package that root has installed is started by others.
    expect(statSync(codeCacheOf(program())).mode & 0o777).toBe(0o644);
  });

  it.each([
    ['with', ''],
    ['without', '\n// Of another build.\n'],
  ])('states its digest and answers %s its code cache', async (_how, added) => {
    const { command, args } = engineCommand();
    const copied = (path: string) => join(folder, 'engine', basename(path));
    cpSync(dirname(program()), join(folder, 'engine'), { recursive: true });
    symlinkSync(modules, join(folder, 'node_modules'));
    appendFileSync(copied(program()), added);
    const cached = readCodeCache(codeCacheOf(copied(program())), digestOf(copied(program())));
    expect(cached === undefined).toBe(added !== '');
    const [stated, answer] = await firstEngineAnswer({ command, args: [...args.map(copied), '0'] });
    expect(stated).toEqual({ program: digestOf(copied(program())) });
    expect(answer).toMatchObject({ id: 1, ok: false });
  });
});
