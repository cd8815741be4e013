import { beforeEach, describe, expect, it } from 'vitest'
import { inputOf } from '../../src/renderer/job-pane/compare.tsx'
import { chooseOutput, outputGroups, outputValue } from '../../src/renderer/pickers/output-picker.tsx'
import { exactTime, when } from '../../src/renderer/store/dates.ts'
import { sentenceOf, timeOf } from '../../src/renderer/list/job-row.tsx'
import { viewTranslation, type App } from '../../src/renderer/store/app.ts'
import type { DraftOutput } from '../../src/shared/model/draft.ts'
import type { MediaItem } from '../../src/shared/model/media-item.ts'
import type { Job, PartAt, PartDetails } from '../../src/shared/model/job.ts'
import { jobOf } from '../../src/shared/model/job-state.ts'
import { appWithoutAPage } from './harness/app-without-a-page.ts'
import type { Strings } from './harness/fake-bridge.ts'
import { fixture, NOW, standard } from './harness/fixtures.ts'

let app: App & { readonly strings: Strings }
beforeEach(async () => {
  app = await appWithoutAPage(standard)
})

const stateIn = (name: string) => fixture(name).script.state
const [job] = stateIn('busy').jobs as readonly [PartAt<'service'>]
const [entry] = stateIn('unsure').outbox as readonly [PartAt<'outbox'>]
const [record] = standard.records as readonly [PartAt<'history'>]
const ended = (more: Partial<PartAt<'history'>> = {}): Job => jobOf([{ ...record, ...more }])

const inDoubt = (checking: boolean): Job =>
  jobOf([{ ...entry, state: { kind: 'unknown', candidates: [], checking } }])

describe('the second line of a row', () => {
  const harbour = {
    output: { kind: 'folder', path: '/home/ida/Pictures/Harbour' },
    name: 'IMG_1.jpg',
  } as const

  it('shows that a record was found only by its folder', () => {
    const plain = sentenceOf(app, ended(harbour), [])
    expect(sentenceOf(app, ended(harbour), ['harbour'])).toContain('~/Pictures/Harbour')
    expect(sentenceOf(app, ended(harbour), ['harbour'])).toContain(plain)
    expect(sentenceOf(app, ended(harbour), ['img'])).toBe(plain)
    expect(sentenceOf(app, ended({ ...harbour, name: 'harbour.jpg' }), ['harbour'])).toBe(plain)
    expect(
      sentenceOf(app, ended({ ...harbour, output: { kind: 'drive', folderId: 'harbour' } }), ['harbour']),
    ).toBe(plain)
  })

  it('shows for an uncertain submission whether it is being checked, or needs the user', () => {
    expect(sentenceOf(app, inDoubt(true), [])).toBe(app.t.value.rows.checking)
    expect(sentenceOf(app, inDoubt(false), [])).toBe(app.t.value.rows.unsure)
    expect(app.t.value.rows.checking).not.toBe(app.t.value.rows.unsure)
  })
})

const timeAt = (stage: PartAt<'service'>['stage'], share: number | null): string =>
  timeOf(app, jobOf([{ ...job, stage, progress: { ...job.progress, share } }]), null)

describe('the end of the first line', () => {
  it('is the progress of a running job if known', () => {
    expect(timeAt({ kind: 'processing' }, 0.29)).toBe('29%')
    expect(timeAt({ kind: 'processing' }, null)).toBe('')
    expect(timeAt({ kind: 'cancelling' }, 0.29)).toBe('')
  })

  it('is the time at which a record ended, or its day in a month’s section, and nothing before the end', () => {
    const endedAt = new Date(2026, 10, 12, 17, 20).getTime()
    expect(timeOf(app, ended({ endedAt }), 'today')).toBe('17:20')
    expect(timeOf(app, ended({ endedAt }), 'month')).toBe('12 Nov')
    expect(timeOf(app, ended({ endedAt: null }), 'today')).toBe('')
  })
})

it('shows a time with “Today”, “Yesterday” or the date', () => {
  const at = (day: number): string => when(app, new Date(2026, 10, day, 17, 20).getTime())
  expect(new Date(NOW).getDate()).toBe(20)
  expect([at(20), at(19), at(12)]).toEqual(['Today 17:20', 'Yesterday 17:20', '12 November 17:20'])
  expect(exactTime(app, new Date(2026, 10, 12, 7, 20, 5).getTime())).toContain('07:20:05')
})

const folders = (output: DraftOutput) =>
  outputGroups(app, output, { nextTo: null, replace: null })[0]?.options.map(({ value, why }) =>
    why === undefined ? value : `${value} (${why})`,
  )
const isDefault = () => viewTranslation(app).newJob.isDefault

describe('the menu of output folders', () => {
  it('starts with the default and the current folder, each once, and ends with an entry to choose another', () => {
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

  it('uses the selected folder, and opens a dialog to choose one', async () => {
    const current = { kind: 'folder', path: '/current' } as const
    const taken: DraftOutput[] = []
    const take = async (output: DraftOutput): Promise<void> => void taken.push(output)
    for (const output of [
      { kind: 'folder', path: '/a:b' },
      { kind: 'beside', subfolder: 'Web' },
      { kind: 'drive', folderId: 'x' },
    ] as const) {
      await chooseOutput(app, outputValue(output), current, take)
    }
    expect(taken).toEqual([
      { kind: 'folder', path: '/a:b' },
      { kind: 'beside', subfolder: null },
      { kind: 'drive', folderId: '' },
    ])
    await chooseOutput(app, 'choose', current, take)
    expect(app.strings.calls.at(-1)?.name).toBe('draft.chooseOutput')
    expect(taken).toHaveLength(3)
  })
})

const item = (path: string): MediaItem => ({
  path,
  name: path.slice(path.lastIndexOf('/') + 1),
  kind: 'image',
  size: 1,
})
const original = (inputs: readonly string[], file: string) =>
  inputOf({ inputs: inputs.map(item) } as unknown as PartDetails, { file, outputPath: '/out', index: 0 })
    ?.path

describe('the original of a result', () => {
  it('is the only input, the input at the reported path, or the only input with the reported name', () => {
    expect(original(['/a/1.jpg'], '')).toBe('/a/1.jpg')
    expect(original(['/a/1.jpg', '/b/1.jpg'], '/b/1.jpg')).toBe('/b/1.jpg')
    expect(original(['/a/1.jpg', '/b/2.jpg'], 'C:\\upload\\2.jpg')).toBe('/b/2.jpg')
    expect(original(['/a/1.jpg', '/b/1.jpg'], '1.jpg')).toBeUndefined()
    expect(original(['/a/1.jpg', '/b/2.jpg'], '3.jpg')).toBeUndefined()
  })
})
