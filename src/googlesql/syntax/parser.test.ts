import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { statementWords } from './keywords.ts';
import type { SyntaxNode } from './nodes.ts';
import { parseQuery } from './parser.ts';
import { refusalOf } from './testing/expectations.ts';

const corpus = JSON.parse(
  readFileSync(new URL('../../../test/conformance/data/queries.json', import.meta.url), 'utf8'),
) as readonly { readonly name: string; readonly sql: string }[];

function visit(
  node: SyntaxNode,
  onNode: (node: SyntaxNode, parent: SyntaxNode | undefined) => void,
  parent?: SyntaxNode,
): void {
  onNode(node, parent);
  for (const member of Object.values(node) as readonly unknown[]) {
    for (const child of Array.isArray(member) ? (member as readonly unknown[]) : [member]) {
      if (typeof child === 'object' && child !== null && 'kind' in child) visit(child as SyntaxNode, onNode, node);
    }
  }
}

describe('the queries of the conformance suite', () => {
  it('are 72', () => expect(corpus.length).toBe(72));

  it.each(corpus)('$name parses', ({ sql }) => {
    expect(parseQuery(sql).query.kind).toBe('Query');
  });

  it.each(corpus)('$name has nodes that are frozen, lie inside their parents and point at their text', ({ sql }) => {
    const wrong: SyntaxNode[] = [];
    visit(parseQuery(sql).query, (node, parent) => {
      const lists = (Object.values(node) as readonly unknown[]).filter((member) => Array.isArray(member));
      const isFrozen = Object.isFrozen(node) && lists.every((list) => Object.isFrozen(list));
      const start = node.pos.offset;
      const isInside =
        start < node.end && start >= (parent?.pos.offset ?? 0) && node.end <= (parent?.end ?? sql.length);
      const text = sql.slice(start, node.end);
      const isText = node.kind !== 'Identifier' || text === (node.quoted ? `\`${node.name}\`` : node.name);
      if (!isFrozen || !isInside || !isText) wrong.push(node);
    });
    expect(wrong).toEqual([]);
  });
});

describe('only one query is allowed', () => {
  it.each([...statementWords])('refuses %s by its name', (word) => {
    const error = refusalOf(`${word.toLowerCase()} x`);
    expect(error.code).toBe('sandbox.statement');
    expect(error.message).toBe(`Only SELECT is allowed; got ${word} (line 1, column 1).`);
  });

  it.each([
    'with a as (delete from t) select 1',
    '(drop table t)',
    'select 1 union all insert into t values (1)',
    'select * from (insert into t values (1))',
    'select (delete from t)',
    'select exists(update t set a = 1)',
    'select array(create table x (a int64))',
    'select 1 where a in (delete from t)',
    'select 1 from t |> union all (drop table t)',
  ])('refuses a statement inside a query: %s', (text) => {
    expect(refusalOf(text).code).toBe('sandbox.statement');
  });

  it.each(['select 1; select 2', 'select 1;; drop table t', 'select 1; ; x'])(
    'refuses a second statement: %s',
    (text) => {
      const error = refusalOf(text);
      expect(error.code).toBe('sandbox.statement');
      expect(error.message).toMatch(/^Only one statement is allowed; a second one starts with /);
    },
  );

  it.each(['', '  ', '-- nothing', ';', '/* */'])('refuses an empty text: %j', (text) => {
    const error = refusalOf(text);
    expect(error.code).toBe('sql.syntax');
    expect(error.errors[0]?.expected).toBe('SELECT, WITH, FROM or (');
  });
});

describe('a misspelt keyword is recognised', () => {
  it.each([
    ['selct 1', 'SELECT', 1, 1],
    ['wiht a as (select 1) select 1', 'WITH', 1, 1],
    ['select 1 form t', 'FROM', 1, 10],
    ['select * form t', 'FROM', 1, 10],
    ['select count(*) c fromt t', 'FROM', 1, 19],
    ['select a from t\ngruop by a', 'GROUP', 2, 1],
    ['select a from t wehre a = 1', 'WHERE', 1, 17],
    ['select a from t x wehre a = 1', 'WHERE', 1, 19],
    ['select a from t order bt a', 'BY', 1, 23],
    ['select a from t order by a descc', 'DESC', 1, 28],
    ['select a from t order by a limt 3', 'LIMIT', 1, 28],
    ['select a from t where a lik b', 'LIKE', 1, 25],
    ['select a from t inner jion b on c', 'JOIN', 1, 23],
    ['select a from t group by a haivng b', 'HAVING', 1, 28],
    ['select 1 unoin all select 2', 'UNION', 1, 10],
    ['from t |> agregate count(*)', 'AGGREGATE', 1, 11],
  ] as const)('%s', (text, nearest, line, column) => {
    const error = refusalOf(text);
    expect(error.code).toBe('sql.syntax');
    expect(error.errors).toEqual([expect.objectContaining({ nearest, line, column })]);
    expect(error.message).toContain(`Did you mean ${nearest}?`);
  });

  it('suggests nothing for a name that is like no keyword', () => {
    expect(refusalOf('select a b c').errors[0]).not.toHaveProperty('nearest');
  });
});

describe('notices tell what GoogleSQL would not accept', () => {
  it.each([
    ["select 'it''s'", 'sql.accepted.doubled_quote', 1, 11],
    [String.raw`select '\.'`, 'sql.accepted.unknown_escape', 1, 9],
    ['select a::int64', 'sql.accepted.double_colon_cast', 1, 9],
    ["select a\nilike 'x'", 'sql.accepted.ilike', 2, 1],
    ["select a like 'x' escape '!'", 'sql.accepted.like_escape', 1, 19],
  ] as const)('%j', (text, code, line, column) => {
    const { notices } = parseQuery(text);
    expect(notices.map((notice) => [notice.code, notice.pos.line, notice.pos.column])).toEqual([[code, line, column]]);
    expect(notices[0]?.message).not.toBe('');
  });

  it('come once each, at the first place', () => {
    const { notices } = parseQuery("select a::int64, b::int64, 'x''y''z', c ilike 'x'");
    expect(notices.map(({ code, pos }) => [code, pos.column])).toEqual([
      ['sql.accepted.doubled_quote', 30],
      ['sql.accepted.double_colon_cast', 9],
      ['sql.accepted.ilike', 41],
    ]);
  });

  it('are absent from plain GoogleSQL', () => {
    expect(parseQuery("select r'\\.', 'a\\'b', '', a like '%' from t").notices).toEqual([]);
  });
});

describe('an error shows little of a long token', () => {
  it('cuts it, never through a character', () => {
    const error = refusalOf(`select a b '${'😀'.repeat(100)}'`);
    expect(error.errors[0]?.token).toBe(`'${'😀'.repeat(19)}…`);
  });
});
