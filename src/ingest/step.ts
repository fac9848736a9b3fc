/** Reports work on this many bytes without a result, so that other work can run. */
export interface Step {
  readonly kind: 'step';
  readonly work: number;
}
