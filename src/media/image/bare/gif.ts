/** Removes everything from a GIF that isn't needed for its frames (GIF89a, sections 20 to 26). */
import { EXTENSION, gifBlocks, inParts } from '../gif-blocks.ts'
import { lzwLength } from '../lzw-length.ts'

const [CONTROL, APPLICATION] = [0xf9, 0xff]
const CONTROL_BYTES = 4
/** Extensions with the number of repetitions, and one with a color profile. */
const [LOOPS, PROFILE] = [['NETSCAPE2.0', 'ANIMEXTS1.0'], 'ICCRGBG1012']
/** The first byte of the part with the number of repetitions, and its length in bytes. */
const [COUNT, LOOP_BYTES] = [1, 3]
const TRAILER = Buffer.from([0x3b])
const NOTHING = Buffer.alloc(0)

/**
 * Returns the file with only what its frames need; undefined if the file has no blocks, its last block isn't complete, or the codes of a
 * frame aren't valid.
 */
export function bareGif(file: Buffer): Buffer | undefined {
  const [first] = gifBlocks(file)
  if (first === undefined) return undefined
  const kept = [file.subarray(0, first.at)]
  for (const { label, at, end, parts } of gifBlocks(file)) {
    if (end > file.length) return undefined
    const [name = NOTHING, ...others] = parts
    const application = label === APPLICATION ? name.toString('latin1') : undefined
    if (file[at] !== EXTENSION) {
      const data = Buffer.concat(parts)
      const start = end - 1 - data.length - parts.length
      const pixels = file.readUInt16LE(at + 5) * file.readUInt16LE(at + 7)
      const length = lzwLength(data, file.readUInt8(start - 1), pixels, 'GIF')
      if (length === undefined) return undefined
      if (length === data.length) kept.push(file.subarray(at, end))
      else kept.push(file.subarray(at, start), ...inParts(data.subarray(0, length)))
    } else if (label === CONTROL)
      kept.push(file.subarray(at, at + 2), ...inParts(name.subarray(0, CONTROL_BYTES)))
    else if (application === PROFILE) kept.push(file.subarray(at, end))
    else if (application !== undefined && LOOPS.includes(application)) {
      const loops = others.find((part) => part[0] === COUNT) ?? NOTHING
      kept.push(file.subarray(at, at + 3 + name.length), ...inParts(loops.subarray(0, LOOP_BYTES)))
    }
  }
  return Buffer.concat([...kept, TRAILER])
}
