import { describe, expect, it } from 'vitest';
import { architectureProblems } from '../../scripts/architecture.ts';

function problemsOf(files: Readonly<Record<string, string>>): readonly string[] {
  return architectureProblems(new Map(Object.entries(files)));
}

describe('the architecture check', () => {
  it('lets each room import itself and those below it', () => {
    const text =
      "import type { A } from '../core/a.ts';\nimport {\n  b,\n  c,\n} from './b.ts';\nimport { join } from 'node:path';\n";
    expect(problemsOf({ 'src/ingest/x.ts': text })).toEqual([]);
    expect(problemsOf({ 'src/start/serve.ts': 'const a = process.env;\n' })).toEqual([]);
  });

  it.each<[string, string, string, string]>([
    [
      'a room that imports one above it',
      'src/core/a.ts',
      "import { b } from '../http/b.ts';",
      'core may not import http',
    ],
    ['siblings', 'src/tokens/a.ts', "import type { B } from '../endpoints/b.ts';", 'tokens may not import endpoints'],
    [
      'a product room that knows an adapter',
      'src/invoke/a.ts',
      "export { b } from '../engines/duckdb/b.ts';",
      'may not import engines/duckdb',
    ],
    [
      'one adapter that knows another',
      'src/engines/duckdb/a.ts',
      "import { b } from '../../stores/sqlite/b.ts';",
      'may not import stores',
    ],
    [
      'a dynamic import against the order',
      'src/core/a.ts',
      "const b = await import('../cli/b.ts');",
      'core may not import cli',
    ],
    [
      'an import over several lines',
      'src/core/a.ts',
      "import {\n  type B,\n  c,\n} from '../cli/b.ts';",
      'core may not import cli',
    ],
    [
      'a command that knows an engine',
      'src/cli/a.ts',
      "import { b } from '../engines/duckdb/b.ts';",
      'an engine is known through its port',
    ],
    [
      'wiring that knows an engine',
      'src/start/services.ts',
      "import type { B } from '../engines/duckdb/b.ts';",
      'chosen in src/start/openEngine.ts',
    ],
    ['a room that is not known', 'src/helpers/a.ts', "import { b } from '../core/b.ts';", 'is in no known room'],
    [
      'a product file that imports a test',
      'src/core/a.ts',
      "import { b } from './b.test.ts';",
      'imports the test file',
    ],
    ['a product file that imports a script', 'src/core/a.ts', "import { b } from '../../scripts/b.ts';", 'outside src'],
    [
      'an acceptance test that knows the product',
      'test/acceptance/a.test.ts',
      "import { b } from '../../src/core/b.ts';",
      'black box',
    ],
    ['the environment read elsewhere', 'src/http/a.ts', 'const port = process.env.PORT;', 'reads process.env'],
    ['a missing suffix', 'src/core/a.ts', "import { b } from './b';", 'lacks its .ts suffix'],
    ['a missing node: prefix', 'src/core/a.ts', "import { join } from 'path';", 'lacks the node: prefix'],
    ['the library of the store elsewhere', 'src/start/a.ts', "import Database from 'libsql';", 'imports libsql'],
    [
      'a file of the store that something else opens',
      'src/start/a.ts',
      "import { existsSync, readFileSync } from 'node:fs';\nreadFileSync(join(dataDir, 'store.sqlite'));",
      'opens files; only its library',
    ],
    [
      'the path of the store where files are opened',
      'src/backup/a.ts',
      "import { open } from 'node:fs/promises';\nopen(pathOfStore(dataDir));",
      'opens files; only its library',
    ],
    ['a variable at module level', 'src/core/a.ts', 'let count = 0;\n', 'count is mutable state at module level'],
    [
      'a collection at module level',
      'src/core/a.ts',
      'export const known: WeakMap<A, B> =\n  new WeakMap();\n',
      'known is mutable state at module level',
    ],
    ['a set that is not declared as a table', 'src/core/a.ts', "const names = new Set(['a']);\n", 'names is mutable'],
    ['a listed state that is gone', 'src/googlesql/plan/joinSize.ts', '', 'sizes is listed'],
    ['a file that is too long', 'src/core/a.ts', '\n'.repeat(501), '501 lines'],
    ['a file whose name says nothing', 'src/core/utils.ts', '', 'has a name that says nothing'],
  ])('finds %s', (_title, file, text, expected) => {
    expect(problemsOf({ [file]: text }).join('\n')).toContain(expected);
  });

  it('takes tables, and what a function or an object keeps, for no state at module level', () => {
    const text = [
      "const names: ReadonlySet<string> = new Set(['a']);",
      'const far: ReadonlyMap<string, string> = new Map();',
      'const made = () => new Map();',
      'class A {\n  readonly #known = new Map();\n}',
      'function f() {\n  let count = 0;\n}',
    ].join('\n');
    expect(problemsOf({ 'src/core/a.ts': text })).toEqual([]);
    expect(problemsOf({ 'src/core/a.test.ts': 'let count = 0;\n' })).toEqual([]);
  });

  it('finds circles, also those of types and of one folder, but not those that are meant', () => {
    const syntax = 'src/googlesql/syntax';
    const circle = (kind: string) => ({
      'src/googlesql/resolve/a.ts': `import ${kind}{ b } from '../syntax/b.ts';`,
      [`${syntax}/b.ts`]: `import ${kind}{ a } from '../resolve/a.ts';`,
    });
    const told = ['import circle, types included: src/googlesql/resolve/a.ts, src/googlesql/syntax/b.ts'];
    expect(problemsOf(circle(''))).toEqual(told);
    expect(problemsOf(circle('type '))).toEqual(told);
    expect(
      problemsOf({
        [`${syntax}/a.ts`]: "import { b } from './b.ts';",
        [`${syntax}/b.ts`]: "import { a } from './a.ts';",
      }),
    ).toHaveLength(1);
    const nodes = {
      [`${syntax}/nodes.ts`]: "import type { E } from './expressionNodes.ts';\nimport type { X } from './x.ts';",
      [`${syntax}/expressionNodes.ts`]: "import type { N } from './nodes.ts';",
    };
    expect(problemsOf(nodes)).toEqual([]);
    // Found through a file that was looked at before, as a part of the circle that is meant.
    const joined = { ...nodes, [`${syntax}/x.ts`]: "import type { E } from './expressionNodes.ts';" };
    expect(problemsOf(joined)).toEqual([
      `import circle, types included: ${syntax}/expressionNodes.ts, ${syntax}/nodes.ts, ${syntax}/x.ts`,
    ]);
  });
});
