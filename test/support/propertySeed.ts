import fc from 'fast-check';

/**
 * Property tests try the same cases in each run, so that a commit passes either everywhere or nowhere. `PROPERTY_SEED`
 * selects other cases: a whole number, or `random`, which each failure shows.
 */
const wanted = process.env.PROPERTY_SEED ?? '20261123';

if (wanted !== 'random') {
  const seed = Number(wanted);
  if (!Number.isInteger(seed)) throw new Error(`PROPERTY_SEED is a whole number or "random", not "${wanted}"`);
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
}
