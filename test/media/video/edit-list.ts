/** Replaces the edit lists of QuickTime files, as programs do that trim without encoding. */
import { makeBox } from '../../../src/media/make-box.ts'
import { uint32 } from '../../../src/media/big-endian.ts'
import { partsOf, rebuilt } from '../../../src/media/video/mp4-boxes.ts'

export type Edit = ReturnType<typeof edit>

/**
 * @param seconds to show
 * @param from where they begin in the media; undefined: nothing is shown for this long
 * @param speed with 0, the picture stands still
 */
export const edit = (seconds: number, from: number | undefined, speed = 1) => ({ seconds, from, speed })

const ticksOf = (header: string, within: Buffer) => within.readUInt32BE(within.lastIndexOf(header) + 16)

/**
 * @param movie a file whose index is at its end
 * @param handler the type of the tracks to change, for example `soun`; by default, all tracks are changed
 */
export function withEdits(movie: Buffer, edits: readonly Edit[], handler = ''): Buffer {
  const fileTicks = ticksOf('mvhd', movie)
  const changed = (boxes: Buffer, ticks: number): Buffer =>
    Buffer.concat(
      partsOf(boxes).map((part) => {
        const { type, body } = part
        if (type === 'moov' || type === 'edts') return makeBox(type, changed(body, ticks))
        if (type === 'trak' && body.includes(handler))
          return makeBox(type, changed(body, ticksOf('mdhd', body)))
        if (type !== 'elst') return rebuilt(part)
        const entries = edits.flatMap(({ seconds, from, speed }) => [
          Math.round(seconds * fileTicks),
          from === undefined ? 0xffff_ffff : Math.round(from * ticks),
          speed * 0x1_00_00,
        ])
        return makeBox(type, uint32(0, edits.length, ...entries))
      }),
    )
  return changed(movie, 0)
}
