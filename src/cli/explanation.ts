import * as z from 'zod';

const readSchema = z.looseObject({ name: z.string(), columns: z.array(z.string()) });

/** The body of a dry run's 200 (docs/reference/http.md, "Dry runs"). */
const explanationSchema = z.looseObject({
  dry_run: z.looseObject({
    language: z.string(),
    tables: z.array(readSchema),
    columns: z.array(z.looseObject({ name: z.string(), type: z.string() })),
    parameters: z.array(z.looseObject({ name: z.string(), type: z.string(), used: z.boolean() })),
    rows_max: z.number(),
    sources: z.array(readSchema).optional(),
    engine: z.looseObject({ statement: z.string(), plan: z.string() }).optional(),
  }),
});

/** Renders a dry run for people: one line per fact, then the engine's statement and plan if the answer has them. */
export function renderExplanation(body: unknown): string {
  const { dry_run: run } = explanationSchema.parse(body);
  const reads = ({ name, columns }: z.infer<typeof readSchema>) => `${name}(${columns.join(', ')})`;
  const lines: [string, readonly string[]][] = [
    ['language', [run.language]],
    ['reads', run.tables.map(reads)],
    ['from', (run.sources ?? []).map((source) => `sources.${reads(source)}`)],
    ['returns', run.columns.map(({ name, type }) => `${name} ${type}`)],
    ['uses', run.parameters.filter(({ used }) => used).map(({ name, type }) => `@${name} ${type}`)],
    ['rows', [`at most ${run.rows_max}`]],
  ];
  const facts = lines.filter(([, items]) => items.length > 0);
  const text = facts.map(([name, items]) => `${name.padEnd(9)} ${items.join(`\n${' '.repeat(10)}`)}`).join('\n');
  return run.engine === undefined ? text : `${text}\n\n${run.engine.statement}\n\n${run.engine.plan}`;
}
