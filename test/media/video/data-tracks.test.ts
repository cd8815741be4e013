import { AVMEDIA_TYPE_DATA } from 'node-av/constants'
import { describe, expect, it } from 'vitest'
import { openClip, packetsIn, secondsOf } from './open-clip.ts'
import { clip, inClipFolder, runJob, useClipFolder } from './run-job.ts'
import { withData } from './with-data.ts'
import { firstOf } from '../../faults/long-suite.ts'

useClipFolder()

const SAMPLES = Array.from({ length: 4 }, (_, index) => Buffer.from(`DEVC ${index} 48.13743, 11.57549`))

async function withSensors(type: string, extension: 'mp4' | 'mov' = 'mp4'): Promise<string> {
  const path = inClipFolder(`${type}.${extension}`)
  await withData(await clip({ width: 64, height: 64, sound: 0.48 }), path, type, SAMPLES)
  return path
}

/** Reads all samples of the data tracks, with their times in seconds. */
async function samplesIn(path: string) {
  await using input = await openClip(path)
  const samples: { readonly seconds: number; readonly text: string | undefined }[] = []
  for (const packet of packetsIn(input)) {
    const stream = input.streams[packet.streamIndex]!
    const seconds = Math.round(secondsOf(packet, stream) * 1000) / 1000
    if (stream.codecpar.codecType === AVMEDIA_TYPE_DATA)
      samples.push({ seconds, text: packet.data?.toString('latin1') })
  }
  return samples
}

describe('camera telemetry', () => {
  it.each(
    firstOf([
      { container: 'mp4' },
      { container: 'mov' },
      { container: 'mp4', codec: 'copy' },
      { container: 'mov', codec: 'copy' },
    ] as const),
  )('is kept with its times: %o', async (recipe) => {
    const original = await withSensors('gpmd', recipe.container)
    const { temporaryPath, losses, problem } = await runJob(original, recipe)
    expect([losses, problem]).toEqual([[], undefined])
    expect(await samplesIn(temporaryPath)).toEqual(
      SAMPLES.map((sample, index) => ({ seconds: index / 10, text: sample.toString('latin1') })),
    )
  })

  it('is listed as lost if the container can’t hold it', async () => {
    const { losses } = await runJob(await withSensors('gpmd'), { container: 'mkv', codec: 'copy' })
    expect(losses).toMatchObject([
      { code: 'dataTrack', values: { track: 1, detail: 'gpmd' }, why: { code: 'formatLacksIt' } },
    ])
  })

  it.each(firstOf(['camm', 'rtmd', 'djmd']))(
    'is listed as lost if no container can hold its type: %s',
    async (type) => {
      const { losses } = await runJob(await withSensors(type), { container: 'mp4' })
      expect(losses).toMatchObject([
        { code: 'dataTrack', values: { detail: type }, why: { code: 'noFormat' } },
      ])
    },
  )

  it.each(firstOf(['strip-location', 'strip'] as const))(
    'is removed without a loss by `%s`',
    async (metadata) => {
      const { temporaryPath, losses } = await runJob(await withSensors('gpmd'), {
        container: 'mp4',
        metadata,
      })
      expect([await samplesIn(temporaryPath), losses]).toEqual([[], []])
    },
  )
})

it.each(firstOf(['mebx', 'fdsc', 'mp4s']))('what isn’t meant for users isn’t missed: %s', async (type) => {
  const { losses } = await runJob(await withSensors(type, 'mov'), { container: 'mov' })
  expect(losses).toEqual([])
})
