/** Makes it `presentMs`, milliseconds since 1970, in this process. */
export function setPresent(presentMs: number): void;
/** Milliseconds since 1970 by the machine's clock. */
export function machineNow(): number;
