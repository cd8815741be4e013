import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { planDraft, type PlannedSubmission, type PlanningFacts } from '../../../src/main/outbox/index.ts'
import { draftOf } from '../../../src/main/outbox/planned-submission.ts'
import type { Draft } from '../../../src/shared/model/draft.ts'
import { draftOfFiles, namesOf, newJobId } from './drafts.ts'

const facts: PlanningFacts = {
  presets: { image: ['Web', 'Mail', 'Both'], video: ['Clip', 'Both'] },
  drive: { clientConfigured: true, connected: true, email: null, scope: null },
  seesFiles: true,
}

function plansFor(draft: Draft, more: Partial<PlanningFacts> = {}): readonly PlannedSubmission[] {
  const plan = planDraft(draft, { ...facts, ...more }, newJobId)
  if (!plan.ok) throw new Error(JSON.stringify(plan.problems))
  return plan.submissions
}
const problemsOf = (draft: Draft, more: Partial<PlanningFacts> = {}) => {
  const plan = planDraft(draft, { ...facts, ...more }, newJobId)
  return plan.ok ? [] : plan.problems
}
const shown = (plans: readonly PlannedSubmission[]) =>
  plans.map((plan) => [plan.preset, plan.output.kind === 'folder' ? plan.output.path : null, namesOf(plan)])

const NEXT_TO = { kind: 'beside', subfolder: null } as const

describe('a draft with several presets', () => {
  it('becomes one job whose parts get only the kinds that their preset handles', () => {
    const plans = plansFor(
      draftOfFiles(['/in/a.jpg', '/in/b.mov', '/in/c.png'], { presets: ['Clip', 'Web'] }),
    )
    expect(shown(plans)).toEqual([
      ['Clip', '/home/me/out/Clip', ['b.mov']],
      ['Web', '/home/me/out/Web', ['a.jpg', 'c.png']],
    ])
    const [first, second] = plans.map(({ place }) => place)
    expect(first).toMatchObject({ part: 0, parts: 2, photos: 2, videos: 1, presets: 2, folders: 2 })
    expect(second).toEqual({ ...first, part: 1 })
  })

  it('leaves out files that none of them handles, and is a problem if that leaves nothing', () => {
    const draft = draftOfFiles(['/in/a.jpg', '/in/b.mov'], { presets: ['Web', 'Mail'] })
    const plan = planDraft(draft, facts, newJobId)
    expect(plan).toMatchObject({ ok: true, leftOut: [{ path: '/in/b.mov', reason: 'noPresetFor' }] })
    expect(problemsOf(draftOfFiles(['/in/b.mov'], { presets: ['Web', 'Mail'] }))).toEqual([
      { code: 'noPresetFor', kind: 'videos', count: 1 },
    ])
  })

  it('is a single job if only one of them handles its files', () => {
    const plans = plansFor(draftOfFiles(['/in/a.jpg'], { presets: ['Web', 'Clip'] }))
    expect(plans.map(({ preset, place }) => [preset, place])).toEqual([['Web', undefined]])
  })

  it('refuses a sixth preset and an unknown one', () => {
    const presets = ['Web', 'Mail', 'Both', 'Clip', 'Other', 'Sixth']
    expect(problemsOf(draftOfFiles(['/in/a.jpg'], { presets }))).toEqual([
      { code: 'tooManyPresets', most: 5 },
    ])
    expect(problemsOf(draftOfFiles(['/in/a.jpg'], { presets: ['Web', 'Gone'] }))).toEqual([
      { code: 'presetUnknown', preset: 'Gone' },
    ])
  })

  it('gives presets with equal safe names different folders', () => {
    const names = ['Web/1', 'Web:1', 'web_1']
    const plans = plansFor(draftOfFiles(['/in/a.jpg'], { presets: names }), {
      presets: { image: names, video: [] },
    })
    expect(plans.map(({ output }) => output)).toEqual(
      ['Web_1', 'Web_1 (2)', 'web_1 (3)'].map((name) => ({
        kind: 'folder',
        path: join('/home/me/out', name),
      })),
    )
  })

  it('keeps result names apart even without a subfolder for each preset', () => {
    const draft = draftOfFiles(['/in/a.jpg', '/in/b.mov'], {
      presets: ['Web', 'Clip', 'Mail'],
      presetFolders: false,
    })
    expect(shown(plansFor(draft)).map(([, folder]) => folder)).toEqual([
      '/home/me/out',
      '/home/me/out',
      '/home/me/out/Mail',
    ])
    const named = plansFor(draft, { namesItself: new Set(['Web', 'Mail']) })
    expect(new Set(shown(named).map(([, folder]) => folder))).toEqual(new Set(['/home/me/out']))
  })

  it('makes each file a job with a part for each preset if each file is a separate job', () => {
    const plans = plansFor(
      draftOfFiles(['/in/a.jpg', '/in/b.jpg'], { presets: ['Web', 'Mail'], grouping: 'separate' }),
    )
    expect(plans.map((plan) => [plan.preset, ...namesOf(plan), plan.place?.part, plan.place?.parts])).toEqual(
      [
        ['Web', 'a.jpg', 0, 2],
        ['Mail', 'a.jpg', 1, 2],
        ['Web', 'b.jpg', 0, 2],
        ['Mail', 'b.jpg', 1, 2],
      ],
    )
    expect(new Set(plans.map(({ place }) => place?.id)).size).toBe(2)
  })

  it('leaves out what a repeated job has already done', () => {
    const draft = draftOfFiles(['/in/a.jpg', '/in/b.jpg'], {
      presets: ['Web', 'Mail'],
      except: [{ preset: 'Mail', path: '/in/a.jpg' }],
    })
    const plans = plansFor(draft)
    expect(plans.map((plan) => [plan.preset, namesOf(plan)])).toEqual([
      ['Web', ['a.jpg', 'b.jpg']],
      ['Mail', ['b.jpg']],
    ])
  })

  it('still has a problem with a file that its only preset can’t process, even if a repeated job left it out', () => {
    const draft = draftOfFiles(['/in/b.mov'], {
      presets: ['Web'],
      except: [{ preset: 'Web', path: '/in/b.mov' }],
    })
    expect(problemsOf(draft)).toEqual(problemsOf({ ...draft, except: undefined }))
  })

  it('can be put together again from its parts', () => {
    for (const draft of [
      draftOfFiles(['/in/a.jpg', '/in/b.jpg'], { presets: ['Web', 'Mail'], presetFolders: false }),
      draftOfFiles(['/in/a.jpg', '/in/b.mov', '/x/c.jpg'], {
        presets: ['Both', 'Web'],
        output: NEXT_TO,
        except: [{ preset: 'Web', path: '/in/b.mov' }],
      }),
      draftOfFiles(['/in/a.jpg'], { presets: ['Web'], output: { kind: 'beside', subfolder: 'web' } }),
      draftOfFiles(['/in/a.jpg', '/in/b.jpg'], {
        presets: ['Web', 'Mail'],
        except: [{ preset: 'Mail', path: '/in/a.jpg' }],
      }),
    ]) {
      const [first, ...more] = plansFor(draft)
      if (first === undefined) throw new Error('nothing was planned')
      expect(draftOf([first, ...more], null)).toEqual({ ...draft, done: 'again' })
    }
  })
})

