import { rounded } from '../percentile.ts';
import { eventsText, type Figure, ratioOf, withUnit } from './figure.ts';
import type { SuiteResult } from './suiteResult.ts';
import { describe } from './tables.ts';
import { verdicts, verdictText } from './verdicts.ts';

/**
 * A result as Markdown for docs/performance.md: the run, the targets, then a table for each part and size of folder.
 */
export function pageTables(result: SuiteResult): string {
  const parts = [...new Set(result.figures.map(({ part }) => part))];
  return [
    '### The run',
    describe(result).replaceAll('\n', '\n\n'),
    ...(result.failures.length === 0 ? [] : [`Parts that failed: ${result.failures.join('; ')}`]),
    '### Targets',
    targetsTable(result),
    ...parts.flatMap((part) =>
      partTables(
        part,
        result.figures.filter((each) => each.part === part),
      ),
    ),
    ...growthTable(result.figures),
  ].join('\n\n');
}

function targetsTable({ figures }: SuiteResult): string {
  const rows = verdicts(figures).map((verdict) => [
    verdict.what,
    verdict.bound,
    verdict.measured,
    verdictText(verdict),
  ]);
  return markdownTable(['what', 'target', 'measured', ''], rows);
}

function partTables(part: string, figures: readonly Figure[]): readonly string[] {
  const sizes = [...new Set(figures.map(({ events }) => events))];
  return sizes.flatMap((events) => {
    const some = figures.filter((each) => each.events === events);
    const title = events === null ? part : `${part}, ${eventsText(events)} events`;
    return [`### ${title.charAt(0).toUpperCase()}${title.slice(1)}`, figuresTable(some)];
  });
}

/**
 * Figures with the same name share a row. Each compared program and each further number has its own column.
 */
function figuresTable(figures: readonly Figure[]): string {
  const unique = <T>(values: readonly T[]) => [...new Set(values)];
  const besides = unique(figures.flatMap(({ beside }) => (beside === null ? [] : [beside.what])));
  const further = unique(figures.flatMap((each) => Object.keys(each.further)));
  const isManyPeers = besides.length > 2;
  const rows = unique(figures.map(({ what }) => what)).map((what) => {
    const same = figures.filter((each) => each.what === what);
    const [first] = same;
    if (first === undefined) return [];
    const peer = (each: Figure | undefined, isNamed: boolean): readonly string[] => {
      if (each?.beside == null) return ['', ''];
      const { beside, unit } = each;
      const ratio = ratioOf(each);
      const value = withUnit(beside.value, unit);
      return [isNamed ? `${beside.what}: ${value}` : value, ratio === null ? '' : `${rounded(ratio)}×`];
    };
    const peers = isManyPeers
      ? peer(first, true)
      : besides.flatMap((name) =>
          peer(
            same.find(({ beside }) => beside?.what === name),
            false,
          ),
        );
    const more = further.map((name) => {
      const value = first.further[name];
      return value === undefined ? '' : withUnit(value, first.unit);
    });
    return [what, withUnit(first.measured, first.unit), ...more, ...peers];
  });
  const peerHeads = isManyPeers ? ['compared with', 'ratio'] : besides.flatMap((name) => [name, 'ratio']);
  return markdownTable(['what', 'measured', ...further, ...peerHeads], rows);
}

/** The same call on folders of each size, if there are several sizes. */
function growthTable(figures: readonly Figure[]): readonly string[] {
  const parts = ['stored endpoints', 'caller queries', 'parallel clients', 'start and memory'];
  const some = figures.filter(({ part, events }) => parts.includes(part) && events !== null);
  const sizes = [...new Set(some.map(({ events }) => events))].toSorted((a, b) => (a ?? 0) - (b ?? 0));
  if (sizes.length < 2) return [];
  const rows = [...new Set(some.map(({ what }) => what))].flatMap((what) => {
    const ofSizes = sizes.map((size) => some.find((each) => each.what === what && each.events === size));
    const [first] = ofSizes;
    const last = ofSizes.at(-1);
    if (first === undefined || last === undefined) return [];
    const cells = ofSizes.map((each) => (each === undefined ? '' : withUnit(each.measured, each.unit)));
    return [[what, ...cells, `${rounded(last.measured / first.measured)}×`]];
  });
  return [
    '### The same with more events',
    markdownTable(['what', ...sizes.map((size) => `${eventsText(size)} events`), 'last ÷ first'], rows),
  ];
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
