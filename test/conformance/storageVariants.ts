/** The places that events can be read from: nested members from JSON or from typed columns, in either kind of file. */
export const storageVariants = [
  { title: 'active file, members read from metadata', withHotColumns: false, isSealed: false },
  { title: 'active file, members in typed columns', withHotColumns: true, isSealed: false },
  { title: 'sealed file, members read from metadata', withHotColumns: false, isSealed: true },
  { title: 'sealed file, members in typed columns', withHotColumns: true, isSealed: true },
] as const;
