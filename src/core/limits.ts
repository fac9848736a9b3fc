/** Limits of the contract, section 7, that cannot be configured. */
export const limits = {
  callerQueryBytesMax: 64 * 1024,
  parameterBytesMax: 4 * 1024,
  httpConnectionsMax: 10_000,
  /** For request line and headers together. */
  requestHeadBytesMax: 128 * 1024,
  requestHeaderLinesMax: 256,
  eventIdCharsMax: 128,
  tokenProjectsMax: 100,
  tokenParametersMax: 20,
  tokenParameterValuesMax: 100,
  tokenNetworksMax: 100,
  endpointNameCharsMax: 128,
  /** Also the limit of the compiler, which counts bytes. */
  storedQueryCharsMax: 64 * 1024,
  /** For a request with one or more definitions. */
  definitionBodyBytesMax: 16 * 1024 * 1024,
  maxRowsMax: 10_000,
  streamRowsMax: 1_000_000_000,
  streamBytesMax: 2 ** 40,
  outputColumnsMax: 1_000,
  cacheSecondsMax: 86_400,
  eventAheadMsMax: 24 * 60 * 60 * 1000,
} as const;
