import { ServiceError } from '../../core/errors.ts';
import type { EngineLimits } from '../engineLimits.ts';

/** The error for WITH tables and subqueries that are nested too deeply for the engine. */
export const planTooHigh = ({ planHeightMax }: EngineLimits): ServiceError =>
  new ServiceError(
    'sql.too_complex',
    `WITH tables and subqueries are nested more than ${planHeightMax} levels deep here; use fewer levels`,
  );
