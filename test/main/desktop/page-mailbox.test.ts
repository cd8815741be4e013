import { expect, it } from 'vitest'
import { createPageMailbox } from '../../../src/main/desktop/windows/page-mailbox.ts'

const refused = { place: 'newest' } as const

function setUp() {
  const logged: string[] = []
  const delivered: (readonly [string, unknown])[] = []
  const mailbox = createPageMailbox(
    (channel, payload) => {
      if (payload === refused) throw new Error('An object could not be cloned.')
      delivered.push([channel, payload])
    },
    (message) => logged.push(message),
  )
  return { mailbox, delivered, logged }
}

const newJob = { place: 'newJob' } as const
const added = { kind: 'added', taken: 1, refused: 0 } as const
const change = { since: 1, version: 2, slices: {} }

it('holds messages for a page that is not ready, and delivers them once, in order', () => {
  const { mailbox, delivered } = setUp()
  mailbox.send('show', newJob)
  mailbox.send('toast', added)
  expect(delivered).toEqual([])
  mailbox.pageIsReady()
  mailbox.pageIsReady()
  expect(delivered).toEqual([
    ['event:show', newJob],
    ['event:toast', added],
  ])
})

it('delivers the others if one can’t be sent', () => {
  const { mailbox, delivered, logged } = setUp()
  mailbox.send('show', refused)
  mailbox.send('toast', added)
  mailbox.pageIsReady()
  expect(delivered).toEqual([['event:toast', added]])
  expect(logged).toHaveLength(1)
})

it('doesn’t hold state changes, which the page receives with its snapshot', () => {
  const { mailbox, delivered } = setUp()
  mailbox.send('stateChanged', change)
  mailbox.pageIsReady()
  expect(delivered).toEqual([])
  mailbox.send('stateChanged', change)
  expect(delivered).toEqual([['event:stateChanged', change]])
})

it('holds messages for the next page after the current one was closed', () => {
  const { mailbox, delivered } = setUp()
  mailbox.pageIsReady()
  mailbox.pageIsGone()
  mailbox.send('show', newJob)
  expect(delivered).toEqual([])
  mailbox.pageIsReady()
  expect(delivered).toEqual([['event:show', newJob]])
})
