import { filePath, integer, someText } from './settingForms.ts';

/** Settings of the listener for syslog, as members of the settings of the service. */
export const syslogSettings = {
  syslogPort: integer(0, 65_535)
    .optional()
    .describe(
      'TCP port that receives syslog messages. If unset, Logmill receives none. `0` picks a free port. Needs `syslog_source` and `syslog_project`.',
    ),
  syslogHost: someText
    .default('127.0.0.1')
    .describe('Address of the syslog listener. `0.0.0.0` or `::` accepts messages from the network.'),
  syslogSource: someText.optional().describe('Source of all syslog messages.'),
  syslogProject: someText.optional().describe('Project of all syslog messages.'),
  syslogConnectionsMax: integer(1, 10_000)
    .default(200)
    .describe(
      'Maximum number of syslog connections at the same time. Logmill closes further ones, unless another address holds at least two more or a connection was silent for five minutes.',
    ),
  syslogTlsCertFile: filePath
    .optional()
    .describe('PEM file with the certificate of the syslog listener and its chain. If set, the listener uses TLS 1.2.'),
  syslogTlsKeyFile: filePath.optional().describe('PEM file with the private key of that certificate.'),
  syslogTlsCaFile: filePath
    .optional()
    .describe(
      'PEM file with certificates of authorities. If set, syslog senders need a certificate that one of these authorities issued.',
    ),
} as const;
