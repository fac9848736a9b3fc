// Entry of a process: a node of a service whose events are in its memory. Its only argument is the settings as JSON. It
// prints its address once it is ready. Several of them can use one store, because none of them needs the events of another.
import { systemClock } from '../../src/core/clock.ts';
import { systemRandomness } from '../../src/core/ids.ts';
import { settingsSchema } from '../../src/start/settings.ts';
import { startService } from '../../src/start/startService.ts';
import { memory } from './enginesUnderTest.ts';

const [settings = '{}'] = process.argv.slice(2);
const service = await startService({
  settings: settingsSchema.parse(JSON.parse(settings)),
  clock: systemClock,
  randomness: systemRandomness,
  observe: (observation) => {
    if (observation.kind === 'warning' || observation.kind.startsWith('nodes.')) console.error(observation);
  },
  demo: false,
  progress: () => undefined,
  openEngine: memory.openForService,
});
console.log(`listening on ${service.url}`);
process.once('SIGTERM', () => {
  void service.close('SIGTERM').then(() => process.exit(0));
});
