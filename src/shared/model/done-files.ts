/** Which of the draft's files earlier jobs have already processed with the draft's presets. */
export type DoneFiles =
  /** Files are being compared with earlier results. */
  | {
      readonly kind: 'checking'
      readonly files: number
      /** Files compared so far. */ readonly checked: number
    }
  | {
      readonly kind: 'known'
      /** Only files that are done with a preset or that are results themselves, in the draft's order. */
      readonly done: readonly DoneFile[]
    }

export type DoneFile = {
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** The draft's presets with which the file is done; null stands for the basic defaults. */
  readonly presets: readonly (string | null)[]
  /** Whether it is done with each of the draft's presets that handle its kind. The whole file is then skipped. */
  readonly isDone: boolean
  /** When the newest of these results was finished, ms since 1970; null if it is only a result with another preset. */
  readonly at: number | null
  /** Set if the file is itself a result of a job, with any preset. `at` is in ms since 1970. */
  readonly resultOf: { readonly preset: string | null; readonly at: number } | null
}
