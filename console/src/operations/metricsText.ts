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

/** Sum of a metric over its labels. Undefined if there is none. */
export function sumOf(samples: readonly Sample[], name: string): number | undefined {
  const found = samples.filter((sample) => sample.name === name);
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}
