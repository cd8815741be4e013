import { expect, it } from 'vitest'
import { quitsWithLastWindow, whatClosingDoes } from '../../../src/main/desktop/windows/closing.ts'

const usual = { isQuitting: false, isTrayShown: true, closeToTray: true }

it('hides the window where the person finds it again in the tray', () => {
  expect(whatClosingDoes(usual)).toBe('hide')
  expect(quitsWithLastWindow(usual)).toBe(false)
})

it.each([{ isTrayShown: false }, { closeToTray: false }])('ends the app with %o', (others) => {
  expect(whatClosingDoes({ ...usual, ...others })).toBe('quit')
  expect(quitsWithLastWindow({ ...usual, ...others })).toBe(true)
})

it('closes the window of an app that ends, and leaves it to end in order', () => {
  expect(whatClosingDoes({ ...usual, isQuitting: true })).toBe('quit')
  expect(quitsWithLastWindow({ ...usual, isTrayShown: false, isQuitting: true })).toBe(false)
})
