/** Where a document does not fit the schema of presets. */
export type PresetProblem = { readonly field: string; readonly message: string }

/** A preset of the built-in service as it stands in its file. */
export type PresetDocument = {
  readonly name: string
  /** JSON text. */
  readonly text: string
  readonly forPhotos: boolean
  readonly forVideos: boolean
  /** A preset with problems is not offered. */
  readonly problems: readonly PresetProblem[]
}

export type PresetSaved =
  | { readonly ok: true }
  | { readonly ok: false; readonly problems: readonly PresetProblem[] }
