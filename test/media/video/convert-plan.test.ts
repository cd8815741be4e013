import { expect, it } from 'vitest'
import { AS_ASKED, otherPlan } from '../../../src/media/video/convert-plan.ts'
import { TrackFailed } from '../../../src/media/video/track.ts'
import { clip, inClipFolder, runJob, useClipFolder } from './run-job.ts'
import { failure } from '../../../src/shared/failure/failure.ts'
import { FailureError } from '../../../src/shared/failure/failure-error.ts'

useClipFolder()

const refused = new FailureError(failure('videoNotWritten', { detail: 'Invalid argument' }))

it('a copied video that can’t be written is encoded, then its audio', () => {
  const first = otherPlan(AS_ASKED, refused)
  expect(first).toEqual({ ...AS_ASKED, encodesVideo: true })
  expect(first && otherPlan(first, refused)).toEqual({ ...AS_ASKED, encodesVideo: true, encodesAudio: true })
})

it('a video that is encoded anyway isn’t encoded a second time with the same audio', () => {
  const plan = { ...AS_ASKED, encodesVideo: true }
  expect(otherPlan(plan, refused)).toEqual({ ...plan, encodesAudio: true })
  expect(otherPlan({ ...plan, encodesAudio: true }, refused)).toBeUndefined()
})

it('only audio that can’t be copied is encoded', () => {
  const failed = new TrackFailed({ index: 1 }, 'audioNotCopyable')
  expect(otherPlan(AS_ASKED, failed)).toEqual({ ...AS_ASKED, encodesAudio: true })
})

it.each([
  ['copied', { codec: 'copy' }, 3],
  ['encoded', { codec: 'hevc' }, 2],
] as const)(
  'a video that is %s, and that no muxer writes, is not tried again in the same way',
  async (_, recipe, attempts) => {
    let tried = 0
    const temporaryPath = (extension: string) => inClipFolder(`missing/${++tried}.${extension}`)
    await expect(runJob(await clip(), recipe, { temporaryPath })).rejects.toThrow(FailureError)
    expect(tried).toBe(attempts)
  },
)
