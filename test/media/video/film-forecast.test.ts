import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { forecastFilm } from '../../../src/media/video/film-forecast.ts'
import { evenTimes, makeClip } from './make-clip.ts'
import { runJob, videoJob } from './run-job.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-film-forecast-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it.each([
  ['as usual', 240, 500_000],
  ['only with coarse pictures', 200, 65_000],
  ['without ever filling it', 60, 900_000],
])('a film that fits its size %s comes to about what is forecast', async (_, height, maxBytes) => {
  const path = join(folder, `film-${maxBytes}.mkv`)
  await makeClip(path, { width: 320, height: 240, times: evenTimes(150, 25) })
  const recipe = { codec: 'h264', height, maxBytes } as const
  const { size } = await stat((await runJob(path, folder, recipe)).temporaryPath)
  const { bytes, spread } = await forecastFilm(videoJob(path, folder, recipe))
  expect(size / bytes).toBeGreaterThan(1 - 1.28 * spread)
  expect(size / bytes).toBeLessThan(1 + 1.28 * spread)
})

it('a film that keeps a look comes to what that look needs', async () => {
  const path = join(folder, 'looked-at.mkv')
  const picture = 'noise=alls=3:allf=t,gblur=sigma=0.8'
  await makeClip(path, { width: 320, height: 180, times: evenTimes(60, 25), picture })
  for (const look of ['identical', 'low'] as const) {
    const recipe = { codec: 'h264', crf: undefined, look } as const
    const { size } = await stat((await runJob(path, folder, recipe)).temporaryPath)
    const { bytes, spread } = await forecastFilm(videoJob(path, folder, recipe))
    expect(size / bytes).toBeGreaterThan(1 - 1.28 * spread)
    expect(size / bytes).toBeLessThan(1 + 1.28 * spread)
  }
})

it('a film that would become larger is forecast to stay as it is, where the preset wants that', async () => {
  const path = fileURLToPath(new URL('../../../assets/samples/sunrise.mp4', import.meta.url))
  const recipe = { codec: 'h264', crf: 20 } as const
  const { size } = await stat(path)
  const whole = await runJob(path, folder, recipe, { neverLarger: true })
  expect((await stat(whole.temporaryPath)).size).toBe(size)
  const job = videoJob(path, folder, recipe)
  expect(await forecastFilm({ ...job, neverLarger: true })).toMatchObject({ bytes: size, spread: 0 })
  expect((await forecastFilm({ ...job, neverLarger: false })).bytes).toBeGreaterThan(size)
})