describe('a draft with results next to the originals', () => {
  it('becomes one part for each parent folder, in the folder or in a subfolder of it', () => {
    const paths = ['/in/1/a.jpg', '/in/2/a.jpg', '/in/1/b.jpg']
    const plain = plansFor(draftOfFiles(paths, { presets: ['Web'], output: NEXT_TO }))
    expect(shown(plain)).toEqual([
      ['Web', '/in/1', ['a.jpg', 'b.jpg']],
      ['Web', '/in/2', ['a.jpg']],
    ])
    const sub = plansFor(
      draftOfFiles(paths, { presets: ['Web', 'Mail'], output: { kind: 'beside', subfolder: 's' } }),
    )
    expect(shown(sub).map(([, folder]) => folder)).toEqual([
      '/in/1/s/Web',
      '/in/2/s/Web',
      '/in/1/s/Mail',
      '/in/2/s/Mail',
    ])
  })

  it('saves to the default folder if a parent folder can’t be written', () => {
    const draft = draftOfFiles(['/in/1/a.jpg', '/card/b.jpg', '/card2/c.jpg'], {
      presets: ['Web'],
      output: NEXT_TO,
    })
    const unwritable = new Set(['/card', '/card2'])
    expect(shown(plansFor(draft, { unwritable, otherwise: '/default' }))).toEqual([
      ['Web', '/in/1', ['a.jpg']],
      ['Web', '/default', ['b.jpg', 'c.jpg']],
    ])
  })

  it.each([
    [{ kind: 'folder', path: '/out' }, '/out'],
    [{ kind: 'replace' }, '/vault/in'],
  ] as const)('can give some files another format, and replace originals by it: %o', (output, saved) => {
    const otherFormat = { format: 'tiff', preset: 'Web: TIFF', paths: ['/in/b.tif', '/gone.tif'] } as const
    const draft = draftOfFiles(['/in/a.jpg', '/in/b.tif'], { presets: ['Web'], output, otherFormat })
    const plans = plansFor(draft, { replacing: new Map([['/in', '/vault/in']]) })
    expect(shown(plans)).toEqual([
      ['Web', saved, ['a.jpg']],
      ['Web: TIFF', saved, ['b.tif']],
    ])
    const [first, ...others] = plans
    const edited = draftOf([first as PlannedSubmission, ...others], null)
    const filesOf = (some: readonly PlannedSubmission[]) =>
      shown(some).map(([preset, , names]) => [preset, names])
    const again = plansFor({ ...edited, output: { kind: 'folder', path: '/out' } }, { presets: null })
    expect(filesOf(again)).toEqual(filesOf(plans))
  })

  it.each([
    ['an upload', {}, { seesFiles: false }, 'besideNeedsLocalService'],
    ['a Drive folder', { source: { kind: 'drive', folderId: 'in' } }, {}, 'besideNotForDrive'],
    ['a subfolder with a slash', { output: { kind: 'beside', subfolder: 'a/b' } }, {}, 'subfolderInvalid'],
    ['a subfolder that leads out', { output: { kind: 'beside', subfolder: '..' } }, {}, 'subfolderInvalid'],
    ['a subfolder without a name', { output: { kind: 'beside', subfolder: ' ' } }, {}, 'subfolderInvalid'],
  ] as const)('isn’t possible for %s', (_, more, given, code) => {
    const draft = draftOfFiles(['/in/a.jpg'], { presets: ['Web'], output: NEXT_TO, ...more })
    expect(problemsOf(draft, given)).toMatchObject([{ code }])
  })

  it.each([
    ['an upload', {}, { seesFiles: false }, ['replaceNeedsLocalService']],
    ['another computer', {}, { baseUrl: 'https://nas.example/api' }, ['replaceNeedsLocalService']],
    ['this computer', {}, { baseUrl: 'http://127.0.0.1:3847/api' }, []],
    ['several variations', { variations: 2 }, {}, ['replaceNotWithVariations']],
    ['several presets', { presets: ['Web', 'Mail'] }, {}, ['replaceNeedsOnePreset']],
    ['the audio of none of them', {}, { audioOnly: new Set(['Web']) }, []],
  ] as const)('knows whether originals can be replaced by %s', (_, more, given, found) => {
    const draft = draftOfFiles(['/in/a.jpg'], { presets: ['Web'], output: { kind: 'replace' }, ...more })
    expect(problemsOf(draft, given).map(({ code }) => code)).toEqual(found)
  })

  it('never replaces a video by its audio', () => {
    const draft = draftOfFiles(['/in/a.mov'], { presets: ['Clip'], output: { kind: 'replace' } })
    expect(problemsOf(draft, { audioOnly: new Set(['Clip']) })).toEqual([{ code: 'replaceNotWithAudio' }])
    expect(problemsOf(draft, { audioOnly: new Set(['Web']) })).toEqual([])
  })

  it('asks before it writes to more than 50 folders', () => {
    const paths = Array.from({ length: 51 }, (_, n) => `/in/${n}/a.jpg`)
    const draft = draftOfFiles(paths, { presets: ['Web'], output: NEXT_TO })
    expect(problemsOf(draft)).toEqual([{ code: 'manyFolders', count: 51 }])
    expect(plansFor(draft, { manyFolders: true })).toHaveLength(51)
    const fifty = draftOfFiles(paths.slice(1), { presets: ['Web'], output: NEXT_TO })
    expect(problemsOf(fifty)).toEqual([])
  })

  it('counts only folders of files that it processes', () => {
    const paths = Array.from({ length: 60 }, (_, n) => `/in/${n}/a.jpg`)
    const draft = draftOfFiles(paths, { presets: ['Web'], output: NEXT_TO })
    const done = (count: number) => ({ isDone: (path: string) => paths.indexOf(path) < count })
    expect(problemsOf(draft, done(5))).toEqual([{ code: 'manyFolders', count: 55 }])
    expect(problemsOf(draft, done(10))).toEqual([])
    const replacing = draftOfFiles(paths, { presets: ['Web'], output: { kind: 'replace' } })
    expect(problemsOf(replacing, { ...done(10), baseUrl: 'http://127.0.0.1:3847/api' })).toEqual([])
    const videos = draftOfFiles([...paths.slice(10), '/clips/a.mov'], {
      presets: ['Web', 'Mail'],
      output: NEXT_TO,
    })
    expect(problemsOf(videos)).toEqual([])
  })
})

it('makes a list that is too long for one request one job', () => {
  const paths = Array.from({ length: 3000 }, (_, n) => `/home/me/Pictures/${n}.jpg`)
  const draft = draftOfFiles(paths, { presets: ['Web'] })
  const { source } = draft
  if (source.kind !== 'files') throw new Error('no files')
  const items = source.items.map((item, n) => ({ ...item, identity: `64:${n}:1000:1000:420` }))
  const plans = plansFor({ ...draft, source: { kind: 'files', items } })
  expect(plans.map(({ place }) => place)).toMatchObject([
    { part: 0, parts: 2, photos: 3000, presets: 1, folders: 1 },
    { part: 1, parts: 2, photos: 3000 },
  ])
})
