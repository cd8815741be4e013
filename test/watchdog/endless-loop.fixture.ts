import { expect, test } from 'vitest'

test('ends', () => {
  expect(1).toBe(1)
})

test('keeps its process busy', () => {
  for (;;);
})
