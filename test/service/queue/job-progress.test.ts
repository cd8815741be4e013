import { describe, expect, it } from 'vitest'
import type { ProcessingProgress } from '../../../src/media/protocol.ts'
import { createJobProgress, type OperationEnding } from '../../../src/service/queue/job-progress.ts'
import { fileTypeOf, type JobInput, operationsOf } from '../../../src/service/queue/job-plan.ts'

const input = (name: string, kind: JobInput['kind'] = 'image', work = 1): JobInput => ({
  path: `/in/${name}`,
  kind,
  work,
})

/** A job whose operations are named by their place in the order of processing. */
function setUp(files: readonly (string | JobInput)[], batchCount = 1) {
  const inputs = files.map((file) => (typeof file === 'string' ? input(file) : file))
  const operations = [...operationsOf(inputs, batchCount)]
  const progress = createJobProgress(batchCount, () => {})
  const operation = (index: number) => {
    const found = operations[index]
    if (found === undefined) throw new Error('there is no such operation')
    return found
  }
  return {
    indexes: [...operations.keys()],
    begin: () => progress.begin(inputs),
    start: (index: number) => progress.started(operation(index)),
    report: (index: number, share: number, phase: ProcessingProgress['phase'] = 'Encoding') =>
      progress.reported(operation(index), { phase, share }),
    end: (index: number, how: OperationEnding = 'succeeded') => progress.ended(operation(index), how),
    resource: (...given: Parameters<typeof progress.resource>) => progress.resource(...given),
    running: () => progress.resource('processing'),
  }
}

describe('the progress of a job', () => {
  it('changes from waiting to discovering, starting and done', () => {
    const { begin, start, report, end, running, resource } = setUp(['a.png'])
    const nothingYet = { phaseProgress: 0, totalProgress: 0, completedFiles: 0 }
    expect(resource('queued')).toEqual({ ...nothingYet, phase: 'Waiting', totalFiles: null })
    expect(running().phase).toBe('Discovering')
    begin()
    expect(running()).toEqual({ ...nothingYet, phase: 'Starting', totalFiles: 1 })
    start(0)
    report(0, 0.999)
    const file = { currentFile: 1, fileName: 'a.png', totalFiles: 1 }
    const almost = { phaseProgress: 99, totalProgress: 99, completedFiles: 0 }
    expect(running()).toEqual({ ...file, ...almost, phase: 'Encoding' })
    end(0)
    expect(running()).toMatchObject({ phase: 'Starting', phaseProgress: 0, totalProgress: 99 })
    const all = { phaseProgress: 100, totalProgress: 100, completedFiles: 1 }
    expect(resource('completed')).toEqual({ ...file, ...all, phase: 'Done' })
  })

  it('ignores reports about a finished file, and caps progress at 100%', () => {
    const { begin, start, report, end, running } = setUp(['a.png', 'b.png'])
    begin()
    start(0)
    end(0)
    report(0, 0.5)
    expect(running()).toMatchObject({ phase: 'Starting', totalProgress: 50 })
    start(1)
    report(1, 3)
    expect(running()).toMatchObject({ phaseProgress: 100, totalProgress: 99 })
  })

  it('counts the files that workers process at the same time, if several', () => {
    const { begin, start, report, end, running } = setUp(['a.mp4', 'b.mp4', 'c.mp4'], 2)
    begin()
    const count = () => running().filesInProgress
    for (const index of [0, 1, 2, 4]) start(index)
    report(0, 0.1)
    report(1, 0.1)
    expect(count()).toBeUndefined()
    report(2, 0.1)
    expect(count()).toBe(2)
    end(2)
    expect(count()).toBeUndefined()
  })

  it('counts an input once all its variations are finished, in any order', () => {
    const { begin, start, end, running } = setUp(['a.png', 'b.png'], 2)
    begin()
    const completed = [0, 2, 3, 1].map((index) => {
      start(index)
      end(index)
      return running().completedFiles
    })
    expect(completed).toEqual([0, 0, 1, 2])
    expect(running()).toMatchObject({ currentFile: 1, fileName: 'a.png' })
  })

  it('shows how a job ended, and that a canceled one is stopping', () => {
    const { begin, start, end, resource } = setUp(['a.png'])
    expect(resource('failed')).toMatchObject({ phase: 'Failed', totalProgress: 0, totalFiles: null })
    begin()
    start(0)
    expect(resource('stopping').phase).toBe('Stopping')
    end(0)
    expect(resource('cancelled').phase).toBe('Cancelled')
    expect(resource('failed').phase).toBe('Failed')
  })

  it('is never complete while results are being uploaded to a drive', () => {
    const { resource } = setUp([])
    const uploading = (ended: number, total: number, share: number, fileName?: string) =>
      resource('completed', { ended, total, share, fileName })
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
    const early = resource('processing', { ended: 1, total: 2, share: 0, fileName: 'a' })
    expect(early.phase).toBe('Discovering')
  })
})

