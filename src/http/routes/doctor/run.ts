import { managedAnswer } from '../endpoints/managed.ts';
import { everyProjectRoute } from '../projects/managedProject.ts';

/** What `logmill doctor` finds where the service runs. */
export const runDoctor = everyProjectRoute({
  operation: 'doctor.run',
  methods: ['GET'],
  path: '/api/doctor',
  urlParameters: [],
  summary:
    'Checks settings, machine, data folder, store and event files of the node that answers, like `logmill doctor`. Findings are kept for ten seconds.',
  async handle({ services }) {
    return managedAnswer({ findings: await services.checkInstallation() });
  },
});
