import * as z from 'zod';

const itemSchema = z.looseObject({
  parameter: z.string().optional(),
  value: z.string().optional(),
  allowed: z.array(z.string()).optional(),
  nearest: z.string().optional(),
  line: z.number().optional(),
  column: z.number().optional(),
  index: z.number().optional(),
  code: z.string().optional(),
  message: z.string().optional(),
});

/** The body of an error answer (contract, section 1, "Errors"). */
export const problemSchema = z.looseObject({
  status: z.number(),
  code: z.string(),
  detail: z.string().optional(),
  request_id: z.string().optional(),
  errors: z.array(itemSchema).optional(),
  error: z.looseObject({ message: z.string() }),
});

export type ProblemDocument = z.infer<typeof problemSchema>;

/**
 * Renders a problem for people: the sentence, each further error, and for an error in a query
 * the line with a caret under the place.
 */
export function renderProblem(problem: ProblemDocument, query: string | undefined): string {
  const lines = [`${problem.error.message} [${problem.code}]`];
  const items = problem.errors ?? [];
  const [first] = items;
  if (query !== undefined && first?.line !== undefined && first.column !== undefined) {
    lines.push(...caret(query, first.line, first.column));
  }
  const sentence = problem.error.message;
  if (items.length === 1 && first?.nearest === undefined) lines.push(...allowedOf(first?.allowed ?? [], sentence));
  for (const item of items.length > 1 ? items : []) {
    const subject = item.parameter ?? (item.index === undefined ? undefined : `event ${item.index}`);
    const message = item.message ?? (item.allowed === undefined ? undefined : `allowed: ${item.allowed.join(', ')}`);
    if (message !== undefined && !sentence.includes(message))
      lines.push(`  ${subject === undefined ? '' : `${subject}: `}${message}`);
  }
  if (problem.status >= 500 && problem.request_id !== undefined) lines.push(`  request ID ${problem.request_id}`);
  return lines.join('\n');
}

/** The allowed values, unless the sentence already names them. */
function allowedOf(allowed: readonly string[], sentence: string): readonly string[] {
  if (allowed.every((each) => sentence.includes(each))) return [];
  const more = allowed.length > allowedMax ? ` and ${allowed.length - allowedMax} more` : '';
  return [`  allowed: ${allowed.slice(0, allowedMax).join(', ')}${more}`];
}

/** Allowed values that are shown at most. */
const allowedMax = 20;

/** The line of the text and a caret under the column; both count from 1, columns in characters. */
export function caret(text: string, line: number, column: number): readonly string[] {
  const source = text.split(/\r\n|\r|\n/)[line - 1];
  if (source === undefined) return [];
  // Keep tabs, so that the caret lines up at any tab width.
  const indent = source.slice(0, column - 1).replaceAll(/[^\t]/g, ' ');
  return [`  ${source}`, `  ${indent}^`];
}
