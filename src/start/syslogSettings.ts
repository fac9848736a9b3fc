import { z } from 'zod';

const fileForm = 'is the path of a file';
const file = z.string({ error: fileForm }).min(1, fileForm).optional();
const textForm = 'is a text of at least one character';
const text = z.string({ error: textForm }).min(1, textForm);

function integer(min: number, max: number) {
  const form = `is a whole number from ${min} to ${max}`;
  return z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^\s*\d+\s*$/, form)
          .transform(Number),
      ],
      { error: form },
    )
    .pipe(z.number({ error: form }).int(form).min(min, form).max(max, form));
}

/** Settings of the listener for syslog, as members of the settings of the service. */
export const syslogSettings = {
  syslogPort: integer(0, 65_535)
    .optional()
    .describe(
      'Port on which messages of syslog are received over TCP. If unset, none are received. `0` picks a free port. Needs `syslog_source` and `syslog_project`.',
    ),
  syslogHost: text
    .default('127.0.0.1')
    .describe('Address that the syslog listener uses. `0.0.0.0` or `::` accepts messages from the network.'),
  syslogSource: text.optional().describe('Source that stores the messages of syslog.'),
  syslogProject: text.optional().describe('Project of all messages of syslog.'),
  syslogConnectionsMax: integer(1, 10_000)
    .default(200)
    .describe('Maximum number of connections of syslog senders at the same time. Further ones are closed.'),
  syslogTlsCertFile: file.describe(
    'File with the certificate of the syslog listener in PEM, with its chain. With it, the listener uses TLS.',
  ),
  syslogTlsKeyFile: file.describe('File with the private key of that certificate in PEM.'),
  syslogTlsCaFile: file.describe(
    'File with certificates of authorities in PEM. With it, syslog senders need a certificate of one of them.',
  ),
} as const;
