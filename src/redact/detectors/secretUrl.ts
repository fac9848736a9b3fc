import type { Detector } from '../detector.ts';
import { anyCase } from './secretNames.ts';

/** Secrets in the path of a URL: addresses of webhooks, and tokens of links that reset a password or sign someone in. */
export const secretUrl: Detector = {
  name: 'secret_url',
  kind: 'key',
  hint: new RegExp(
    [
      String.raw`hooks\.slack`,
      '/webhooks/',
      String.raw`api\.telegram\.`,
      'webhookb2',
      '/trigger/',
      '[/_-](?:reset|verif|magic|invit|activat|confirm|unsubscribe|password)',
    ]
      .map(anyCase)
      .join('|'),
  ),
  find({ text }, report) {
    for (const { 0: value, index } of text.matchAll(secrets)) {
      if (!uuid.test(value)) report(index, index + value.length);
    }
  },
  canonical: (core) => core,
};

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

const linkWords =
  '(?:reset|verif(?:y|ication)|magic|invit(?:e|ations?)|activat(?:e|ion)|confirm(?:ation)?|unsubscribe|passwords?)';
/** A token, and no name: letters and digits, and long. */
const token = String.raw`(?=[^\d/?#&\s]{0,128}\d)(?=[^A-Za-z/?#&\s]{0,128}[A-Za-z])[\w.~=-]{20,}`;

const secrets = new RegExp(
  [
    String.raw`(?<=hooks\.slack\.com/(?:services|workflows|triggers)/)[\w/-]{16,}`,
    String.raw`(?<=discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{15,22}/)[\w-]{20,}`,
    String.raw`(?<=api\.telegram\.org/(?:file/)?bot)\d{6,12}:[\w-]{30,}`,
    String.raw`(?<=webhook\.office\.com/webhookb2/)[\w@/-]{30,}`,
    String.raw`(?<=maker\.ifttt\.com/trigger/[\w-]{1,64}/(?:json/)?with/key/)[\w-]{16,}`,
    String.raw`(?<=/(?:[\w-]{0,24}[_-])?${linkWords}(?:[_-][\w-]{0,24})?(?:/edit|/reset|/confirm|/token)?/)${token}`,
  ].join('|'),
  'gi',
);
