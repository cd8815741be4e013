import type { Page } from 'playwright-core'

/** Finds elements with a transition or an animation longer than 0.01 seconds. */
export const moving = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('*')].flatMap((element) =>
      [undefined, '::before', '::after', '::backdrop']
        .filter((part) => {
          const { transitionDuration, animationDuration } = getComputedStyle(element, part)
          // Computed durations are in seconds, for example `0.12s, 0s`.
          return `${transitionDuration},${animationDuration}`
            .split(',')
            .some((duration) => Number.parseFloat(duration) > 0.01)
        })
        .map((part = '') => `${element.outerHTML.slice(0, 120)}${part}`),
    ),
  )
