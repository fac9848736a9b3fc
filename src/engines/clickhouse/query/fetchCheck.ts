import { type Token, tokensOf } from './fetchTokens.ts';

/**
 * The isolation check of fetches: the second mechanism of project isolation besides the one that plans and writes them
 * (contract, section 4), and independent of it. It reads the final text of a SELECT for ClickHouse. Describes the first
 * breach; null if there is none.
 *
 * Only one form passes: one SELECT from one of the given tables, whose WHERE has, among the conditions that are joined
 * with AND, `project = '…'` or `project IN ('…', …)` with listed projects. Everything that could read other rows is a
 * breach: a second SELECT or FROM, a table after IN, functions that read tables, SETTINGS, comments, and names that
 * take the place of a column. ClickHouse's own filter by table (`additional_table_filters`) is the third mechanism.
 *
 * A second form joins two SELECTs of the first form, and a third one has a UNION ALL of them. Around them, it names nothing
 * but their outputs.
 */
export function fetchBreach(
  sql: string,
  tables: ReadonlySet<string>,
  projects: readonly string[] | null,
): string | null {
  const tokens = tokensOf(sql);
  if (tokens === null) return 'it has a character that such a statement never has';
  const arms = armsOf(tokens);
  if (arms !== null) {
    for (const arm of arms.inside) {
      const breach = new FetchCheck(arm, tables, projects, /^in_(?:u\d+|check|events)$/).breach();
      if (breach !== null) return breach;
    }
    return new AroundUnion(arms.before, arms.after, wordsAroundUnion).breach();
  }
  const join = joinedParts(tokens);
  if (join === null) return new FetchCheck(tokens, tables, projects, /^out_/).breach();
  const around = new AroundJoin(join.around, wordsAroundJoin);
  return (
    new FetchCheck(join.left, tables, projects, /^in_l\d+$/).breach() ??
    new FetchCheck(join.right, tables, projects, /^in_r\d+$/).breach() ??
    around.breach()
  );
}

interface JoinedParts {
  readonly left: readonly Token[];
  readonly right: readonly Token[];
  /** Everything before FROM, and after ON. */
  readonly around: readonly Token[];
}

/** The parts of `… FROM (left) AS in_l FULL JOIN (right) AS in_r ON …`; null for any other form. */
function joinedParts(tokens: readonly Token[]): JoinedParts | null {
  const form = formAt(tokens, firstFrom(tokens), joinForm);
  if (form === null) return null;
  const at = (position: number): number => form[position] ?? 0;
  const around = [...tokens.slice(0, at(0)), ...tokens.slice(at(joinForm.length - 1))];
  return { left: between(tokens, at(1), at(2)), right: between(tokens, at(7), at(8)), around };
}

/** Position of the first FROM outside of parentheses; -1 if there is none. */
const firstFrom = (tokens: readonly Token[]): number =>
  tokens.findIndex(({ depth, kind, value }) => depth === 0 && kind === 'word' && value === 'FROM');

/** The SELECTs in `… FROM ((SELECT …) UNION ALL (SELECT …)) AS in_u …`, and what is around them; null for any other form. */
function armsOf(
  tokens: readonly Token[],
): (Record<'before' | 'after', readonly Token[]> & { readonly inside: readonly (readonly Token[])[] }) | null {
  const form = formAt(tokens, firstFrom(tokens), unionForm);
  if (form === null) return null;
  const at = (position: number): number => form[position] ?? 0;
  const all = between(tokens, at(1), at(2));
  const inside: (readonly Token[])[] = [];
  const outer = all.flatMap(({ depth }, position) => (depth === 0 ? [position] : []));
  for (let next = 0; ; next += armForm.length) {
    const isLast = next + 2 === outer.length;
    const arm = formAt(all, outer[next] ?? -1, isLast ? armForm.slice(0, 2) : armForm);
    if (arm === null) return null;
    inside.push(between(all, arm[0] ?? 0, arm[1] ?? 0));
    if (isLast) return { inside, before: tokens.slice(0, at(0)), after: tokens.slice(at(4) + 1) };
  }
}

