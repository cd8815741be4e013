import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { catchUnexpectedErrors, endUnstarted } from '../../../src/main/desktop/unexpected-errors.ts'

function setUp() {
  const source = new EventEmitter()
  const logged: unknown[] = []
  let said = 0
  const errors = catchUnexpectedErrors(source, (event, facts) => logged.push([event, facts['error']]))
  return { source, logged, errors, say: () => void said++, said: () => said }
}

it('Every error that nobody caught is logged with its stack, and one is said', () => {
  const { source, logged, errors, say, said } = setUp()
  errors.sayOnce(say)
  expect(said()).toBe(0)
  const error = new TypeError('no such thing')
  source.emit('uncaughtException', error)
  source.emit('unhandledRejection', 'a text')
  source.emit('uncaughtException', error)
  expect(logged).toEqual([
    ['an error was caught by nobody', error.stack],
    ['a rejection was handled by nobody', 'a text'],
    ['an error was caught by nobody', error.stack],
  ])
  expect(said()).toBe(1)
})

it('What happened before there was anybody to say it is said as soon as there is', () => {
  const { source, errors, say, said } = setUp()
  source.emit('unhandledRejection', new Error('early'))
  errors.sayOnce(say)
  expect(said()).toBe(1)
})

it('That it can’t be said is logged and not one more error', () => {
  const { source, logged, errors } = setUp()
  errors.sayOnce(() => {
    throw new Error('no notifications')
  })
  source.emit('uncaughtException', 'first')
  source.emit('uncaughtException', 'second')
  expect(logged).toEqual([
    ['an error was caught by nobody', 'first'],
    ['an error could not be said', 'Error: no notifications'],
    ['an error was caught by nobody', 'second'],
  ])
})

it('An app that could not start says so in a dialog, and ends', () => {
  const did: unknown[] = []
  endUnstarted(new Error('EACCES: permission denied'), {
    app: { getLocale: () => 'de-DE', exit: (code) => did.push(code) },
    dialog: { showErrorBox: (title, text) => did.push([title, text]) },
    print: (text) => did.push(text.split('\n')[0]),
  })
  expect(did).toEqual([
    'Error: EACCES: permission denied',
    ['Mediatray konnte nicht starten', 'EACCES: permission denied'],
    1,
  ])
})
