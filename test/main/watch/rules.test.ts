/** Watched folders whose rules decide what happens to new files. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { WatchFoldersOptions } from '../../../src/main/watch/index.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import type { FolderRule, FolderRules } from '../../../src/shared/model/folder-rules.ts'
import type { RuleCondition } from '../../../src/shared/model/rule-conditions.ts'
import type { WatchFolder } from '../../../src/shared/model/watch-folder.ts'
import { plansIn } from '../outbox/drafts.ts'
import { finishedJob, folderIn, newRoot, offering, open, settle, until, type Watched } from './watched.ts'
import { HOUR_MS } from '../../../src/shared/durations.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

type Action = FolderRule['action']

const IGNORE: Action = { do: 'ignore' }
const toFolder = (path: string, ...presets: string[]): Action => ({
  do: 'process',
  presets,
  output: { kind: 'folder', path },
})
const rule = (action: Action, ...when: RuleCondition[]): FolderRule => ({ id: 'r', when, action })
const named = (pattern: string): RuleCondition => ({ about: 'name', matches: true, pattern })
const olderThan = (hours: number): RuleCondition => ({
  about: 'age',
  compare: 'more',
  amount: hours,
  unit: 'hours',
})

type Ruled = Partial<WatchFoldersOptions> & { root?: string; folder?: Partial<WatchFolder> }

async function openRuled(rules: FolderRules, { root, folder, ...options }: Ruled = {}): Promise<Watched> {
  const at = root ?? (await newRoot())
  const watched = open(at, [folderIn(at, folder)], options)
  watched.settings.update({ folderRules: { w: rules } })
  await watched.watch.whenScanned()
  return watched
}

/** The presets, output and files of each submission. */
const plans = ({ outbox, root }: Watched) =>
  plansIn(outbox).map(({ preset, output, items }) => [
    preset,
    output.kind === 'folder' ? output.path.slice(root.length) : output.kind,
    ...items.map(({ name }) => name),
  ])

it('each file is processed as the first matching rule says, and everything else as the folder says', async () => {
  const root = await newRoot()
  const watched = await openRuled(
    {
      rules: [
        rule(IGNORE, named('Screenshot*')),
        rule(toFolder(join(root, 'small'), 'Web 2048', 'Mail'), {
          about: 'size',
          compare: 'less',
          amount: 1,
          unit: 'kB',
        }),
      ],
      rest: 'process',
    },
    { root, folder: { presets: ['H.264 1080p'], grouping: 'together', windowMs: 200 } },
  )
  await writeFile(join(watched.inbox, 'Screenshot 1.png'), 'ignored')
  await writeFile(join(watched.inbox, 'a.jpg'), 'small')
  await writeFile(join(watched.inbox, 'b.jpg'), 'small too')
  await writeFile(join(watched.inbox, 'large.jpg'), Buffer.alloc(2_000, 'x'))
  // Files that become stable separately, as on a busy machine, become separate jobs.
  const each = () =>
    plans(watched).flatMap(([preset, output, ...names]) =>
      names.map((name) => [preset, output, name].join(' ')),
    )
  await until('all are submitted', () => each().length === 5)
  await settle()
  expect(each().toSorted()).toEqual([
    'H.264 1080p /out large.jpg',
    'Mail /small/Mail a.jpg',
    'Mail /small/Mail b.jpg',
    'Web 2048 /small/Web 2048 a.jpg',
    'Web 2048 /small/Web 2048 b.jpg',
  ])
  await until('each is counted once', () => watched.watch.list()[0]?.taken === 3)
  expect(watched.watch.list()[0]?.waiting).toEqual([])
})

it('photos and videos are distinguished by their contents', async () => {
  const root = await newRoot()
  const watched = await openRuled(
    { rules: [rule(toFolder(join(root, 'videos')), { about: 'kind', is: 'video' })], rest: 'ignore' },
    { root },
  )
  await writeFile(join(watched.inbox, 'photo.jpg'), Buffer.from('ffd8ffe0', 'hex'))
  await writeFile(join(watched.inbox, 'clip.png'), '\0\0\0\x18ftypisom\0\0\0\0isommp42\0\0\0\x08moov')
  await until('the video is submitted', () => plans(watched).length === 1)
  await settle()
  expect(plans(watched)).toEqual([[null, '/videos', 'clip.png']])
})

itInLongSuite('ignored files stay ignored after a restart, even if the rules have changed', async () => {
  const first = await openRuled({ rules: [rule(IGNORE, named('*.jpg'))], rest: 'process' })
  await writeFile(join(first.inbox, 'ignored.jpg'), 'x')
  await writeFile(join(first.inbox, 'other.png'), 'xy')
  await until('the other is submitted', () => plans(first).length === 1)
  await first.close()
  const again = await openRuled({ rules: [], rest: 'process' }, { root: first.root })
  await writeFile(join(again.inbox, 'new.jpg'), 'xyz')
  await again.submitsOnly([['other.png'], ['new.jpg']])
})

