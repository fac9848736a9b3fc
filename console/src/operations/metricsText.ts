/** One value of a metric. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads Prometheus text. Lines that are no samples are left out. */
export function parseMetrics(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line): Sample[] => {
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', of = '']) => [key, of] as const);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

/** Sum of a metric over its labels, or over those that are given. Undefined if there is none. */
export function sumOf(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const wanted = Object.entries(labels);
  const found = samples.filter(
    (sample) => sample.name === name && wanted.every(([label, value]) => sample.labels[label] === value),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}

/** Sums of a metric by one of its labels, largest first, without those that are 0. */
export function sumsBy(
  samples: readonly Sample[],
  name: string,
  label: string,
): readonly (readonly [string, number])[] {
  const sums = new Map<string, number>();
  for (const sample of samples) {
    const of = sample.labels[label];
    if (sample.name === name && of !== undefined) sums.set(of, (sums.get(of) ?? 0) + sample.value);
  }
  return [...sums].filter(([, sum]) => sum !== 0).sort((a, b) => b[1] - a[1]);
}
