/** Places that owners hold for a long time, as they are now. */
export interface HeldPlaces {
  readonly all: number;
  /** Places that somebody holds. */
  readonly taken: number;
  /** Places that the asking owner holds. */
  readonly own: number;
}

/**
 * Whether the asking owner may take a place. One that holds none takes any that is free. For a further one, more
 * must be free than it holds, so that no owner takes the last place from those who hold none.
 */
export function mayTakePlace({ all, taken, own }: HeldPlaces): boolean {
  const free = all - taken;
  return own === 0 ? free > 0 : own < free;
}
