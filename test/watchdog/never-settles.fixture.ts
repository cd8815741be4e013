import { test } from 'vitest'

test('waits for what never happens', async () => {
  await new Promise(() => undefined)
})
