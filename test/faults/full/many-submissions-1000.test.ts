import { expect, it } from 'vitest'
import { sendMany } from '../many-submissions.ts'

it('a thousand submissions among faults arrive once each, in order', { timeout: 600_000 }, async () => {
  const { submitted, made, remembered, left } = await sendMany(1_000, 3)
  expect(made).toEqual(submitted)
  expect(remembered).toBe(submitted.length)
  expect(left).toBe(0)
})
