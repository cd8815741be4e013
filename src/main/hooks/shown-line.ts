/** Makes a line that a program or server wrote safe to show in the window. */
import { shortened } from '../../shared/characters.ts'

const LONGEST = 300
/** Characters that can't be shown, such as terminal colors and text direction marks. */
const CONTROLS = /[\p{Cc}\p{Cf}]+/gu

/** @param hide removes secrets. It gets the whole line, because it wouldn't recognize a part of a secret. */
export const shownLine = (
  line: string | undefined,
  hide: (line: string) => string = (whole) => whole,
): string => shortened(hide((line ?? '').replaceAll(CONTROLS, '').trim()), LONGEST)
