import { describe, expect, it } from 'vitest'
import { createJobProgress } from '../../../src/service/queue/job-progress.ts'
import { fileTypeOf, type JobInput, operationsOf } from '../../../src/service/queue/job-plan.ts'

const input = (name: string, kind: JobInput['kind'] = 'image'): JobInput => ({ path: `/in/${name}`, kind })

function setUp(names: readonly string[], batchCount = 1) {
  const inputs = names.map((name) => input(name))
  const operations = [...operationsOf(inputs, batchCount)]
  const progress = createJobProgress(batchCount)
  const operation = (index: number) => {
    const found = operations[index]
    if (found === undefined) throw new Error('there is no such operation')
    return found
  }
  return { inputs, progress, operation }
}

describe('the progress of a job', () => {
  it('goes from waiting over discovering and starting to done', () => {
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
    progress.noted(['original-kept'])
    expect(progress.resource('completed')).toEqual({
      phase: 'Done (original kept: 1)',
      phaseProgress: 100,
      totalProgress: 100,
      currentFile: 1,
      fileName: 'a.png',
      totalFiles: 1,
      completedFiles: 1,
    })
  })

  it('is told by the first of several files at once', () => {
    const { inputs, progress, operation } = setUp(['a.png', 'b.png', 'c.png'])
    progress.begin(inputs)
    for (const index of [2, 0, 1]) progress.started(operation(index))
    progress.reported(operation(1), { phase: 'Encoding', share: 0.5 })
    expect(progress.resource('processing')).toMatchObject({
      phase: 'Starting',
      phaseProgress: 0,
      totalProgress: 16,
      currentFile: 1,
    })
    progress.ended(operation(0))
    expect(progress.resource('processing')).toMatchObject({
      phase: 'Encoding',
      phaseProgress: 50,
      totalProgress: 50,
      currentFile: 2,
    })
  })

  it('takes no report of a file that is over, and no share above the whole', () => {
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

  it('counts an input once all its variations are over, in whatever order', () => {
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

  it('says how a job ended, and that files of a cancelled one still run', () => {
    const { inputs, progress, operation } = setUp(['a.png'])
    expect(progress.resource('failed')).toMatchObject({ phase: 'Failed', totalProgress: 0, totalFiles: null })
    progress.begin(inputs)
    progress.started(operation(0))
    expect(progress.resource('cancelled').phase).toBe('Stopping')
    progress.ended(operation(0))
    expect(progress.resource('cancelled').phase).toBe('Cancelled')
    expect(progress.resource('failed').phase).toBe('Failed')
  })

  it('is never whole while results are on their way to a drive', () => {
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

it('the operations of a job go through the variations of each input in turn', () => {
  const inputs = [input('a.png'), input('b.mp4', 'video')]
  expect([...operationsOf(inputs, 2)]).toEqual([
    { index: 0, inputIndex: 0, input: inputs[0], variation: 1 },
    { index: 1, inputIndex: 0, input: inputs[0], variation: 2 },
    { index: 2, inputIndex: 1, input: inputs[1], variation: 1 },
    { index: 3, inputIndex: 1, input: inputs[1], variation: 2 },
  ])
})

it('the type of the files is theirs where they share one', () => {
  const [photo, film] = [input('a.png'), input('b.mp4', 'video')]
  expect([[photo, photo], [film], [photo, film], []].map(fileTypeOf)).toEqual([
    'image',
    'video',
    'mixed',
    'mixed',
  ])
})
