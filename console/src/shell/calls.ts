import { createContext, useContext } from 'react';
import type { RowsCalls } from '../api/rows.ts';

export const CallsContext = createContext<RowsCalls | null>(null);

/** The calls for rows, which share one worker. */
export function useRowsCalls(): RowsCalls {
  const calls = useContext(CallsContext);
  if (calls === null) throw new Error('CallsContext is missing.');
  return calls;
}
