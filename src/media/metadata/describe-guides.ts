/** Adjusts Photoshop's guides to the result (Adobe Photoshop File Formats Specification, grid and guides). */
import { GUIDE_COUNT_AT, type Resource } from './iptc.ts'
import { isUpright, mapPoint } from './result-mapping.ts'
import type { ResultFacts } from './result-plan.ts'

/** Units of a position per pixel. */
const PER_PIXEL = 32
const FARTHEST = 2 ** 31 - 1
/** Length of a guide: its position, and whether it is horizontal. */
const GUIDE_BYTES = 5

/** Returns the guides at their positions in the result; none if the result is rotated or mirrored, because this isn't supported. */
export function describeGuides({ id, content }: Resource, facts: ResultFacts): readonly Resource[] {
  const { original, fromStored, extent } = facts
  if (!isUpright(fromStored)) return []
  const moved = Buffer.from(content)
  for (let at = GUIDE_COUNT_AT + 4; at + GUIDE_BYTES <= moved.length; at += GUIDE_BYTES) {
    const position = moved.readInt32BE(at) / PER_PIXEL
    const share = { x: position / original.width, y: position / original.height }
    const { x, y } = mapPoint(share, fromStored)
    const now = moved[at + 4] === 1 ? y * extent.height : x * extent.width
    moved.writeInt32BE(Math.max(-FARTHEST, Math.min(FARTHEST, Math.round(now * PER_PIXEL))), at)
  }
  return [{ id, content: moved }]
}
