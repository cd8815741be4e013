/** `language`: BCP 47 or ISO 639; undefined if the file doesn't state it. */
export type ChapterName = { readonly title: string; readonly language?: string | undefined }

export type Chapter = ChapterName & {
  /** In seconds from the start of the file. */
  readonly start: number
  /** Undefined if the chapter lasts until the next one. */
  readonly end?: number | undefined
  readonly others?: readonly ChapterName[] | undefined
  /** The chapter's ID in Matroska, to which tags refer. */
  readonly id?: Buffer | undefined
}

export type Chapters = {
  readonly list: readonly Chapter[]
  /** Number of chapters that players don't list: hidden chapters, and those of other editions. */
  readonly unlisted?: number | undefined
  /**
   * Whether the chapters are ordered, as in Matroska: players show only the parts that the chapters contain, in the order of the chapters.
   */
  readonly isOrdered?: boolean | undefined
  /** The `Chapters` element of a Matroska file, unchanged. It can have titles in several languages, nested chapters and editions. */
  readonly element?: Buffer | undefined
}
