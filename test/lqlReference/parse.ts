import { type Clause, type Comparison, type Condition, levels, Refused, type Scalar } from './query.ts';
import { readTime } from './times.ts';

/** The grammar of lql.md, one regular expression for each clause, each up to white space or the end. */

const end = String.raw`(?=\s|$)`;
const path = '[A-Za-z0-9_.]+';
const op = ':>=|:<=|:>|:<|:~|:@>~|:@>|:';
const number = String.raw`-?\d+(?:\.\d+)?`;
const quoted = String.raw`"(?:[^"\\]|\\[\s\S])*"`;
const bare = '[A-Za-z0-9_-]+';
const rangeEnd = `(?:${number}|${quoted}|${bare})`;
const value = String.raw`${rangeEnd}\.\.${rangeEnd}|${number}|NULL|true|false|${quoted}|\([^)]*\)|${bare}`;
const clause = (source: string): RegExp => new RegExp(`(?:${source})${end}`, 'y');

const forms = {
  from: clause('(?:from|f):([A-Za-z0-9_.-]+)'),
  period: clause(String.raw`(?:chart|c):group_by\((?:timestamp|t)::(second|minute|hour|day|s|m|h|d)\)`),
  aggregate: clause(String.raw`(?:chart|c):(avg|countd|count|sum|max|min|p50|p95|p99)\((\*|${path})\)`),
  select: clause(String.raw`(?:select|s):(\*|${path})(?:@([A-Za-z_][A-Za-z0-9_]*))?`),
  time: clause(String.raw`(?:timestamp|t)(:>=|:<=|:>|:<|:)([^\s"():~@]\S*)`),
  level: clause(String.raw`(?:metadata|m)\.level:(${levels.join('|')})\.\.(${levels.join('|')})`),
  field: clause(`(${path})(${op})(${value})`),
  quoted: clause(`(~?)(${quoted})`),
  word: clause(String.raw`(~?)([^\s":]+)`),
};

/** The clauses of a text; throws `Refused` where it is no LQL. */
export function parse(text: string): readonly Clause[] {
  const clauses: Clause[] = [];
  let at = /^\s*/.exec(text)?.[0].length ?? 0;
  while (at < text.length) {
    const isNegated = text[at] === '-';
    const read = readClause(text, isNegated ? at + 1 : at, isNegated);
    clauses.push(read.clause);
    const space = /\s*/y;
    space.lastIndex = read.end;
    at = read.end + (space.exec(text)?.[0].length ?? 0);
  }
  if (clauses.length === 0 || clauses.length > 100) throw new Refused(`${clauses.length} clauses`);
  for (const kind of ['from', 'aggregate', 'period'] as const) {
    if (clauses.filter((each) => each.kind === kind).length > 1) throw new Refused(`two clauses ${kind}`);
  }
  return clauses;
}

