import type { Observe } from '../core/observation.ts';
import { systemTimer } from '../core/timer.ts';
import type { Traces, TracesServices } from '../observe/traces.ts';
import { packageVersion } from './packageInfo.ts';
import type { Settings } from './settings.ts';
import { headersOf } from './tracesSettings.ts';

/** Starts traces as the settings say. Returns null, and loads nothing, if they are off. */
export async function startTraces(
  { tracesEndpoint, tracesHeaders, tracesPercent }: Settings,
  services: Pick<TracesServices, 'clock' | 'randomness' | 'observe'>,
): Promise<Traces | null> {
  if (tracesEndpoint === undefined) return null;
  const [observing, { createSendSpans }] = await Promise.all([
    import('../observe/traces.ts'),
    import('../observe/sendSpans.ts'),
  ]);
  const headers = tracesHeaders === undefined ? {} : (headersOf(tracesHeaders) ?? {});
  const send = createSendSpans({ url: tracesEndpoint, headers }, packageVersion());
  const settings = { ...observing.defaultTracesSettings, share: tracesPercent / 100 };
  return new observing.Traces(settings, { ...services, timer: systemTimer, send });
}

/** Wraps `observe` so that every observation is also traced, if tracing is on. */
export function tracing(observe: Observe, traces: Traces | null): Observe {
  if (traces === null) return observe;
  return (observation) => {
    observe(observation);
    traces.record(observation);
  };
}
