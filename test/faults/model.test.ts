import { it } from 'vitest'
import { playRounds } from './model/nothing-lost.ts'

it(
  'whatever happens, nothing is lost, nothing is made twice unasked, and every record ends',
  { timeout: 300_000 },
  () => playRounds(40, 1),
)