/** The positions of tokens outside of parentheses that have a form, from `first` on, which is one of them; null for any other form. */
function formAt(
  tokens: readonly Token[],
  first: number,
  form: readonly { readonly kind: Token['kind']; readonly values: readonly string[] }[],
): readonly number[] | null {
  const found: number[] = [];
  for (let at = first; at >= 0 && at < tokens.length && found.length < form.length; at++) {
    const token = tokens[at] as Token;
    if (token.depth > 0) continue;
    const wanted = form[found.length];
    if (token.kind !== wanted?.kind || !wanted.values.includes(token.value)) return null;
    found.push(at);
  }
  return found.length === form.length ? found : null;
}

/** The tokens between two parentheses. */
const between = (tokens: readonly Token[], open: number, close: number): readonly Token[] =>
  tokens.slice(open + 1, close).map((token) => ({ ...token, depth: token.depth - 1 }));

/** Words that may follow the WHERE of a fetch outside of parentheses, besides those of its conditions. */
const endsOfWhere: ReadonlySet<string> = new Set(['GROUP', 'HAVING', 'ORDER', 'LIMIT', 'OFFSET']);

const forbidden: ReadonlySet<string> = new Set([
  'UNION',
  'INTERSECT',
  'EXCEPT',
  'JOIN',
  'WITH',
  'SETTINGS',
  'FORMAT',
  'INTO',
  'PREWHERE',
  'SAMPLE',
  'FINAL',
  'QUALIFY',
  'WINDOW',
  'VALUES',
  'APPLY',
  'REPLACE',
  'EXISTS',
  'PARALLEL',
  'EXPLAIN',
]);

const word = (...values: readonly string[]) => ({ kind: 'word', values }) as const;
const sign = (value: string) => ({ kind: 'sign', values: [value] }) as const;
const subquery = (alias: string) => [sign('('), sign(')'), word('AS'), word(alias)];

/** The tokens of a join outside of parentheses, from FROM to ON. */
const joinForm = [
  word('FROM'),
  ...subquery('in_l'),
  word('INNER', 'FULL'),
  word('JOIN'),
  ...subquery('in_r'),
  word('ON'),
];

/** The tokens of a UNION ALL outside of parentheses, from FROM on. */
const unionForm = [word('FROM'), ...subquery('in_u')];
/** An arm of it, and what comes before the next one. */
const armForm = [sign('('), sign(')'), word('UNION'), word('ALL')];

/** Words around a join that are followed by no parenthesis, besides the outputs of its sides. `scalar` is the argument of a lambda. */
const wordsAroundJoin =
  /^(?:SELECT|AS|ON|WHERE|AND|OR|NOT|IN|LIKE|GROUP|BY|HAVING|ORDER|ASC|DESC|NULLS|FIRST|LAST|LIMIT|OFFSET|NULL|true|false|nan|inf|scalar|in_[lr]\d+|out_[a-z0-9]+)$/;

/** Those around a UNION ALL. */
const wordsAroundUnion =
  /^(?:SELECT|AS|AND|OR|NOT|IN|LIKE|GROUP|BY|HAVING|ORDER|ASC|DESC|NULLS|FIRST|LAST|LIMIT|OFFSET|NULL|true|false|nan|inf|scalar|in_u\d+|in_check|in_events|out_[a-z0-9]+)$/;

/** Functions that read something else than their arguments. */
const readingFunction =
  /^(?:dict|joinget|file$|global|in$|notin|nullin|notnullin|hascolumn|getsetting|getserversetting|getmacro|getclient|sleep|currentuser|user$|hostname|fqdn|server|shard|evalml|catboost|transactionid|throwif|initializeaggregation|materialize$|identity$|ignore$|view|cluster|remote|merge|numbers|url|s3|executable|input$|loop$)/i;

/** Functions that give a literal its type; the emitter writes numbers and times with them (emit/literal.ts). */
const typing: ReadonlySet<string> = new Set([
  'toInt64',
  'toFloat64',
  'toUInt64',
  'reinterpretAsFloat64',
  'fromUnixTimestamp64Micro',
]);

/** ClickHouse never reads these words as names. */
const isBoolean = /^(?:true|false)$/;

/** What no part of a statement has. */
abstract class KnownParts {
  protected readonly tokens: readonly Token[];
  readonly #outputs: RegExp;

  constructor(tokens: readonly Token[], outputs: RegExp) {
    this.tokens = tokens;
    this.#outputs = outputs;
  }

