import { expect, it } from 'vitest'
import { createPageMailbox } from '../../../src/main/desktop/windows/page-mailbox.ts'

function setUp() {
  const delivered: (readonly [string, unknown])[] = []
  const mailbox = createPageMailbox((channel, payload) => delivered.push([channel, payload]))
  return { mailbox, delivered }
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
