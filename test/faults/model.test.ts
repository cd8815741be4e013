import { it } from 'vitest'
import { itInLongSuite, roundsOf } from './long-suite.ts'
import { playRounds } from './model/nothing-lost.ts'

it('any sequence of events loses nothing, duplicates nothing without consent, and ends every record', () =>
  playRounds(roundsOf(10_000, 4)))

// Seeds of rounds that failed in the past.
itInLongSuite.each([
  ['a command finds what the app has sent to another service', 9_317],
  ['a restarted service gives the ID of a job to another one while the app doesn’t run', 3_989],
])('still holds: %s', (_, seed) => playRounds([seed]))
