/** Removes everything from a GIF that isn't needed for its frames (GIF89a, sections 23 to 26). */
import { EXTENSION, gifBlocks } from '../gif-blocks.ts'

const [CONTROL, PLAIN_TEXT, APPLICATION] = [0xf9, 0x01, 0xff]
/** Extensions with the number of repetitions, and with a color profile. */
const FOR_FRAMES = ['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']
const TRAILER = Buffer.from([0x3b])

/** Returns the file with only what its frames need; undefined if the file has no frame, or its last frame isn't complete. */
export function bareGif(file: Buffer): Buffer | undefined {
  const [first] = gifBlocks(file)
  if (first === undefined) return undefined
  const kept = [file.subarray(0, first.at)]
  for (const { label, at, end, parts } of gifBlocks(file)) {
    if (end > file.length) return undefined
    const isNeeded =
      file[at] !== EXTENSION ||
      label === CONTROL ||
      label === PLAIN_TEXT ||
      (label === APPLICATION && FOR_FRAMES.includes(parts[0]?.toString('latin1') ?? ''))
    if (isNeeded) kept.push(file.subarray(at, end))
  }
  return Buffer.concat([...kept, TRAILER])
}
