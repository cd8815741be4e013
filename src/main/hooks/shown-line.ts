/** A line that a program or a server wrote, for the window. */

const LONGEST = 300
/** Characters that can't be shown, such as terminal colors and text direction marks. */
const CONTROLS = /[\p{Cc}\p{Cf}]+/gu

export const shownLine = (line: string | undefined): string =>
  (line ?? '').replaceAll(CONTROLS, '').trim().slice(0, LONGEST)

export const firstLine = (text: string): string => shownLine(text.trimStart().split('\n', 1)[0])
