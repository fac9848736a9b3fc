import { EndpointDirectory } from '../endpoints/endpointDirectory.ts';
import type { EndpointStore } from '../endpoints/endpointStore.ts';
import { defaultEngineLimits } from '../googlesql/engineLimits.ts';
import { createExplainCall, type ExplainCall, type ExplainSettings } from '../invoke/explainCall.ts';
import { withServiceEndpoints } from '../invoke/serviceEndpoints.ts';
import { StatementCache } from '../invoke/statementCache.ts';
import { builtinSources } from '../sources/builtin.ts';
import { compilerFor } from './compilerFor.ts';
import { loadServiceEndpoints } from './serviceEndpoints.ts';
import type { Settings } from './settings.ts';

/** The settings that concern the explanation of a call. */
export function explainSettingsOf(settings: Settings): ExplainSettings {
  const { queryTextBytesMax, parameterBytesMax, requestsPerMinute } = settings;
  return {
    queryTextBytesMax,
    parameterBytesMax,
    rate: requestsPerMinute === 0 ? null : { requests: requestsPerMinute, seconds: 60 },
  };
}

/** Explains calls from a store; no service needs to be running. */
export function explainCallsOf(store: EndpointStore, settings: Settings): ExplainCall {
  const own = loadServiceEndpoints(async () => undefined);
  return createExplainCall(
    {
      endpoints: withServiceEndpoints(new EndpointDirectory(store), own),
      sources: new Map(builtinSources.map((source) => [source.name, source] as const)),
      statements: new StatementCache(compilerFor(defaultEngineLimits), { entriesMax: 1, bytesMax: 1 }),
    },
    explainSettingsOf(settings),
  );
}
