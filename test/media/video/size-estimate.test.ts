import { expect, it } from 'vitest'
import { curveAround, crfFor } from '../../../src/media/video/size-estimate.ts'

/** Sizes that libvpx produced for a video with grain: they fall in uneven steps as the crf rises. */
const GRAINY: readonly (readonly [crf: number, bytes: number])[] = [
  [20, 4_143_616],
  [26, 3_188_527],
  [33, 2_196_780],
  [40, 1_365_928],
  [47, 732_420],
  [53, 347_854],
  [58, 171_751],
  [63, 78_607],
]

function bytesOfGrainy(crf: number): number {
  const next = Math.max(
    1,
    GRAINY.findIndex(([at]) => at >= crf),
  )
  const [[low, many], [high, few]] = [GRAINY[next - 1] ?? [0, 0], GRAINY[next] ?? [0, 0]]
  return many * (few / many) ** ((crf - low) / (high - low))
}

it.each([2_000_000, 1_300_000, 730_000, 600_000, 350_000])(
  'finds the crf of a video with an unusual curve for %i bytes if there is time for one trial',
  async (wanted) => {
    let trials = 0
    const curve = await curveAround(wanted, 'vp9', 1, (crf) => {
      trials += 1
      return Promise.resolve(bytesOfGrainy(crf))
    })
    const share = bytesOfGrainy(crfFor(curve, wanted, 'vp9')) / wanted
    expect(share).toBeGreaterThan(0.8)
    expect(share).toBeLessThan(1.1)
    expect(trials).toBeLessThanOrEqual(wanted > 1_500_000 ? 1 : 3)
  },
)