  protected is(at: number, word: string): boolean {
    const token = this.tokens[at];
    return token?.kind === 'word' && token.value.toUpperCase() === word;
  }

  protected sign(at: number, sign: string): boolean {
    const token = this.tokens[at];
    return token?.kind === 'sign' && token.value === sign;
  }

  protected positions(word: string): readonly number[] {
    return this.tokens.flatMap((_, at) => (this.is(at, word) ? [at] : []));
  }

  protected unknownPart(): string | null {
    for (const [at, { kind, value, depth }] of this.tokens.entries()) {
      if (kind !== 'word') continue;
      const word = value.toUpperCase();
      if (word === 'WITH' && this.is(at + 1, 'TIES') && depth === 0) continue;
      if (forbidden.has(word)) return `it has ${word}`;
      if (word === 'ARRAY' && this.is(at + 1, 'JOIN')) return 'it has ARRAY JOIN';
      if (word === 'IN' && !this.#isListOfLiterals(at + 1)) return 'an IN is not followed by literals';
      if (this.sign(at + 1, '(') && word !== 'IN' && readingFunction.test(value)) return `it calls ${value}`;
      if (word === 'AS' && !this.#isOutput(at)) return 'it gives a name that could take the place of a column';
    }
    return null;
  }

  /** No column has a name like those of outputs. Inside CAST, AS names a type. */
  #isOutput(at: number): boolean {
    const name = this.tokens[at + 1];
    if (name?.kind !== 'word') return false;
    return this.#outputs.test(name.value) ? name.depth === 0 : name.depth > 0 && /^[A-Z][A-Za-z0-9]+$/.test(name.value);
  }

  #isListOfLiterals(open: number): boolean {
    return this.sign(open, '(') && this.#endOfLiterals(open) !== null;
  }

  /** The position after a list of literals in parentheses, which begins at `open`; null if it has anything else. */
  #endOfLiterals(open: number): number | null {
    for (let at = open + 1; at < this.tokens.length; at++) {
      const end = this.#endOfLiteral(at);
      if (end === null) return null;
      if (this.sign(end, ')')) return end + 1;
      if (!this.sign(end, ',')) return null;
      at = end;
    }
    return null;
  }

  #endOfLiteral(at: number): number | null {
    if (this.sign(at, '-')) return this.tokens[at + 1]?.kind === 'number' ? at + 2 : null;
    const token = this.tokens[at];
    if (token?.kind === 'text' || token?.kind === 'number') return at + 1;
    if (token?.kind !== 'word') return null;
    if (isBoolean.test(token.value)) return at + 1;
    if (!typing.has(token.value) || !this.sign(at + 1, '(')) return null;
    return this.#endOfLiterals(at + 1);
  }
}

/** What reads the rows of other SELECTs. It names no table and no column. */
abstract class AroundSelects extends KnownParts {
  readonly #words: RegExp;

  /** `words`: those that are followed by no parenthesis. */
  constructor(tokens: readonly Token[], words: RegExp) {
    super(tokens, /^out_/);
    this.#words = words;
  }

  breach(): string | null {
    if (!this.is(0, 'SELECT')) return 'it does not begin with SELECT';
    const { tokens } = this;
    if (this.positions('SELECT').length > 1 || this.positions('FROM').length > 0)
      return 'it has another SELECT or FROM around its SELECTs';
    const foreign = tokens.find(
      ({ kind, value }, at) =>
        kind === 'name' || (kind === 'word' && !this.sign(at + 1, '(') && !this.#words.test(value)),
    );
    if (foreign !== undefined) return `it has ${foreign.value} around its SELECTs`;
    return this.breachOfFrom() ?? this.unknownPart();
  }

  /** What could read another table behind the SELECTs. */
  protected abstract breachOfFrom(): string | null;
}

class AroundJoin extends AroundSelects {
  protected breachOfFrom(): string | null {
    const { tokens } = this;
    const on = tokens.findIndex((_, at) => this.is(at, 'ON'));
    const end = tokens.findIndex(
      ({ kind, value, depth }, at) =>
        at > on && depth === 0 && kind === 'word' && (value === 'WHERE' || endsOfWhere.has(value)),
    );
    const condition = tokens.slice(on, end < 0 ? undefined : end);
    // It would join another table.
    return condition.some(({ value, depth }) => depth === 0 && value === ',') ? 'its ON has a comma' : null;
  }
}

class AroundUnion extends AroundSelects {
  readonly #after: Token | undefined;