function readClause(text: string, at: number, isNegated: boolean): { clause: Clause; end: number } {
  const found = (form: keyof typeof forms): RegExpExecArray | null => {
    forms[form].lastIndex = at;
    return forms[form].exec(text);
  };
  const read = (match: RegExpExecArray, made: Clause): { clause: Clause; end: number } => {
    if (isNegated && made.kind !== 'filter') throw new Refused(`- before ${made.kind}`);
    return { clause: made, end: at + match[0].length };
  };
  const filter = (match: RegExpExecArray, condition: Condition) =>
    read(match, { kind: 'filter', condition, isNegated });

  const from = found('from');
  if (from !== null) return read(from, { kind: 'from', table: from[1] ?? '' });
  const period = found('period');
  if (period !== null) return read(period, { kind: 'period', unit: periods[period[1]?.[0] ?? ''] ?? 'minute' });
  const aggregate = found('aggregate');
  if (aggregate !== null) {
    const [, name = '', of = ''] = aggregate;
    if (of === '*' && name !== 'count') throw new Refused(`${name}(*)`);
    return read(aggregate, { kind: 'aggregate', name, path: of === '*' ? null : stepsOf(of) });
  }
  const select = found('select');
  if (select !== null) {
    const [, of = '', alias] = select;
    if (of === '*' && alias !== undefined) throw new Refused('* with an alias');
    return read(select, { kind: 'select', path: of === '*' ? null : stepsOf(of), alias: alias ?? null });
  }
  const time = found('time');
  const value = time === null ? null : readTime(time[2] ?? '');
  if (time !== null && value !== null)
    return filter(time, { kind: 'time', op: (time[1] ?? ':') as Comparison, time: value });
  const level = found('level');
  if (level !== null) return filter(level, { kind: 'levels', from: level[1] ?? '', to: level[2] ?? '' });
  const field = found('field');
  if (field !== null) return filter(field, fieldCondition(field));
  const quotedText = found('quoted');
  if (quotedText !== null) {
    const [, tilde, of = ''] = quotedText;
    return filter(quotedText, { kind: 'text', text: unquoted(of), isPattern: tilde === '~' });
  }
  const word = found('word');
  if (word === null || word[0] === '') throw new Refused(`no clause at ${at}`);
  // A tilde alone has nothing to match.
  if (word[0] === '~') throw new Refused('a lone ~');
  return filter(word, { kind: 'text', text: word[2] ?? '', isPattern: word[1] === '~' });
}

const periods = { s: 'second', m: 'minute', h: 'hour', d: 'day' } as Readonly<
  Record<string, 'second' | 'minute' | 'hour' | 'day'>
>;

function stepsOf(text: string): readonly string[] {
  const steps = text.split('.');
  if (steps.length > 100 || steps.includes('')) throw new Refused(`the path ${text}`);
  return steps[0] === 'm' && steps.length > 1 ? ['metadata', ...steps.slice(1)] : steps;
}

/** In quotes a backslash before anything but `"` or `\` stays. */
const unquoted = (text: string): string => text.slice(1, -1).replaceAll(/\\(["\\])/g, '$1');

function textOfValue(text: string): string {
  if (text.startsWith('"')) return unquoted(text);
  return text.startsWith('(') ? text.slice(1, -1) : text;
}

function scalarOf(text: string): Scalar {
  if (!new RegExp(`^${number}$`).test(text)) return { kind: 'text', text: textOfValue(text) };
  if (!Number.isFinite(Number(text))) throw new Refused('a number beyond FLOAT64');
  return { kind: 'number', text };
}

function fieldCondition([, written = '', of = ':', text = '']: RegExpExecArray): Condition {
  const path = stepsOf(written);
  const range = new RegExp(String.raw`^(${rangeEnd})\.\.(${rangeEnd})$`).exec(text);
  if (range !== null && !text.startsWith('(')) {
    if (of !== ':') throw new Refused(`a range behind ${of}`);
    const [from, to] = [scalarOf(range[1] ?? ''), scalarOf(range[2] ?? '')];
    const isNumbers = from.kind === 'number' && to.kind === 'number';
    if (path.join('.') !== 'metadata.level' || isNumbers) return { kind: 'between', path, from, to };
    const [first, last] = [from, to].map((each) => (each.kind === 'text' ? each.text : ''));
    const isLevel = (each = ''): boolean => (levels as readonly string[]).includes(each);
    if (!isLevel(first) || !isLevel(last)) throw new Refused('a range of what is no level');
    return { kind: 'levels', from: first ?? '', to: last ?? '' };
  }
  if (of === ':~') return { kind: 'matches', path, pattern: textOfValue(text) };
  if (of === ':@>~') return { kind: 'holdsMatch', path, pattern: textOfValue(text) };
  if (text === 'NULL') {
    if (of !== ':') throw new Refused(`NULL behind ${of}`);
    return { kind: 'null', path };
  }
  const value: Scalar =
    text === 'true' || text === 'false' ? { kind: 'boolean', value: text === 'true' } : scalarOf(text);
  if (of === ':@>') return { kind: 'holds', path, value };
  if (value.kind === 'boolean' && of !== ':') throw new Refused(`${text} behind ${of}`);
  return { kind: 'compared', path, op: of as Comparison, value };
}
