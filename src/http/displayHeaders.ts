import type { CallHeader } from '../invoke/callHeader.ts';
import { redactHeaderName, valuesHeaderName } from './headerTable.ts';
import { oneValue, type RouteCall } from './route.ts';

/** The headers of a call that change how its rows are shown. */
export function displayHeaders({ headers, settings }: Pick<RouteCall, 'headers' | 'settings'>): {
  readonly redactHeader: CallHeader;
  readonly valuesHeader: CallHeader;
} {
  const read = (name: string): CallHeader => ({ name, value: oneValue(headers[name.toLowerCase()]) });
  return {
    redactHeader: read(redactHeaderName(settings.headerPrefix)),
    valuesHeader: read(valuesHeaderName(settings.headerPrefix)),
  };
}
