import fc from 'fast-check';

/**
 * Property tests try the same cases in each run, so that a commit passes wherever it is tested or nowhere. With
 * `PROPERTY_SEED` they try others: of that whole number, or of `random`, which each failure names.
 */
const wanted = process.env.PROPERTY_SEED ?? '20261123';

if (wanted !== 'random') {
  const seed = Number(wanted);
  if (!Number.isInteger(seed)) throw new Error(`PROPERTY_SEED is a whole number or "random", not "${wanted}"`);
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
}
