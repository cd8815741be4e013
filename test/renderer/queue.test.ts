import { describe } from 'vitest'
import { shareBrowser } from './harness/open-state.ts'
import { checkQueue } from './in-the-window/queue.ts'

shareBrowser()

describe('the queue', checkQueue)
