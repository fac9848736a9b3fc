import type { ReactNode } from 'react';

interface FactListProps {
  /** Names, which differ, with values. */
  readonly facts: readonly (readonly [string, ReactNode])[];
  /** Whether names are written as code. */
  readonly isCode?: boolean;
  readonly isNarrow?: boolean;
}

/** Names with values, a line each. */
export function FactList({ facts, isCode = false, isNarrow = false }: FactListProps) {
  return (
    <dl className={isNarrow ? 'settings narrow' : 'settings'}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{isCode ? <code>{name}</code> : name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