/** Timers for more than a minute wait for the test, which also sets the clock. */
function heldAges() {
  const due = new Set<() => void>()
  let offset = 0
  const timing: WatchFoldersOptions['timing'] = {
    ...systemTiming,
    clock: () => Date.now() + offset,
    after(ms, run) {
      if (ms <= 60_000) return systemTiming.after(ms, run)
      due.add(run)
      return () => due.delete(run)
    },
  }
  return {
    timing,
    isWaiting: () => due.size > 0,
    pass: (ms: number): void => {
      offset += ms
      const [next] = due
      if (next === undefined) return
      due.delete(next)
      next()
    },
  }
}

it('a file is decided again when it becomes old enough', async () => {
  const { timing, isWaiting, pass } = heldAges()
  const watched = await openRuled(
    { rules: [rule(toFolder('/old', 'H.264'), olderThan(1))], rest: 'ignore' },
    { timing },
  )
  await writeFile(join(watched.inbox, 'clip.mp4'), 'video')
  await until('it waits', isWaiting)
  pass(HOUR_MS / 2)
  await watched.submitsOnly([])
  pass(HOUR_MS / 2)
  await until('it is submitted', () => watched.submitted().length === 1)
  expect(plansIn(watched.outbox)[0]?.preset).toBe('H.264')
})

it('a file that waits to become old enough is neither asked about nor lost after a restart', async () => {
  const rules: FolderRules = { rules: [rule(toFolder('/old'), olderThan(1))], rest: 'ignore' }
  const { timing, isWaiting, pass } = heldAges()
  const first = await openRuled(rules, { timing })
  await writeFile(join(first.inbox, 'clip.mp4'), 'video')
  await until('it waits', isWaiting)
  await first.close()
  const again = await openRuled(rules, { root: first.root, many: 0, timing })
  expect(again.watch.list()[0]?.question).toBe(null)
  await until('it waits again', isWaiting)
  expect(again.submitted()).toEqual([])
  pass(HOUR_MS)
  await until('it is submitted', () => again.submitted().length === 1)
})

itInLongSuite(
  'files whose preset is missing wait and are reported once, even after a restart, until the preset is back',
  async () => {
    let presets: string[] | null = ['Web 2048']
    const known = { serviceOf: () => offering(presets && { image: presets, video: [] }) }
    const rules: FolderRules = {
      rules: [rule(toFolder('/prints', 'Web 2048', 'Print A5'), named('print*'))],
      rest: 'process',
    }
    const first = await openRuled(rules, known)
    for (const name of ['print 1.jpg', 'print 2.jpg', 'photo.jpg'])
      await writeFile(join(first.inbox, name), name)
    await until('both wait', () => first.watch.list()[0]?.waiting[0]?.files === 2)
    await until('the other one is submitted', () => first.submitted().length === 1)
    expect(first.watch.list()[0]?.waiting).toEqual([{ preset: 'Print A5', files: 2 }])
    expect(first.troubles).toMatchObject([{ kind: 'presetMissing', preset: 'Print A5' }])
    await first.close()

    presets = null
    const again = await openRuled(rules, { root: first.root, many: 0, ...known })
    await until('both wait again', () => again.watch.list()[0]?.waiting[0]?.files === 2)
    presets = ['Web 2048', 'Print A5']
    again.watch.presetsChanged()
    await until('they are submitted', () => again.submitted().length === 5)
    expect(again.watch.list()[0]).toMatchObject({ waiting: [], question: null })
    expect(again.troubles).toEqual([])

    presets = ['Web 2048']
    await writeFile(join(again.inbox, 'print 3.jpg'), 'third')
    await until('it is reported again', () => again.troubles.length === 1)
  },
)

it('tasks are processed by the built-in service, and wait at another one, which doesn’t have them', async () => {
  const presets = { image: ['Web 2048'], video: [] }
  let kind: 'builtIn' | 'external' = 'external'
  const watched = await openRuled(
    { rules: [rule(toFolder('/small', 'Under a size: 0.5 MB'), named('*'))], rest: 'process' },
    { serviceOf: () => ({ kind, presets }) },
  )
  for (const name of ['a.jpg', 'b.mp4']) await writeFile(join(watched.inbox, name), name)
  await until('both wait', () => watched.watch.list()[0]?.waiting[0]?.files === 2)
  expect(watched.troubles).toMatchObject([{ kind: 'presetMissing', preset: 'Under a size: 0.5 MB' }])
  kind = 'builtIn'
  watched.watch.presetsChanged()
  await until('they are submitted', () => watched.submitted().flat().length === 2)
  expect(watched.watch.list()[0]?.waiting).toEqual([])
})

