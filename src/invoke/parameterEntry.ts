import type { GivenParameter } from '../endpoints/givenParameter.ts';

/** A parameter as it was sent. */
export type ParameterEntry = GivenParameter;
