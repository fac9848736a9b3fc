import type { ParameterDeclaration } from '../endpoints/parameterDeclaration.ts';
import { writtenName } from '../googlesql/functions/operatorWords.ts';
import { type AlteredHow, type AlteredText, alteredTexts } from '../googlesql/plan/alteredTexts.ts';
import type { ParameterValue } from '../googlesql/resolve/parameterValue.ts';
import type { Notice, ResolvedQuery } from '../googlesql/resolve/tree.ts';
import { createRedactor } from '../redact/createRedactor.ts';
import type { Source } from '../sources/source.ts';
import { needsRedactionAtScan } from './redactionAtScan.ts';

/** The parts of a definition that these notices look at. */
interface AlteringEndpoint {
  readonly query: string;
  readonly parameters: readonly ParameterDeclaration[];
  readonly sandbox: boolean;
}

/**
 * Returns the notices `redaction.unrecognised` for the author of the endpoint: one for each output column in which the
 * query cuts, changes or extends personal values, so that redaction of finished rows does not find them. Columns that
 * are replaced as a whole because of a member's name get none.
 */
export function alteredNotices(
  query: ResolvedQuery,
  { sandbox }: Pick<AlteringEndpoint, 'sandbox'>,
): readonly Notice[] {
  return alteredTexts(query)
    .filter(({ output, outputMembers }) => ![[output], ...outputMembers].some((path) => builtin.isPersonal(path)))
    .map((altered) => noticeOf(altered, sandbox));
}

/** Like `alteredNotices`. Returns none if every call with redaction reads redacted events, whatever its parameters are. */
export function alteredNoticesOfDefinition(
  query: ResolvedQuery,
  endpoint: AlteringEndpoint,
  sources: ReadonlyMap<string, Source>,
): readonly Notice[] {
  const notices = alteredNotices(query, endpoint);
  if (notices.length === 0) return notices;
  const always = endpoint.parameters.filter((parameter) => parameter.required || parameter.default !== null);
  const parameters = new Map(always.map(({ name }) => [name, anyValue] as const));
  return needsRedactionAtScan({ callerQuery: null, parameters }, endpoint, query, sources) ? [] : notices;
}

/** The built-in members. An installation can add members but not remove any. */
const builtin = createRedactor();

/** Only the presence of a value matters. */
const anyValue: ParameterValue = { kind: 'string', value: '' };

function noticeOf({ output, how, fn, members, pos }: AlteredText, sandbox: boolean): Notice {
  const name = fn === 'cast' ? 'CAST' : writtenName(fn).toUpperCase();
  const { problem, advice } = sentences[how];
  const elsewhere = sandbox ? ', or do it in caller queries (sql), which read redacted tables' : '';
  return {
    code: 'redaction.unrecognised',
    message: `The column ${output} ${problem(listed(members), name)} ${advice}${elsewhere}.`,
    line: pos.line,
    column: pos.column,
  };
}

interface Sentences {
  readonly problem: (members: string, name: string) => string;
  readonly advice: string;
}

const sentences: Readonly<Record<AlteredHow, Sentences>> = {
  part: {
    problem: (members, name) =>
      `contains a part of ${members}, made by ${name}. Redaction examines the finished rows, so it does not recognise a personal value that was cut, and the rest of it is shown.`,
    advice: 'Return the whole text',
  },
  changed: {
    problem: (members, name) =>
      `contains ${members} in another form, made by ${name}. Redaction examines the finished rows, so it does not recognise personal values in this form, and they are shown.`,
    advice: 'Return the text unchanged',
  },
  joined: {
    problem: (members, name) =>
      `contains ${members} joined directly to other text by ${name}. Redaction examines the finished rows, so it may not recognise a personal value that touches other characters, which is then shown.`,
    advice: 'Put a space, a comma, a bracket or a quote between them',
  },
};

const listedMax = 3;

function listed(members: AlteredText['members']): string {
  const names = members.slice(0, listedMax).map((path) => path.join('.').slice(0, 128));
  return members.length > listedMax ? `${names.join(', ')} and more` : names.join(', ');
}
