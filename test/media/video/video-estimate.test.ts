import { stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { estimateVideo } from '../../../src/media/video/video-estimate.ts'
import type { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { evenTimes } from './make-clip.ts'
import { clip, runJob, useClipFolder, videoJob } from './run-job.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

useClipFolder()

async function expectGoodEstimate(path: string, recipe: Partial<VideoRecipe>): Promise<void> {
  const { size } = await stat((await runJob(path, recipe)).temporaryPath)
  const { bytes, spread } = await estimateVideo(videoJob(path, recipe))
  expect(Math.abs(size / bytes - 1)).toBeLessThan(1.28 * spread)
}

it.each(
  firstOf([
    ['as usual', 240, 500_000],
    ['only with coarse frames', 200, 65_000],
    ['without ever reaching it', 60, 900_000],
  ] as const),
)('a video that fits its size %s has about the estimated size', async (_, height, maxBytes) => {
  const path = await clip({ width: 320, height: 240, times: evenTimes(150, 25) }, 'mkv')
  await expectGoodEstimate(path, { codec: 'h264', height, maxBytes })
})

itInLongSuite('the size of a video with a visual quality target is estimated for that quality', async () => {
  const picture = 'noise=alls=3:allf=t,gblur=sigma=0.8'
  const path = await clip({ width: 320, height: 180, times: evenTimes(60, 25), picture }, 'mkv')
  for (const look of ['identical', 'low'] as const)
    await expectGoodEstimate(path, { codec: 'h264', crf: undefined, look, speed: 'ultrafast' })
})

it('a video that would become larger is estimated at its original size if it must not grow', async () => {
  const path = fileURLToPath(new URL('../../../assets/samples/sunrise.mp4', import.meta.url))
  const recipe = { codec: 'h264', crf: 20 } as const
  const { size } = await stat(path)
  const whole = await runJob(path, recipe, { neverLarger: true })
  expect((await stat(whole.temporaryPath)).size).toBe(size)
  const job = videoJob(path, recipe)
  expect(await estimateVideo({ ...job, neverLarger: true })).toMatchObject({
    bytes: size,
    spread: 0,
    pixels: 640 * 360,
  })
  expect((await estimateVideo({ ...job, neverLarger: false })).bytes).toBeGreaterThan(size)
})
