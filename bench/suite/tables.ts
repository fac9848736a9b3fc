import Table from 'cli-table3';
import { rounded } from '../percentile.ts';
import { cellsOf, headings } from './figure.ts';
import { loadWarning } from './machine.ts';
import type { SuiteResult } from './suiteResult.ts';
import { verdicts, verdictText } from './verdicts.ts';

/** A result as text for the terminal: every figure, then every target. */
export function tablesOf(result: SuiteResult): string {
  const figures = new Table({ head: [...headings], style: { head: [], border: [], compact: true } });
  for (const part of new Set(result.figures.map((each) => each.part))) {
    figures.push([{ colSpan: headings.length, content: part.toUpperCase() }]);
    for (const each of result.figures.filter((line) => line.part === part)) figures.push([...cellsOf(each)]);
  }
  const targets = new Table({
    head: ['what', 'target', 'measured', ''],
    style: { head: [], border: [], compact: true },
  });
  for (const verdict of verdicts(result.figures)) {
    targets.push([verdict.what, verdict.bound, verdict.measured, verdictText(verdict)]);
  }
  return [figures.toString(), targets.toString(), describe(result)].join('\n');
}

/** The machine, the load and the commit, as sentences. */
export function describe({ machine, load, commit, startedAt, minutes, events }: SuiteResult): string {
  const made = events.map(
    (each) =>
      `${each.events.toLocaleString('en')} in ${Math.round(each.loadSeconds)} s and ${Math.round(each.mergeSeconds)} s`,
  );
  return [
    `${startedAt}Z, commit ${commit}, ${rounded(minutes)} minutes.`,
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.kernel}, Node ${machine.node}, DuckDB ${machine.duckdb}.`,
    `Load average ${load.before.processes.toFixed(1)} before the run and ${load.after.processes.toFixed(1)} after it; a fixed loop took ${Math.round(load.before.loopMs)} ms before and ${Math.round(load.after.loopMs)} ms after.`,
    `Events loaded and compacted: ${made.join('; ')}.`,
    loadWarning(load.before, machine) ?? '',
  ]
    .filter((sentence) => sentence !== '')
    .join('\n');
}
