import * as z from 'zod';
import { canonicalNetwork } from '../core/network.ts';

/** Networks separated by commas, in canonical form. */
export const trustedProxies = z
  .string({ error: 'is a list of networks' })
  .transform((given, context) => {
    const networks = given
      .split(',')
      .map((text) => text.trim())
      .filter((text) => text !== '')
      .map((text) => canonicalNetwork(text) ?? null);
    const known = networks.filter((network) => network !== null);
    if (known.length === networks.length) return known.join(',');
    context.addIssue({ code: 'custom', message: 'is a list of networks or addresses, such as 10.0.0.0/8,192.0.2.7' });
    return z.NEVER;
  })
  .optional();
