import { ServiceError } from '../../core/errors.ts';

/**
 * Relations inside one another at most, those of the WITH tables that are read included. The height of
 * a text is bounded (parseLimits.ts), but tables that read one another in a chain multiply it, and
 * every later pass recurses.
 */
export const planHeightMax = 600;

export const planTooHigh = (): ServiceError =>
  new ServiceError(
    'sql.too_complex',
    `WITH tables and subqueries stand on one another in more than ${planHeightMax} steps here; take fewer steps`,
  );
