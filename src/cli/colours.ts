import { styleText } from 'node:util';
import type { CliContext, TextStyle } from './cliContext.ts';

/** Whether results are shown in colours: only by a terminal that can, and unless `NO_COLOR` is set (no-color.org). */
export function hasColours({ columns, environment }: Pick<CliContext, 'columns' | 'environment'>): boolean {
  return columns !== undefined && !environment.NO_COLOR && environment.TERM !== 'dumb';
}

/** The text in the style, where results have colours. */
export function styled(
  text: string,
  style: TextStyle | undefined,
  context: Pick<CliContext, 'columns' | 'environment'>,
): string {
  if (style === undefined || !hasColours(context)) return text;
  return styleText(style, text, { validateStream: false });
}