it('files that wait are decided again when their rule changes', async () => {
  const watched = await openRuled(
    { rules: [rule(toFolder('/prints', 'Gone'), named('*'))], rest: 'process' },
    { serviceOf: () => offering({ image: ['Web 2048'], video: [] }) },
  )
  await writeFile(join(watched.inbox, 'a.jpg'), 'x')
  await until('it waits', () => watched.watch.list()[0]?.waiting.length === 1)
  watched.watch.saveRules({
    id: 'w',
    rules: { rules: [rule(toFolder('/prints', 'Web 2048'), named('*'))], rest: 'process' },
  })
  await until('it is submitted', () => watched.submitted().length === 1)
  await until('nothing waits', () => watched.watch.list()[0]?.waiting.length === 0)
})

it('a file that waits and disappears is no longer counted', async () => {
  const watched = await openRuled(
    { rules: [rule(toFolder('/prints', 'Gone'), named('*'))], rest: 'process' },
    { serviceOf: () => offering({ image: [], video: [] }) },
  )
  await writeFile(join(watched.inbox, 'a.jpg'), 'x')
  const seen: number[] = []
  watched.watch.onChange(() => seen.push(watched.watch.list()[0]?.waiting.length ?? -1))
  await until('it is reported that it waits', () => seen.includes(1))
  await rm(join(watched.inbox, 'a.jpg'))
  await until('it is reported that nothing waits', () => seen.at(-1) === 0)
})

itInLongSuite('results that a rule saves in another watched folder aren’t processed there', async () => {
  const root = await newRoot()
  const other = join(root, 'other')
  await mkdir(other)
  const since = Date.now()
  const watched = open(root, [
    folderIn(root),
    { ...folderIn(root), id: 'other', path: other, output: { kind: 'folder', path: join(root, 'far') } },
  ])
  watched.settings.update({
    folderRules: { w: { rules: [rule(toFolder(other), named('*'))], rest: 'ignore' } },
  })
  await watched.watch.whenScanned()
  const original = join(watched.inbox, 'a.jpg')
  await writeFile(original, 'original')
  await until('the original is submitted', () => watched.submitted().length === 1)
  watched.busyFolders.push(other)
  const result = join(other, 'a-web.jpg')
  await writeFile(result, 'result')
  await settle()
  watched.watch.noteFinished(
    finishedJob({ outputFolder: other, inputs: [original], results: [result], since }),
  )
  watched.busyFolders.length = 0
  await writeFile(join(other, 'b.jpg'), 'new there')
  await watched.submitsOnly([['a.jpg'], ['b.jpg']])
})

itInLongSuite('while the rules can’t be read, files wait and nothing is processed', async () => {
  const root = await newRoot()
  const watched = open(root, [folderIn(root)])
  watched.settings.update({ folderRules: { w: null } })
  await watched.watch.whenScanned()
  await writeFile(join(watched.inbox, 'a.jpg'), 'x')
  await watched.submitsOnly([])
  expect(watched.watch.list()[0]?.rules).toBe('unreadable')
  watched.watch.saveRules({ id: 'w', rules: null })
  await until('it is submitted', () => watched.submitted().length === 1)
})

it('a photo that the user adds to the folder of a rule’s results is processed like any other', async () => {
  const root = await newRoot()
  const results = join(root, 'in', 'results')
  const watched = await openRuled(
    { rules: [rule(toFolder(results), named('*.jpg'))], rest: 'ignore' },
    { root, folder: { recursive: true } },
  )
  await mkdir(results)
  await writeFile(join(results, 'new.jpg'), 'new')
  await until('it is submitted', () => watched.submitted().length === 1)
})

it('a removed folder takes its rules along', async () => {
  const watched = await openRuled({ rules: [], rest: 'ignore' })
  watched.watch.remove('w')
  expect(watched.settings.view().folderRules).toEqual({})
})

it('changing what happens to everything else changes the folder’s presets and output', async () => {
  const watched = await openRuled({ rules: [], rest: 'ignore' })
  const rest = { presets: ['Web 2048', 'Mail'], output: { kind: 'replace' } } as const
  watched.watch.saveRules({
    id: 'w',
    rules: { rules: [], rest: 'process' },
    rest: { ...rest, presets: [...rest.presets] },
  })
  expect(watched.settings.view().watchFolders[0]).toMatchObject(rest)
  expect(watched.watch.list()[0]?.rules).toEqual({ rules: [], rest: 'process' })
})
