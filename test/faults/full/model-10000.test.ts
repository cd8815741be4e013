import { it } from 'vitest'
import { playRounds } from '../model/nothing-lost.ts'

it('ten thousand rounds lose nothing and make nothing twice unasked', { timeout: 3_600_000 }, () =>
  playRounds(10_000, 1_000),
)
