import { describe, expect, it } from 'vitest'
import { createEvents } from '../../../src/main/core/events.ts'

type Facts = { readonly fileAdded: string; readonly ended: void }

function newEvents() {
  const logged: unknown[] = []
  const events = createEvents<Facts>((event, facts) => logged.push({ event, ...facts }))
  return { events, logged }
}

describe('events', () => {
  it('reach their listeners in the order of subscription', () => {
    const { events } = newEvents()
    const heard: string[] = []
    events.on('fileAdded', (name) => heard.push(`first ${name}`))
    events.on('ended', () => heard.push('ended'))
    events.on('fileAdded', (name) => heard.push(`second ${name}`))
    events.tell('fileAdded')('a.jpg')
    expect(heard).toEqual(['first a.jpg', 'second a.jpg'])
  })

  it('don’t reach listeners that have unsubscribed', () => {
    const { events } = newEvents()
    const heard: string[] = []
    const stop = events.on('fileAdded', (name) => heard.push(name))
    stop()
    events.tell('fileAdded')('a.jpg')
    expect(heard).toEqual([])
  })

  it('reach all listeners even if one throws, and the error is logged', () => {
    const { events, logged } = newEvents()
    const heard: string[] = []
    events.on('fileAdded', () => {
      throw new Error('broken')
    })
    events.on('fileAdded', (name) => heard.push(name))
    events.tell('fileAdded')('a.jpg')
    expect(heard).toEqual(['a.jpg'])
    expect(logged).toMatchObject([{ event: 'listener failed', error: { message: 'broken' } }])
  })
})
