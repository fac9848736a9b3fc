/** How often a node says that it is alive and asks which purges there were. */
export const nodePulseMs = 300;
/** A node that was silent for this long is treated as gone: its shares of limits lapse. */
export const nodeLapseMs = 3_000;
/**
 * A node answers from its cache only if it has asked for purges within this time, so a purge is complete after it even
 * if the node cannot be reached. Less than a second, because purges must not take longer than revocations.
 */
export const purgeLeaseMs = 900;
/** How often counts are exchanged. */
export const exchangeMs = 100;
/** How long a node waits for the answers of others. */
export const answerMs = 700;
