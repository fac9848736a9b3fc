import type { ReactNode } from 'react';

interface TableScrollProps {
  readonly label: string;
  readonly children: ReactNode;
}

/** A table that scrolls sideways where it is too wide, also by keyboard. */
export function TableScroll({ label, children }: TableScrollProps) {
  return (
    <section className="table-scroll" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
