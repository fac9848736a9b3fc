import { ServiceError } from '../../core/errors.ts';
import type { EngineLimits } from '../engineLimits.ts';

export const planTooHigh = ({ planHeightMax }: EngineLimits): ServiceError =>
  new ServiceError(
    'sql.too_complex',
    `WITH tables and subqueries stand on one another in more than ${planHeightMax} steps here; take fewer steps`,
  );
