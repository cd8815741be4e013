import { expect, it } from 'vitest'
import { sendMany } from './many-submissions.ts'

it.each([1, 2])('sixty submissions among faults arrive once each, in order (seed %i)', async (seed) => {
  const { submitted, made, remembered, left } = await sendMany(60, seed)
  expect(made).toEqual(submitted)
  expect(remembered).toBe(submitted.length)
  expect(left).toBe(0)
})
