/** How much smaller results are than their originals, in bytes. Files whose results aren't smaller don't count. */
export type Saved = { readonly files: number; readonly bytes: number }

/** Everything that Mediatray has measured, including results of records that have since been deleted. */
export type Totals = {
  /** Number of originals with results on this computer. */
  readonly files: number
  readonly inputBytes: number
  readonly resultBytes: number
  readonly saved: Saved
}
