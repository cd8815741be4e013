import { expect, test } from 'vitest'
import { createSessionLimits } from '../../../../src/main/cli/mcp/session-limits.ts'

test('a session submits at most 30 jobs in a minute', async () => {
  let now = 0
  const limits = createSessionLimits({ monotonic: () => now })
  const submit = () => limits.during('submit', () => Promise.resolve('job'))
  for (let n = 0; n < 30; n++) expect(await submit()).toBe('job')
  await expect(submit()).rejects.toThrow('At most 30 jobs')
  now = 60_000
  expect(await submit()).toBe('job')
})

test('a call that fails makes room for the next one', async () => {
  const limits = createSessionLimits({ monotonic: () => 0 })
  for (let n = 0; n < 5; n++)
    await expect(limits.during('estimate', () => Promise.reject(new Error('failed')))).rejects.toThrow(
      'failed',
    )
})
