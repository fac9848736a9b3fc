import type { SeededRandom } from '../src/demo/seededRandom.ts';

export const projectCount = 2000;
const exponent = 1.05;

/**
 * Project references, the largest first. None is a part of another, so each is also a pattern that matches only itself.
 */
export const projects: readonly string[] = Array.from({ length: projectCount }, (_, rank) =>
  `project${String(rank).padStart(5, '0')}quartz`.padEnd(20, 'x'),
);

/** Cumulative share of events by rank, after Zipf's law. */
export const projectShares: readonly number[] = (() => {
  const weights = projects.map((_, rank) => 1 / (rank + 1) ** exponent);
  const total = weights.reduce((a, b) => a + b, 0);
  let sum = 0;
  return weights.map((weight) => {
    sum += weight / total;
    return sum;
  });
})();

export function pickProject(random: SeededRandom): string {
  const at = random.next();
  let low = 0;
  let high = projectShares.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((projectShares[middle] ?? 1) < at) low = middle + 1;
    else high = middle;
  }
  return projects[low] ?? 'project';
}

/** The projects that queries are measured with. */
export const measuredProjects = {
  large: projects[0] ?? '',
  middling: projects[60] ?? '',
  tiny: projects[1500] ?? '',
} as const;
