import type { App } from './app.ts'

/** ms until the app quits or the computer sleeps; never below 0. */
export const endingLeft = (app: App): number =>
  Math.max(0, (app.state.ending.value?.at ?? app.now()) - app.now())

/** "Mediatray quits in 30 s", in whole seconds. */
export function endingSentence(app: App): string {
  const time = app.t.value.duration(Math.ceil(endingLeft(app) / 1000) * 1000)
  const texts = app.t.value.ending
  return app.state.ending.value?.action === 'sleep' ? texts.sleep({ time }) : texts.quit({ time })
}
