/** Replaces the edit lists of QuickTime files, as programs do that trim without encoding. */

/** Seconds to show, and where they begin in the media. Without a beginning, nothing is shown for this long. */
export type Edit = {
  readonly seconds: number
  readonly from: number | undefined
  /** Default: 1. With 0, the picture stands still. */
  readonly speed?: number
}

/**
 * @param movie a file whose index is at its end
 * @param handler the type of the tracks to change, for example `soun`; by default, all tracks are changed
 */
export function withEdits(movie: Buffer, edits: readonly Edit[], handler = ''): Buffer {
  const fileTicks = movie.readUInt32BE(movie.lastIndexOf('mvhd') + 16)
  return rebuilt(movie, { edits, handler, fileTicks, ticks: 0 })
}

type Rebuilding = {
  readonly edits: readonly Edit[]
  readonly handler: string
  /** Units of time per second, of the file and of the track. */
  readonly fileTicks: number
  readonly ticks: number
}

function rebuilt(content: Buffer, work: Rebuilding): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at + 8 <= content.length;) {
    const size = content.readUInt32BE(at)
    const type = content.toString('latin1', at + 4, at + 8)
    const body = content.subarray(at + 8, at + size)
    if (type === 'moov' || type === 'edts') parts.push(box(type, rebuilt(body, work)))
    else if (type === 'trak' && body.includes(work.handler))
      parts.push(box(type, rebuilt(body, { ...work, ticks: ticksOf(body) })))
    else if (type === 'elst') parts.push(box(type, editList(work)))
    else parts.push(content.subarray(at, at + size))
    at += size
  }
  return Buffer.concat(parts)
}

const ticksOf = (track: Buffer): number => track.readUInt32BE(track.indexOf('mdhd') + 16)

function box(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(body.length + 8)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, body])
}

function editList({ edits, fileTicks, ticks }: Rebuilding): Buffer {
  const body = Buffer.alloc(8 + edits.length * 12)
  body.writeUInt32BE(edits.length, 4)
  for (const [index, { seconds, from, speed = 1 }] of edits.entries()) {
    const at = 8 + index * 12
    body.writeUInt32BE(Math.round(seconds * fileTicks), at)
    body.writeInt32BE(from === undefined ? -1 : Math.round(from * ticks), at + 4)
    body.writeInt32BE(speed * 0x1_00_00, at + 8)
  }
  return body
}
