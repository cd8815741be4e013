/** Files share a process: what one has put in the place of clocks and globals is gone before the next is loaded. */
import { afterAll, vi } from 'vitest'

afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})
