import { assertNever } from '../core/assertNever.ts';
import type { Clause, FieldFilter, FieldValue, LqlQuery, Path, TimeValue } from './query.ts';

/** Prints the query. Parsing the text gives the same query. */
export function printLql(query: LqlQuery): string {
  return query.clauses.map(printClause).join(' ');
}

export function printClause(clause: Clause): string {
  const dash = 'isNegated' in clause && clause.isNegated ? '-' : '';
  switch (clause.kind) {
    case 'from':
      return `f:${clause.table}`;
    case 'aggregate':
      return `c:${clause.aggregate}(${clause.path === null ? '*' : printPath(clause.path)})`;
    case 'period':
      return `c:group_by(timestamp::${clause.period})`;
    case 'select': {
      const what = clause.path === null ? '*' : printPath(clause.path);
      return `s:${what}${clause.alias === null ? '' : `@${clause.alias}`}`;
    }
    case 'time':
      return `${dash}timestamp${clause.op}${printTime(clause.value)}`;
    case 'level':
      return `${dash}metadata.level:${clause.from}..${clause.to}`;
    case 'field':
      return `${dash}${printPath(clause.path)}${clause.op}${printValue(clause)}`;
    case 'text':
      return `${dash}${clause.isRegex ? '~' : ''}${printText(clause.text, clause.isRegex)}`;
    default:
      return assertNever(clause);
  }
}

const printPath = (path: Path): string => path.steps.join('.');

function printTime(value: TimeValue): string {
  switch (value.kind) {
    case 'now':
      return 'now';
    case 'instant':
      return value.text;
    case 'between':
      return `${value.from}..${value.to}`;
    case 'day':
      return value.day;
    case 'this':
      return `this@${value.unit}`;
    case 'last':
      return `last@${value.count}${value.unit}`;
    default:
      return assertNever(value);
  }
}

/** Column names after which unquoted text could be read as a time, a table or a selected column. */
const clauseNames: ReadonlySet<string> = new Set(['timestamp', 't', 'from', 'f', 'select', 's']);

function printValue({ path, value }: FieldFilter): string {
  const isClause = path.steps.length === 1 && clauseNames.has(path.steps[0] ?? '');
  return printOperand(value, isClause);
}

function printOperand(value: FieldValue, isQuoted: boolean): string {
  switch (value.kind) {
    case 'null':
      return 'NULL';
    case 'boolean':
      return String(value.value);
    case 'number':
      return value.text;
    case 'text':
      return !isQuoted && isBareText(value.text) ? value.text : quoted(value.text);
    case 'range':
      return `${printOperand(value.from, isQuoted)}..${printOperand(value.to, isQuoted)}`;
    default:
      return assertNever(value);
  }
}

const isBareText = (text: string): boolean =>
  /^[A-Za-z0-9_-]+$/.test(text) && !/^(?:-?\d+|NULL|true|false)$/.test(text);

/** Prints a word if possible, otherwise quoted text. */
function printText(text: string, isRegex: boolean): string {
  const isWord = /^[^\s":]+$/.test(text) && (isRegex || !/^[-~]/.test(text));
  return isWord ? text : quoted(text);
}

/** Doubles every backslash, so that none can escape the closing quote. */
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
