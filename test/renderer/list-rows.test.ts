import { beforeEach, describe, expect, it } from 'vitest'
import { inputOf } from '../../src/renderer/job-pane/compare.tsx'
import { chooseOutput, outputGroups, outputValue } from '../../src/renderer/pickers/output-picker.tsx'
import { exactTime, when } from '../../src/renderer/store/dates.ts'
import type { RowContent } from '../../src/renderer/list/list-layout.ts'
import { sentenceOf, timeOf } from '../../src/renderer/list/job-row.tsx'
import type { App } from '../../src/renderer/store/app.ts'
import type { OutputTarget } from '../../src/shared/model/draft.ts'
import type { MediaItem } from '../../src/shared/model/media-item.ts'
import type { ActiveJob, OutboxEntry, RecordDetails, RecordSummary } from '../../src/shared/model/work.ts'
import { appWithoutAPage } from './harness/app-without-a-page.ts'
import type { Strings } from './harness/fake-bridge.ts'
import { fixtures, NOW, standard } from './harness/fixtures.ts'

let app: App & { readonly strings: Strings }
beforeEach(async () => {
  app = await appWithoutAPage(standard)
})

const stateIn = (fixture: string) => (fixtures[fixture]?.script ?? standard).state
const [job] = stateIn('busy').jobs as readonly [ActiveJob]
const [entry] = stateIn('unsure').outbox as readonly [OutboxEntry]
const [record] = standard.records as readonly [RecordSummary]
const recordRow = (more: Partial<RecordSummary> = {}, dated: 'today' | 'month' = 'today'): RowContent => ({
  kind: 'record',
  record: { ...record, ...more },
  dated,
})

const inDoubt = (checking: boolean): RowContent => ({
  kind: 'outbox',
  rank: 1,
  entry: { ...entry, state: { kind: 'unknown', candidates: [], checking } },
})

describe('the second line of a row', () => {
  const harbour = {
    output: { kind: 'folder', path: '/home/ida/Pictures/Harbour' },
    name: 'IMG_1.jpg',
  } as const

  it('says where a record was found when that is only in its folder', () => {
    const plain = sentenceOf(app, recordRow(harbour), [])
    expect(sentenceOf(app, recordRow(harbour), ['harbour'])).toContain('~/Pictures/Harbour')
    expect(sentenceOf(app, recordRow(harbour), ['harbour'])).toContain(plain)
    expect(sentenceOf(app, recordRow(harbour), ['img'])).toBe(plain)
    expect(sentenceOf(app, recordRow({ ...harbour, name: 'harbour.jpg' }), ['harbour'])).toBe(plain)
    expect(
      sentenceOf(app, recordRow({ ...harbour, output: { kind: 'drive', folderId: 'harbour' } }), ['harbour']),
    ).toBe(plain)
  })

  it('says of a submission in doubt whether it is being looked for, or needs the person', () => {
    expect(sentenceOf(app, inDoubt(true), [])).toBe(app.t.value.rows.checking)
    expect(sentenceOf(app, inDoubt(false), [])).toBe(app.t.value.rows.unsure)
    expect(app.t.value.rows.checking).not.toBe(app.t.value.rows.unsure)
  })

  it('is empty for what stands for others', () => {
    expect(sentenceOf(app, { kind: 'fold', count: 3 }, [])).toBe('')
  })
})

const timeAt = (stage: ActiveJob['stage'], share: number | null): string =>
  timeOf(app, { kind: 'job', job: { ...job, stage, progress: { ...job.progress, share } } })

describe('the end of the first line', () => {
  it('is the share of a job that runs, where one is known', () => {
    expect(timeAt({ kind: 'processing' }, 0.29)).toBe('29 %')
    expect(timeAt({ kind: 'processing' }, null)).toBe('')
    expect(timeAt({ kind: 'cancelling' }, 0.29)).toBe('')
  })

  it('is the time of a record, its day below the name of a month, and nothing before its end', () => {
    const endedAt = new Date(2026, 10, 12, 17, 20).getTime()
    expect(timeOf(app, recordRow({ endedAt }))).toBe('17:20')
    expect(timeOf(app, recordRow({ endedAt }, 'month'))).toBe('12 Nov')
    expect(timeOf(app, recordRow({ endedAt: null }))).toBe('')
    expect(timeOf(app, { kind: 'blank' })).toBe('')
  })
})

it('a time is said by its day as long as that has a name', () => {
  const at = (day: number): string => when(app, new Date(2026, 10, day, 17, 20).getTime())
  expect(new Date(NOW).getDate()).toBe(20)
  expect([at(20), at(19), at(12)]).toEqual(['Today 17:20', 'Yesterday 17:20', '12 November 17:20'])
  expect(exactTime(app, new Date(2026, 10, 12, 7, 20, 5).getTime())).toContain('07:20:05')
})

const folders = (output: OutputTarget) =>
  outputGroups(app, output)[0]?.options.map(({ value, why }) =>
    why === undefined ? value : `${value} (${why})`,
  )
const isDefault = () => app.t.value.newJob.isDefault

describe('where results may go', () => {
  it('begins with the default and the folder on show, each once, and ends with choosing one', () => {
    const { settings } = app.state
    app.strings.change({
      settings: {
        ...settings.value,
        defaultOutput: { kind: 'folder', path: '/default' },
        recentOutputs: ['/shown', '/late', '/default'],
      },
    })
    expect(folders({ kind: 'folder', path: '/shown' })).toEqual([
      `folder:/default (${isDefault()})`,
      'folder:/shown',
      'folder:/late',
      'choose',
    ])
    app.strings.change({ settings: { ...settings.value, defaultOutput: null, recentOutputs: [] } })
    expect(folders({ kind: 'folder', path: '' })).toEqual(['choose'])
    expect(folders({ kind: 'drive', folderId: 'x' })).toEqual(['choose'])
  })

  it('is taken as it was chosen; a folder that is to be chosen is asked for', async () => {
    const taken: OutputTarget[] = []
    const take = async (output: OutputTarget): Promise<void> => void taken.push(output)
    for (const output of [
      { kind: 'folder', path: '/a:b' },
      { kind: 'drive', folderId: 'x' },
    ] as const) {
      await chooseOutput(app, outputValue(output), take)
    }
    expect(taken).toEqual([
      { kind: 'folder', path: '/a:b' },
      { kind: 'drive', folderId: '' },
    ])
    await chooseOutput(app, 'choose', take)
    expect(app.strings.calls.at(-1)?.name).toBe('draft.chooseOutput')
    expect(taken).toHaveLength(2)
  })
})

const item = (path: string): MediaItem => ({
  path,
  name: path.slice(path.lastIndexOf('/') + 1),
  kind: 'image',
  size: 1,
})
const original = (inputs: readonly string[], file: string) =>
  inputOf({ inputs: inputs.map(item) } as unknown as RecordDetails, { file, outputPath: '/out', index: 0 })
    ?.path

describe('the original of a result', () => {
  it('is the only one there is, the one of its path, or the only one of its name', () => {
    expect(original(['/a/1.jpg'], '')).toBe('/a/1.jpg')
    expect(original(['/a/1.jpg', '/b/1.jpg'], '/b/1.jpg')).toBe('/b/1.jpg')
    expect(original(['/a/1.jpg', '/b/2.jpg'], 'C:\\upload\\2.jpg')).toBe('/b/2.jpg')
    expect(original(['/a/1.jpg', '/b/1.jpg'], '1.jpg')).toBeUndefined()
    expect(original(['/a/1.jpg', '/b/2.jpg'], '3.jpg')).toBeUndefined()
  })
})
