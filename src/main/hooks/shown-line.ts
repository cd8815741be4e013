/** Makes a line that a program or server wrote safe to show in the window. */
import { shortened } from '../../shared/characters.ts'

const LONGEST = 300
/** Characters that can't be shown, such as terminal colors and text direction marks. */
const CONTROLS = /[\p{Cc}\p{Cf}]+/gu

export const shownLine = (line: string | undefined): string =>
  shortened((line ?? '').replaceAll(CONTROLS, '').trim(), LONGEST)

export const firstLine = (text: string): string => shownLine(text.trimStart().split('\n', 1)[0])
