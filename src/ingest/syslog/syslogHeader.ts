import type { JsonObject } from '../../core/jsonValue.ts';

/** The parts of a message before its text. */
export interface SyslogHeader {
  /** In the form of RFC 3339, though it may not exist; undefined if the message has no time. */
  readonly timestamp: string | undefined;
  readonly host: string | undefined;
  readonly appName: string | undefined;
  readonly procId: string | undefined;
  readonly msgId: string | undefined;
  readonly structuredData: JsonObject | undefined;
  /** Where the text of the message begins. */
  readonly textAt: number;
}
