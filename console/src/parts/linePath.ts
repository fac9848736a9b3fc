/** The `d` of a line through values that follow each other. One that is missing, or no finite number, breaks it. */
export function linePath(
  values: readonly (number | null)[],
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  let isBroken = true;
  return values
    .map((value, index) => {
      if (value === null || !Number.isFinite(value)) {
        isBroken = true;
        return '';
      }
      const command = isBroken ? 'M' : 'L';
      isBroken = false;
      return `${command}${x(index).toFixed(1)},${y(value).toFixed(1)}`;
    })
    .join('');
}
