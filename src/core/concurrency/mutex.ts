import { Semaphore } from './semaphore.ts';

/** Runs tasks one at a time, in order of arrival. */
export class Mutex extends Semaphore {
  constructor() {
    super(1);
  }
}
