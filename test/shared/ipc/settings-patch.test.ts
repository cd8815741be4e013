import { describe, expect, it } from 'vitest'
import { settingsPatch } from '../../../src/shared/ipc/arguments.ts'
import { NotificationChoices, QuietConditions } from '../../../src/shared/model/settings.ts'

const isTaken = (patch: object) => settingsPatch.safeParse(patch).success

describe('what the window may change in the settings', () => {
  it('is any setting of the window, alone or with others, and nothing is added', () => {
    const quiet = QuietConditions.parse({})
    const patch = { keepAwake: true, keepHistoryDays: null, quiet }
    expect(settingsPatch.parse(patch)).toEqual(patch)
    expect(settingsPatch.parse({})).toEqual({})
  })

  it('is refused as a whole if a value is wrong, instead of becoming the default', () => {
    expect(isTaken({ keepAwake: 'yes' })).toBe(false)
    expect(isTaken({ keepHistoryDays: 0 })).toBe(false)
    expect(isTaken({ clipboardShortcut: 'A'.repeat(101) })).toBe(false)
    expect(isTaken({ quiet: { ...QuietConditions.parse({}), from: '25:00' } })).toBe(false)
    expect(isTaken({ notifications: { ...NotificationChoices.parse({}), done: 1 } })).toBe(false)
    expect(isTaken({ defaultOutput: { kind: 'folder', path: '' } })).toBe(false)
  })

  it('doesn’t include services, programs and folders, which are chosen elsewhere', () => {
    for (const name of ['baseUrl', 'rclonePath', 'afterJob', 'watchFolders', 'assistants', 'other'])
      expect(isTaken({ [name]: null })).toBe(false)
    expect(isTaken({ notifications: { ...NotificationChoices.parse({}), other: true } })).toBe(false)
  })
})
