import { expect, it } from 'vitest'
import { quietNote } from '../../../src/main/cli/explain-wait.ts'
import { Settings } from '../../../src/shared/model/settings.ts'

const NOON = Date.parse('2026-11-25T12:00Z')
const note = (settings: object) => quietNote(Settings.parse(settings), NOON, () => 0)

it('explains that the app may hold a submission back, as far as a command can know', () => {
  expect(note({})).toBe('')
  expect(note({ outboxPaused: true })).toBe(' Quiet mode: Paused.')
  expect(note({ quiet: { between: true } })).toContain(' Quiet mode: Waiting until ')
  expect(note({ quiet: { between: true, from: '11:00', until: '13:00' } })).toBe('')
  expect(note({ quiet: { plugged: true } })).toContain('may hold it back')
})
