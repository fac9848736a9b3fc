import { counted } from '../core/counted.ts';
import type { ChosenFormat } from '../formats/resultFormat.ts';
import type { Notice } from '../googlesql/resolve/tree.ts';

const option = 'The option csv_guard writes it before texts that a spreadsheet could run as a formula.';

/** The notice that so many cells of CSV or TSV differ from the rows. */
export function guardedNotice(cells: number): readonly Notice[] {
  if (cells === 0) return [];
  const subject = `${counted(cells, 'cell')} ${cells === 1 ? 'has' : 'have'}`;
  return [{ code: 'format.cells_guarded', message: `${subject} ' before the text. ${option}` }];
}

/** The same for a stream, whose headers are sent before its rows. */
export function mayBeGuardedNotice({ isGuarded }: Pick<ChosenFormat, 'isGuarded'>): readonly Notice[] {
  return isGuarded ? [{ code: 'format.cells_guarded', message: `Cells can have ' before the text. ${option}` }] : [];
}
