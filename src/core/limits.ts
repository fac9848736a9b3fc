/** Bounds of contract section 7 that do not depend on configuration. */
export const limits = {
  callerQueryBytesMax: 64 * 1024,
  parameterBytesMax: 4 * 1024,
  /** Request line and headers together. */
  requestHeadBytesMax: 128 * 1024,
  requestHeaderLinesMax: 256,
  eventIdCharsMax: 128,
  tokenProjectsMax: 100,
  tokenParametersMax: 20,
  tokenParameterValuesMax: 100,
  tokenNetworksMax: 100,
  endpointNameCharsMax: 128,
  /** What the compiler reads at most; it counts bytes. */
  storedQueryCharsMax: 64 * 1024,
  /** Of a request with one definition or many. */
  definitionBodyBytesMax: 16 * 1024 * 1024,
  maxRowsMax: 10_000,
  outputColumnsMax: 1_000,
  cacheSecondsMax: 86_400,
  eventAheadMsMax: 24 * 60 * 60 * 1000,
} as const;
