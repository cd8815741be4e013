/** A line of subtitles, regardless of its format. */
export type Line = {
  /** Bold, italics and underlines are marked by characters of the private use area. */
  readonly text: string
  /** Alignment as on a numeric keypad: 2 is the usual one at the bottom center, 8 is at the top center. */
  readonly place: number
  /**
   * Whether the line has other styles, for example colors, fonts, effects or drawings. No format that is written here keeps them. Always
   * false for 3GPP timed text.
   */
  readonly isStyled: boolean
}

export const USUAL_PLACE = 2

/** Returns the place of a point. `across` and `down` are shares of the frame's width and height. */
export const placeAt = (across: number, down: number): number => 3 * (2 - thirdAt(down)) + thirdAt(across) + 1

const thirdAt = (share: number): number => Math.min(2, Math.max(0, Math.floor(3 * share)))

/** In the order of the bits of 3GPP timed text. */
export const STYLES = ['b', 'i', 'u'] as const
export const FIRST_MARK = 0xe0_00
/** Marks by the tags that SubRip and WebVTT use. */
export const MARKS: ReadonlyMap<string, string> = new Map(
  STYLES.flatMap((style, index) => [
    [style, String.fromCodePoint(FIRST_MARK + 2 * index)],
    [`/${style}`, String.fromCodePoint(FIRST_MARK + 2 * index + 1)],
  ]),
)