describe('the percentage of a job', () => {
  const photo = input('a.png')
  const files = [input('c.mp4', 'video', 88), photo, photo, input('b.mp4', 'video', 10)]

  it('grows with the expected work of the files, not with their number', () => {
    const { begin, start, report, end, running, indexes } = setUp(files)
    begin()
    const percentages = indexes.map((index) => {
      start(index)
      report(index, 0.5)
      const half = running().totalProgress
      end(index)
      return [half, running().totalProgress]
    })
    expect(percentages).toEqual([
      [0, 1],
      [1, 2],
      [7, 12],
      [56, 99],
    ])
  })

  it('no longer counts what a failed file would have done', () => {
    const { begin, start, report, end, running } = setUp(files)
    begin()
    start(3)
    report(3, 0.125)
    expect(running().totalProgress).toBe(11)
    end(3, 'failed')
    expect(running().totalProgress).toBe(47)
    start(0)
    end(0, 'failed')
    expect(running().totalProgress).toBe(50)
  })
})

it('doesn’t count a stopped file as completed, nor the rest of its work as done', () => {
  const { begin, start, report, end, resource } = setUp(['a.png', 'b.png'])
  begin()
  for (const index of [0, 1]) {
    start(index)
    report(index, 0.25)
  }
  for (const index of [0, 1]) end(index, 'stopped')
  const canceled = { phase: 'Cancelled', totalProgress: 25, completedFiles: 0 }
  expect(resource('cancelled')).toMatchObject(canceled)
})

it.each([
  ['Waiting for memory', 'waitsForMemory'],
  ['Waiting for disk space', 'waitsForDiskSpace'],
] as const)('shows a file in progress while others are %j, and that they do', (phase, waits) => {
  const { begin, start, report, running } = setUp(['a.mp4', 'b.mp4'])
  begin()
  for (const index of [0, 1]) {
    start(index)
    report(index, 0, phase)
  }
  expect(running()).toMatchObject({ phase, fileName: 'a.mp4' })
  expect(running()).not.toHaveProperty(waits)
  report(1, 0.1)
  expect(running()).toMatchObject({ phase: 'Encoding', fileName: 'b.mp4', [waits]: true })
  report(0, 0, 'Starting')
  expect(running()).not.toHaveProperty(waits)
})

it('shows the files in progress even if one before them waited for memory until a pause', () => {
  const { begin, start, report, running } = setUp(['a.mp4', 'b.mp4', 'c.mp4'])
  begin()
  for (const index of [0, 1, 2]) start(index)
  report(0, 0, 'Waiting for memory')
  report(1, 0.1)
  report(2, 0.1)
  report(0, 0, 'Starting')
  expect(running()).toMatchObject({ phaseProgress: 10, fileName: 'b.mp4', filesInProgress: 2 })
  report(0, 0.2)
  expect(running()).toMatchObject({ fileName: 'a.mp4', filesInProgress: 3 })
})

it('starts again from zero with a file that is processed again, but not before its worker has begun', () => {
  const { begin, start, report, running } = setUp(['a.mp4', 'b.mp4'])
  begin()
  start(0)
  report(0, 0.9)
  report(0, 0.8)
  expect(running()).toMatchObject({ phaseProgress: 90, totalProgress: 45 })
  report(0, 0, 'Waiting for memory')
  expect(running()).toMatchObject({ phase: 'Waiting for memory', phaseProgress: 0, totalProgress: 0 })
  report(0, 0, 'Starting')
  report(0, 0.2)
  expect(running()).toMatchObject({ phase: 'Encoding', phaseProgress: 20, totalProgress: 10 })
})

it('numbers files in processing order', () => {
  const { begin, start, end, running, indexes } = setUp([input('a.mp4', 'video'), 'b.png'])
  begin()
  const shown = indexes.map((index) => {
    start(index)
    const { currentFile, fileName } = running()
    end(index)
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
