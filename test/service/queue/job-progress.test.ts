import { describe, expect, it } from 'vitest'
import { createJobProgress } from '../../../src/service/queue/job-progress.ts'
import { fileTypeOf, type JobInput, operationsOf } from '../../../src/service/queue/job-plan.ts'

const input = (name: string, kind: JobInput['kind'] = 'image', work = 1): JobInput => ({
  path: `/in/${name}`,
  kind,
  work,
})

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
    progress.ended(operation(0), 'succeeded')
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
    progress.ended(operation(0), 'succeeded')
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
    progress.ended(operation(2), 'succeeded')
    expect(count()).toBeUndefined()
  })

  it('counts an input once all its variations are finished, in any order', () => {
    const { inputs, progress, operation } = setUp(['a.png', 'b.png'], 2)
    progress.begin(inputs)
    const completed = [0, 2, 3, 1].map((index) => {
      progress.started(operation(index))
      progress.ended(operation(index), 'succeeded')
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
    progress.ended(operation(0), 'succeeded')
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

describe('the percentage of a job', () => {
  const photo = input('a.png')
  const [short, long] = [input('b.mp4', 'video', 10), input('c.mp4', 'video', 88)]

  function runningJob() {
    const inputs = [long, photo, photo, short]
    const progress = createJobProgress(1, () => {})
    progress.begin(inputs)
    const operations = [...operationsOf(inputs, 1)]
    const percent = () => progress.resource('processing').totalProgress
    return { progress, operations, percent }
  }

  it('grows with the expected work of the files, not with their number', () => {
    const { progress, operations, percent } = runningJob()
    const percentages = operations.map((operation) => {
      progress.started(operation)
      progress.reported(operation, { phase: 'Encoding', share: 0.5 })
      const half = percent()
      progress.ended(operation, 'succeeded')
      return [half, percent()]
    })
    expect(percentages).toEqual([
      [0, 1],
      [1, 2],
      [7, 12],
      [56, 99],
    ])
  })

  it('no longer counts what a failed file would have done', () => {
    const { progress, operations, percent } = runningJob()
    const [first, , , last] = operations
    if (first === undefined || last === undefined) throw new Error('there is no such operation')
    progress.started(last)
    progress.reported(last, { phase: 'Encoding', share: 0.125 })
    expect(percent()).toBe(11)
    progress.ended(last, 'failed')
    expect(percent()).toBe(47)
    progress.started(first)
    progress.ended(first, 'failed')
    expect(percent()).toBe(50)
  })
})

it('doesn’t count a stopped file as completed, nor the rest of its work as done', () => {
  const { inputs, progress, operation } = setUp(['a.png', 'b.png'])
  progress.begin(inputs)
  for (const index of [0, 1]) {
    progress.started(operation(index))
    progress.reported(operation(index), { phase: 'Encoding', share: 0.25 })
  }
  for (const index of [0, 1]) progress.ended(operation(index), 'stopped')
  const canceled = { phase: 'Cancelled', totalProgress: 25, completedFiles: 0 }
  expect(progress.resource('cancelled')).toMatchObject(canceled)
})

it('shows a file in progress while others wait for memory, and that they do', () => {
  const { inputs, progress, operation } = setUp(['a.mp4', 'b.mp4'])
  progress.begin(inputs)
  for (const index of [0, 1]) {
    progress.started(operation(index))
    progress.reported(operation(index), { phase: 'Waiting for memory', share: 0 })
  }
  const shown = () => progress.resource('processing')
  expect(shown()).toMatchObject({ phase: 'Waiting for memory', fileName: 'a.mp4' })
  expect(shown()).not.toHaveProperty('waitsForMemory')
  progress.reported(operation(1), { phase: 'Encoding', share: 0.1 })
  expect(shown()).toMatchObject({ phase: 'Encoding', fileName: 'b.mp4', waitsForMemory: true })
  progress.reported(operation(0), { phase: 'Starting', share: 0 })
  expect(shown()).not.toHaveProperty('waitsForMemory')
})

it('numbers files in processing order', () => {
  const [video, photo] = [input('a.mp4', 'video'), input('b.png')]
  const progress = createJobProgress(1, () => {})
  progress.begin([video, photo])
  const shown = [...operationsOf([video, photo], 1)].map((operation) => {
    progress.started(operation)
    const { currentFile, fileName } = progress.resource('processing')
    progress.ended(operation, 'succeeded')
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

it('the longest video of a job comes last, and videos of the same length keep their order', () => {
  const works = { 'a.mp4': 5, 'b.mp4': 9, 'c.mp4': 2, 'd.mp4': 5 }
  const inputs = Object.entries(works).map(([name, work]) => input(name, 'video', work))
  const order = [...operationsOf(inputs, 1)].map((operation) => operation.input.path)
  expect(order).toEqual(['/in/c.mp4', '/in/a.mp4', '/in/d.mp4', '/in/b.mp4'])
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
