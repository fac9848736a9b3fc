/** How many of some places are held now. Owners may hold a place for long. */
export interface HeldPlaces {
  readonly all: number;
  /** Places that any owner holds. */
  readonly taken: number;
  /** Places that the asking owner holds. */
  readonly own: number;
}

/**
 * Whether the asking owner may take a place. An owner without a place may take any free place. An owner with places may
 * take another only if more places are free than it holds, which leaves the last place to owners without one.
 */
export function mayTakePlace({ all, taken, own }: HeldPlaces): boolean {
  const free = all - taken;
  return own === 0 ? free > 0 : own < free;
}
