import { describe, expect, it } from 'vitest'
import { countNamed, firstPresets, rememberChoice } from '../../../src/main/drafts/first-presets.ts'
import { emptyDraft } from '../../../src/main/drafts/draft-store.ts'
import { newJobChoices, type Settings } from '../../../src/shared/model/settings.ts'
import { DEFAULT_SETTINGS } from '../../default-settings.ts'

const presets = { image: ['Web 2048'], video: ['Chat'] }
const builtIn = { kind: 'builtIn', presets } as const
const external = { kind: 'external', presets } as const
const draftWith = (...names: readonly string[]) =>
  emptyDraft({
    presets: names,
    output: { kind: 'folder', path: '/out' },
    variations: 1,
    grouping: 'together',
    done: 'skip',
  })

const last = (...lastPresets: string[]) => ({ ...DEFAULT_SETTINGS, lastPresets })

function remembering(before: Partial<Settings> = {}) {
  let settings: Settings = { ...DEFAULT_SETTINGS, ...before }
  let writes = 0
  return {
    view: () => settings,
    writes: () => writes,
    update: (patch: object) => {
      writes += 1
      settings = { ...settings, ...patch }
      return settings
    },
  }
}

const choices = (some: Partial<Settings>) => newJobChoices({ ...DEFAULT_SETTINGS, ...some })

describe('a new job', () => {
  it('starts with the first task in a new installation, and without a preset at another service', () => {
    expect(firstPresets(DEFAULT_SETTINGS, builtIn)).toEqual(['Make smaller'])
    expect(firstPresets(DEFAULT_SETTINGS, { kind: null, presets: null })).toEqual(['Make smaller'])
    expect(firstPresets(DEFAULT_SETTINGS, external)).toEqual([])
  })

  it('starts with the presets of the last job, unless one was deleted', () => {
    expect(firstPresets(last('Web 2048', 'Chat'), builtIn)).toEqual(['Web 2048', 'Chat'])
    expect(firstPresets(last('Web 2048', 'Gone'), builtIn)).toEqual(['Make smaller'])
    expect(firstPresets(last('Under a size: 8 MB'), builtIn)).toEqual(['Under a size: 8 MB'])
    expect(firstPresets(last('Gone'), external)).toEqual([])
  })

  it('starts with the presets from the settings, even if they are gone', () => {
    expect(firstPresets({ ...DEFAULT_SETTINGS, defaultPresets: ['Gone'] }, builtIn)).toEqual(['Gone'])
    expect(firstPresets({ ...DEFAULT_SETTINGS, defaultPresets: [] }, builtIn)).toEqual([])
  })
})

describe('a started job', () => {
  it('is remembered with its size', () => {
    const settings = remembering()
    rememberChoice(draftWith('Under a size: 8 MB'), builtIn, settings)
    expect(settings.view()).toMatchObject({ lastPresets: ['Under a size: 8 MB'], underMegabytes: 8 })
    rememberChoice(draftWith('Web 2048'), builtIn, settings)
    expect(settings.view()).toMatchObject({ lastPresets: ['Web 2048'], underMegabytes: 8 })
    expect(settings.writes()).toBe(2)
    for (let job = 0; job < 4; job += 1) rememberChoice(draftWith('Web 2048'), builtIn, settings)
    expect(settings.writes()).toBe(4)
  })

  it('isn’t remembered if its preset was for this job only', () => {
    const settings = remembering({ lastPresets: ['Chat'] })
    rememberChoice(draftWith('Web 2048: TIFF'), builtIn, settings)
    expect(settings.writes()).toBe(0)
  })

  it('is counted if its presets were chosen by name', () => {
    const settings = remembering()
    const start = (...names: readonly string[]) => rememberChoice(draftWith(...names), builtIn, settings)
    start('Make smaller')
    start()
    start('Web 2048')
    start('Web 2048', 'Chat')
    expect(settings.view().namedPresetJobs).toBe(2)
    countNamed(['Chat'], settings)
    countNamed(['Chat'], settings)
    expect(settings.view().namedPresetJobs).toBe(3)
  })
})

describe('the tiles of a new job', () => {
  const starredPresets = ['Chat']

  it('are starred presets once three jobs had presets chosen by name', () => {
    expect(choices({ starredPresets, namedPresetJobs: 2 })).toBe('tasks')
    expect(choices({ starredPresets, namedPresetJobs: 3 })).toBe('starred')
    expect(choices({ starredPresets: [], namedPresetJobs: 3 })).toBe('tasks')
  })

  it('are what the user has set, but tasks without any star', () => {
    expect(choices({ starredPresets, namedPresetJobs: 3, newJobChoices: 'tasks' })).toBe('tasks')
    expect(choices({ starredPresets, newJobChoices: 'starred' })).toBe('starred')
    expect(choices({ newJobChoices: 'starred' })).toBe('tasks')
  })
})