  /** `after`: the part behind the UNION ALL. */
  constructor(before: readonly Token[], after: readonly Token[], words: RegExp) {
    super([...before, ...after], words);
    [this.#after] = after;
  }

  protected breachOfFrom(): string | null {
    const next = this.#after;
    const isClause = next === undefined || (next.kind === 'word' && endsOfWhere.has(next.value));
    return isClause ? null : 'its UNION ALL is followed by something else than a clause';
  }
}

/** A SELECT from one table. */
class FetchCheck extends KnownParts {
  readonly #tables: ReadonlySet<string>;
  readonly #projects: readonly string[] | null;

  /** `outputs`: names that outputs may have. */
  constructor(
    tokens: readonly Token[],
    tables: ReadonlySet<string>,
    projects: readonly string[] | null,
    outputs: RegExp,
  ) {
    super(tokens, outputs);
    this.#tables = tables;
    this.#projects = projects;
  }

  breach(): string | null {
    if (!this.is(0, 'SELECT')) return 'it does not begin with SELECT';
    const selects = this.positions('SELECT');
    const froms = this.positions('FROM');
    const [from] = froms;
    if (selects.length !== 1 || froms.length !== 1 || from === undefined)
      return 'it has not exactly one SELECT and FROM';
    if (this.tokens[from]?.depth !== 0) return 'its FROM is in parentheses';
    const unknown = this.unknownPart();
    if (unknown !== null) return unknown;
    const table = this.#tableAt(from + 1);
    if (table === null || !this.#tables.has(table)) return 'it reads another table than it may';
    if (this.#projects === null) return null;
    const after = from + 4;
    if (!this.is(after, 'WHERE')) return `it reads ${table} without a condition`;
    return this.#conjuncts(after + 1).some((part) => this.#namesProjects(part))
      ? null
      : `it reads ${table} without the condition on its projects`;
  }

  #tableAt(at: number): string | null {
    const [database, dot, table] = [this.tokens[at], this.tokens[at + 1], this.tokens[at + 2]];
    if (database?.kind !== 'name' || dot?.value !== '.' || table?.kind !== 'name') return null;
    const next = this.tokens[at + 3];
    if (next !== undefined && !(next.kind === 'word' && /^(?:WHERE|GROUP|HAVING|ORDER|LIMIT|OFFSET)$/.test(next.value)))
      return null;
    return `${database.value}.${table.value}`;
  }

  /** The ranges of tokens between the outermost ANDs; empty if an outermost OR makes them alternatives. */
  #conjuncts(start: number): readonly (readonly [from: number, to: number])[] {
    const parts: [number, number][] = [];
    let from = start;
    let at = start;
    for (; at < this.tokens.length; at++) {
      const token = this.tokens[at];
      if (token?.kind !== 'word' || token.depth !== 0) {
        if (token?.depth === 0 && (token.value === '?' || token.value === '->' || token.value === ':')) return [];
        continue;
      }
      const word = token.value.toUpperCase();
      if (endsOfWhere.has(word)) break;
      if (word === 'AND') {
        parts.push([from, at]);
        from = at + 1;
        continue;
      }
      // Only conditions of these words appear outside of parentheses; BETWEEN would have an AND of its own.
      if (word === 'OR' || word === 'NOT' || word === 'BETWEEN' || word === 'CASE') return [];
    }
    return [...parts, [from, at]];
  }

  #namesProjects([from, to]: readonly [number, number]): boolean {
    const projects = this.#projects ?? [];
    const isOne = (at: number) => {
      const token = this.tokens[at];
      return token?.kind === 'text' && projects.includes(token.value);
    };
    const column = this.tokens[from];
    if (column?.kind !== 'word' || column.value !== 'project') return false;
    if (this.sign(from + 1, '=')) return to === from + 3 && isOne(from + 2);
    if (!this.is(from + 1, 'IN') || !this.sign(from + 2, '(') || !this.sign(to - 1, ')')) return false;
    for (let at = from + 3; at < to - 1; at++) {
      const isValue = (at - from) % 2 === 1;
      if (isValue ? !isOne(at) : !this.sign(at, ',')) return false;
    }
    return to - from > 4;
  }
}
