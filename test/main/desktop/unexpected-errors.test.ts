import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { createTranslation } from '../../../src/node/translation.ts'
import { NewerDatabase } from '../../../src/main/database/index.ts'
import { catchUnexpectedErrors, endUnstarted } from '../../../src/main/desktop/unexpected-errors.ts'

function setUp() {
  const source = new EventEmitter()
  const logged: unknown[] = []
  let said = 0
  const errors = catchUnexpectedErrors(source, (event, facts) => logged.push([event, facts['error']]))
  return { source, logged, errors, say: () => void said++, said: () => said }
}

it('every uncaught error is logged with its stack, and only the first is shown', () => {
  const { source, logged, errors, say, said } = setUp()
  errors.notifyOnce(say)
  expect(said()).toBe(0)
  const error = new TypeError('no such thing')
  source.emit('uncaughtException', error)
  source.emit('unhandledRejection', 'a text')
  source.emit('uncaughtException', error)
  expect(logged).toEqual([
    ['uncaught error', error.stack],
    ['unhandled rejection', 'a text'],
    ['uncaught error', error.stack],
  ])
  expect(said()).toBe(1)
})

it('an error during startup is shown as soon as possible', () => {
  const { source, errors, say, said } = setUp()
  source.emit('unhandledRejection', new Error('early'))
  errors.notifyOnce(say)
  expect(said()).toBe(1)
})

it('a failure to show an error is logged and causes no further error', () => {
  const { source, logged, errors } = setUp()
  errors.notifyOnce(() => {
    throw new Error('no notifications')
  })
  source.emit('uncaughtException', 'first')
  source.emit('uncaughtException', 'second')
  expect(logged).toEqual([
    ['uncaught error', 'first'],
    ['could not report an error', 'Error: no notifications'],
    ['uncaught error', 'second'],
  ])
})

it.each([
  [new Error('EACCES: permission denied'), 'Das System meldete: „EACCES: permission denied“'],
  [
    new NewerDatabase('/data/outbox.db'),
    createTranslation('de-DE').dialog.newerData({ file: '/data/outbox.db' }),
  ],
])('an app that can’t start because of “%s” shows a dialog and exits', (error, shown) => {
  const did: unknown[] = []
  endUnstarted(error, {
    app: { getLocale: () => 'de-DE', exit: (code) => did.push(code) },
    dialog: { showErrorBox: (title, text) => did.push([title, text]) },
    print: (text) => did.push(text.split('\n')[0]),
  })
  expect(did).toEqual([`Error: ${error.message}`, ['Mediatray konnte nicht gestartet werden', shown], 1])
})
