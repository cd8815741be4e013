import { describe, expect, it } from 'vitest'
import { createJobProgress } from '../../../src/service/queue/job-progress.ts'
import { fileTypeOf, type JobInput, operationsOf } from '../../../src/service/queue/job-plan.ts'

const input = (name: string, kind: JobInput['kind'] = 'image'): JobInput => ({ path: `/in/${name}`, kind })

function setUp(names: readonly string[], batchCount = 1) {
  const inputs = names.map((name) => input(name))
  const operations = [...operationsOf(inputs, batchCount)]
  const progress = createJobProgress(batchCount, () => {})
  const operation = (index: number) => {
    const found = operations[index]
    if (found === undefined) throw new Error('there is no such operation')
    return found
  }
  return { inputs, progress, operation }
}

describe('the progress of a job', () => {
  it('changes from waiting to discovering, starting and done', () => {
    const { inputs, progress, operation } = setUp(['a.png'])
    expect(progress.resource('queued')).toEqual({
      phase: 'Waiting',
      phaseProgress: 0,
      totalProgress: 0,
      totalFiles: null,
      completedFiles: 0,
    })
    expect(progress.resource('processing').phase).toBe('Discovering')
    progress.begin(inputs)
    expect(progress.resource('processing')).toEqual({
      phase: 'Starting',
      phaseProgress: 0,
      totalProgress: 0,
      totalFiles: 1,
      completedFiles: 0,
    })
    progress.started(operation(0))
    progress.reported(operation(0), { phase: 'Encoding', share: 0.999 })
    expect(progress.resource('processing')).toEqual({
      phase: 'Encoding',
      phaseProgress: 99,
      totalProgress: 99,
      currentFile: 1,
      fileName: 'a.png',
      totalFiles: 1,
      completedFiles: 0,
    })
    progress.ended(operation(0))
    expect(progress.resource('processing')).toMatchObject({
      phase: 'Starting',
      phaseProgress: 0,
      totalProgress: 99,
    })
    expect(progress.resource('completed')).toEqual({
      phase: 'Done',
      phaseProgress: 100,
      totalProgress: 100,
      currentFile: 1,
      fileName: 'a.png',
      totalFiles: 1,
      completedFiles: 1,
    })
  })

  it('ignores reports about a finished file, and caps progress at 100%', () => {
    const { inputs, progress, operation } = setUp(['a.png', 'b.png'])
    progress.begin(inputs)
    progress.started(operation(0))
    progress.ended(operation(0))
    progress.reported(operation(0), { phase: 'Encoding', share: 0.5 })
    expect(progress.resource('processing')).toMatchObject({ phase: 'Starting', totalProgress: 50 })
    progress.started(operation(1))
    progress.reported(operation(1), { phase: 'Encoding', share: 3 })
    expect(progress.resource('processing')).toMatchObject({ phaseProgress: 100, totalProgress: 99 })
  })

  it('counts the files that workers process at the same time, if several', () => {
    const { inputs, progress, operation } = setUp(['a.mp4', 'b.mp4', 'c.mp4'], 2)
    progress.begin(inputs)
    const count = () => progress.resource('processing').filesInProgress
    for (const index of [0, 1, 2, 4]) progress.started(operation(index))
    progress.reported(operation(0), { phase: 'Encoding', share: 0.1 })
    progress.reported(operation(1), { phase: 'Encoding', share: 0.1 })
    expect(count()).toBeUndefined()
    progress.reported(operation(2), { phase: 'Encoding', share: 0.1 })
    expect(count()).toBe(2)
    progress.ended(operation(2))
    expect(count()).toBeUndefined()
  })

  it('counts an input once all its variations are finished, in any order', () => {
    const { inputs, progress, operation } = setUp(['a.png', 'b.png'], 2)
    progress.begin(inputs)
    const completed = [0, 2, 3, 1].map((index) => {
      progress.started(operation(index))
      progress.ended(operation(index))
      return progress.resource('processing').completedFiles
    })
    expect(completed).toEqual([0, 0, 1, 2])
    expect(progress.resource('processing')).toMatchObject({ currentFile: 1, fileName: 'a.png' })
  })

  it('shows how a job ended, and that a canceled one is stopping', () => {
    const { inputs, progress, operation } = setUp(['a.png'])
    expect(progress.resource('failed')).toMatchObject({ phase: 'Failed', totalProgress: 0, totalFiles: null })
    progress.begin(inputs)
    progress.started(operation(0))
    expect(progress.resource('stopping').phase).toBe('Stopping')
    progress.ended(operation(0))
    expect(progress.resource('cancelled').phase).toBe('Cancelled')
    expect(progress.resource('failed').phase).toBe('Failed')
  })

  it('is never complete while results are being uploaded to a drive', () => {
    const { progress } = setUp([])
    const uploading = (ended: number, total: number, share: number, fileName?: string) =>
      progress.resource('completed', { ended, total, share, fileName })
    expect(uploading(1, 4, 0.5, 'b.png')).toEqual({
      phase: 'Uploading',
      phaseProgress: 37,
      fileName: 'b.png',
      totalProgress: 99,
      totalFiles: null,
      completedFiles: 0,
    })
    expect(uploading(0, 0, 0)).toMatchObject({ phaseProgress: 0 })
    expect(uploading(0, 0, 0)).not.toHaveProperty('fileName')
    expect(uploading(4, 4, 0.5)).toMatchObject({ phaseProgress: 100, totalProgress: 99 })
    expect(progress.resource('processing', { ended: 1, total: 2, share: 0, fileName: 'a' }).phase).toBe(
      'Discovering',
    )
  })
})

it('numbers files in processing order', () => {
  const [video, photo] = [input('a.mp4', 'video'), input('b.png')]
  const progress = createJobProgress(1, () => {})
  progress.begin([video, photo])
  const shown = [...operationsOf([video, photo], 1)].map((operation) => {
    progress.started(operation)
    const { currentFile, fileName } = progress.resource('processing')
    progress.ended(operation)
    return { currentFile, fileName }
  })
  expect(shown).toEqual([
    { currentFile: 1, fileName: 'b.png' },
    { currentFile: 2, fileName: 'a.mp4' },
  ])
})

it('the operations of a job include all variations of an input before the next input, and photos before videos', () => {
  const inputs = [input('a.mp4', 'video'), input('b.png')]
  expect([...operationsOf(inputs, 2)]).toEqual([
    { index: 2, inputIndex: 1, turn: 0, input: inputs[1], variation: 1 },
    { index: 3, inputIndex: 1, turn: 0, input: inputs[1], variation: 2 },
    { index: 0, inputIndex: 0, turn: 1, input: inputs[0], variation: 1 },
    { index: 1, inputIndex: 0, turn: 1, input: inputs[0], variation: 2 },
  ])
})

it('the file type of a job is that of its files if they share one, and otherwise mixed', () => {
  const [photo, video] = [input('a.png'), input('b.mp4', 'video')]
  expect([[photo, photo], [video], [photo, video], []].map(fileTypeOf)).toEqual([
    'image',
    'video',
    'mixed',
    'mixed',
  ])
})
